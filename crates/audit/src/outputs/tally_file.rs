//! A tally as a file: plain lines, to be sent from machine to machine.

use core::fmt::Write as _;
use std::io::{self, BufRead, Read as _, Write};

use super::tally::{MergeError, check, samples_of};
use super::{LONGEST_LINE_BYTES, Output, Shard, Tally, Trace};

/// The first line, with the version of the form.
const HEADER: &str = "certus-tally 1";

/// The longest line of a file, in bytes, its newline not counted: a count of at most 20 digits, a space and a
/// value.
const LONGEST_TALLY_LINE_BYTES: usize = LONGEST_LINE_BYTES + 21;

/// Why a file holds no tally.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TallyFileError {
    /// The first line is another.
    #[error("not a tally: the first line must be \"{HEADER}\"")]
    Header,
    /// A line that does not read as its place demands.
    #[error("line {line} of the tally is malformed: {wanted} was expected")]
    Line {
        /// The line, from 1.
        line: usize,
        /// What should be there.
        wanted: &'static str,
    },
    /// A line that has no end, or might have none.
    #[error("line {line} of the tally is longer than {LONGEST_TALLY_LINE_BYTES} bytes")]
    TooLong {
        /// The line, from 1.
        line: usize,
    },
    /// The counts do not add up to the shards' samples, or the digest differs.
    #[error("the tally is damaged: its lines do not agree with its digest and its numbers of samples")]
    Damaged,
    /// Lines after the last one.
    #[error("the tally has a line {line} after its end: two files in one lose the second, so give each by itself")]
    AfterEnd {
        /// The line, from 1.
        line: usize,
    },
    /// Shards that are there twice.
    #[error(transparent)]
    Shards(#[from] MergeError),
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// FNV-1a: against accidents, not adversaries.
fn fnv(digest: u64, line: &str) -> u64 {
    line.bytes().chain([b'\n']).fold(digest, |digest, byte| (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

const FNV_START: u64 = 0xCBF2_9CE4_8422_2325;

impl Tally {
    /// Writes the file form: UTF-8 lines, each ended by one byte `\n`.
    ///
    /// | lines | hold |
    /// | --- | --- |
    /// | `certus-tally 1` | the form and its version |
    /// | `shard NAME SAMPLES ORDER OTHERS BEFORE ENDS WINDOWS`, one a shard | its name without white space, its samples, a digest of their order (16 hex digits), its samples off the most frequent value; the digest without the last sample, and two lists of digests of parts (with commas, or `-`), none of which version 0.1.0 wrote |
    /// | `values V` | the number of the lines that follow |
    /// | `COUNT TEXT`, V of them | a positive count, one space, and then the output's text up to the newline, byte for byte: it may be empty, have spaces, and end in `\r`; strictly ascending |
    /// | `end DIGEST` | FNV-1a of all the bytes before this line (16 hex digits): against accidents, not adversaries |
    ///
    /// Texts are compared byte for byte, so that what a format tells apart (`1` and `"1"` of NDJSON) a tally
    /// does too.
    ///
    /// # Errors
    ///
    /// If writing fails.
    ///
    /// ```
    /// use certus_audit::outputs::{Recording, Tally};
    ///
    /// let mut recording = Recording::new();
    /// recording.read("007\n4\n4\n\n".as_bytes(), u64::MAX)?;
    /// let tally = recording.finish("first");
    /// let mut file = Vec::new();
    /// tally.write(&mut file)?;
    /// assert!(String::from_utf8(file.clone())?.contains("\n2 4\n1 \n1 007\n"));
    /// assert_eq!(Tally::read(&file[..])?, tally);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write(&self, mut to: impl Write) -> io::Result<()> {
        let mut digest = FNV_START;
        let mut put = |line: &str| {
            digest = fnv(digest, line);
            to.write_all(line.as_bytes())?;
            to.write_all(b"\n")
        };
        put(HEADER)?;
        for Shard { id, samples, order, others, before, trace } in &self.shards {
            let [ends, windows] = trace.words();
            let parts = before.map_or_else(String::new, |before| format!(" {before:016x} {ends} {windows}"));
            put(&format!("shard {id} {samples} {order:016x} {others}{parts}"))?;
        }
        put(&format!("values {}", self.counts.len()))?;
        let mut line = String::new();
        for (output, count) in &self.counts {
            line.clear();
            // A string takes all that is written.
            let _ = write!(line, "{count} ");
            line.push_str(&output.text());
            put(&line)?;
        }
        writeln!(to, "end {digest:016x}")?;
        to.flush()
    }

    /// Reads the file form.
    ///
    /// # Errors
    ///
    /// If the file is none, is damaged, goes on after its last line, or holds a shard twice.
    pub fn read(from: impl BufRead) -> Result<Self, TallyFileError> {
        let mut digest = FNV_START;
        let mut number = 0;
        let mut from = from;
        let mut next = |wanted: &'static str| -> Result<(String, usize, u64), TallyFileError> {
            number += 1;
            let line = line(&mut from, number)?.ok_or(TallyFileError::Line { line: number, wanted })?;
            let before = digest;
            digest = fnv(digest, &line);
            Ok((line, number, before))
        };
        match next("a header") {
            Ok((line, _, _)) if line == HEADER => {}
            Err(TallyFileError::TooLong { line }) => return Err(TallyFileError::TooLong { line }),
            _ => return Err(TallyFileError::Header),
        }
        let mut shards = Vec::new();
        let distinct: usize = loop {
            let wanted = "a shard, or the number of values";
            let (line, at, _) = next(wanted)?;
            let malformed = || TallyFileError::Line { line: at, wanted };
            match line.strip_prefix("shard ") {
                Some(rest) => shards.push(shard(rest).ok_or_else(malformed)?),
                None => break line.strip_prefix("values ").and_then(|rest| rest.parse().ok()).ok_or_else(malformed)?,
            }
        };
        let mut counts: Vec<(Output, u64)> = Vec::new();
        let mut total = 0_u64;
        for _ in 0..distinct {
            let wanted = "a count and a value, in ascending order";
            let (line, at, _) = next(wanted)?;
            let malformed = || TallyFileError::Line { line: at, wanted };
            let (count, text) = line.split_once(' ').ok_or_else(malformed)?;
            let count = count.parse().ok().filter(|count| *count > 0).ok_or_else(malformed)?;
            let output = Output::parse(text);
            if counts.last().is_some_and(|(last, _)| *last >= output) {
                return Err(malformed());
            }
            total = total.checked_add(count).ok_or(TallyFileError::Damaged)?;
            counts.push((output, count));
        }
        let (end, at, before) = next("the digest")?;
        shards.sort_unstable();
        check(&shards)?;
        if end != format!("end {before:016x}") || samples_of(&shards) != Some(total) {
            return Err(TallyFileError::Damaged);
        }
        if !from.fill_buf()?.is_empty() {
            return Err(TallyFileError::AfterEnd { line: at + 1 });
        }
        Ok(Self { counts, shards })
    }
}

/// The next line without its `\n`, and with its `\r`, which is an output's; nothing at the end of the file.
fn line(from: &mut impl BufRead, number: usize) -> Result<Option<String>, TallyFileError> {
    let mut line = Vec::new();
    // One byte more for the newline, which tells a line of just this length from a longer one.
    from.take(LONGEST_TALLY_LINE_BYTES as u64 + 1).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if line.len() > LONGEST_TALLY_LINE_BYTES {
        return Err(TallyFileError::TooLong { line: number });
    }
    let not_text = |_| io::Error::new(io::ErrorKind::InvalidData, "the tally is not UTF-8 text");
    Ok(Some(String::from_utf8(line).map_err(not_text)?))
}

fn shard(text: &str) -> Option<Shard> {
    let mut words = text.split(' ');
    let mut shard =
        Shard::new(words.next()?, words.next()?.parse().ok()?, u64::from_str_radix(words.next()?, 16).ok()?);
    shard.others = words.next()?.parse().ok()?;
    if let Some(before) = words.next() {
        shard.before = Some(u64::from_str_radix(before, 16).ok()?);
        shard.trace = Trace::of_words(words.next()?, words.next()?)?;
    }
    words.next().is_none().then_some(shard)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outputs::Recording;

    fn file() -> Vec<u8> {
        let mut recording = Recording::new();
        recording.read("1\n2\n2\n0.50\n a b \n\nü\r\n\"1\"\n".as_bytes(), u64::MAX).unwrap();
        let mut file = Vec::new();
        recording.finish("x y").write(&mut file).unwrap();
        file
    }

    /// A file as version 0.1.0 wrote it, byte for byte: it is read, and written again as it was.
    #[test]
    fn files_of_earlier_versions_are_read() {
        let old = "certus-tally 1\nshard x-y 7 52d8399a2c183193 5\nvalues 6\n1 1\n2 2\n1 \n1  a b \n1 0.50\n1 ü\r\nend cb5b5e1896fcf6b2\n";
        let tally = Tally::read(old.as_bytes()).unwrap();
        assert_eq!((tally.samples(), tally.count(&Output::parse(""))), (7, 1));
        let mut again = Vec::new();
        tally.write(&mut again).unwrap();
        assert_eq!(String::from_utf8(again).unwrap(), old);
    }

    /// The longest output, counted as often as can be, fits a line; anything longer is refused, without its
    /// bytes being kept.
    #[test]
    fn lines_have_an_end() {
        let long = "x".repeat(LONGEST_LINE_BYTES);
        let shard = Shard::new("long", u64::MAX, 0);
        let tally = Tally { counts: vec![(Output::parse(&long), u64::MAX)], shards: vec![shard] };
        let mut file = Vec::new();
        tally.write(&mut file).unwrap();
        assert_eq!(Tally::read(&file[..]).unwrap(), tally);
        let longer = String::from_utf8(file).unwrap().replace("xx", "xxx");
        assert!(matches!(Tally::read(longer.as_bytes()), Err(TallyFileError::TooLong { line: 4 })));
        let endless = io::BufReader::new(io::repeat(b'x'));
        assert!(matches!(Tally::read(endless), Err(TallyFileError::TooLong { line: 1 })));
    }

    /// What comes after the last line is not left out in silence: a second file, a newline, a byte.
    #[test]
    fn nothing_comes_after_the_end() {
        let file = file();
        for after in [&file[..], b"\n", b" ", b"\x00"] {
            let longer = [&file[..], after].concat();
            assert!(matches!(Tally::read(&longer[..]), Err(TallyFileError::AfterEnd { line: 12 })), "{after:?}");
        }
    }

    /// 2^63 and 2^63 + 1,000 samples do not add up to 1,000.
    #[test]
    fn samples_that_cannot_be_counted_are_refused() {
        let tally = |id: &str, order: u64, samples: u64| {
            let shard = Shard::new(id, samples, order);
            Tally { counts: vec![(Output::from(1), samples)], shards: vec![shard] }
        };
        let (half, more) = (tally("a", 1, 1 << 63), tally("b", 2, (1 << 63) + 1000));
        assert_eq!(half.clone().merge(&more), Err(MergeError::TooMany));
        assert_eq!(more.merge(&half), Err(MergeError::TooMany));
        let most = tally("b", 2, (1 << 63) - 1);
        assert_eq!(
            half.merge(&most).map(|both| (both.samples(), both.count(&Output::from(1)))),
            Ok((u64::MAX, u64::MAX))
        );
    }

    #[test]
    fn damage_is_seen_at_every_byte() {
        let file = file();
        let tally = Tally::read(&file[..]).unwrap();
        assert_eq!((tally.samples(), tally.shards()[0].id()), (8, "x-y"));
        // A number and its text in quotes are two outputs, here as before.
        assert_eq!((tally.count(&Output::from(1)), tally.count(&Output::parse("\"1\""))), (1, 1));
        for place in 0..file.len() {
            let mut damaged = file.clone();
            damaged[place] ^= 1;
            assert!(Tally::read(&damaged[..]).is_err(), "byte {place}");
            assert!(place + 1 >= file.len() || Tally::read(&file[..place]).is_err(), "cut at {place}");
        }
    }
}
