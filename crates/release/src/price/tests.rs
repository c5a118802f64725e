//! Prices by hand, and sensitivities by brute force.

use super::*;
use certus::{
    exact::{BigUint, parse},
    guarantee::Privacy,
};
use proptest::prelude::*;

mod brute_force;

fn plan(text: &str) -> ReleasePlan {
    let whole = format!("format = \"certus-release/1\"\n{text}");
    ReleasePlan::from_toml(&whole, &|_| panic!("no file")).unwrap_or_else(|error| panic!("{error}: {whole}"))
}

const COLUMNS: &str = r#"
[columns.age]
type = "integer"
lower = -1
upper = 60
[columns.income]
type = "number"
lower = 0
upper = 1000
grid = 0.5
[columns.sex]
type = "text"
values = ["f", "m", "x"]
[columns.job]
type = "text"
"#;

const PERSON: &str = "[person]\ncolumn = \"id\"\nrows = 10\ngroups = 3\nrows_per_group = 2\n";

fn specs(relation: &str, person: &str, budget: &str, query: &str) -> Vec<String> {
    let plan = plan(&format!("neighbours = \"{relation}\"\n{person}[budget]\n{budget}\n{COLUMNS}[[query]]\n{query}"));
    let priced = price(&plan).unwrap_or_else(|error| panic!("{query}: {error}"));
    priced.queries[0].parts.iter().map(|part| part.spec.to_string()).collect()
}

