//! Rationals with a zero or negative denominator, as num-rational's `new_raw` makes them: the former are no numbers, and every
//! public function that takes a rational refuses them or says what it takes them for; the latter are numbers like others.

use certus::{
    account::{Plan, Precision, renyi},
    exact::{
        Enclosure, Integer, NonNegative, Positive, Probability, Rational, Rounding, decimal, normal_tail, parse, render,
    },
    guarantee::{Domination, FinitePair, Guarantee, L1, L2Squared, LInfinity, Pair, Relation, Sensitivity},
    mechanism::{
        Private,
        additive::{
            BoundedLaplace, GaussianMechanism, Grid, LaplaceMechanism, OnGrid, Rounding as GridRounding,
            StaircaseMechanism, TruncatedGaussian, TruncatedLaplace,
        },
        selection::{Candidates, Exponential, Peeling, PermuteAndFlip},
    },
};

fn raw(n: i64, d: i64) -> Rational {
    Rational::new_raw(n.into(), d.into())
}

/// Quotients by 0, and two of one number each: as it is, and with both signs turned.
const BY_ZERO: [(i64, i64); 3] = [(1, 0), (0, 0), (-1, 0)];
const TURNED: [(i64, i64); 5] = [(1, 2), (-3, 4), (0, 1), (5, 1), (6, 4)];

/// What a function makes of a rational, as text.
type Made = fn(&Rational) -> String;

fn shown<T: std::fmt::Debug, E: std::fmt::Debug>(result: Result<T, E>) -> String {
    result.map_or_else(|error| format!("refused: {error:?}"), |value| format!("{value:?}"))
}

fn l1() -> Sensitivity<L1> {
    Sensitivity::new(NonNegative::one(), Relation::ChangeOne)
}

fn l2() -> Sensitivity<L2Squared> {
    Sensitivity::new(NonNegative::one(), Relation::ChangeOne)
}

fn three() -> Candidates {
    Candidates::new(3, &Sensitivity::<LInfinity>::new(NonNegative::one(), Relation::ChangeOne)).unwrap()
}

fn scores(x: &Rational) -> [Rational; 3] {
    [x.clone(), raw(1, 3), raw(-1, 7)]
}

fn one() -> Positive {
    crate::positive("1")
}

/// Those that refuse a quotient by 0.
const REFUSE: &[(&str, Made)] = &[
    ("Positive::new", |x| shown(Positive::new(x.clone()))),
    ("NonNegative::new", |x| shown(NonNegative::new(x.clone()))),
    ("Probability::new", |x| shown(Probability::new(x.clone()))),
    ("Enclosure::enclosing", |x| shown(Enclosure::enclosing(x, 9).ok_or(()))),
    ("Enclosure::from_bounds lower", |x| shown(Enclosure::from_bounds(x, &raw(9, 1), 9).ok_or(()))),
    ("Enclosure::from_bounds upper", |x| shown(Enclosure::from_bounds(&raw(-9, 1), x, 9).ok_or(()))),
    ("normal_tail", |x| shown(normal_tail(x, 20).ok_or(()))),
    ("Sensitivity::of_sum lower", |x| shown(Sensitivity::<L1>::of_sum(x, &raw(9, 1), Relation::AddRemove))),
    ("Sensitivity::of_sum upper", |x| shown(Sensitivity::<L1>::of_sum(&raw(-9, 1), x, Relation::ChangeOne))),
    ("Sensitivity::of_mean", |x| shown(Sensitivity::<L1>::of_mean(x, &raw(9, 1), 3))),
    ("Grid::new", |x| shown(Grid::new(x, GridRounding::Nearest))),
    ("LaplaceMechanism::with_scale", |x| shown(LaplaceMechanism::with_scale(&l1(), x))),
    ("LaplaceMechanism::with_epsilon", |x| shown(LaplaceMechanism::with_epsilon(&l1(), x))),
    ("GaussianMechanism::with_sigma", |x| shown(GaussianMechanism::with_sigma(&l2(), x))),
    ("GaussianMechanism::with_variance", |x| shown(GaussianMechanism::with_variance(&l2(), x))),
    ("GaussianMechanism::with_rho", |x| shown(GaussianMechanism::with_rho(&l2(), x))),
    ("StaircaseMechanism::new", |x| shown(StaircaseMechanism::new(&l1(), x, 1_u32.into()))),
    ("TruncatedLaplace::new", |x| shown(TruncatedLaplace::new(&l1(), x, 9_u32.into()))),
    ("TruncatedGaussian::new variance", |x| shown(TruncatedGaussian::new(&l2(), x, 9, &raw(1, 1)))),
    ("TruncatedGaussian::new epsilon", |x| shown(TruncatedGaussian::new(&l2(), &raw(4, 1), 9, x))),
    ("BoundedLaplace::new", |x| shown(BoundedLaplace::new(&l1(), x, 0.into(), 9.into()))),
    ("account::renyi", |x| {
        let pair = FinitePair::responses(&NonNegative::one(), 1);
        let plan = Plan::of(&Domination::by(Pair::Finite(pair)), 1);
        shown(renyi(&plan, x, &Precision { digits: 6 }).ok_or(()))
    }),
];

