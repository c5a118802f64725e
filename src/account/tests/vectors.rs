//! Gaussian noise on vectors: both ends.

use num_bigint::{BigInt, BigUint};
use num_traits::One as _;

use super::*;
use crate::{
    exact::parse,
    guarantee::GaussianVectors,
    mechanism::{Spec, domination},
};

fn of(specs: &[&str]) -> Plan {
    let add = |plan: Plan, text: &&str| {
        let spec: Spec = text.parse().unwrap();
        plan.with(&domination(&spec).unwrap(), spec.copies().map_or(1, |copies| copies.get().into())).unwrap()
    };
    specs.iter().fold(Plan::new(), add)
}

fn number(text: &str) -> Rational {
    parse(text).unwrap()
}

fn epsilon_at(plan: &Plan, delta: &str) -> Enclosure {
    let delta = Probability::new(number(delta)).unwrap();
    epsilon(plan, &delta, &Precision { digits: 7 }).unwrap().enclosure
}

/// The rows of the trial: what was told before, a bound that is met now, and what is attained at least.
#[test]
fn a_vector_costs_as_much_as_its_length() {
    for (spec, delta, upper, lower) in [
        ("gaussian_vector(sigma=10, sensitivity2=5, coordinates=1000)", "1e-6", "0.9445", "0.940595"),
        ("gaussian_vector(sigma=10, sensitivity2=5, coordinates=1000)*10", "1e-6", "3.322", "3.307605"),
        ("gaussian_vector(sigma=100, sensitivity2=10000, coordinates=1000)", "1e-6", "4.8875", "4.886565"),
        ("gaussian_vector(sigma=100, sensitivity2=10000, coordinates=1000)*10", "1e-6", "19.428", "19.42366"),
        ("gaussian_vector(sigma=1000, sensitivity2=1000000, coordinates=65536)", "1e-9", "6.1745", "6.173925"),
    ] {
        let plan = of(&[spec]);
        let found = epsilon_at(&plan, delta);
        assert!(found.upper() <= number(upper) && found.lower() >= number(lower), "{spec}: {found}");
        assert!(plan.has_lower_end() && !plan.is_attained());
    }
}

/// The ends are those of what is attained and of what dominates: whatever is asked, in any mixture with other
/// parts.
#[test]
fn the_ends_are_in_order() {
    let vector = "gaussian_vector(sigma=4, sensitivity2=6, coordinates=9)";
    let ones = "gaussian(sigma=4)*6";
    for beside in ["laplace(scale=5)", "gaussian(sigma=7)*3", "subsampled_laplace(scale=2, rate=1/10)"] {
        let (plan, attained) = (of(&[vector, beside]), of(&[ones, beside]));
        let mut profile = PrivacyProfile::new(&plan);
        for at in ["0", "1/1000000", "2"] {
            let at = NonNegative::new(number(at)).unwrap();
            let found = profile.delta(&at, &Precision { digits: 4 }).unwrap().enclosure;
            let least = delta(&attained, &at, &Precision { digits: 4 }).unwrap().enclosure;
            assert!(found.lower() <= least.upper() && least.lower() <= found.upper(), "{beside}: {found} {least}");
            assert!(
                found.upper() >= least.lower() && found.lower() * BigInt::from(2) > found.upper(),
                "{beside}: {found}"
            );
            let both = delta_both_ways(&plan, &at, &Precision { digits: 4 }).unwrap();
            let larger = both[0].max(&both[1]).enclosure;
            assert!(larger.intersects(&found), "{larger} {found}");
        }
        // What only dominates has no lower end of its own, whatever is beside it.
        assert!(plan.has_lower_end());
        assert!(!of(&[vector, "exponential(epsilon=1, candidates=3)"]).has_lower_end());
    }
    let on_grid = "gaussian_vector_on_grid(sigma=4, grid=1, coordinates=9, changed=2, sensitivity=2)";
    assert!(!of(&[on_grid]).has_lower_end());
}

/// A histogram of which one person changes m counts by r each is m scalars.
#[test]
fn a_histogram_is_exact() {
    let histogram = of(&["gaussian_histogram(sigma=5, keys=20, bins=3, each=2)*4"]);
    let scalars = of(&["gaussian(sigma=5, sensitivity=2)*12"]);
    assert!(histogram.is_attained());
    assert_eq!(epsilon_at(&histogram, "1e-6"), epsilon_at(&scalars, "1e-6"));
    // By the length alone it would be more, and where all may fall on one count it is.
    let by_length = epsilon_at(&of(&["gaussian_vector(sigma=5, coordinates=20, sensitivity2=12)*4"]), "1e-6");
    assert!(by_length.upper() > epsilon_at(&scalars, "1e-6").upper());
    let shared = of(&["gaussian_histogram(sigma=5, keys=20, bins=3, each=2, shared=1)"]);
    assert!(shared.has_lower_end() && !shared.is_attained());
    assert!(
        epsilon_at(&shared, "1e-6").contains(&epsilon_at(&of(&["gaussian(sigma=5, sensitivity=6)"]), "1e-6").lower())
    );
}

