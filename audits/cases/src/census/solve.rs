//! Which people fit the table: a constraint problem, solved by Pumpkin (lazy clause generation: a SAT solver that speaks of integers).

use std::ops::RangeInclusive;

use pumpkin_conflict_resolvers::resolvers::ResolutionResolver;
use pumpkin_constraints::{equals, less_than_or_equals, times};
use pumpkin_core::{
    Solver, predicate,
    predicates::Predicate,
    results::{ProblemSolution, SatisfactionResult},
    termination::Indefinite,
    variables::{AffineView, DomainId, TransformableVariable},
};

use super::table::{Group, Person, Row};

/// What is asked: all sets of so many people that fit.
#[derive(Clone, Debug)]
pub struct Question<'r> {
    /// How many people.
    pub people: usize,
    /// What ages there may be.
    pub ages: RangeInclusive<i32>,
    /// What is known of them.
    pub rows: &'r [Row],
    /// Where to stop.
    pub most: usize,
}

/// The sets that were found.
#[derive(Clone, Debug)]
pub struct Worlds {
    /// Each in order; an attribute that no row speaks of is `false`, so that worlds that differ only in what nobody asked about are one.
    pub found: Vec<Vec<Person>>,
    /// Whether there is no other.
    pub is_all: bool,
}

/// The married must be 15 or older.
const LEAST_MARRIED: i32 = 15;

/// One person's variables. What no row speaks of is fixed to 0.
#[derive(Clone, Copy)]
struct Variables {
    age: DomainId,
    female: DomainId,
    black: DomainId,
    married: DomainId,
}

/// Finds the worlds that fit.
pub fn worlds(question: &Question<'_>) -> Worlds {
    let mut solver = Solver::default();
    let speaks = |of: &[Group]| i32::from(question.rows.iter().any(|row| of.contains(&row.group)));
    let female = speaks(&[Group::Female, Group::Male, Group::BlackFemale]);
    let black = speaks(&[Group::Black, Group::White, Group::BlackFemale]);
    let married = speaks(&[Group::Married]);
    let people: Vec<Variables> = (0..question.people)
        .map(|_| Variables {
            age: solver.new_bounded_integer(*question.ages.start(), *question.ages.end()),
            female: solver.new_bounded_integer(0, female),
            black: solver.new_bounded_integer(0, black),
            married: solver.new_bounded_integer(0, married),
        })
        .collect();
    order(&mut solver, &people);
    for person in &people {
        let tag = solver.new_constraint_tag();
        solver.add_clause([predicate!(person.married <= 0), predicate!(person.age >= LEAST_MARRIED)], tag);
    }
    for row in question.rows {
        post(&mut solver, &people, row);
    }
    enumerate(&mut solver, &people, question.most)
}

/// People have no order: 8·age + 4·female + 2·black + married does not decrease, so that every set of people is found once.
fn order(solver: &mut Solver, people: &[Variables]) {
    for pair in people.windows(2) {
        let [first, second] = pair else { continue };
        let key = |person: &Variables, sign: i32| -> [AffineView<DomainId>; 4] {
            [
                person.age.scaled(8 * sign),
                person.female.scaled(4 * sign),
                person.black.scaled(2 * sign),
                person.married.scaled(sign),
            ]
        };
        let terms: Vec<_> = key(first, 1).into_iter().chain(key(second, -1)).collect();
        let tag = solver.new_constraint_tag();
        solver.add_constraint(less_than_or_equals(terms, 0, tag)).post();
    }
}

/// The constraints of a row. `is_in` is 0 or 1 for each person; ages are in order, so that the j-th of the group is the one at which the count reaches j.
fn post(solver: &mut Solver, people: &[Variables], row: &Row) {
    let is_in: Vec<AffineView<DomainId>> = people.iter().map(|person| member(solver, person, row.group)).collect();
    let tag = solver.new_constraint_tag();
    solver.add_constraint(equals(is_in.clone(), row.count, tag)).post();
    if let Some((low, high)) = row.sums {
        let mut ages = Vec::new();
        for (person, is_in) in people.iter().zip(&is_in) {
            let product = solver.new_bounded_integer(0, 1000);
            let tag = solver.new_constraint_tag();
            solver.add_constraint(times(*is_in, person.age.scaled(1), product.scaled(1), tag)).post();
            ages.push(product);
        }
        let (above, below) = (solver.new_constraint_tag(), solver.new_constraint_tag());
        let negative: Vec<_> = ages.iter().map(|age| age.scaled(-1)).collect();
        solver.add_constraint(less_than_or_equals(ages, high, above)).post();
        solver.add_constraint(less_than_or_equals(negative, -low, below)).post();
    }
    if let Some(twice) = row.twice_median {
        let middle = [(row.count + 1) / 2, row.count / 2 + 1].map(|place| {
            let value = solver.new_bounded_integer(0, 1000);
            at_place(solver, people, &is_in, place, value);
            value
        });
        let tag = solver.new_constraint_tag();
        solver.add_constraint(equals(middle, twice, tag)).post();
    }
}

/// A view that is 1 if the person is in the group and 0 otherwise.
fn member(solver: &mut Solver, person: &Variables, group: Group) -> AffineView<DomainId> {
    match group {
        Group::Everyone => solver.new_bounded_integer(1, 1).scaled(1),
        Group::Female => person.female.scaled(1),
        Group::Male => person.female.scaled(-1).offset(1),
        Group::Black => person.black.scaled(1),
        Group::White => person.black.scaled(-1).offset(1),
        Group::Married => person.married.scaled(1),
        Group::BlackFemale => {
            let both = solver.new_bounded_integer(0, 1);
            let tag = solver.new_constraint_tag();
            solver.add_constraint(times(person.female, person.black, both, tag)).post();
            both.scaled(1)
        }
    }
}