/// One row a person; ten rows, three groups, two rows a group; both kinds of neighbours; all kinds of budget.
#[test]
fn prices_by_hand() {
    let (one, ten) = ("", PERSON);
    let (pure, zcdp) = ("epsilon = \"1/2\"", "rho = \"1/2\"");
    let (add, change) = ("add_remove", "change_one");
    let count = "statistic = \"count\"";
    let by_sex = "statistic = \"count\"\nby = [\"sex\"]";
    let sum = "statistic = \"sum\"\ncolumn = \"age\"";
    let sums = "statistic = \"sum\"\ncolumn = \"income\"\nby = [\"sex\"]";
    let mean = "statistic = \"mean\"\ncolumn = \"age\"";
    let variance = "statistic = \"variance\"\ncolumn = \"age\"";
    let histogram = "statistic = \"histogram\"\ncolumn = \"age\"\ncuts = [-1, 20, 60]";
    let median = "statistic = \"median\"\ncolumn = \"age\"";
    let decile = "statistic = \"quantile\"\nlevel = 0.9\ncolumn = \"age\"\ncandidates = [0, 10, 50]";
    let top = "statistic = \"top_k\"\ncolumn = \"sex\"\nk = 2";
    let persons = "statistic = \"persons\"\nby = [\"sex\"]";
    for (relation, person, budget, query, expected) in [
        (add, one, pure, count, vec!["laplace(scale=2, sensitivity=1)"]),
        (change, one, pure, count, vec!["laplace(scale=4, sensitivity=2)"]),
        (add, one, zcdp, count, vec!["gaussian(sigma2=1, sensitivity=1)"]),
        // min(10, 2) rows: one group.
        (add, ten, pure, count, vec!["laplace(scale=4, sensitivity=2)"]),
        (change, ten, zcdp, count, vec!["gaussian(sigma2=16, sensitivity=4)"]),
        // L1 = min(10, 3·2), L2² = min(100, 4·3).
        (add, ten, pure, by_sex, vec!["laplace_vector(scale=12, coordinates=3, sensitivity=6)"]),
        (change, ten, pure, by_sex, vec!["laplace_vector(scale=24, coordinates=3, sensitivity=12)"]),
        (add, ten, zcdp, by_sex, vec!["gaussian_vector(sigma2=12, coordinates=3, sensitivity2=12)"]),
        (change, ten, zcdp, by_sex, vec!["gaussian_vector(sigma2=48, coordinates=3, sensitivity2=48)"]),
        (add, one, zcdp, by_sex, vec!["gaussian_vector(sigma2=1, coordinates=3, sensitivity2=1)"]),
        (add, one, pure, sum, vec!["laplace(scale=120, sensitivity=60)"]),
        (add, ten, pure, sum, vec!["laplace(scale=240, sensitivity=120)"]),
        // 2000 steps a row.
        (add, ten, pure, sums, vec!["laplace_vector(scale=24000, coordinates=3, sensitivity=12000)"]),
        (add, ten, zcdp, sums, vec!["gaussian_vector(sigma2=48000000, coordinates=3, sensitivity2=48000000)"]),
        (add, one, pure, mean, vec!["laplace(scale=4, sensitivity=1)", "laplace(scale=244, sensitivity=61)"]),
        (change, one, zcdp, mean, vec!["gaussian(sigma2=8, sensitivity=2)", "gaussian(sigma2=29768, sensitivity=122)"]),
        (
            add,
            one,
            pure,
            variance,
            vec![
                "laplace(scale=6, sensitivity=1)",
                "laplace(scale=366, sensitivity=61)",
                "laplace(scale=22326, sensitivity=3721)",
            ],
        ),
        (add, ten, pure, histogram, vec!["laplace_vector(scale=4, coordinates=2, sensitivity=2)"]),
        (add, ten, zcdp, histogram, vec!["gaussian_vector(sigma2=4, coordinates=2, sensitivity2=4)"]),
        (add, one, pure, median, vec!["exponential(epsilon=1/2, candidates=62, sensitivity=1/2)"]),
        (change, one, pure, median, vec!["exponential(epsilon=1/2, candidates=62, sensitivity=1)"]),
        (add, ten, pure, decile, vec!["exponential(epsilon=1/2, candidates=3, sensitivity=9/5)"]),
        (change, ten, pure, decile, vec!["exponential(epsilon=1/2, candidates=3, sensitivity=2)"]),
        // ε²/8 = 1/2.
        (add, one, zcdp, median, vec!["exponential(epsilon=2, candidates=62, sensitivity=1/2)"]),
        (add, ten, pure, top, vec!["noisy_top_k(epsilon=1/2, candidates=3, k=2, sensitivity=2, monotone=1)"]),
        (change, ten, pure, top, vec!["noisy_top_k(epsilon=1/2, candidates=3, k=2, sensitivity=2, monotone=0)"]),
        // ε²/16 at most 1/2.
        (
            add,
            one,
            zcdp,
            top,
            vec!["peeling(epsilon=28284271247461/10000000000000, candidates=3, k=2, sensitivity=1, monotone=1)"],
        ),
        // Three groups, once in each.
        (add, ten, pure, persons, vec!["laplace_vector(scale=6, coordinates=3, sensitivity=3)"]),
        (add, ten, zcdp, persons, vec!["gaussian_vector(sigma2=3, coordinates=3, sensitivity2=3)"]),
    ] {
        assert_eq!(specs(relation, person, budget, query), expected, "{relation} {person} {budget} {query}");
    }
    let laplace = format!("{count}\nnoise = \"laplace\"");
    // ε²/2 = 1/2.
    assert_eq!(specs(add, one, zcdp, &laplace), ["laplace(scale=1, sensitivity=1)"]);
    let consistent = format!("{by_sex}\nafter = [\"consistent\"]");
    assert_eq!(
        specs(add, ten, pure, &consistent),
        ["laplace_vector(scale=24, coordinates=3, sensitivity=6)", "laplace(scale=24, sensitivity=6)"]
    );
    assert_eq!(
        specs(add, ten, zcdp, &consistent),
        ["gaussian_vector(sigma2=24, coordinates=3, sensitivity2=12)", "gaussian(sigma2=72, sensitivity=6)"]
    );
}

