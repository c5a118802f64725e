//! The text of a filter: recursive descent, one function for each level of precedence.
//!
//! ```text
//! or         = and { OR and }
//! and        = not { AND not }
//! not        = NOT not | '(' or ')' | condition
//! condition  = column ( comparison literal | [NOT] IN '(' literal {',' literal} ')'
//!                     | [NOT] BETWEEN literal AND literal | IS [NOT] NULL )
//! column     = a name of letters, digits and _ | "any name, a quote in it doubled"
//! literal    = number | 'text, a quote in it doubled'
//! ```

use certus::exact::parse as number;

use super::{
    Comparison, Literal, Predicate,
    token::{Token, Tokens},
};
use crate::plan::{
    PlanError,
    limits::{MOST_FILTER_BYTES, MOST_FILTER_DEPTH, MOST_LITERALS},
};

/// What a condition may be, for whoever wrote something else.
const CONDITIONS: &str = "a comparison (=, <>, <, <=, >, >=), [NOT] IN (…), [NOT] BETWEEN … AND … or IS [NOT] NULL";

impl std::str::FromStr for Predicate {
    type Err = PlanError;

    /// Reads a filter; a refusal points at the character (counted from 1) where it stopped.
    fn from_str(text: &str) -> Result<Self, PlanError> {
        let too_long = || {
            let most = "also with its numbers written as fractions in lowest terms";
            PlanError::new("where", format!("must have at most {MOST_FILTER_BYTES} bytes, {most}"))
        };
        if text.len() > MOST_FILTER_BYTES {
            return Err(too_long());
        }
        let mut parser = Parser { tokens: Tokens::new(text), depth: 0 };
        let read = parser.or()?;
        match parser.tokens.next()? {
            // 1e-900 is written with nine hundred zeros, and what is written must be read again.
            None if read.to_string().len() > MOST_FILTER_BYTES => Err(too_long()),
            None => Ok(read),
            Some(token) => Err(parser.refused(&token, "the end, AND or OR")),
        }
    }
}

struct Parser<'t> {
    tokens: Tokens<'t>,
    depth: usize,
}

