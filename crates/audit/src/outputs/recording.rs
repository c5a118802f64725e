//! Counting outputs as they come, at the speed of a pipe.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::io::{self, Read};

use super::output::{canonical_integer, write_float};
use super::texts::{Counted, Texts};
use super::trace::Tracer;
use super::{Output, Shard, Tally};

/// Integers in −2^15 … 2^15 − 1 have a counter each; the rest are hashed.
const NEAR: i64 = 1 << 15;

/// The counters of the near integers.
const NEAR_LENGTH: usize = 1 << 16;

/// Bytes read at once.
const CHUNK: usize = 1 << 18;

/// The longest line that is an output, in bytes, its newline not counted. What never ends is refused before
/// it fills the memory.
pub const LONGEST_LINE_BYTES: usize = 1 << 20;

/// Why a line is no output.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LineError {
    /// The line is not UTF-8.
    #[error("line {line} is not UTF-8 text")]
    NotUtf8 {
        /// The line, from 1.
        line: u64,
    },
    /// The line is longer than an output may be.
    #[error("line {line} is longer than {LONGEST_LINE_BYTES} bytes")]
    TooLong {
        /// The line, from 1.
        line: u64,
    },
    /// The reader failed.
    #[error("reading the outputs failed: {0}")]
    Read(#[from] io::Error),
}

/// The outputs of one run of a mechanism, counted as they come.
///
/// A recording keeps counts, and digests that depend on the order: two recordings with the same outputs in
/// the same order, or with a long run of them, were one that was counted twice, or had a seed in common.
///
/// ```
/// use certus_audit::outputs::{Output, Recording};
///
/// let mut recording = Recording::new();
/// recording.read("3\n-1\n3\n\nyes\n".as_bytes(), u64::MAX)?;
/// let tally = recording.finish("shard-0");
/// assert_eq!(tally.samples(), 5);
/// assert_eq!(tally.count(&Output::from(3)), 2);
/// assert_eq!(tally.count(&Output::parse("")), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Recording {
    near: Vec<u64>,
    far: HashMap<i64, u64, BuildHasherDefault<Mixer>>,
    /// Invariant: UTF-8, and no canonical integers.
    texts: Texts,
    samples: u64,
    order: u64,
    /// The order before the last output.
    before: u64,
    tracer: Tracer,
}

impl Default for Recording {
    fn default() -> Self {
        Self::new()
    }
}

impl Recording {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            near: vec![0; NEAR_LENGTH],
            far: HashMap::default(),
            texts: Texts::default(),
            samples: 0,
            order: 0,
            before: 0,
            tracer: Tracer::default(),
        }
    }

    /// The outputs recorded so far.
    #[must_use]
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// Records an integer.
    #[inline]
    pub fn integer(&mut self, value: i64) {
        self.follow(value.cast_unsigned());
        // Two's complement: the offset of a near integer is below 2^16, and that of any other is not.
        match usize::try_from(value.wrapping_add(NEAR)).ok().and_then(|offset| self.near.get_mut(offset)) {
            Some(counter) => *counter += 1,
            None => *self.far.entry(value).or_insert(0) += 1,
        }
    }

    /// Records integers, in their order.
    pub fn integers(&mut self, values: &[i64]) {
        for &value in values {
            self.integer(value);
        }
    }

    /// Records floats, in their order, each by its bits: as the [`Output`] that it is.
    pub fn floats(&mut self, values: &[f64]) {
        let mut text = String::new();
        for &value in values {
            text.clear();
            write_float(value, &mut text);
            // Text is UTF-8, so this is no error.
            let _ = self.text(text.as_bytes());
        }
    }

    /// Records an output.
    pub fn output(&mut self, output: &Output) {
        match output.integer() {
            Some(integer) => self.integer(integer),
            None => {
                // An output's text is UTF-8, so this is no error.
                let _ = self.text(output.to_string().as_bytes());
            }
        }
    }

    /// Records a line, without its newline.
    ///
    /// # Errors
    ///
    /// If it is not UTF-8; nothing is recorded then.
    #[inline]
    pub fn line(&mut self, line: &[u8]) -> Result<(), LineError> {
        if let Some(integer) = canonical_integer(line) {
            self.integer(integer);
            return Ok(());
        }
        self.text(line)
    }

    /// Records text that is no canonical integer.
    fn text(&mut self, text: &[u8]) -> Result<(), LineError> {
        let hash = hash(text);
        // A text seen before was checked then.
        if let Counted::Refused = self.texts.count(text, hash, |text| core::str::from_utf8(text).is_ok()) {
            return Err(LineError::NotUtf8 { line: self.samples + 1 });
        }
        self.follow(hash);
        Ok(())
    }

    /// The next output comes, by its hash.
    #[inline]
    fn follow(&mut self, hash: u64) {
        self.samples += 1;
        self.before = self.order;
        self.order = mix(self.order, hash);
        self.tracer.output(hash);
    }

    /// Records lines until the reader ends or `limit` of them are recorded; answers how many.
    ///
    /// Every newline ends a line, which is an output even if it is empty. A last line without a newline
    /// counts, unless it is empty. At most [`LONGEST_LINE_BYTES`] and one chunk are kept of a line whose end
    /// has not come.
    ///
    /// # Errors
    ///
    /// If the reader fails, or a line is not UTF-8 or too long: the lines before it are recorded.
    pub fn read(&mut self, mut reader: impl Read, limit: u64) -> Result<u64, LineError> {
        let mut buffer = vec![0_u8; CHUNK];
        // The bytes of a line whose end has not been read.
        let mut kept = Vec::new();
        let mut recorded = 0_u64;
        while recorded < limit {
            let length = match reader.read(&mut buffer) {
                Ok(0) => break,
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            };
            let mut rest = buffer.get(..length).unwrap_or_default();
            while recorded < limit {
                let Some(end) = newline(rest) else { break };
                self.check_length(kept.len() + end)?;
                let (line, after) = rest.split_at_checked(end).unwrap_or((rest, &[]));
                rest = after.get(1..).unwrap_or_default();
                if kept.is_empty() {
                    self.line(line)?;
                } else {
                    kept.extend_from_slice(line);
                    self.line(&kept)?;
                    kept.clear();
                }
                recorded += 1;
            }
            kept.extend_from_slice(rest);
            if recorded < limit {
                self.check_length(kept.len())?;
            }
        }
        if recorded < limit && !kept.is_empty() {
            self.line(&kept)?;
            recorded += 1;
        }
        Ok(recorded)
    }

    /// Refuses the next line if it has more bytes than an output may.
    fn check_length(&self, length: usize) -> Result<(), LineError> {
        if length > LONGEST_LINE_BYTES { Err(LineError::TooLong { line: self.samples + 1 }) } else { Ok(()) }
    }

    /// The tally of this recording, as the shard that `id` names: different recordings have different names.
    #[must_use]
    pub fn finish(self, id: &str) -> Tally {
        let mut counts = Vec::new();
        for (offset, &count) in (-NEAR..).zip(&self.near).filter(|(_, count)| **count > 0) {
            counts.push((Output::from(offset), count));
        }
        counts.extend(self.far.into_iter().map(|(value, count)| (Output::from(value), count)));
        counts.sort_unstable();
        // All integers come before all texts.
        counts.extend(ascending(self.texts.take()));
        let shard = Shard::new(id, self.samples, self.order);
        Tally::of_shard(Shard { before: Some(self.before), trace: self.tracer.trace(), ..shard }, counts)
    }
}