#[test]
fn budgets_with_delta() {
    let both = "epsilon = 1\ndelta = 1e-6";
    let count = "statistic = \"count\"";
    assert_eq!(specs("add_remove", "", both, count), ["laplace(scale=1, sensitivity=1)"]);
    // As `certus calibrate gaussian --epsilon 1 --delta 1e-6` has it.
    let gaussian = specs("add_remove", "", both, &format!("{count}\nnoise = \"gaussian\""));
    let spec: Spec = gaussian[0].parse().unwrap();
    let sigma = CalibratedSigma::of(&spec);
    let (epsilon, delta) = (parse("1").unwrap(), parse("1e-6").unwrap());
    let noise = certus::mechanism::CalibratedNoise::Gaussian { sensitivity: 1_u32.into() };
    let (found, _) = noise
        .calibrate(&Positive::new(epsilon).unwrap(), &certus::exact::Probability::new(delta).unwrap(), None)
        .unwrap();
    assert_eq!(sigma.0, *found.scale.square().get());
    // Thresholds: persons a key, all of ε; δ over three groups.
    let keys = "statistic = \"persons\"\nby = [\"job\"]\nkeys = \"thresholded\"";
    let expected = "stability_histogram(scale=3, threshold=45, contributions=3, change_one=0)";
    assert_eq!(specs("add_remove", PERSON, both, keys), [expected]);
    let expected = "stability_histogram(scale=6, threshold=87, contributions=3, change_one=1)";
    assert_eq!(specs("change_one", PERSON, both, keys), [expected]);
    // Every row is a person: a count of rows is one of persons.
    let rows = "statistic = \"count\"\nby = [\"job\"]\nkeys = \"thresholded\"";
    let alone = specs("add_remove", "", both, rows);
    assert_eq!(alone, ["stability_histogram(scale=1, threshold=15, contributions=1, change_one=0)"]);
    // Otherwise half of ε is for what is released of each key.
    let sums = "statistic = \"sum\"\ncolumn = \"age\"\nby = [\"job\"]\nkeys = \"thresholded\"";
    let parts = specs("add_remove", PERSON, both, sums);
    assert_eq!(parts[1], "laplace(scale=720, sensitivity=360)");
    assert!(parts[0].starts_with("stability_histogram(scale=6, "), "{}", parts[0]);
}

struct CalibratedSigma(Rational);

impl CalibratedSigma {
    fn of(spec: &Spec) -> Self {
        let text = spec.to_string();
        let sigma2 = text.split("sigma2=").nth(1).and_then(|rest| rest.split(',').next()).unwrap().to_owned();
        Self(parse(&sigma2).unwrap())
    }
}

/// τ is the first threshold whose δ fits: the one before has too large a δ.
#[test]
fn the_threshold_is_the_smallest() {
    for (relation, person) in [("add_remove", PERSON), ("change_one", PERSON), ("add_remove", "")] {
        let keys = "statistic = \"persons\"\nby = [\"job\"]\nkeys = \"thresholded\"";
        let spec = &specs(relation, person, "epsilon = 1\ndelta = 1e-6", keys)[0];
        let delta = |spec: &str| match from_spec(&spec.parse().unwrap()).unwrap().privacy() {
            Some(Privacy::Approximate { delta, .. }) => delta,
            other => panic!("{other:?}"),
        };
        let share = Real::from(parse("1e-6").unwrap());
        let threshold: i64 = spec.split("threshold=").nth(1).unwrap().split(',').next().unwrap().parse().unwrap();
        let before = spec.replace(&format!("threshold={threshold}"), &format!("threshold={}", threshold - 1));
        assert!(delta(spec).is_at_most(&share), "{spec}");
        assert!(!delta(&before).is_at_most(&share), "{before}");
    }
}

