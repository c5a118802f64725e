//! δ(ε).

use alloc::{boxed::Box, vec, vec::Vec};

use num_bigint::BigInt;
use num_traits::{One, Zero};
use proptest::prelude::*;

use super::*;
use crate::guarantee::Weight;

/// Two pairs run together, as one finite pair.
fn together(a: &[(i64, i64)], b: &[(i64, i64)]) -> Vec<(i64, i64)> {
    a.iter().flat_map(|(p, q)| b.iter().map(move |(r, s)| (p * r, q * s))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The fast methods and the enumeration of every outcome speak of one number.
    #[test]
    fn agrees_with_the_reference(pair in small_pair(), copies in 1_u64..3, n in 0_i64..40) {
        let epsilon = non_negative(n, 10);
        let directions = plan(&[(pair.clone(), copies)]).directions();
        for direction in directions {
            if let Some(reference) = enumerated(&direction, &epsilon) {
                let answer = of_direction(&direction, &epsilon, &Budget::unlimited());
                prop_assert!(answer.enclosure.intersects(&reference.enclosure), "{pair:?}: {} {}", answer.enclosure, reference.enclosure);
                prop_assert!(answer.is_narrow, "{pair:?}: {}", answer.enclosure);
            }
        }
    }

    /// A pair composed with itself beforehand, and two copies of it; randomized response, whatever its
    /// lattice.
    #[test]
    fn copies_are_compositions(a in 1_i64..9, b in 1_i64..9, c in 1_i64..9, half in 1_u64..20, n in 0_i64..60) {
        let masses = [(a + c, a), (a, a + c), (b, b)];
        let twice = finite(&together(&masses, &masses));
        let epsilon = non_negative(n, 10);
        let one = at(&[(finite(&masses), 2 * half)], &epsilon);
        let two = at(&[(twice, half)], &epsilon);
        prop_assert!(one.enclosure.intersects(&two.enclosure), "{} {}", one.enclosure, two.enclosure);
        prop_assert!(one.is_narrow && two.is_narrow);
    }

    /// One copy of k and k − 1 of another description of the same pair: the plan does not see that they are
    /// one.
    #[test]
    fn parts_add_up(pair in 0_usize..2, copies in 1_u64..200, n in 0_i64..30) {
        let epsilon = non_negative(n, 10);
        // e^-1 to 1 as weights of two outcomes: that is the Laplace pair of scale 1 and sensitivity 1.
        let (one, falling) = (NonNegative::one(), Weight { factor: NonNegative::one(), exponent: NonNegative::one() });
        let whole = Weight::rational(one);
        let other = FinitePair::new(vec![(whole.clone(), falling.clone()), (falling, whole)]).unwrap();
        let (a, b) = if pair == 0 {
            (laplace(1, 1, 1), Pair::Finite(other))
        } else {
            (gaussian(9, 1, 3), gaussian(4, 1, 2))
        };
        let mixed = at(&[(a.clone(), copies), (b.clone(), 1)], &epsilon);
        let alone = at(&[(a, copies + 1)], &epsilon);
        if pair == 0 {
            prop_assert!(mixed.enclosure.intersects(&alone.enclosure), "{} {}", mixed.enclosure, alone.enclosure);
        }
        prop_assert!(mixed.is_narrow);
    }

    /// More runs reveal no less.
    #[test]
    fn more_is_worse(pair in small_pair(), copies in 1_u64..300, n in 0_i64..100) {
        let epsilon = non_negative(n, 10);
        let (fewer, more) = (at(&[(pair.clone(), copies)], &epsilon), at(&[(pair, copies + 1)], &epsilon));
        prop_assert!(more.enclosure.upper() >= fewer.enclosure.lower());
        let unit = Rational::one();
        prop_assert!(fewer.enclosure.lower() >= Rational::zero() && more.enclosure.upper() <= unit);
    }
}

#[test]
fn permuting_changes_nothing() {
    let (a, b) = ((laplace(20, 1, 1), 3), (gaussian(100, 1, 1), 4));
    let epsilon = non_negative(1, 2);
    assert_eq!(at(&[a.clone(), b.clone()], &epsilon), at(&[b, a], &epsilon));
}

#[test]
fn zero_is_exactly_zero() {
    let zero = Enclosure::from_integer(0, 0);
    // The greatest loss of 10 copies is 10/20 exactly.
    assert_eq!(at(&[(laplace(20, 1, 1), 10)], &non_negative(1, 2)).enclosure, zero);
    assert!(at(&[(laplace(20, 1, 1), 10)], &non_negative(499_999, 1_000_000)).enclosure.lower() > Rational::zero());
    // 2·ln 3 = 2.1972245773362193827…
    let twice = [(response(3, 4), 2)];
    assert_eq!(at(&twice, &non_negative(21_972_245_773_362_194, 10_000_000_000_000_000)).enclosure, zero);
    assert!(
        at(&twice, &non_negative(21_972_245_773_362_193, 10_000_000_000_000_000)).enclosure.lower() > Rational::zero()
    );
    // No loss at all.
    assert_eq!(at(&[(gaussian(1, 1, 0), 5)], &NonNegative::zero()).enclosure, zero);
}

/// A loss of exactly ε adds nothing: randomized response at ε = 0 with an even number of copies, Laplace at a
/// lattice point.
#[test]
fn ties() {
    // δ(0) of 2 copies at 3/4: the total variation distance of (9, 3, 3, 1)/16 and (1, 3, 3, 9)/16.
    assert!(at(&[(response(3, 4), 2)], &NonNegative::zero()).enclosure.contains(&rational(1, 2)));
    assert!(at(&[(response(3, 4), 2)], &NonNegative::zero()).is_narrow);
    let lattice_point = at(&[(laplace(20, 1, 1), 10)], &non_negative(2, 5));
    let nearly = at(&[(laplace(20, 1, 1), 10)], &non_negative(399_999_999, 1_000_000_000));
    assert!(nearly.enclosure.lower() > lattice_point.enclosure.upper());
    assert!(nearly.enclosure.upper() - lattice_point.enclosure.lower() < rational(1, 1_000_000_000));
}

#[test]
fn revealing_pairs() {
    let parts = [(Pair::Finite(FinitePair::revealing()), 3)];
    assert!(at(&parts, &non_negative(5, 1)).enclosure.contains(&Rational::one()));
    // δ = 1 − (9/10)^2 at every ε, beside a half of no loss.
    let parts = [(finite(&[(1, 0), (9, 9), (0, 1)]), 2)];
    assert!(at(&parts, &non_negative(5, 1)).enclosure.contains(&rational(19, 100)));
    assert_eq!(epsilon(&plan(&parts), &probability(18, 100), &Precision::default()), Err(AccountError::NoEpsilon));
}

/// Subsampling one pair scales and moves its profile; the reference mixes outcome by outcome.
#[test]
fn subsampled_pairs() {
    for of in [gaussian(2, 1, 1), laplace(3, 2, 2), response(3, 4)] {
        for reversed in [false, true] {
            let pair = Pair::Subsampled { rate: probability(1, 10), of: Box::new(of.clone()), reversed };
            for n in [0, 1, 2, 9, 30] {
                let epsilon = non_negative(n, 50);
                let direction = Direction::of([(vec![pair.clone()], 1)]);
                let answer = of_direction(&direction, &epsilon, &Budget::unlimited());
                let reference = enumerated(&direction, &epsilon).unwrap();
                assert!(
                    answer.enclosure.intersects(&reference.enclosure),
                    "{pair:?} {n}: {} {}",
                    answer.enclosure,
                    reference.enclosure
                );
                assert!(answer.is_narrow, "{pair:?} {n}: {}", answer.enclosure);
            }
        }
    }
}

/// The closed form of few Laplace copies and the sum over frequencies are two methods for one number.
#[test]
fn two_methods_agree() {
    for (scale, shift, copies, n) in [(5, 3, 2, 5), (50, 20, 13, 30), (7, 30, 100, 2000), (1000, 1000, 120, 600)] {
        let pair = laplace(scale, 1, shift);
        let epsilon = non_negative(n, 10);
        let (closed, summed) = lattice::both(&pair, copies, &epsilon, &Precision::default()).unwrap();
        assert!(closed.enclosure.intersects(&summed.enclosure), "{closed:?} {summed:?}");
        assert!(closed.is_narrow && summed.is_narrow);
    }
}

/// The bar: narrow at any size, down to tiny δ.
#[test]
fn narrow_at_any_size() {
    for copies in [1, 10, 1_000, 100_000] {
        for (pair, epsilon) in [
            (gaussian(100, 1, 1), non_negative(1, 1)),
            (gaussian(1, 3, 1), non_negative(40, 1)),
            (gaussian(1 << 40, 1, 1 << 20), non_negative(3, 1)),
            (laplace(20, 1, 1), non_negative(1, 50)),
            (laplace(5, 2, 7), non_negative(2, 1)),
            (response(3, 4), non_negative(1, 1)),
            (finite(&[(5, 2), (2, 5), (11, 11)]), non_negative(1, 2)),
        ] {
            let answer = at(&[(pair.clone(), copies)], &epsilon);
            assert!(answer.is_narrow, "{pair:?} * {copies}: {}", answer.enclosure);
        }
    }
    let huge = Rational::from_integer(BigInt::one() << 80_u32);
    let huge = Pair::Gaussian { variance: Positive::new(huge).unwrap(), shift: 1_u32.into() };
    let epsilon = NonNegative::new(Rational::new(1.into(), BigInt::one() << 38_u32)).unwrap();
    assert!(at(&[(huge, 1)], &epsilon).is_narrow);
}

fn enclosed(lower: (i64, i64), upper: (i64, i64), is_narrow: bool) -> Answer {
    let enclosure = Enclosure::from_bounds(&rational(lower.0, lower.1), &rational(upper.0, upper.1), 20).unwrap();
    Answer { enclosure, method: Method::Trivial, is_narrow }
}

/// Where one is the larger for certain it is the answer, narrow or not as it is; where either may be, both
/// bounds are the larger ones.
#[test]
fn the_larger_of_two_answers() {
    let (low, high) = (enclosed((1, 8), (1, 4), false), enclosed((1, 2), (3, 4), true));
    assert_eq!((low.max(&high), high.max(&low)), (high.clone(), high.clone()));
    let wide = enclosed((1, 4), (5, 8), true);
    let most = wide.max(&high);
    assert_eq!((most.enclosure.lower(), most.enclosure.upper()), (rational(1, 2), rational(3, 4)));
    assert!(most.is_narrow && !enclosed((1, 4), (5, 8), false).max(&high).is_narrow);
}

#[test]
fn delta_is_at_most_one() {
    assert_eq!(enclosed((1, 2), (9, 8), true).clamped().enclosure.upper(), Rational::one());
    assert_eq!(enclosed((-1, 2), (1, 8), true).clamped().enclosure.lower(), Rational::zero());
    assert_eq!(enclosed((9, 8), (10, 8), true).clamped().enclosure, Answer::trivial().enclosure);
}

/// Rate 0 loses nothing, exactly; rate 1 is no subsampling.
#[test]
fn rates_of_nothing_and_of_all() {
    let of =
        |rate: i64| Pair::Subsampled { rate: probability(rate, 1), of: Box::new(gaussian(2, 1, 1)), reversed: false };
    let epsilon = non_negative(1, 2);
    assert_eq!(at(&[(of(0), 1000)], &epsilon).enclosure, Enclosure::from_integer(0, 0));
    assert_eq!(at(&[(of(1), 7)], &epsilon), at(&[(gaussian(2, 1, 1), 7)], &epsilon));
    let mixed = [(of(0), 1000), (gaussian(2, 1, 1), 7)];
    assert_eq!(at(&mixed, &epsilon), at(&[(gaussian(2, 1, 1), 7)], &epsilon));
}

/// At the ends of what can be asked: narrow, and mpmath's value to 17 digits inside.
#[test]
fn extremes() {
    let parse = |text: &str| crate::exact::parse(text).unwrap();
    for (spec, epsilon, known) in [
        ("gaussian(sigma=1e1000)", "0", "3.9894228040143267794e-1000*1e-1"),
        ("gaussian(sigma=1e1000)", "1e-999", "7.4745602545893280366e-1000*1e-25"),
        ("gaussian(sigma=1e30)*1000", "1e-28", "6.7335531250759342534e-33"),
        ("gaussian(sigma=1e20, sensitivity=100000000000000000000)", "1", "0.1269367375066439458"),
        ("laplace(scale=1e1000)", "0", "5e-1000*1e-1"),
        ("subsampled_laplace(scale=1, rate=1e-300)", "1e-301", "4.3522301512301024643e-301"),
        ("gaussian(sigma=10, sensitivity=1000000000000)", "1", "1"),
        ("laplace(scale=1e-1000)", "1e999", "1"),
        ("laplace(scale=10, sensitivity=1000)*1000000000", "0", "1"),
        ("gaussian(sigma=1e-3)", "499999", "0.6321205588285576784"),
    ] {
        let epsilon = NonNegative::new(parse(epsilon)).unwrap();
        let answer = delta(&spec_plan(&[spec]), &epsilon, &Precision::default()).unwrap();
        // Exponents up to 1000 are read: the rest of them comes in two parts.
        let known: Rational = known.split('*').map(parse).product();
        let unit = &known * parse("1e-17");
        let (lower, upper) = (answer.enclosure.lower(), answer.enclosure.upper());
        assert!(lower <= &known + &unit && &known - &unit <= upper, "{spec}: {}", answer.enclosure);
        assert!(answer.is_narrow, "{spec}");
    }
}

/// What the integral leaves out is booked: at the least σ that it is taken for, where the two differ in the
/// eighth digit, the sum's narrow answer is inside.
#[test]
fn the_continuous_form_books_its_error() {
    // μ = 1, and z = ε − 1/2 of either sign.
    for (copies, shift, n, d) in [(1, 1024_u32, 1, 10), (1, 1024, 3, 1), (1, 1024, 1, 3), (4, 512, 7, 3)] {
        let variance = positive(1 << 20, 1);
        let (smooth, summed) =
            lattice::smooth_and_summed(&variance, shift, copies, &non_negative(n, d), &Precision::default()).unwrap();
        let (outer, inner) = (smooth.enclosure, summed.enclosure);
        assert!(
            summed.is_narrow && outer.lower() <= inner.lower() && inner.upper() <= outer.upper(),
            "{outer} {inner}"
        );
        assert!(outer.width() * BigInt::from(20) < inner.lower(), "{outer} {inner}");
    }
}

/// The integral stands for the sum: two methods for one number, at as many digits as σ allows.
#[test]
fn the_continuous_form_agrees_with_the_lattice() {
    for (log_variance, shift, copies, n, d) in [
        (80_u32, 1_u32 << 20, 1, 1, 1_i64 << 30),
        (80, 1 << 30, 1000, 1, 10),
        (90, 1 << 31, 3, 1, 10_000),
        (80, 1 << 30, 1000, 0, 1),
    ] {
        let variance = Positive::new(Rational::from_integer(BigInt::one() << log_variance)).unwrap();
        let epsilon = non_negative(n, d);
        let (smooth, summed) =
            lattice::smooth_and_summed(&variance, shift, copies, &epsilon, &Precision { digits: 8 }).unwrap();
        assert!(smooth.enclosure.intersects(&summed.enclosure), "{} {}", smooth.enclosure, summed.enclosure);
        assert!(smooth.is_narrow && summed.is_narrow, "{} {}", smooth.enclosure, summed.enclosure);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Whenever the work ends, what is found until then is right; and the same work finds the same.
    #[test]
    fn any_budget_is_sound(pair in small_pair(), copies in 1_u64..3, n in 0_i64..40, log in 10_u32..26) {
        let epsilon = non_negative(n, 10);
        for direction in directions(&plan(&[(pair.clone(), copies)])) {
            let within = || of_direction(&direction, &epsilon, &Budget::new(1 << log));
            let answer = within();
            prop_assert_eq!(&answer, &within());
            let full = of_direction(&direction, &epsilon, &Budget::unlimited());
            prop_assert!(answer.enclosure.intersects(&full.enclosure), "{pair:?}: {} {}", answer.enclosure, full.enclosure);
        }
    }

    /// The bounds that cost nothing and those of basic composition hold the truth.
    #[test]
    fn cheap_bounds_hold(scale in 1_i64..200, shift in 1_u32..20, is_gaussian in any::<bool>(), rate in 1_i64..=10, copies in 1_u64..3, n in 0_i64..60) {
        let of = if is_gaussian { gaussian(scale, 10, shift) } else { laplace(scale, 10, shift) };
        let pair = Pair::Subsampled { rate: probability(rate, 10), of: Box::new(of), reversed: false };
        let epsilon = non_negative(n, 10);
        let (precision, budget) = (Precision { digits: 8 }, Budget::unlimited());
        for direction in directions(&plan(&[(pair.clone(), copies)])) {
            let question = Question::new(&direction, &epsilon, &precision);
            let Some(truth) = reference::delta(&question, &budget) else { continue };
            let cheap: [&dyn Accountant; 2] = [&Chernoff, &BasicComposition];
            for answer in cheap.into_iter().filter_map(|method| method.delta(&question, &budget, &mut Cache::default())) {
                prop_assert!(answer.enclosure.intersects(&truth.enclosure), "{pair:?}: {} {}", answer.enclosure, truth.enclosure);
            }
        }
    }
}

/// What loses nothing changes nothing beside others, and alone has δ = 0 from ε = 0 on.
#[test]
fn what_loses_nothing_is_no_part_of_a_plan() {
    let sampled = Pair::Subsampled { rate: probability(1, 100), of: Box::new(gaussian(2, 1, 1)), reversed: false };
    let (nothing, other) = (response(1, 2), finite(&[(1, 1), (2, 2), (4, 4)]));
    let alone = plan(&[(sampled.clone(), 100)]);
    let beside = plan(&[(sampled, 100), (nothing.clone(), 1), (other.clone(), 7)]);
    assert_eq!(directions(&alone), directions(&beside));
    for parts in [vec![(nothing.clone(), 1)], vec![(nothing, 3), (other, 2)]] {
        let answer = at(&parts, &non_negative(0, 1));
        assert!(answer.is_narrow && answer.enclosure.upper().is_zero(), "{}", answer.enclosure);
        for delta in [probability(0, 1), probability(1, 1000)] {
            let answer = epsilon(&plan(&parts), &delta, &Precision::default()).unwrap();
            assert!(answer.is_narrow && answer.enclosure.upper().is_zero(), "{}", answer.enclosure);
        }
    }
}

/// Where every outcome is listed, nothing is left out: above all losses the list itself says 0, and not the
/// rounding of a sum that is 1.
#[test]
fn a_whole_list_leaves_nothing_out() {
    // ln 2, ln 4/3 and −ln 3; sampled, too.
    let pair = finite(&[(6, 3), (4, 3), (2, 6)]);
    let sampled = Pair::Subsampled { rate: probability(1, 3), of: Box::new(pair.clone()), reversed: false };
    for pair in [pair, sampled] {
        let direction = Direction::of([(vec![pair], 3)]);
        let (epsilon, precision) = (non_negative(3, 1), Precision::default());
        let question = Question::new(&direction, &epsilon, &precision);
        let answer = reference::delta(&question, &Budget::unlimited()).unwrap();
        assert!(answer.enclosure.upper().is_zero(), "{}", answer.enclosure);
    }
}

/// Nothing is below 0: where the pairs lose nothing more, the mechanisms do not either, whether they attain
/// their pairs or not.
#[test]
fn a_lower_end_of_zero_is_attained() {
    let plan = Plan::of(&Domination::by(response(3, 4)), 1);
    let at = |n: i64| delta(&plan, &non_negative(n, 1), &Precision::default()).unwrap();
    assert!(!at(1).is_attained(&plan) && at(2).is_attained(&plan));
    assert!(at(2).enclosure.upper().is_zero());
}

/// At ε = 0 both directions are the distance between P and Q, and one of them is asked; not where a part has
/// several pairs, whose largest curve is that of none.
#[test]
fn the_distance_is_asked_once() {
    let skew = finite(&[(5, 1), (2, 3), (1, 4)]);
    let one = plan(&[(skew.clone(), 3), (gaussian(9, 1, 3), 2)]).directions();
    let [forward, backward] = one.as_slice() else { panic!("two directions") };
    assert!(forward.is_reverse_of(backward) && backward.is_reverse_of(forward) && !forward.is_reverse_of(forward));
    let at_zero = |direction: &Direction| of_direction(direction, &NonNegative::zero(), &Budget::unlimited()).enclosure;
    assert!(at_zero(forward).intersects(&at_zero(backward)));
    let several = |pairs: [&Pair; 2]| Direction::of([(pairs.into_iter().cloned().collect(), 3)]);
    let other = finite(&[(1, 2), (1, 2), (2, 0)]);
    assert!(!several([&skew, &other]).is_reverse_of(&several([&skew.reversed(), &other.reversed()])));
    // As many copies of the reverse, and no others.
    let copies = |pair: &Pair, copies: u64| Direction::of([(vec![pair.clone()], copies)]);
    assert!(!copies(&skew, 3).is_reverse_of(&copies(&skew.reversed(), 2)));
}

/// An analyst may meet another pair at every step: of two pairs that each run twice, one and then the other
/// tells more than either twice, and the account of both is no less than that. It is narrow, and for one copy
/// it is the larger of the two.
#[test]
fn several_pairs_are_one_with_the_largest_profile() {
    let (often, rarely) = (finite(&[(6, 4), (4, 6)]), finite(&[(20, 5), (380, 395)]));
    let epsilon = non_negative(14, 10);
    let of =
        |pairs: &[&Pair], copies: u64| Direction::of([(pairs.iter().map(|pair| (*pair).clone()).collect(), copies)]);
    let precision = Precision { digits: 4 };
    let answer = |direction: &Direction| {
        methods::delta(&Question::new(direction, &epsilon, &precision), &Budget::new(1 << 34), &mut Cache::default())
    };
    let mixed = answer(&Direction::of([(vec![often.clone()], 1), (vec![rarely.clone()], 1)]));
    let (twice, again) = (answer(&of(&[&often], 2)), answer(&of(&[&rarely], 2)));
    assert!(mixed.enclosure.lower() > twice.enclosure.upper().max(again.enclosure.upper()), "the largest is too small");
    let both = of(&[&often, &rarely], 2);
    let question = Question::new(&both, &epsilon, &precision);
    let by_spectrum = Spectral.delta(&question, &Budget::new(1 << 34), &mut Cache::default()).unwrap();
    for together in [answer(&both), by_spectrum] {
        assert!(together.enclosure.upper() >= mixed.enclosure.lower(), "{} {}", together.enclosure, mixed.enclosure);
        assert!(together.is_known_to(100), "{}", together.enclosure);
    }
    // One copy has nothing to compose.
    let once = answer(&of(&[&often, &rarely], 1));
    let larger = answer(&of(&[&often], 1)).max(&answer(&of(&[&rarely], 1)));
    assert!(once.enclosure.intersects(&larger.enclosure));
}