/// Texts, sorted by their first 16 bytes as one number, which tells most of them apart without a look at
/// where they are.
fn ascending(texts: Vec<(Output, u64)>) -> impl ExactSizeIterator<Item = (Output, u64)> {
    let beginnings = texts.iter().map(|(output, _)| beginning(output.text().as_bytes()));
    let mut order: Vec<(u128, usize)> = beginnings.zip(0..).collect();
    order.sort_unstable_by(|(first, one), (second, two)| {
        first.cmp(second).then_with(|| texts.get(*one).cmp(&texts.get(*two)))
    });
    let nothing = || (Output::from(0), 0);
    order.into_iter().map(move |(_, place)| texts.get(place).cloned().unwrap_or_else(nothing))
}

/// The first 16 bytes, and zeros where there are fewer: ascending, if not strictly, as texts ascend.
#[inline]
fn beginning(text: &[u8]) -> u128 {
    if let Some(first) = text.first_chunk() {
        return u128::from_be_bytes(*first);
    }
    let mut padded = [0; 16];
    padded.iter_mut().zip(text).for_each(|(to, &byte)| *to = byte);
    u128::from_be_bytes(padded)
}

/// Where the first newline is.
///
/// Lines are short: eight bytes at a time, by the word whose bytes are 0x80 where those of `word ^ 0x0A…` are
/// zero (exact for the lowest such byte; Mycroft's trick).
#[inline]
fn newline(bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = u64::MAX / 255;
    let mut offset = 0;
    let mut rest = bytes;
    while let Some((eight, after)) = rest.split_first_chunk::<8>() {
        let word = u64::from_le_bytes(*eight) ^ (ONES * 0x0A);
        let zeros = word.wrapping_sub(ONES) & !word & (ONES << 7);
        if zeros != 0 {
            return Some(offset + (zeros.trailing_zeros() / 8) as usize);
        }
        offset += 8;
        rest = after;
    }
    rest.iter().position(|&byte| byte == b'\n').map(|end| offset + end)
}

/// A step of the digest of an order, and of the hash below: multiply, and fold the high half into the low
/// one.
#[inline]
pub(super) fn mix(state: u64, value: u64) -> u64 {
    let product = u128::from(state ^ 0x9E37_79B9_7F4A_7C15).wrapping_mul(u128::from(value ^ 0xD6E8_FEB8_6659_FD93) | 1);
    #[expect(clippy::cast_possible_truncation, reason = "the two halves of the product")]
    let (low, high) = (product as u64, (product >> 64) as u64);
    low ^ high.rotate_left(23) ^ value.wrapping_mul(0xA076_1D64_78BD_642F)
}