/// Those that take every rational, private ones among them, and say what they take a quotient by 0 for: as `0/1` here, but for the text.
const TAKE_FOR_ZERO: &[(&str, Made)] = &[
    ("Grid::round", |x| Grid::new(&raw(1, 3), GridRounding::Nearest).unwrap().round(x).to_string()),
    ("Grid::round up", |x| Grid::new(&raw(1, 3), GridRounding::Up).unwrap().round(x).to_string()),
    ("OnGrid::on", |x| {
        let grid = OnGrid::new(
            Grid::new(&raw(1, 3), GridRounding::Down).unwrap(),
            LaplaceMechanism::with_scale(&l1(), &raw(1, 1)).unwrap(),
        );
        drawn(&grid, x)
    }),
    ("Exponential::on", |x| drawn(&Exponential::new(three(), one()).unwrap(), &scores(x)[..])),
    ("Peeling::on", |x| drawn(&Peeling::new(three(), 2, one()).unwrap(), &scores(x)[..])),
    ("PermuteAndFlip::on", |x| drawn(&PermuteAndFlip::new(three(), one()).unwrap(), &scores(x)[..])),
];

/// Those whose answer is text, or yes or no.
const SHOW: &[(&str, Made)] = &[
    ("decimal", |x| decimal(x, 5, Rounding::Up)),
    ("render", render),
    ("Enclosure::contains", |x| Enclosure::from_bounds(&raw(-9, 1), &raw(9, 1), 9).unwrap().contains(x).to_string()),
];

/// Twenty samples from one seed.
fn drawn<M: Private<Error: std::fmt::Debug>>(mechanism: &M, input: &M::Input) -> String
where
    <M::Release as certus::sample::Program>::Output: std::fmt::Debug,
{
    let mut bits = certus::bits::seeded([8; 32]);
    let draw = |_| mechanism.release(input, &mut bits).unwrap().get().clone();
    format!("{:?}", (0..20).map(draw).collect::<Vec<_>>())
}

#[test]
fn a_quotient_by_zero_is_no_number() {
    for (n, d) in BY_ZERO {
        let x = raw(n, d);
        for (name, made) in REFUSE {
            assert!(made(&x).starts_with("refused"), "{name} of {n}/{d}: {}", made(&x));
        }
        for (name, made) in TAKE_FOR_ZERO {
            assert_eq!(made(&x), made(&raw(0, 1)), "{name} of {n}/{d}");
        }
        assert_eq!(decimal(&x, 5, Rounding::Down), format!("{n}/0"));
        assert!(parse(&render(&x)).is_err(), "{}", render(&x));
        assert!(!Enclosure::from_integer(0, 1).contains(&x));
    }
}

#[test]
fn a_denominator_below_zero_is_a_sign() {
    for (n, d) in TURNED {
        for (name, made) in REFUSE.iter().chain(TAKE_FOR_ZERO).chain(SHOW) {
            assert_eq!(made(&raw(-n, -d)), made(&Rational::new(n.into(), d.into())), "{name} of {n}/{d}");
        }
    }
    // Equal numerators: the other crate's comparison takes 1/−2 for the larger.
    let turned = Enclosure::from_bounds(&raw(1, -2), &raw(1, 3), 4).unwrap();
    assert!(turned.contains(&raw(-1, 2)) && turned.contains(&raw(1, 3)));
    let _ = (Guarantee::pure(Relation::AddRemove, 1.into()), Integer::ZERO);
}
