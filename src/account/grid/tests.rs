//! The bounds against the reference, which lists every outcome, and against each other.

use alloc::{boxed::Box, vec, vec::Vec};

use num_bigint::BigInt;
use num_traits::Signed;
use proptest::prelude::*;

use super::{
    chain::{Composed, MANY_GROUPS, Measure},
    grouped::Grouped,
    pld::Pld,
    tilt::{bound, guess},
    *,
};
use crate::{
    account::{DpSgd, Methods, Plan, reference},
    exact::{Enclosure, Positive, Probability, parse},
    guarantee::{Domination, FinitePair, Pair},
    mechanism::{Spec, from_spec},
};

/// So few points that every step of the method matters, and hardly a sum before the grid.
const TINY: Effort = Effort { single: 1 << 6, looks: 1 << 6, composed: 1 << 7, sums: 1 << 3 };

fn rational(text: &str) -> Rational {
    parse(text).unwrap()
}

/// A spec; or `rate:spec` for a subsampled one.
fn plan(specs: &[&str]) -> Plan {
    let add = |plan: Plan, text: &&str| {
        let (rate, text) = text.split_once(':').map_or((None, *text), |(rate, text)| (Some(rate), text));
        let spec: Spec = text.parse().unwrap();
        let copies = spec.copies().map_or(1, |copies| copies.get().into());
        let domination = from_spec(&spec).unwrap().domination();
        let domination = match rate {
            None => domination,
            Some(rate) => {
                let rate = Probability::new(rational(rate)).unwrap();
                let of = Box::new(domination.forward()[0].clone());
                Domination::by(Pair::Subsampled { rate, of, reversed: false })
            }
        };
        plan.with(&domination, copies)
    };
    specs.iter().try_fold(Plan::new(), add).unwrap()
}

fn at(direction: &Direction, epsilon: &Rational, effort: Effort) -> Enclosure {
    let budget = Budget::unlimited();
    let sketches = sketch(direction, &budget).unwrap();
    let aim = Aim { epsilon, log_delta: None, open: None };
    Composition::new(direction, &sketches, aim, effort, &budget).unwrap().delta(epsilon).unwrap()
}

fn truth(direction: &Direction, epsilon: &Rational) -> Enclosure {
    let epsilon = NonNegative::new(epsilon.clone()).unwrap();
    reference::delta(direction, &epsilon, &Precision::default(), &Budget::unlimited()).unwrap().enclosure
}

fn relative(enclosure: &Enclosure) -> Rational {
    enclosure.width() / enclosure.lower()
}

/// The truth is inside whatever the effort, and a better effort narrows.
fn encloses(direction: &Direction, epsilon: &str) {
    let epsilon = rational(epsilon);
    let truth = truth(direction, &epsilon);
    let fine = at(direction, &epsilon, LIGHT);
    for found in [&at(direction, &epsilon, TINY), &fine] {
        assert!(
            found.lower() <= truth.upper() && truth.lower() <= found.upper(),
            "{direction:?} at {epsilon}: {found} for {truth}"
        );
    }
    assert!(
        fine.width() <= truth.upper() * rational("1/50") + rational("1e-20"),
        "{direction:?} at {epsilon}: {fine} for {truth}"
    );
}

#[test]
fn the_truth_is_inside() {
    for (specs, epsilons) in [
        (&["randomized_response(gamma=1/4)*2", "laplace(scale=2)"][..], &["0", "1", "5/2"][..]),
        (&["1/3:gaussian(sigma=1)*2"], &["0", "1/2", "3/2"]),
        (&["1/10:gaussian(sigma=3, sensitivity=2)"], &["0", "1/20", "1/4"]),
        (&["1/2:laplace(scale=1, sensitivity=2)*2"], &["0", "1", "9/4"]),
        (&["gaussian(sigma=2)", "laplace(scale=3, sensitivity=2)"], &["0", "1", "4"]),
        // Losses as small as the rate.
        (&["1e-9:gaussian(sigma=1)*2"], &["0", "1e-9"]),
    ] {
        for direction in plan(specs).directions() {
            epsilons.iter().for_each(|epsilon| encloses(&direction, epsilon));
        }
    }
}

