//! The published table, and what any seven people would have it say.

/// A person as the table sees one. In this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Person {
    /// Years.
    pub age: i32,
    /// Otherwise male.
    pub female: bool,
    /// Otherwise white.
    pub black: bool,
    /// Otherwise single.
    pub married: bool,
}

/// A group of people that the table has a row for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// All.
    Everyone,
    /// 2A.
    Female,
    /// 2B.
    Male,
    /// 2C.
    Black,
    /// 2D.
    White,
    /// 3B.
    Married,
    /// 4A.
    BlackFemale,
}

impl Group {
    /// Whether a person is in it.
    pub fn has(self, person: &Person) -> bool {
        match self {
            Self::Everyone => true,
            Self::Female => person.female,
            Self::Male => !person.female,
            Self::Black => person.black,
            Self::White => !person.black,
            Self::Married => person.married,
            Self::BlackFemale => person.black && person.female,
        }
    }
}

/// A row of the table: what it says of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// As the table numbers it.
    pub number: &'static str,
    /// As the table calls it.
    pub name: &'static str,
    /// Whom it speaks of.
    pub group: Group,
    /// How many.
    pub count: i32,
    /// Twice their median age, if it is used: an integer for any count.
    pub twice_median: Option<i32>,
    /// The least and the greatest sum of their ages, if the mean is used.
    pub sums: Option<(i32, i32)>,
}

impl Row {
    /// Whether these people would have it printed.
    #[cfg(test)]
    pub fn fits(&self, people: &[Person]) -> bool {
        let seen = seen(self.group, people);
        let median = self.twice_median.is_none_or(|twice| twice == seen.twice_median);
        let mean = self.sums.is_none_or(|(low, high)| (low..=high).contains(&seen.sum));
        seen.count == self.count && median && mean
    }
}

/// The sums of ages for which a mean of `count` is printed as `tenths`/10: 20·sum within count·(2·tenths ± 1).
const fn sums(count: i32, tenths: i32) -> (i32, i32) {
    let (low, high) = (count * (2 * tenths - 1), count * (2 * tenths + 1));
    ((low + 19).div_euclid(20), high.div_euclid(20))
}

const fn row(number: &'static str, name: &'static str, group: Group, count: i32, median: i32, tenths: i32) -> Row {
    Row { number, name, group, count, twice_median: Some(2 * median), sums: Some(sums(count, tenths)) }
}

/// The rows of 001's table that are not suppressed.
pub const PUBLISHED: [Row; 7] = [
    row("1A", "total population", Group::Everyone, 7, 30, 380),
    row("2A", "female", Group::Female, 4, 30, 335),
    row("2B", "male", Group::Male, 3, 30, 440),
    row("2C", "black or African American", Group::Black, 4, 51, 485),
    row("2D", "white", Group::White, 3, 24, 240),
    row("3B", "married adults", Group::Married, 4, 51, 540),
    row("4A", "black or African American female", Group::BlackFemale, 3, 36, 367),
];

/// What is true of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// How many there are.
    pub count: i32,
    /// The sum of their ages.
    pub sum: i32,
    /// Twice their median age; 0 of nobody.
    pub twice_median: i32,
}

/// What is true of a group among these people.
pub fn seen(group: Group, people: &[Person]) -> Seen {
    let mut ages = [0; 16];
    let mut count = 0;
    for person in people.iter().filter(|person| group.has(person)) {
        if let Some(place) = ages.get_mut(count) {
            *place = person.age;
            count += 1;
        }
    }
    let ages = ages.get_mut(..count).unwrap_or_default();
    ages.sort_unstable();
    let at = |place: usize| ages.get(place).copied().unwrap_or(0);
    let twice_median = if count == 0 { 0 } else { at((count - 1) / 2) + at(count / 2) };
    Seen { count: count as i32, sum: ages.iter().sum(), twice_median }
}

/// How many of the true people are among the guessed ones, one guess for one person.
pub fn right(truth: &[Person], guess: &[Person], is_right: impl Fn(&Person, &Person) -> bool) -> usize {
    let mut left: Vec<&Person> = guess.iter().collect();
    let mut count = 0;
    for person in truth {
        if let Some(place) = left.iter().position(|guess| is_right(person, guess)) {
            left.swap_remove(place);
            count += 1;
        }
    }
    count
}
