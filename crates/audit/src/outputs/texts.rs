//! Counts of texts, without an allocation for each.

/// How often each text was seen: the bytes in one buffer, an entry a text, and an open-addressed index by
/// hash.
///
/// A hash map of boxed texts would do the same at a third of the speed where every line is new, as floats
/// are.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
    /// A free slot is 0; another has 1 + the place of an entry below, and above the upper half of its hash,
    /// which tells nearly all texts apart without a look at the entry. Invariant: a power of two long, and at
    /// least twice as long as there are entries.
    index: Vec<u64>,
}

/// The lower half of a slot of the index.
const PLACE: u64 = u32::MAX as u64;

#[derive(Clone, Copy, Debug)]
struct Entry {
    start: usize,
    length: usize,
    hash: u64,
    count: u64,
}

/// What counting a text needs from its caller.
pub(super) enum Counted {
    /// It was seen before.
    Again,
    /// It is new, and was added.
    New,
    /// It is new and was refused.
    Refused,
}

impl Texts {
    /// Counts a text; a new one only if `accept` says so, or there is room for no more than 2^31 texts.
    #[inline]
    pub(super) fn count(&mut self, text: &[u8], hash: u64, accept: impl FnOnce(&[u8]) -> bool) -> Counted {
        if self.entries.len() * 2 >= self.index.len() {
            self.grow();
        }
        let mask = self.index.len().wrapping_sub(1);
        let mut slot = place(hash) & mask;
        // The index is at most half full, so an empty slot ends this.
        while let Some(&found) = self.index.get(slot) {
            let Some(at) = place(found & PLACE).checked_sub(1) else { break };
            if (found ^ hash) & !PLACE == 0
                && let Some(entry) = self.entries.get_mut(at)
                && entry.hash == hash
                && self.bytes.get(entry.start..entry.start + entry.length) == Some(text)
            {
                entry.count += 1;
                return Counted::Again;
            }
            slot = (slot + 1) & mask;
        }
        let Some((number, slot)) = u32::try_from(self.entries.len() + 1).ok().zip(self.index.get_mut(slot)) else {
            return Counted::Refused;
        };
        if !accept(text) {
            return Counted::Refused;
        }
        *slot = u64::from(number) | hash & !PLACE;
        self.entries.push(Entry { start: self.bytes.len(), length: text.len(), hash, count: 1 });
        self.bytes.extend_from_slice(text);
        Counted::New
    }

    fn grow(&mut self) {
        let length = (self.index.len() * 4).max(64);
        self.index = vec![0; length];
        for (entry, number) in self.entries.iter().zip(1_u64..) {
            let mut slot = place(entry.hash) & (length - 1);
            while self.index.get(slot).is_some_and(|found| *found != 0) {
                slot = (slot + 1) & (length - 1);
            }
            if let Some(free) = self.index.get_mut(slot) {
                *free = number | entry.hash & !PLACE;
            }
        }
    }

    /// The texts with their counts, in the order they were first seen.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&[u8], u64)> {
        let text = |entry: &Entry| self.bytes.get(entry.start..entry.start + entry.length).unwrap_or_default();
        self.entries.iter().map(move |entry| (text(entry), entry.count))
    }
}

/// The low bits of a hash or of a slot: enough on any machine.
#[expect(clippy::cast_possible_truncation, reason = "an index needs the low bits alone")]
fn place(bits: u64) -> usize {
    bits as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Against a hash map, with hashes so poor that texts collide all the time.
    #[test]
    fn counts_are_those_of_a_map() {
        for hashes in [1_u64, 3, 1000, u64::MAX] {
            let (mut texts, mut map) = (Texts::default(), HashMap::new());
            for i in 0..3000_u64 {
                let text = format!("{}", i * i % 701);
                let hash = (i * i % 701).wrapping_mul(0x9E37_79B9_7F4A_7C15) % hashes;
                assert!(!matches!(texts.count(text.as_bytes(), hash, |_| true), Counted::Refused));
                *map.entry(text).or_insert(0_u64) += 1;
            }
            let counted: HashMap<String, u64> =
                texts.iter().map(|(text, count)| (String::from_utf8(text.to_vec()).unwrap(), count)).collect();
            assert_eq!(counted, map);
        }
        assert!(matches!(Texts::default().count(b"x", 0, |_| false), Counted::Refused));
    }
}
