//! A short, printable piece of somebody's input, for an error line.

use alloc::string::String;
use core::fmt;

/// The most characters of input, as printed, that an error repeats.
const MAX_CHARACTERS: usize = 40;

/// The beginning of a text, quoted: at most 40 characters as printed, with quotes, control characters and
/// whatever does not print escaped as in a Rust literal. A text that goes on ends in `…`.
///
/// # Example
///
/// ```
/// use certus::mechanism::Excerpt;
///
/// assert_eq!(Excerpt::new("scale=\u{1b}[31m").to_string(), r#""scale=\u{1b}[31m""#);
/// assert_eq!(Excerpt::new(&"7".repeat(1_000_000)).to_string().chars().count(), 43);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// Escaped already.
    text: String,
    complete: bool,
}

impl Excerpt {
    /// The beginning of `text`; the rest is not read.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let mut excerpt = Self { text: String::new(), complete: true };
        let mut printed = 0;
        for character in text.chars() {
            let escaped = character.escape_debug();
            // An escape is at most ten characters, so neither sum comes near an overflow.
            printed += escaped.len();
            if printed > MAX_CHARACTERS {
                excerpt.complete = false;
                break;
            }
            excerpt.text.extend(escaped);
        }
        excerpt
    }
}

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"{}", self.text, if self.complete { "" } else { "…" })
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn repeats_at_most_forty_characters() {
        assert_eq!(Excerpt::new("").to_string(), "\"\"");
        assert_eq!(Excerpt::new(&"é".repeat(40)).to_string(), alloc::format!("\"{}\"", "é".repeat(40)));
        assert_eq!(Excerpt::new(&"é".repeat(41)).to_string(), alloc::format!("\"{}\"…", "é".repeat(40)));
        assert_eq!(Excerpt::new(&"\0".repeat(41)).to_string(), alloc::format!("\"{}\"…", r"\0".repeat(20)));
    }

    #[test]
    fn escapes_what_would_change_the_line() {
        assert_eq!(Excerpt::new("a\r\nb\"\t").to_string(), r#""a\r\nb\"\t""#);
        assert_eq!(Excerpt::new("\u{202e}x\u{7f}").to_string(), r#""\u{202e}x\u{7f}""#);
    }
}