/// `value` is the age of the `place`-th member, from 1.
fn at_place(solver: &mut Solver, people: &[Variables], is_in: &[AffineView<DomainId>], place: i32, value: DomainId) {
    for (index, person) in people.iter().enumerate() {
        let before: Vec<_> = is_in.iter().take(index).cloned().collect();
        let Some(here) = is_in.get(index).cloned() else { continue };
        // `is_here` if and only if the person is a member and place − 1 are before it.
        let (is_here, is_reached) = (solver.new_literal(), solver.new_literal());
        let tag = solver.new_constraint_tag();
        if before.is_empty() {
            let reached = [if place == 1 { is_reached } else { !is_reached }.get_true_predicate()];
            solver.add_clause(reached, tag);
        } else {
            solver.add_constraint(equals(before, place - 1, tag)).reify(is_reached);
        }
        let (yes, reached) = (is_here.get_true_predicate(), is_reached.get_true_predicate());
        let is_member = predicate!(here >= 1);
        for clause in [vec![!yes, is_member], vec![!yes, reached], vec![yes, !is_member, !reached]] {
            let tag = solver.new_constraint_tag();
            solver.add_clause(clause, tag);
        }
        let tag = solver.new_constraint_tag();
        solver.add_constraint(equals([person.age.scaled(1), value.scaled(-1)], 0, tag)).implied_by(is_here);
    }
}

/// World after world, each forbidden once it is found.
fn enumerate(solver: &mut Solver, people: &[Variables], most: usize) -> Worlds {
    let mut found = Vec::new();
    let mut brancher = solver.default_brancher();
    loop {
        if found.len() >= most {
            return Worlds { found, is_all: false };
        }
        let mut resolver = ResolutionResolver::default();
        let (world, other) = match solver.satisfy(&mut brancher, &mut Indefinite, &mut resolver) {
            SatisfactionResult::Satisfiable(satisfied) => {
                let solution = satisfied.solution();
                let value = |variable: DomainId| solution.get_integer_value(variable);
                let world: Vec<Person> = people
                    .iter()
                    .map(|person| Person {
                        age: value(person.age),
                        female: value(person.female) == 1,
                        black: value(person.black) == 1,
                        married: value(person.married) == 1,
                    })
                    .collect();
                let all = people.iter().flat_map(|person| [person.age, person.female, person.black, person.married]);
                let other: Vec<Predicate> = all.map(|variable| predicate!(variable != value(variable))).collect();
                (world, other)
            }
            SatisfactionResult::Unsatisfiable(..) => return Worlds { found, is_all: true },
            SatisfactionResult::Unknown(..) => return Worlds { found, is_all: false },
        };
        found.push(world);
        let tag = solver.new_constraint_tag();
        solver.add_clause(other, tag);
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::PUBLISHED;
    use super::*;

    fn three(rows: &[Row], ages: RangeInclusive<i32>, most: usize) -> Worlds {
        worlds(&Question { people: 3, ages, rows, most })
    }

    /// The males, as three people of whom nothing else is asked, against three nested loops.
    #[test]
    fn three_people_are_counted_right() {
        let all = Row { group: Group::Everyone, ..PUBLISHED[2] };
        for (rows, ages) in [
            (all, 0..=125),
            (all, 1..=125),
            (Row { twice_median: None, ..all }, 30..=60),
            (Row { sums: None, ..all }, 20..=40),
            (Row { sums: Some((110, 110)), twice_median: None, ..all }, 30..=45),
        ] {
            let found = three(&[rows], ages.clone(), 10_000);
            let mut expected = Vec::new();
            for a in ages.clone() {
                for b in a..=*ages.end() {
                    for c in b..=*ages.end() {
                        let people = [a, b, c].map(|age| Person { age, female: false, black: false, married: false });
                        if rows.fits(&people) {
                            expected.push(people.to_vec());
                        }
                    }
                }
            }
            let mut worlds = found.found;
            worlds.sort();
            assert!(found.is_all);
            assert_eq!(worlds, expected, "{rows:?}");
        }
    }

    /// The whole table has one world, and it is the one of Garfinkel, Abowd and Martindale 2018.
    #[test]
    fn the_table_has_one_world() {
        let found = worlds(&Question { people: 7, ages: 0..=125, rows: &PUBLISHED, most: 10 });
        assert!(found.is_all);
        assert_eq!(found.found.len(), 1);
        let world = &found.found[0];
        assert!(PUBLISHED.iter().all(|row| row.fits(world)));
        let text: Vec<String> = world
            .iter()
            .map(|person| {
                let pick = |is: bool, yes: char, no: char| if is { yes } else { no };
                let Person { age, female, black, married } = *person;
                format!("{age}{}{}{}", pick(female, 'F', 'M'), pick(black, 'B', 'W'), pick(married, 'M', 'S'))
            })
            .collect();
        assert_eq!(text, ["8FBS", "18MWS", "24FWS", "30MWM", "36FBM", "66FBM", "84MBM"]);
        // Who is married follows from the ages alone: the rule that the married are 15 or older is not needed.
        let married = (0..128_u32).filter(|set| {
            let people: Vec<Person> =
                (0..7).zip(world).map(|(place, person)| Person { married: set >> place & 1 == 1, ..*person }).collect();
            PUBLISHED.iter().all(|row| row.fits(&people))
        });
        assert_eq!(married.count(), 1);
    }
}