/// Both directions of an asymmetric pair, one of which reveals outright.
#[test]
fn infinite_losses_are_counted() {
    let probability = |text: &str| Probability::new(rational(text)).unwrap();
    let outcomes = vec![
        (probability("1/10"), probability("0")),
        (probability("1/2"), probability("1/3")),
        (probability("2/5"), probability("2/3")),
    ];
    let pair = Pair::Finite(FinitePair::from_probabilities(outcomes).unwrap());
    for direction in Plan::of(&Domination::by(pair), 5).directions() {
        ["0", "1/4", "1"].iter().for_each(|epsilon| encloses(&direction, epsilon));
    }
}

/// The largest of several curves: it is that of each alone where it is the larger, and a single copy is known exactly.
#[test]
fn several_pairs_are_their_maximum() {
    let pairs = |specs: &[&str]| -> Vec<Pair> {
        specs.iter().map(|spec| plan(&[spec]).directions()[0].parts()[0].pairs()[0].clone()).collect()
    };
    let both = Direction::of([(pairs(&["laplace(scale=2)", "gaussian(sigma=2)"]), 1)]);
    for epsilon in ["0", "1/4", "1/2", "1"] {
        let epsilon = rational(epsilon);
        let each =
            both.parts()[0].pairs().iter().map(|pair| truth(&Direction::of([(vec![pair.clone()], 1)]), &epsilon));
        let most = each.max_by(|a, b| a.lower().cmp(&b.lower())).unwrap();
        let found = at(&both, &epsilon, LIGHT);
        assert!(found.intersects(&most) && found.width() < rational("1/1000"), "{found} for {most}");
    }
}

fn any_pair() -> impl Strategy<Value = Pair> {
    any_pair_of(2..5)
}