impl Parser<'_> {
    fn or(&mut self) -> Result<Predicate, PlanError> {
        let mut left = self.and()?;
        while self.tokens.take_word("OR")? {
            left = Predicate::Or(Box::new(left), Box::new(self.and()?));
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Predicate, PlanError> {
        let mut left = self.not()?;
        while self.tokens.take_word("AND")? {
            left = Predicate::And(Box::new(left), Box::new(self.not()?));
        }
        Ok(left)
    }

    fn not(&mut self) -> Result<Predicate, PlanError> {
        self.depth += 1;
        self.check_depth(self.depth)?;
        let read = if self.tokens.take_word("NOT")? {
            Predicate::Not(Box::new(self.not()?))
        } else if self.tokens.take_symbol("(")? {
            let inner = self.or()?;
            self.symbol(")")?;
            inner
        } else {
            self.condition()?
        };
        self.depth -= 1;
        Ok(read)
    }

    fn condition(&mut self) -> Result<Predicate, PlanError> {
        let column = self.column()?;
        if self.tokens.take_word("IS")? {
            let negated = self.tokens.take_word("NOT")?;
            self.word("NULL")?;
            return self.not_if(negated, Predicate::IsNull { column });
        }
        let negated = self.tokens.take_word("NOT")?;
        if self.tokens.take_word("IN")? {
            let literals = self.literals()?;
            return self.not_if(negated, Predicate::In { column, literals });
        }
        if self.tokens.take_word("BETWEEN")? {
            let low = self.literal()?;
            self.word("AND")?;
            let high = self.literal()?;
            return self.not_if(negated, Predicate::Between { column, low, high });
        }
        if negated {
            return self.refuse_next("IN or BETWEEN after NOT");
        }
        let comparison = match self.tokens.peek()? {
            Some(Token::Symbol(symbol)) => match symbol {
                "=" => Comparison::Equal,
                "<>" | "!=" => Comparison::NotEqual,
                "<" => Comparison::Less,
                "<=" => Comparison::AtMost,
                ">" => Comparison::Greater,
                ">=" => Comparison::AtLeast,
                _ => return self.refuse_next(CONDITIONS),
            },
            _ => return self.refuse_next(CONDITIONS),
        };
        self.tokens.next()?;
        Ok(Predicate::Compare { column, comparison, literal: self.literal()? })
    }

    /// `a IS NOT NULL` is as deep as `NOT a IS NULL`, which its canonical text is.
    fn not_if(&mut self, negated: bool, predicate: Predicate) -> Result<Predicate, PlanError> {
        if !negated {
            return Ok(predicate);
        }
        self.check_depth(self.depth + 1)?;
        Ok(Predicate::Not(Box::new(predicate)))
    }

    fn check_depth(&mut self, depth: usize) -> Result<(), PlanError> {
        if depth <= MOST_FILTER_DEPTH {
            return Ok(());
        }
        Err(self.at(&format!("must have at most {MOST_FILTER_DEPTH} parentheses or NOTs around each other")))
    }

    fn literals(&mut self) -> Result<Vec<Literal>, PlanError> {
        self.symbol("(")?;
        let mut literals = vec![self.literal()?];
        while self.tokens.take_symbol(",")? {
            if literals.len() >= MOST_LITERALS {
                return Err(self.at(&format!("IN must have at most {MOST_LITERALS} literals")));
            }
            literals.push(self.literal()?);
        }
        self.symbol(")")?;
        Ok(literals)
    }

    fn column(&mut self) -> Result<String, PlanError> {
        match self.tokens.peek()? {
            Some(Token::Word(word)) if !is_keyword(word) => {
                let column = word.to_owned();
                self.tokens.next()?;
                Ok(column)
            }
            Some(Token::Quoted(name)) => {
                self.tokens.next()?;
                Ok(name)
            }
            _ => self.refuse_next("a column, NOT or ("),
        }
    }

    fn literal(&mut self) -> Result<Literal, PlanError> {
        match self.tokens.peek()? {
            Some(Token::Text(text)) => {
                self.tokens.next()?;
                Ok(Literal::Text(text))
            }
            Some(Token::Number(text)) => {
                let value = number(text).map_err(|error| self.at(&format!("a number {error}")))?;
                self.tokens.next()?;
                Ok(Literal::Number(value))
            }
            _ => self.refuse_next("a number such as 40, 0.5 or 1/3, or a text in single quotes"),
        }
    }

    fn symbol(&mut self, symbol: &'static str) -> Result<(), PlanError> {
        if self.tokens.take_symbol(symbol)? { Ok(()) } else { self.refuse_next(symbol) }
    }

    fn word(&mut self, word: &'static str) -> Result<(), PlanError> {
        if self.tokens.take_word(word)? { Ok(()) } else { self.refuse_next(word) }
    }

    fn at(&mut self, what: &str) -> PlanError {
        PlanError::new(format!("where: character {}", self.tokens.place()), what)
    }

    fn refuse_next<T>(&mut self, accepted: &str) -> Result<T, PlanError> {
        let error = match self.tokens.peek()? {
            Some(token) => self.at(&format!("must be {accepted}, not {token}")),
            None => self.at(&format!("must be {accepted}, not the end")),
        };
        Err(error)
    }

    /// Of a token that was taken already.
    fn refused(&self, token: &Token<'_>, accepted: &str) -> PlanError {
        PlanError::new(format!("where: character {}", self.tokens.taken()), format!("must be {accepted}, not {token}"))
    }
}

/// Words that are no column unless they are quoted.
pub(super) fn is_keyword(word: &str) -> bool {
    ["AND", "OR", "NOT", "IN", "BETWEEN", "IS", "NULL"].iter().any(|keyword| keyword.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Predicate {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn precedence_is_that_of_sql() {
        assert_eq!(read("a=1 OR b=2 AND NOT c=3"), read("(a = 1) or ((b = 2) and (not (c = 3)))"));
        assert_eq!(read("a=1 AND b=2 AND c=3"), read("(a=1 AND b=2) AND c=3"));
        assert_ne!(read("a=1 AND b=2 AND c=3"), read("a=1 AND (b=2 AND c=3)"));
        assert_eq!(read("NOT a BETWEEN 1 AND 2 AND b = 1"), read("(NOT (a BETWEEN 1 AND 2)) AND (b = 1)"));
        assert_eq!(read("a not in (1, 2)"), read("NOT (a IN (1,2))"));
        assert_eq!(read("a IS NOT NULL"), read("NOT a IS NULL"));
        assert_eq!(read("a != 0.5"), read("a <> 1/2"));
        assert_eq!(
            read("\"odd \"\"name\" = 'it''s'"),
            Predicate::Compare {
                column: "odd \"name".into(),
                comparison: Comparison::Equal,
                literal: Literal::Text("it's".into())
            }
        );
    }

    /// Each refusal is one line, and points where reading stopped.
    #[test]
    fn refusals_point_at_the_character() {
        for (text, line) in [
            ("", "where: character 1: must be a column, NOT or (, not the end"),
            (
                "age >= ",
                "where: character 8: must be a number such as 40, 0.5 or 1/3, or a text in single quotes, not the end",
            ),
            ("age + 1 > 2", "where: character 5: unknown character '+'"),
            ("age > 1 2", "where: character 9: must be the end, AND or OR, not \"2\""),
            (
                "lower(a) = 'x'",
                "where: character 6: must be a comparison (=, <>, <, <=, >, >=), [NOT] IN (…), [NOT] BETWEEN … AND … or IS [NOT] NULL, not (",
            ),
            ("a = 'x", "where: character 5: a text must end with a single quote"),
            ("a = 1/0", "where: character 5: a number"),
            ("a IN ()", "where: character 7: must be a number"),
            ("a = b", "where: character 5: must be a number"),
            ("ä = 1 AND", "where: character 10: must be a column"),
            ("a = 1; DROP TABLE x", "where: character 6: unknown character ';'"),
        ] {
            let error = text.parse::<Predicate>().unwrap_err().to_string();
            assert!(error.starts_with(line), "{text}: {error}");
            assert!(!error.contains('\n'));
        }
    }

    #[test]
    fn depth_and_length_are_limited() {
        let deep = |n: usize| format!("{}a = 1{}", "(".repeat(n), ")".repeat(n));
        assert!(deep(MOST_FILTER_DEPTH - 1).parse::<Predicate>().is_ok());
        assert!(deep(MOST_FILTER_DEPTH).parse::<Predicate>().is_err());
        assert!(deep(4_000).parse::<Predicate>().is_err());
        assert!("NOT ".repeat(2_000).parse::<Predicate>().is_err());
        assert!(format!("a = '{}'", "x".repeat(MOST_FILTER_BYTES)).parse::<Predicate>().is_err());
        let small = ["a = 1e-920"; 12].join(" OR ");
        assert!(small.len() < 200 && small.parse::<Predicate>().is_err(), "it would be written with 11,000 zeros");
        let many = vec!["1"; MOST_LITERALS + 1].join(",");
        assert!(format!("a IN ({many})").parse::<Predicate>().is_err());
    }
}
