//! Sensitivities over every small data set of a person.

use certus::{
    exact::{BigUint, parse},
    guarantee::Relation,
};
use certus_ledger::plan::Contribution;

use super::{Sensitivities, render, specs, whole};

/// Every way in which a person can have at most m rows, in at most g of three groups, with at most r in each:
/// a row of a group moves its number by lower, …, upper. The differences of neighbours never exceed the
/// stated distances; L1 is attained, and L2² where m rows fill their groups.
#[test]
fn sensitivities_by_brute_force() {
    const GROUPS: usize = 3;
    for (lower, upper) in [(0_i64, 1), (-2, 1), (-1, 1), (2, 2)] {
        for m in 1..=3_u32 {
            for g in 1..=3_u32 {
                for r in 1..=3_u32 {
                    let kept = Contribution { rows: m, groups: g.min(m), rows_per_group: r.min(m) };
                    let people = people(kept, lower, upper);
                    let by = BigUint::from(lower.unsigned_abs().max(upper.unsigned_abs()));
                    for relation in [Relation::AddRemove, Relation::ChangeOne] {
                        let stated = Sensitivities::new(&by, kept, relation);
                        let (mut l1, mut l2) = (0_u64, 0_u64);
                        let none = vec![[0_i64; GROUPS]];
                        let others = if relation == Relation::ChangeOne { &people } else { &none };
                        for a in &people {
                            for b in others {
                                let moved: Vec<u64> = a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).collect();
                                l1 = l1.max(moved.iter().sum());
                                l2 = l2.max(moved.iter().map(|x| x * x).sum());
                            }
                        }
                        let case = format!("{lower}..{upper} {kept:?} {relation:?}: {l1} {l2} {stated:?}");
                        assert!(BigUint::from(l1) <= stated.l1 && BigUint::from(l2) <= stated.l2_squared, "{case}");
                        let (rows, fills) = (u64::from(m.min(g * r)), m >= g * r || r >= m);
                        if relation == Relation::AddRemove {
                            assert_eq!(BigUint::from(l1), stated.l1, "{case}: {rows} rows");
                            assert!(!fills || BigUint::from(l2) == stated.l2_squared, "{case}");
                        } else if lower == -upper {
                            // Out at one bound and in at the other.
                            assert_eq!(BigUint::from(l1), stated.l1, "{case}");
                            assert!(!fills || BigUint::from(l2) == stated.l2_squared, "{case}");
                        }
                    }
                }
            }
        }
    }
}

/// The sums of a person's rows in each of three groups.
fn people(kept: Contribution, lower: i64, upper: i64) -> Vec<[i64; 3]> {
    // Rows in each group, and then every sum that so many rows can have.
    let mut people = Vec::new();
    let most = kept.rows_per_group;
    for a in 0..=most {
        for b in 0..=most {
            for c in 0..=most {
                let rows = [a, b, c];
                let groups = rows.iter().filter(|rows| **rows > 0).count();
                if a + b + c > kept.rows || groups > kept.groups as usize {
                    continue;
                }
                let range = |k: u32| i64::from(k) * lower..=i64::from(k) * upper;
                for x in range(a) {
                    for y in range(b) {
                        for z in range(c) {
                            people.push([x, y, z]);
                        }
                    }
                }
            }
        }
    }
    people
}

/// Scores of quantiles, over all small data sets of a person: rows below, at and above a candidate.
#[test]
fn scores_by_brute_force() {
    for rows in 1..=3_i64 {
        for level in ["0", "1/4", "1/2", "9/10", "1"] {
            let level = parse(level).unwrap();
            let inside = |below: i64, above: i64| (whole(1) - &level) * whole(below) - &level * whole(above);
            let mut sides = Vec::new();
            for below in 0..=rows {
                for above in 0..=rows - below {
                    sides.push((below, above));
                }
            }
            for relation in ["add_remove", "change_one"] {
                let person = format!("[person]\ncolumn = \"id\"\nrows = {rows}\n");
                let quantile = format!("statistic = \"quantile\"\ncolumn = \"age\"\nlevel = \"{}\"", render(&level));
                let spec = &specs(relation, &person, "epsilon = 1", &quantile)[0];
                let stated = spec.split("sensitivity=").nth(1).unwrap().trim_end_matches(')');
                let none = vec![(0, 0)];
                let others = if relation == "change_one" { &sides } else { &none };
                let moved = sides.iter().flat_map(|a| others.iter().map(move |b| (a, b)));
                let moved = moved.map(|(a, b)| {
                    let difference = inside(a.0, a.1) - inside(b.0, b.1);
                    if difference < whole(0) { -difference } else { difference }
                });
                assert_eq!(moved.max().unwrap(), parse(stated).unwrap(), "{relation} {rows} {level}");
            }
        }
    }
}
