//! Counts of texts, without an allocation for each.

use std::sync::Arc;

use super::Output;

/// How often each text was seen: the bytes in chunks, an entry a text, and an open-addressed index by hash.
///
/// A hash map of boxed texts would do the same at a third of the speed where every line is new, as floats
/// are.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts {
    /// Invariant: UTF-8.
    chunks: Vec<Vec<u8>>,
    /// In the order of the bytes.
    entries: Vec<Entry>,
    /// A free slot is 0; another has 1 + the place of an entry below, and above the upper half of its hash,
    /// which tells nearly all texts apart without a look at the entry. Invariant: a power of two long, and at
    /// least twice as long as there are entries.
    index: Vec<u64>,
}

/// The lower half of a slot of the index.
const PLACE: u64 = u32::MAX as u64;

/// The bytes of a chunk, if no text is longer.
const CHUNK: usize = 1 << 16;

#[derive(Clone, Copy, Debug)]
struct Entry {
    chunk: u32,
    start: u32,
    length: u32,
    hash: u64,
    count: u64,
}

impl Entry {
    /// Its text, in its chunk.
    fn text<'c>(&self, chunk: &'c [u8]) -> Option<&'c [u8]> {
        chunk.get(self.start as usize..)?.get(..self.length as usize)
    }
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
                && self.chunks.get(entry.chunk as usize).and_then(|chunk| entry.text(chunk)) == Some(text)
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
        let Some(entry) = append(&mut self.chunks, text, hash) else { return Counted::Refused };
        *slot = u64::from(number) | hash & !PLACE;
        self.entries.push(entry);
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

    /// The texts as outputs, with their counts, in the order they were first seen. Long ones stay where they
    /// are.
    pub(super) fn take(self) -> Vec<(Output, u64)> {
        drop(self.index);
        let mut taken = Vec::with_capacity(self.entries.len());
        let mut entries = self.entries.into_iter().peekable();
        for (number, chunk) in (0_u32..).zip(self.chunks) {
            let chunk = Arc::new(String::from_utf8(chunk).unwrap_or_default());
            while let Some(entry) = entries.next_if(|entry| entry.chunk == number) {
                taken.push((Output::in_chunk(&chunk, entry.start, entry.length), entry.count));
            }
        }
        taken
    }
}

/// Appends a text to the last chunk, or to a new one; nothing where there are 2^32 of them.
fn append(chunks: &mut Vec<Vec<u8>>, text: &[u8], hash: u64) -> Option<Entry> {
    let has_room = |chunk: &Vec<u8>| chunk.capacity() - chunk.len() >= text.len();
    if !chunks.last().is_some_and(has_room) {
        chunks.push(Vec::with_capacity(text.len().max(CHUNK)));
    }
    let number = u32::try_from(chunks.len().checked_sub(1)?).ok()?;
    let chunk = chunks.last_mut()?;
    let (start, length) = (u32::try_from(chunk.len()).ok()?, u32::try_from(text.len()).ok()?);
    chunk.extend_from_slice(text);
    Some(Entry { chunk: number, start, length, hash, count: 1 })
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
                // The longest are chunks of their own, and many fill one.
                let text = format!("x{}{}", i * i % 701, " ".repeat(if i % 701 == 9 { 2 * CHUNK } else { 200 }));
                let hash = (i * i % 701).wrapping_mul(0x9E37_79B9_7F4A_7C15) % hashes;
                assert!(!matches!(texts.count(text.as_bytes(), hash, |_| true), Counted::Refused));
                *map.entry(text).or_insert(0_u64) += 1;
            }
            let taken: Vec<(String, u64)> =
                texts.take().iter().map(|(output, count)| (output.to_string(), *count)).collect();
            assert_eq!(taken.len(), map.len());
            assert_eq!(taken.into_iter().collect::<HashMap<_, _>>(), map);
        }
        assert!(matches!(Texts::default().count(b"x", 0, |_| false), Counted::Refused));
    }
}