/// A fast hash of a text. Whoever prints outputs to make it slow slows only his own audit.
#[inline]
fn hash(bytes: &[u8]) -> u64 {
    let mut state = 0;
    let mut rest = bytes;
    while let Some((eight, after)) = rest.split_first_chunk::<8>() {
        state = mix(state, u64::from_le_bytes(*eight));
        rest = after;
    }
    let last = rest.iter().rev().fold(rest.len() as u64, |word, &byte| (word << 8) | u64::from(byte));
    mix(state, last)
}

/// The same for an integer.
#[derive(Clone, Copy, Debug, Default)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = mix(self.0, hash(bytes));
    }

    #[inline]
    fn write_i64(&mut self, value: i64) {
        self.0 = mix(self.0, value.cast_unsigned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_across_chunks_are_the_lines() {
        /// Hands out one to three bytes at a time.
        struct Drip<'a>(&'a [u8], usize);
        impl Read for Drip<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                self.1 = self.1 % 3 + 1;
                let length = self.1.min(self.0.len());
                buffer[..length].copy_from_slice(&self.0[..length]);
                self.0 = &self.0[length..];
                Ok(length)
            }
        }
        let text = "12\n-5\n\n0.5\nabc,def\n12\n-99999999\n012\nlonger than eight bytes\n12";
        let (mut whole, mut drip, mut by_line) = (Recording::new(), Recording::new(), Recording::new());
        assert_eq!(whole.read(text.as_bytes(), u64::MAX).unwrap(), 10);
        assert_eq!(drip.read(Drip(text.as_bytes(), 0), u64::MAX).unwrap(), 10);
        for line in text.lines() {
            by_line.output(&Output::parse(line));
        }
        let tally = whole.finish("s");
        assert_eq!(tally, drip.finish("s"));
        assert_eq!(tally, by_line.finish("s"));
        assert_eq!(tally.count(&Output::from(12)), 3);
        let mut limited = Recording::new();
        assert_eq!(limited.read(text.as_bytes(), 3).unwrap(), 3);
        assert_eq!(limited.samples(), 3);
    }

    /// Also where the first 16 bytes are the same, or one text begins as another ends; integers come first.
    #[test]
    fn outputs_ascend() {
        let long = "0.1234567890123456789";
        let all = ["b", "", "a\0", "a", long, "0.12345678901234", "0.1234567890123456780", "7", "\0", "é", "-3", "~"];
        let mut recording = Recording::new();
        all.iter().for_each(|line| recording.line(line.as_bytes()).unwrap());
        let mut expected = all.map(Output::parse);
        expected.sort();
        assert_eq!(recording.finish("s").iter().map(|(output, _)| output.clone()).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn floats_are_the_outputs_that_they_are() {
        let odd = [0x7FF8_0000_0000_0001, 0xFFF8_0000_0000_0000, 0x7FF0_0000_0000_0001, 1, 1 << 63];
        let mut values = vec![0.0, 0.1, -1.0, 1e300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e-7, 12_345.0];
        values.extend(odd.map(f64::from_bits));
        let (mut bulk, mut each) = (Recording::new(), Recording::new());
        bulk.floats(&values);
        values.iter().for_each(|&value| each.output(&Output::from(value)));
        let tally = bulk.finish("s");
        assert_eq!(tally, each.finish("s"));
        assert_eq!(tally.distinct(), values.len());
    }

    /// Also where the end of the line has been read: chunks are shorter than the longest line, and may be
    /// longer than what is left of it.
    #[test]
    fn a_line_is_at_most_a_mebibyte() {
        for (length, end) in [(0, "\n"), (0, ""), (1, "\n"), (1, "")] {
            let text = format!("1\n{}{end}", "x".repeat(LONGEST_LINE_BYTES + length));
            let read = Recording::new().read(text.as_bytes(), u64::MAX);
            match length {
                0 => assert_eq!(read.unwrap(), 2),
                _ => assert_eq!(read.unwrap_err().to_string(), "line 2 is longer than 1048576 bytes"),
            }
        }
        assert!(matches!(Recording::new().read(io::repeat(b'x'), u64::MAX), Err(LineError::TooLong { line: 1 })));
        // What comes after the last line that is asked for is nobody's business.
        let text = format!("1\n{}", "x".repeat(2 * LONGEST_LINE_BYTES));
        assert_eq!(Recording::new().read(text.as_bytes(), 1).unwrap(), 1);
    }

    #[test]
    fn bytes_that_are_no_text_are_refused_with_their_line() {
        let mut recording = Recording::new();
        let error = recording.read(&b"1\n\xFF\xFE\n"[..], u64::MAX).unwrap_err();
        assert_eq!(error.to_string(), "line 2 is not UTF-8 text");
    }
}