/// Curves and divergences have both ends as well.
#[test]
fn in_other_words() {
    let plan = of(&["gaussian_vector(sigma=10, sensitivity2=100, coordinates=1000)*2"]);
    let scalar = of(&["gaussian(sigma=10, sensitivity=10)*2"]);
    let precision = Precision { digits: 6 };
    let rho = zcdp(&plan, &precision).unwrap();
    assert!(rho.contains(&Rational::one()) && rho.width() < number("1e-6"), "{rho}");
    for order in ["3/2", "2", "16"] {
        let found = renyi(&plan, &number(order), &precision).unwrap();
        let least = renyi(&scalar, &number(order), &precision).unwrap();
        assert!(found.lower() <= least.upper() && found.upper() >= least.lower(), "{order}: {found} {least}");
        assert!(found.width() < number("1e-3"), "{order}: {found}");
    }
    let rate = Probability::new(number("1/20")).unwrap();
    let found = TradeOff::new(&plan, &precision).at(&rate).unwrap();
    let least = TradeOff::new(&scalar, &precision).at(&rate).unwrap();
    // A test of the vector is no better than the line's, and at least as good as that of one coordinate.
    assert!(
        found.lower() <= least.upper() && found.upper() >= least.lower() && found.width() < number("0.01"),
        "{found} {least}"
    );
}

/// A gradient of DP-SGD, beside a scalar that moves as far.
#[test]
fn a_gradient() {
    let plan = of(&["dp_sgd(noise_multiplier=2, rate=1/20, clip=64, coordinates=1000)*20"]);
    let scalar = of(&["subsampled_gaussian(sigma=128, sensitivity=64, rate=1/20)*20"]);
    let at = NonNegative::new(number("1/2")).unwrap();
    let found = delta(&plan, &at, &Precision { digits: 3 }).unwrap().enclosure;
    let least = delta(&scalar, &at, &Precision { digits: 3 }).unwrap().enclosure;
    assert!(found.upper() >= least.lower() && found.lower() <= least.upper(), "{found} {least}");
    assert!(found.width() < found.lower() * number("0.01"), "{found}");
}

/// A person who changes 2 in all changes one count by 2, or two by 1, and never four.
#[test]
fn what_is_shared_is_not_all_of_a_length() {
    let plan = of(&["gaussian_histogram(sigma=1, keys=4, bins=2, shared=1)"]);
    let most = of(&["gaussian(sigma=1, sensitivity=2)"]);
    for at in ["0", "2", "6"] {
        let at = NonNegative::new(number(at)).unwrap();
        let [found, truth] = [&plan, &most].map(|plan| delta(plan, &at, &Precision { digits: 6 }).unwrap().enclosure);
        assert!(found.lower() <= truth.upper() && truth.lower() <= found.upper(), "{found} {truth}");
    }
}

/// Coordinates of a sample share their coin: one of them alone is a lower end, and never the upper one.
#[test]
fn a_sampled_histogram_has_two_ends() {
    let half = Probability::new(number("1/2")).unwrap();
    let vectors =
        |n: u64| GaussianVectors::each(Positive::new(number("4")).unwrap(), 1_u32.into(), n).subsampled(&half);
    let plan = |n: u64| Plan::of(&vectors(n).domination(), 1);
    let at = NonNegative::new(number("1")).unwrap();
    let found = delta(&plan(5), &at, &Precision { digits: 6 }).unwrap().enclosure;
    // By enumeration: 0.0451911.
    assert!(found.lower() <= number("0.0451911") && found.upper() >= number("0.0451911"), "{found}");
    assert!(!plan(5).is_attained() && plan(1).is_attained());
    assert!(delta(&plan(0), &at, &Precision { digits: 6 }).unwrap().enclosure.upper() == Rational::default());
    // As long a gradient as the norm allows, in one coordinate, however many there are.
    for coordinates in ["99", "100"] {
        let spec = "subsampled_gaussian_vector(sigma=10, sensitivity2=100, rate=1/10, coordinates=N)"
            .replace('N', coordinates);
        let found = epsilon_at(&of(&[&spec]), "1e-6");
        assert!(found.lower() > number("2.18"), "{coordinates}: {found}");
    }
}

/// Where coordinates of all copies are 2^64 or more, nothing is said of the lower end, and the upper one
/// stands.
#[test]
fn too_many_coordinates_to_count() {
    let wide = || Positive::new(number("73786976294838206464")).unwrap();
    let many = BigUint::from(1_u64 << 63);
    let at = NonNegative::new(number("1")).unwrap();
    for vectors in [
        GaussianVectors::within(wide(), many.clone(), many.clone()),
        GaussianVectors::each(wide(), 1_u32.into(), 1 << 63),
    ] {
        let plan = Plan::of(&vectors.domination(), 3);
        assert!(!plan.is_attained() && !plan.has_lower_end());
        let found = delta(&plan, &at, &Precision { digits: 6 }).unwrap().enclosure;
        assert!(found.lower() == Rational::default() && found.upper() >= number("0.02095"), "{found}");
        let rho = zcdp(&plan, &Precision { digits: 6 }).unwrap();
        assert!(rho.contains(&number("0.1875")), "{rho}");
        assert!(renyi(&plan, &number("2"), &Precision { digits: 6 }).is_some());
    }
}