fn any_pair_of(outcomes: core::ops::Range<usize>) -> impl Strategy<Value = Pair> {
    let weights = prop::collection::vec((1_i64..30, 1_i64..30), outcomes);
    let finite = weights.prop_map(|weights| {
        let (p, q): (i64, i64) = weights.iter().fold((0, 0), |(p, q), (a, b)| (p + a, q + b));
        let share = |n: i64, d: i64| Probability::new(Rational::new(n.into(), d.into())).unwrap();
        let outcomes = weights.iter().map(|(a, b)| (share(*a, p), share(*b, q))).collect();
        Pair::Finite(FinitePair::from_probabilities(outcomes).unwrap())
    });
    (finite, 1_i64..9, any::<bool>(), any::<bool>()).prop_map(|(pair, tenths, subsampled, reversed)| {
        let rate = Probability::new(Rational::new(tenths.into(), 10.into())).unwrap();
        if subsampled { Pair::Subsampled { rate, of: Box::new(pair), reversed } } else { pair }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_truth_is_inside_at_random(a in any_pair(), b in any_pair(), k in 1_u64..5, n in 0_i64..60) {
        let epsilon = Rational::new(n.into(), 20.into());
        let direction = Direction::of([(vec![a], k), (vec![b], 1)]);
        let truth = truth(&direction, &epsilon);
        for effort in [TINY, LIGHT] {
            let found = at(&direction, &epsilon, effort);
            prop_assert!(found.lower() <= found.upper());
            prop_assert!(found.lower() <= truth.upper() && truth.lower() <= found.upper(), "{} for {}", found, truth);
        }
    }

    /// Many parts, all of as many copies, or all of different numbers of them, which go through digit by digit: of two outcomes, so that all sums may be listed.
    #[test]
    fn the_truth_of_many_parts_is_inside(
        pairs in prop::collection::vec(any_pair_of(2..3), MANY_GROUPS..MANY_GROUPS + 2),
        alike in prop::option::of(1_u64..4),
        n in 0_i64..60,
    ) {
        let epsilon = Rational::new(n.into(), 20.into());
        let parts = pairs.into_iter().zip(1_u64..).map(|(pair, copies)| (vec![pair], alike.unwrap_or(copies)));
        let direction = Direction::of(parts);
        prop_assume!(!crate::account::greatest::is_at_most(&direction, &epsilon));
        let truth = truth(&direction, &epsilon);
        for effort in [TINY, LIGHT] {
            let found = at(&direction, &epsilon, effort);
            prop_assert!(found.lower() <= truth.upper() && truth.lower() <= found.upper(), "{} for {}", found, truth);
        }
        let fine = at(&direction, &epsilon, LIGHT);
        prop_assert!(fine.width() <= truth.upper() * rational("1/50") + rational("1e-15"), "{} for {}", fine, truth);
    }

    /// Composing k copies and composing them one by one intersect, in any order; more copies are no more private.
    #[test]
    fn compositions_agree(a in any_pair(), b in any_pair(), k in 2_u64..40, n in 0_i64..40) {
        let epsilon = Rational::new(n.into(), 10.into());
        let of = |parts: &[(&Pair, u64)]| Direction::of(parts.iter().map(|(pair, k)| (vec![(*pair).clone()], *k)));
        let whole = at(&of(&[(&a, k), (&b, 2)]), &epsilon, TINY);
        for other in [of(&[(&b, 2), (&a, k)]), of(&[(&a, 1), (&b, 1), (&a, k - 1), (&b, 1)])] {
            prop_assert!(whole.intersects(&at(&other, &epsilon, TINY)));
        }
        let more = at(&of(&[(&a, k + 1), (&b, 2)]), &epsilon, TINY);
        prop_assert!(more.upper() >= whole.lower());
    }

    /// Halving the grid and cutting off the ends moves either bound outward, before a composition too, and at every ε from the
    /// one that was asked for: below it a tilted sum has rounding noise of its own.
    #[test]
    fn each_step_moves_outward(a in any_pair(), n in 0_i64..40, m in 0_i64..20) {
        let direction = Direction::of([(vec![a], 3)]);
        let epsilon = Rational::new(n.into(), 10.into());
        let budget = Budget::unlimited();
        let aim = Aim { epsilon: &epsilon, log_delta: None, open: None };
        let Composition { theta, lower, upper, greatest } =
            Composition::new(&direction, &sketch(&direction, &budget).unwrap(), aim, LIGHT, &budget).unwrap();
        let elsewhere = &epsilon + Rational::new(m.into(), 20.into());
        // The sums are rounded by themselves, to about 2^-40 of their terms.
        let more = |x: Rational| &x * (rational("1") + rational("1e-12")) + rational("1e-12");
        let (upper, lower) = match (upper, lower.unwrap()) {
            (Composed::Few(upper), Composed::Few(lower)) => {
                (upper.split(&theta, 1 << 14, 63).unwrap(), lower.group(&theta, 1 << 14, 63).unwrap())
            }
            (Composed::Grid(upper), Composed::Grid(lower)) => (upper.of, lower.of),
            _ => panic!("the two chains differ"),
        };
        for (before, after) in steps(&upper, &theta) {
            let of = |pld: &Pld| evaluate::most(pld, &theta, &elsewhere, &greatest).unwrap();
            prop_assert!(more(of(&after)) >= of(&before));
        }
        for (before, after) in steps(&lower, &theta) {
            let of = |grouped: &Grouped| evaluate::least(grouped, &theta, &elsewhere).unwrap();
            prop_assert!(of(&after) <= more(of(&before)));
        }
    }
}

/// What a distribution becomes, before and after a grid is halved, and ends are cut off.
fn steps<M: Measure>(measure: &M, theta: &Rational) -> [(M, M); 3] {
    let with = |a: &M, cut: u32| a.compose(measure, theta, cut).unwrap();
    let (twice, cut) = (with(measure, 128), with(measure, 3));
    [(measure.clone(), measure.coarsen(theta).unwrap()), (with(&twice, 128), with(&cut, 128)), (twice, cut)]
}

/// dp-accounting 0.6.0: from_gaussian_mechanism(1.0, sampling_prob=0.01), connect-the-dots at 1e-4, 1000 steps, ε = 3: δ ≤ 9.2226627e-10, of
/// the continuous Gaussian, from which the discrete one at σ = 2^20 differs by about 2^-40.
#[test]
fn dp_sgd_agrees_with_dp_accounting() {
    let sgd = DpSgd {
        noise_multiplier: Positive::new(rational("1")).unwrap(),
        rate: Probability::new(rational("1/100")).unwrap(),
        steps: 1000.try_into().unwrap(),
        resolution: (1 << 20).try_into().unwrap(),
    };
    let directions = sgd.plan().directions();
    let found = at(&directions[0], &rational("3"), LIGHT);
    assert!(found.lower() < rational("9.2226627e-10") && found.upper() > rational("9.19e-10"), "{found}");
    let other = at(&directions[1], &rational("3"), LIGHT);
    assert!(other.upper() < rational("1e-20"), "{other}");
}

/// ε(δ) brackets: δ at its upper end is at most δ for certain, and at its lower end not.
#[test]
fn epsilon_inverts_delta() {
    let directions = plan(&["laplace(scale=10)*20", "randomized_response(gamma=1/10)*30"]).directions();
    let wanted = Probability::new(rational("1e-6")).unwrap();
    let answer = epsilon(&directions, &wanted, None, &Precision { digits: 3 }, &Budget::unlimited()).unwrap();
    assert!(answer.is_narrow, "{}", answer.enclosure);
    let delta = |epsilon: Rational| at(&directions[0], &epsilon, LIGHT);
    assert!(delta(answer.enclosure.upper()).lower() <= *wanted.get());
    assert!(delta(answer.enclosure.lower()).upper() >= *wanted.get());
}

/// δ = 0 is exactly 0 beyond the greatest loss, here 2·ln(1 + (e − 1)/2).
#[test]
fn nothing_is_left_beyond_the_greatest_loss() {
    let direction = &plan(&["1/2:laplace(scale=1)*2"]).directions()[0];
    let zero = |epsilon: &str| {
        let epsilon = NonNegative::new(rational(epsilon)).unwrap();
        crate::account::one_direction(
            direction,
            &epsilon,
            &Precision { digits: 1 },
            Methods::All,
            &Budget::unlimited(),
            &mut Memory::default(),
        )
        .enclosure
            == Enclosure::from_integer(0, 0)
    };
    assert!(zero("1.2403") && !zero("1.2402"));
}

/// Relative width ≤ 10^-3 at k ≤ 1,000, off the lattice.
#[test]
fn widths() {
    // The curve of the last is much work, and an error is in proportion to the copies and to the square of the grid: this is one of 2^16 points and 1,000 copies, which
    // the tests of the command ask.
    for (specs, epsilon, effort) in [
        (&["randomized_response(gamma=1/4)*3", "gaussian(sigma=10)*100", "laplace(scale=20)*5"][..], "7", FULL),
        (&["laplace(scale=10)*50", "laplace(scale=7.3)*70"], "8", FULL),
        (&["1/100:gaussian(sigma=1)*1000"], "3", FULL),
        (&["1/100:gaussian(sigma=1048576, sensitivity=1048576)*4"], "1/2", LIGHT),
    ] {
        // Beyond the greatest loss δ is 0, and no grid is asked.
        let is_asked = |direction: &Direction| !crate::account::greatest::is_at_most(direction, &rational(epsilon));
        for direction in plan(specs).directions().into_iter().filter(is_asked) {
            let found = at(&direction, &rational(epsilon), effort);
            assert!(relative(&found) <= rational("1e-3"), "{specs:?}: {found}");
        }
    }
}

/// Of wide noise a narrower one leads to the same place, and is no bound of anything.
#[test]
fn narrower_noise_is_sketched_alike() {
    for direction in plan(&["1/100:gaussian(sigma=3000, sensitivity=2000)*100"]).directions() {
        let (pairs, copies) = (direction.parts()[0].pairs(), direction.parts()[0].copies());
        let [best, _] = Detail::of_parts(1);
        let less = best.narrower();
        let of = |detail| [Sketch::new(pairs, copies, detail, &Budget::unlimited()).unwrap()];
        let (wide, narrow) = (guess(&of(best), -30).unwrap(), guess(&of(less), -30).unwrap());
        assert!((&wide - &narrow).abs() * BigInt::from(20) < wide, "{wide} {narrow}");
        assert!(bound(&of(best), &wide).is_some() && bound(&of(less), &wide).is_none());
    }
}

/// What a light composition shows of a direction: at a bound above its δ, and not below. The whole account is the worst direction's, whichever comes first.
#[test]
fn the_worst_direction_is_asked() {
    let directions = plan(&["1/10:gaussian(sigma=1)*20"]).directions();
    let epsilon = rational("2");
    let budget = Budget::unlimited();
    let [forward, backward] = [&directions[0], &directions[1]].map(|direction| at(direction, &epsilon, LIGHT));
    assert!(backward.upper() * BigInt::from(4) < forward.lower(), "{forward} {backward}");
    assert!(is_at_most(&directions[1], &epsilon, &forward.lower(), &budget, &mut Memory::default()));
    assert!(!is_at_most(&directions[0], &epsilon, &forward.lower(), &budget, &mut Memory::default()));
    assert!(!is_at_most(
        &directions[1],
        &epsilon,
        &(backward.lower() / BigInt::from(2)),
        &budget,
        &mut Memory::default()
    ));
    for order in
        [vec![directions[0].clone(), directions[1].clone()], vec![directions[1].clone(), directions[0].clone()]]
    {
        let epsilon = NonNegative::new(epsilon.clone()).unwrap();
        let found = crate::account::of_directions(
            &order,
            &epsilon,
            &Precision { digits: 3 },
            Methods::All,
            &budget,
            &mut Memory::default(),
        );
        assert!(found.unwrap().enclosure.intersects(&forward));
        let wanted = Probability::new(forward.upper()).unwrap();
        let found = super::epsilon(&order, &wanted, None, &Precision { digits: 3 }, &budget).unwrap().enclosure;
        assert!(found.lower() <= rational("2") && found.upper() > rational("1.99"), "{found}");
    }
}

/// Few losses, far apart, many times, against a sum that merges only losses within 10^-5 of each other (numpy, by squaring, in doubles): 1.00673260198e-6 and
/// 1.00932686289e-10. Before outcomes were grouped the lower bounds were a hundredth below.
#[test]
fn many_copies_of_few_losses() {
    let budget = Budget::unlimited();
    for (spec, made_for, near) in [
        ("1/1000:gaussian(sigma=3/10)*1000", "19.66", "1.00673260198e-6"),
        ("1/2:gaussian(sigma=3/10)*1000", "2682.6", "1.00932686289e-10"),
    ] {
        let direction = &plan(&[spec]).directions()[0];
        let (made_for, near) = (rational(made_for), rational(near));
        let aim = Aim { epsilon: &made_for, log_delta: None, open: None };
        let composition =
            Composition::new(direction, &sketch(direction, &budget).unwrap(), aim, FULL, &budget).unwrap();
        let found = composition.delta(&made_for).unwrap();
        assert!(found.lower() <= near && near <= found.upper() && relative(&found) <= rational("1e-6"), "{found}");
        for factor in ["0.99", "1.01"] {
            let found = composition.delta(&(&made_for * rational(factor))).unwrap();
            assert!(relative(&found) <= rational("1e-4"), "{spec} {factor}: {found}");
        }
    }
}

/// ε of losses of 10^-7, under a tilt of 10^7, is found at once; δ there is 9.9999995e-13 (numpy: the tilted losses on 2·10^5 points, by a Fourier transform, in doubles).
#[test]
fn small_losses_are_found() {
    let directions = plan(&["1e-6:gaussian(sigma=30)*100"]).directions();
    let wanted = Probability::new(rational("1e-12")).unwrap();
    let sketches = sketch(&directions[0], &Budget::unlimited()).unwrap();
    let guessed = guess(&sketches, -40).unwrap();
    assert!(guessed > rational("1.2e-6") && guessed < rational("2e-6"), "{guessed}");
    let found = epsilon(&directions[..1], &wanted, None, &Precision { digits: 6 }, &Budget::unlimited()).unwrap();
    assert!(relative(&found.enclosure) < rational("1e-6"), "{}", found.enclosure);
    assert!(found.enclosure.lower() < rational("1.40805831e-6") && found.enclosure.upper() > rational("1.4080582e-6"));
}

/// Where δ(0), here 0.00126, is below the δ asked for, ε is 0, and the guess is too.
#[test]
fn zero_suffices() {
    let directions = plan(&["1/1000:gaussian(sigma=10)*1000"]).directions();
    let wanted = Probability::new(rational("1/100")).unwrap();
    let found = epsilon(&directions[..1], &wanted, None, &Precision { digits: 6 }, &Budget::unlimited()).unwrap();
    assert_eq!(found.enclosure, Enclosure::from_integer(0, 0));
    // And a little above it, it is not.
    let wanted = Probability::new(rational("1/1000")).unwrap();
    let found = epsilon(&directions[..1], &wanted, None, &Precision { digits: 6 }, &Budget::unlimited()).unwrap();
    assert!(
        found.enclosure.lower() > rational("1e-4") && relative(&found.enclosure) < rational("1e-5"),
        "{}",
        found.enclosure
    );
}

/// A δ far below Chernoff's bound: what is cut off, booked, would be a twentieth of it; a second composition cuts off less.
#[test]
fn what_is_cut_off_suits_delta() {
    let direction = &plan(&["1e-6:gaussian(sigma=1)*10"]).directions()[0];
    let epsilon = NonNegative::new(rational("1/1000")).unwrap();
    let found = delta(direction, &epsilon, &Precision { digits: 15 }, &Budget::unlimited(), &mut Memory::default())
        .unwrap()
        .enclosure;
    assert!(relative(&found) < rational("1/250"), "{found}");
}

/// Losses of many sizes, from 10^-6 to 1/4: a window that leaves the largest open, as infinite, has a grid fine enough for the others. Without, this is a sixtieth wide.
#[test]
fn a_lower_window_where_losses_are_of_many_sizes() {
    let direction = &plan(&["1e-6:gaussian(sigma=3/5)*100"]).directions()[0];
    let epsilon = NonNegative::new(rational("0.0009965")).unwrap();
    let found = delta(direction, &epsilon, &Precision { digits: 15 }, &Budget::unlimited(), &mut Memory::default())
        .unwrap()
        .enclosure;
    assert!(relative(&found) < rational("1e-3"), "{found}");
    // As another composition has it, on a grid that tells all of them apart less well.
    assert!(found.intersects(&at(direction, epsilon.get(), FULL)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The sketches' bound is one, whatever the losses, infinite ones among them.
    #[test]
    fn sketches_bound_delta(
        weights in prop::collection::vec((0_u64..400, 0_u64..400), 2..5),
        other in prop::option::of(1_u64..9),
        copies in 1_u64..4,
        tenths in 0_i64..60,
    ) {
        let sum = |of: fn(&(u64, u64)) -> u64| weights.iter().map(of).sum::<u64>();
        let (all_p, all_q) = (sum(|weight| weight.0), sum(|weight| weight.1));
        prop_assume!(all_p > 0 && all_q > 0);
        let share = |part: u64, all: u64| Probability::new(Rational::new(part.into(), all.into())).unwrap();
        let outcomes = weights.iter().filter(|weight| **weight != (0, 0));
        let outcomes = outcomes.map(|(p, q)| (share(*p, all_p), share(*q, all_q))).collect();
        let mut parts = vec![(vec![Pair::Finite(FinitePair::from_probabilities(outcomes).unwrap())], copies)];
        if let Some(scale) = other {
            let spec: Spec = alloc::format!("laplace(scale={scale}/8)").parse().unwrap();
            parts.push((vec![from_spec(&spec).unwrap().domination().forward()[0].clone()], 1));
        }
        let direction = Direction::of(parts);
        let epsilon = Rational::new(tenths.into(), 10.into());
        let truth = truth(&direction, &epsilon);
        if let Some(most) = sketch(&direction, &Budget::unlimited()).and_then(|sketches| bound(&sketches, &epsilon)) {
            prop_assert!(most >= truth.lower(), "{direction:?} at {epsilon}: {most} for {truth}");
        }
    }
}

/// Far out the sketches' bound is no more than a hundred times δ, of one part or of several; and next to nothing where δ is.
#[test]
fn the_sketches_bound_is_good_far_out() {
    let cases = [
        (&["laplace(scale=1/2)*2"][..], "18/5"),
        (&["gaussian(sigma=1)*2"], "9"),
        (&["laplace(scale=1/2)", "laplace(scale=1/3)"], "9/2"),
    ];
    for (specs, epsilon) in cases {
        let (direction, epsilon) = (plan(specs).directions().remove(0), rational(epsilon));
        let truth = truth(&direction, &epsilon);
        let found = bound(&sketch(&direction, &Budget::unlimited()).unwrap(), &epsilon).unwrap();
        assert!(truth.lower() <= found && found <= truth.upper() * BigInt::from(100), "{specs:?}: {found} for {truth}");
    }
    // All that is left above every finite loss is what is infinite.
    let share = |n: i64, of: i64| Probability::new(Rational::new(n.into(), of.into())).unwrap();
    let outcomes = vec![(share(1, 10), share(0, 1)), (share(1, 2), share(2, 5)), (share(2, 5), share(3, 5))];
    let direction = Direction::of([(vec![Pair::Finite(FinitePair::from_probabilities(outcomes).unwrap())], 2)]);
    let found = bound(&sketch(&direction, &Budget::unlimited()).unwrap(), &rational("3")).unwrap();
    assert!(rational("19/100") <= found && found <= rational("1/2"), "{found}");
    let direction = plan(&["gaussian(sigma=10)*2"]).directions().remove(0);
    let found = bound(&sketch(&direction, &Budget::unlimited()).unwrap(), &rational("10")).unwrap();
    assert!(found < rational("1e-70"));
}
