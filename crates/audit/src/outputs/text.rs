//! The text of an output, in little room.

use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::Deref;
use std::sync::Arc;

use smol_str::SmolStr;

/// A text that is cheap to clone. Where it is kept makes no difference: texts are compared.
#[derive(Clone)]
pub(super) enum Text {
    /// Up to 23 bytes, as of most floats, are kept in place.
    Own(SmolStr),
    /// A part of a chunk of many: neither a header nor a gap for each.
    Shared { chunk: Arc<String>, start: u32, length: u32 },
}

/// The longest text that is kept in place.
const SHORT: usize = 23;

impl Text {
    pub(super) fn new(text: &str) -> Self {
        Self::Own(SmolStr::new(text))
    }

    /// The bytes of a chunk from `start` on; none where it has no such text.
    pub(super) fn in_chunk(chunk: &Arc<String>, start: u32, length: u32) -> Self {
        let shared = Self::Shared { chunk: Arc::clone(chunk), start, length };
        if shared.len() > SHORT { shared } else { Self::new(&shared) }
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Own(text) => text,
            Self::Shared { chunk, start, length } => {
                let from = chunk.get(*start as usize..).unwrap_or_default();
                from.get(..*length as usize).unwrap_or_default()
            }
        }
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Text {}

impl PartialOrd for Text {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text {
    fn cmp(&self, other: &Self) -> Ordering {
        (**self).cmp(&**other)
    }
}

impl Hash for Text {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::hash_map::DefaultHasher;

    #[test]
    fn a_text_is_its_bytes_wherever_they_are_kept() {
        let long = "0.25,-1.5,é,4,5,6,7,8,9,10";
        let chunk = Arc::new(format!("before{long}after"));
        let shared = |start, length| Text::in_chunk(&chunk, start, length);
        let hash = |text: &Text| {
            let mut hasher = DefaultHasher::new();
            text.hash(&mut hasher);
            hasher.finish()
        };
        let (one, two) = (shared(6, u32::try_from(long.len()).unwrap()), Text::new(long));
        assert!(matches!(one, Text::Shared { .. }) && matches!(two, Text::Own(_)));
        assert_eq!((&*one, &one, hash(&one)), (long, &two, hash(&two)));
        assert_eq!(
            (one.cmp(&two), one.cmp(&shared(7, 24)), format!("{one:?}")),
            (Ordering::Equal, long.cmp(&long[1..25]), format!("{long:?}"))
        );
        assert!(matches!(shared(0, 6), Text::Own(_)) && &*shared(0, 6) == "before");
        // Past the end, or within a character, there is no text.
        assert_eq!((&*shared(0, 1000), &*shared(17, 30)), ("", ""));
    }

    /// A million outputs are on one side of an audit at times.
    #[test]
    fn an_output_takes_three_words() {
        assert_eq!(core::mem::size_of::<super::super::Output>(), 24);
    }
}
