//! The words, symbols and literals of a filter.

use std::fmt;

use certus::mechanism::Excerpt;

use crate::plan::PlanError;

/// One piece of a filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// A keyword, or a name that needs no quotes.
    Word(&'t str),
    /// A name in double quotes.
    Quoted(String),
    /// A text in single quotes.
    Text(String),
    /// What starts like a number.
    Number(&'t str),
    /// `(`, `)`, `,` or a comparison.
    Symbol(&'static str),
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(text) | Self::Number(text) => write!(f, "{}", Excerpt::new(text)),
            Self::Quoted(name) => write!(f, "the name {}", Excerpt::new(name)),
            Self::Text(text) => write!(f, "the text {}", Excerpt::new(text)),
            Self::Symbol(symbol) => f.write_str(symbol),
        }
    }
}

/// The longest first: `<=` is not `<` and `=`.
const SYMBOLS: [&str; 10] = ["<=", ">=", "<>", "!=", "=", "<", ">", "(", ")", ","];

/// Reads one token after the other.
pub(super) struct Tokens<'t> {
    rest: &'t str,
    /// The number of characters before the rest.
    before: usize,
    /// The number of characters before the token that was taken last.
    taken: usize,
}

impl<'t> Tokens<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { rest: text, before: 0, taken: 0 }
    }

    /// The place of what comes next, counted from 1.
    pub(super) fn place(&mut self) -> usize {
        self.skip_spaces();
        self.before + 1
    }

    /// The place of what was taken last, counted from 1.
    pub(super) fn taken(&self) -> usize {
        self.taken + 1
    }

    /// What comes next, which stays.
    pub(super) fn peek(&mut self) -> Result<Option<Token<'t>>, PlanError> {
        Ok(self.read()?.map(|(token, _)| token))
    }

    /// What comes next.
    pub(super) fn next(&mut self) -> Result<Option<Token<'t>>, PlanError> {
        let Some((token, bytes)) = self.read()? else { return Ok(None) };
        self.taken = self.before;
        self.advance(bytes);
        Ok(Some(token))
    }

    /// Takes a keyword, in any case, if it comes next.
    pub(super) fn take_word(&mut self, keyword: &str) -> Result<bool, PlanError> {
        let is_next = matches!(self.peek()?, Some(Token::Word(word)) if word.eq_ignore_ascii_case(keyword));
        if is_next {
            self.next()?;
        }
        Ok(is_next)
    }

    /// Takes a symbol if it comes next.
    pub(super) fn take_symbol(&mut self, symbol: &str) -> Result<bool, PlanError> {
        let is_next = matches!(self.peek()?, Some(Token::Symbol(found)) if found == symbol);
        if is_next {
            self.next()?;
        }
        Ok(is_next)
    }

    fn skip_spaces(&mut self) {
        let rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
        self.advance(self.rest.len() - rest.len());
    }

    fn advance(&mut self, bytes: usize) {
        let (passed, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        self.before += passed.chars().count();
        self.rest = rest;
    }

    /// What comes next, and how many bytes it takes.
    fn read(&mut self) -> Result<Option<(Token<'t>, usize)>, PlanError> {
        self.skip_spaces();
        let Some(first) = self.rest.chars().next() else { return Ok(None) };
        if let Some(symbol) = SYMBOLS.into_iter().find(|symbol| self.rest.starts_with(symbol)) {
            return Ok(Some((Token::Symbol(symbol), symbol.len())));
        }
        let up_to = |is_part: fn(char) -> bool| {
            let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
            self.rest.split_at(end).0
        };
        match first {
            '\'' => {
                self.quoted('\'', "a text must end with a single quote").map(|(text, n)| Some((Token::Text(text), n)))
            }
            '"' => {
                self.quoted('"', "a name must end with a double quote").map(|(name, n)| Some((Token::Quoted(name), n)))
            }
            '0'..='9' | '-' | '.' => {
                // A sign belongs to it in front and after an exponent's e: what is no number is refused
                // later.
                let number = up_to(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '/' | '-' | '+'));
                Ok(Some((Token::Number(number), number.len())))
            }
            c if c.is_alphabetic() || c == '_' => {
                let word = up_to(|c| c.is_alphanumeric() || c == '_');
                Ok(Some((Token::Word(word), word.len())))
            }
            c => Err(self.refused(&format!("unknown character {c:?}"))),
        }
    }

    /// A text between quotes, in which a quote is doubled, and its bytes with the quotes.
    fn quoted(&self, quote: char, unfinished: &str) -> Result<(String, usize), PlanError> {
        let mut text = String::new();
        let mut characters = self.rest.char_indices().skip(1).peekable();
        while let Some((at, c)) = characters.next() {
            if c != quote {
                text.push(c);
            } else if characters.next_if(|(_, next)| *next == quote).is_some() {
                text.push(quote);
            } else {
                return Ok((text, at + 1));
            }
        }
        Err(self.refused(unfinished))
    }

    fn refused(&self, what: &str) -> PlanError {
        PlanError::new(format!("where: character {}", self.before + 1), what)
    }
}