/// Every spec costs, by the catalogue, what the part says; of Gaussian noise under (ε, δ), its account does.
#[test]
fn costs_are_the_catalogue_s() {
    for budget in ["epsilon = 2", "epsilon = 2\ndelta = 1e-6", "rho = \"1/3\""] {
        for relation in ["add_remove", "change_one"] {
            let mut queries = String::new();
            for statistic in [
                "count",
                "persons",
                "sum\"\ncolumn = \"age",
                "mean\"\ncolumn = \"income",
                "variance\"\ncolumn = \"age",
                "histogram\"\ncolumn = \"sex",
                "median\"\ncolumn = \"age",
                "top_k\"\nk = 2\ncolumn = \"sex",
            ] {
                queries += &format!("[[query]]\nstatistic = \"{statistic}\"\n");
            }
            let plan = plan(&format!("neighbours = \"{relation}\"\n{PERSON}[budget]\n{budget}\n{COLUMNS}{queries}"));
            let priced = price(&plan).unwrap();
            for part in priced.queries.iter().flat_map(|query| &query.parts) {
                let cost = from_spec(&part.spec).unwrap().cost(plan.neighbours).unwrap();
                let own = match (cost.privacy(), &plan.budget) {
                    (Privacy::Pure { epsilon }, Budget::Pure { .. } | Budget::Approximate { .. }) => epsilon.clone(),
                    (Privacy::Zcdp { rho }, Budget::Zcdp { .. }) => rho.clone(),
                    // Choices: ε²/8, of a part that is priced by it.
                    (Privacy::Pure { .. }, Budget::Zcdp { .. }) => continue,
                    other => panic!("{other:?}"),
                };
                assert_eq!(own, Real::from(part.amount.main.clone()), "{}", part.spec);
            }
            assert_eq!(price(&plan).unwrap().cost.relation(), plan.neighbours);
        }
    }
}

#[test]
fn an_accuracy_is_bought() {
    // ε = 1/10 gives 31 (the library's example): 31 costs a little less.
    let with = |budget: &str, query: &str| price(&plan(&format!("[budget]\n{budget}\n{COLUMNS}[[query]]\n{query}")));
    let priced = with("epsilon = 1", "statistic = \"count\"\naccuracy = 31").unwrap();
    let query = &priced.queries[0];
    assert_eq!(query.expected, Expected::Value { alpha: whole(31), all: None });
    let tenth = Rational::new(1.into(), 10.into());
    let cost = query.parts[0].amount.main.clone();
    assert!(cost < tenth && cost > &tenth * Rational::new(9.into(), 10.into()), "{cost}");
    // In the column's unit: 31 halves.
    let priced = with("epsilon = 1000", "statistic = \"sum\"\ncolumn = \"income\"\naccuracy = 15.5").unwrap();
    assert_eq!(priced.queries[0].expected, Expected::Value { alpha: Rational::new(31.into(), 2.into()), all: None });
    for alpha in ["31", "300", "100000"] {
        let priced = with("rho = 1", &format!("statistic = \"count\"\naccuracy = {alpha}")).unwrap();
        let Expected::Value { alpha: found, .. } = &priced.queries[0].expected else { panic!("value") };
        assert!(*found <= parse(alpha).unwrap(), "{found}");
        assert!(*found >= parse(alpha).unwrap() * Rational::new(99.into(), 100.into()) - whole(2), "{found}");
    }
    let error = with("epsilon = 1", "statistic = \"count\"\naccuracy = 1").unwrap_err();
    assert!(error.is_over_budget, "{error}");
    let error = with("epsilon = 1", "statistic = \"sum\"\ncolumn = \"income\"\naccuracy = 0.25").unwrap_err();
    assert!(error.to_string().contains("at least a step"), "{error}");
    let error = with("epsilon = 1", "statistic = \"count\"\ncost = 1\n[[query]]\nstatistic = \"count\"").unwrap_err();
    assert!(error.is_over_budget, "{error}");
    assert!(with("epsilon = 1", "statistic = \"count\"\ncost = 1").is_ok());
}

