//! The canonical text of a filter: what is read from it is the same filter again.

use std::fmt;

use certus::exact::render;

use super::{Comparison, Literal, Predicate, parse::is_keyword};

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Equal => "=",
            Self::NotEqual => "<>",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Greater => ">",
            Self::AtLeast => ">=",
        })
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(value) => f.write_str(&render(value)),
            Self::Text(text) => write!(f, "'{}'", text.replace('\'', "''")),
        }
    }
}

/// A column's name, in double quotes where it needs them.
struct Name<'n>(&'n str);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_plain = self.0.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && self.0.chars().all(|c| c.is_alphanumeric() || c == '_')
            && !is_keyword(self.0);
        if is_plain { f.write_str(self.0) } else { write!(f, "\"{}\"", self.0.replace('"', "\"\"")) }
    }
}

/// In parentheses unless a level of at least this precedence needs none.
fn nested(f: &mut fmt::Formatter<'_>, part: &Predicate, least: u8) -> fmt::Result {
    if precedence(part) >= least { write!(f, "{part}") } else { write!(f, "({part})") }
}

fn precedence(predicate: &Predicate) -> u8 {
    match predicate {
        Predicate::Or(..) => 0,
        Predicate::And(..) => 1,
        _ => 2,
    }
}

impl fmt::Display for Predicate {
    /// Chains are read from the left, so that a chain on the right keeps its parentheses.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compare { column, comparison, literal } => write!(f, "{} {comparison} {literal}", Name(column)),
            Self::In { column, literals } => {
                write!(f, "{} IN (", Name(column))?;
                for (i, literal) in literals.iter().enumerate() {
                    write!(f, "{}{literal}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str(")")
            }
            Self::Between { column, low, high } => write!(f, "{} BETWEEN {low} AND {high}", Name(column)),
            Self::IsNull { column } => write!(f, "{} IS NULL", Name(column)),
            Self::And(left, right) => {
                nested(f, left, 1)?;
                f.write_str(" AND ")?;
                nested(f, right, 2)
            }
            Self::Or(left, right) => {
                nested(f, left, 0)?;
                f.write_str(" OR ")?;
                nested(f, right, 1)
            }
            Self::Not(inner) => {
                f.write_str("NOT ")?;
                nested(f, inner, 2)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use certus::exact::Rational;
    use proptest::prelude::*;

    fn literals() -> impl Strategy<Value = Literal> {
        prop_oneof![
            (-999i64..999, 1i64..99).prop_map(|(n, d)| Literal::Number(Rational::new(n.into(), d.into()))),
            "[a-c' \"\\\\\n]{0,4}".prop_map(Literal::Text),
        ]
    }

    fn predicates() -> impl Strategy<Value = Predicate> {
        let column =
            || prop_oneof!["[a-z_ä][a-z0-9_]{0,3}", "[a \"'.0]{1,4}", Just("null".to_owned()), Just("And".to_owned())];
        let comparison = prop_oneof![
            Just(Comparison::Equal),
            Just(Comparison::NotEqual),
            Just(Comparison::Less),
            Just(Comparison::AtMost),
            Just(Comparison::Greater),
            Just(Comparison::AtLeast)
        ];
        let leaf = prop_oneof![
            (column(), comparison, literals()).prop_map(|(column, comparison, literal)| Predicate::Compare {
                column,
                comparison,
                literal
            }),
            (column(), prop::collection::vec(literals(), 1..4))
                .prop_map(|(column, literals)| Predicate::In { column, literals }),
            (column(), literals(), literals()).prop_map(|(column, low, high)| Predicate::Between { column, low, high }),
            column().prop_map(|column| Predicate::IsNull { column }),
        ];
        leaf.prop_recursive(5, 24, 2, |inner| {
            prop_oneof![
                (inner.clone(), inner.clone()).prop_map(|(a, b)| Predicate::And(a.into(), b.into())),
                (inner.clone(), inner.clone()).prop_map(|(a, b)| Predicate::Or(a.into(), b.into())),
                inner.prop_map(|a| Predicate::Not(a.into())),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        /// Hence two filters never have the same text.
        #[test]
        fn what_is_written_is_read_again(predicate in predicates()) {
            let text = predicate.to_string();
            prop_assert_eq!(text.parse::<Predicate>().map_err(|error| format!("{text}: {error}")), Ok(predicate));
        }

        /// Any text is read or refused, in one line.
        #[test]
        fn no_text_panics(text in "[a-c0-9'\"()=<>! .,/ANDORTIULBEW-]{0,40}") {
            if let Err(error) = text.parse::<Predicate>() {
                prop_assert!(!error.to_string().contains('\n'));
            }
        }
    }
}