/// α of wide Gaussian noise is within two steps of the smallest, and never below it.
#[test]
fn wide_tails_are_bounds() {
    for variance in [70_000_i64, 100_000] {
        let law = Law::Gaussian { variance: Positive::new(whole(variance)).unwrap() };
        let narrow = GaussianAlpha::of(variance);
        let wide = law.alpha(1, &beta(1).unwrap()).unwrap();
        assert!(wide >= narrow && wide <= &narrow + 3_u32, "{wide} {narrow}");
    }
}

struct GaussianAlpha;

impl GaussianAlpha {
    fn of(variance: i64) -> BigUint {
        use certus::{
            exact::NonNegative,
            guarantee::{L2Squared, Sensitivity},
            mechanism::{Accuracy as _, additive::GaussianMechanism},
        };
        let one = Sensitivity::<L2Squared>::new(NonNegative::one(), Relation::AddRemove);
        let mechanism = GaussianMechanism::with_variance(&one, &whole(variance)).unwrap();
        mechanism.error_bound(&beta(1).unwrap()).unwrap().alpha().clone()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Whatever the weights, costs and kinds: the parts never cost more than the budget, and where all is
    /// divided by weight with Laplace noise (or Gaussian, under zCDP), exactly as much.
    #[test]
    fn the_budget_is_never_passed(
        kind in 0_u8..3,
        budget in (1_i64..50, 1_i64..50),
        queries in prop::collection::vec((0_u8..7, 1_i64..40, 1_i64..40, 0_u8..4), 1..8),
        change in any::<bool>(),
    ) {
        let (n, d) = budget;
        let budget = match kind {
            0 => format!("epsilon = \"{n}/{d}\""),
            1 => format!("epsilon = \"{n}/{d}\"\ndelta = 1e-7"),
            _ => format!("rho = \"{n}/{d}\""),
        };
        let mut text = format!("neighbours = \"{}\"\n{PERSON}[budget]\n{budget}\n{COLUMNS}", if change { "change_one" } else { "add_remove" });
        let (mut is_exact, mut has_costs) = (true, false);
        for (statistic, a, b, share) in &queries {
            let statistic = match statistic {
                0 => "statistic = \"count\"",
                1 => "statistic = \"sum\"\ncolumn = \"income\"\nby = [\"sex\"]",
                2 => "statistic = \"mean\"\ncolumn = \"age\"",
                3 => "statistic = \"variance\"\ncolumn = \"age\"",
                4 => "statistic = \"median\"\ncolumn = \"age\"",
                5 if kind == 1 => "statistic = \"persons\"\nby = [\"job\"]\nkeys = \"thresholded\"",
                _ => "statistic = \"top_k\"\ncolumn = \"sex\"\nk = 1",
            };
            if kind == 2 && (statistic.contains("median") || statistic.contains("top_k")) {
                is_exact = false;
            }
            let share = match share {
                0 => { (is_exact, has_costs) = (false, true); format!("cost = \"{a}/{}\"", b * 100) }
                _ => format!("weight = \"{a}/{b}\""),
            };
            text += &format!("[[query]]\n{statistic}\n{share}\n");
        }
        let plan = plan(&text);
        match price(&plan) {
            // Weights alone always fit.
            Err(error) => prop_assert!(error.is_over_budget && has_costs, "{error}"),
            Ok(priced) => {
                let spent = priced.queries.iter().flat_map(|query| &query.parts).fold(Amount::zero(), |sum, part| sum.add(&part.amount));
                let most = Amount::of(&plan.budget);
                prop_assert!(spent.main <= most.main && spent.delta <= most.delta);
                if is_exact {
                    prop_assert_eq!(&spent.main, &most.main);
                }
                prop_assert!(spent.main > &most.main / whole(1000) || !is_exact);
                // The ledger's own filter admits all of it.
                let mut filter = certus::guarantee::Filter::new(priced.budget.clone());
                for part in priced.costs() {
                    prop_assert!(filter.debit(&part.guarantee.unwrap()).is_ok());
                }
            }
        }
    }
}
