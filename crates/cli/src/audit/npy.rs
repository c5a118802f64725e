//! Files of NumPy arrays (`.npy`, its format of versions 1 to 3): an output a number, or a row of numbers.
//!
//! By hand, as the crates for it bring a parser of Python's literals and a C compiler for one line of text.

use std::io::Read;

use certus_audit::outputs::{Output, Recording};

/// How such a file begins.
pub(super) const MAGIC: &[u8] = b"\x93NUMPY";

/// The longest header, and the widest row.
const LONGEST: usize = 1 << 16;
const WIDEST: usize = 100_000;

/// How a number is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kind {
    /// `f`, `i` or `u`.
    letter: char,
    bytes: usize,
    is_big_endian: bool,
}

/// What an array is: how its numbers are stored, and how many there are in a row and in all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    kind: Kind,
    width: usize,
    rows: u64,
}

impl Header {
    /// The dictionary of a header: `{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }`.
    fn read(text: &str) -> Option<Self> {
        let field = |key: &str| text.split_once(&format!("'{key}':")).map(|(_, rest)| rest.trim_start());
        let (descr, _) = field("descr")?.strip_prefix('\'')?.split_once('\'')?;
        let mut letters = descr.chars();
        let (order, letter) = (letters.next()?, letters.next()?);
        let bytes: usize = letters.as_str().parse().ok()?;
        let fits = match letter {
            'f' => [4, 8].contains(&bytes),
            'i' | 'u' => [1, 2, 4, 8].contains(&bytes),
            _ => false,
        };
        if !fits || !"<>|=".contains(order) || (bytes > 1 && "|=".contains(order)) {
            return None;
        }
        let (shape, _) = field("shape")?.strip_prefix('(')?.split_once(')')?;
        let shape: Vec<u64> = shape
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .map(|part| part.parse().ok())
            .collect::<Option<_>>()?;
        let (rows, width) = match shape[..] {
            [rows] => (rows, 1),
            [rows, width] if field("fortran_order")?.starts_with("False") => (rows, usize::try_from(width).ok()?),
            _ => return None,
        };
        let kind = Kind { letter, bytes, is_big_endian: order == '>' };
        (1..=WIDEST).contains(&width).then_some(Self { kind, width, rows })
    }
}

impl Kind {
    /// A number as an output, and as text.
    fn output(self, bytes: &[u8]) -> Output {
        let mut word = [0; 8];
        let place = |index: usize| if self.is_big_endian { bytes.len() - 1 - index } else { index };
        for (index, byte) in word.iter_mut().enumerate().take(bytes.len()) {
            *byte = bytes.get(place(index)).copied().unwrap_or(0);
        }
        let [a, b, c, d, ..] = word;
        match (self.letter, self.bytes) {
            ('f', 8) => Output::from(f64::from_le_bytes(word)),
            ('f', _) => Output::from(f64::from(f32::from_le_bytes([a, b, c, d]))),
            ('u', _) => Output::parse(&u64::from_le_bytes(word).to_string()),
            // The sign of a shorter integer goes up.
            _ => {
                let unused = 64 - 8 * u32::try_from(self.bytes).unwrap_or(8);
                Output::from((i64::from_le_bytes(word) << unused) >> unused)
            }
        }
    }
}

/// Records the array's first `limit` outputs.
pub(super) fn record(mut from: impl Read, limit: u64, recording: &mut Recording) -> Result<(), String> {
    let header = header(&mut from)?;
    let mut row = vec![0; header.width * header.kind.bytes];
    for _ in 0..header.rows.min(limit) {
        from.read_exact(&mut row).map_err(|error| format!("ends before its last number: {error}"))?;
        let mut numbers = row.chunks_exact(header.kind.bytes).map(|bytes| header.kind.output(bytes));
        let output = if header.width == 1 {
            numbers.next().unwrap_or_else(|| Output::parse(""))
        } else {
            Output::parse(&numbers.map(|number| number.text().into_owned()).collect::<Vec<_>>().join(","))
        };
        recording.output(&output);
    }
    // What is left over says that the file is something else.
    if header.rows <= limit && from.read(&mut [0]).map_err(|error| error.to_string())? > 0 {
        return Err("has more bytes than its header says".to_owned());
    }
    Ok(())
}

fn header(from: &mut impl Read) -> Result<Header, String> {
    let wrong = || {
        format!(
            "must be an array of NumPy (.npy): integers or floats of 32 or 64 bits, or rows of 1 to {WIDEST} of them in C order"
        )
    };
    let mut start = [0; 8];
    from.read_exact(&mut start).map_err(|_| wrong())?;
    let [.., major, _] = start;
    if !start.starts_with(MAGIC) {
        return Err(wrong());
    }
    let mut length = [0; 4];
    let size = if major == 1 { 2 } else { 4 };
    from.read_exact(length.get_mut(..size).unwrap_or_default()).map_err(|_| wrong())?;
    let length = usize::try_from(u32::from_le_bytes(length)).unwrap_or(usize::MAX);
    if !(1..=3).contains(&major) || length > LONGEST {
        return Err(wrong());
    }
    let mut text = vec![0; length];
    from.read_exact(&mut text).map_err(|_| wrong())?;
    let text = String::from_utf8(text).map_err(|_| wrong())?;
    Header::read(&text).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file as `numpy.save` writes it.
    fn file(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
        while (10 + text.len() + 1) % 64 != 0 {
            text.push(' ');
        }
        text.push('\n');
        let length = u16::try_from(text.len()).unwrap().to_le_bytes();
        [MAGIC, &[1, 0], &length, text.as_bytes(), data].concat()
    }

    fn read(file: &[u8]) -> Result<Vec<String>, String> {
        let mut recording = Recording::new();
        record(file, u64::MAX, &mut recording)?;
        Ok(recording.finish("x").iter().map(|(output, count)| format!("{}*{count}", output.text())).collect())
    }

    #[test]
    fn numbers_of_each_kind() {
        let doubles: Vec<u8> = [0.1, -2.5, 0.1].into_iter().flat_map(f64::to_le_bytes).collect();
        let mut found = read(&file("<f8", "(3,)", &doubles)).unwrap();
        found.sort();
        assert_eq!(found, ["-2.5*1", "0.1*2"]);
        assert_eq!(read(&file(">i4", "(1,)", &(-7_i32).to_be_bytes())).unwrap(), ["-7*1"]);
        assert_eq!(read(&file("|u1", "(1,)", &[200])).unwrap(), ["200*1"]);
        assert_eq!(read(&file("|i1", "(1,)", &[200])).unwrap(), ["-56*1"]);
        assert_eq!(read(&file("<u8", "(1,)", &u64::MAX.to_le_bytes())).unwrap(), ["18446744073709551615*1"]);
        assert_eq!(read(&file("<f4", "(1,)", &0.5_f32.to_le_bytes())).unwrap(), ["0.5*1"]);
        let rows: Vec<u8> = [1_i16, 2, 3, 4].into_iter().flat_map(i16::to_le_bytes).collect();
        assert_eq!(read(&file("<i2", "(2, 2)", &rows)).unwrap().len(), 2);
        assert_eq!(read(&file("<i2", "(1, 4)", &rows)).unwrap(), ["1,2,3,4*1"]);
        assert_eq!(read(&file("<f8", "(0,)", &[])).unwrap(), Vec::<String>::new());
    }

    #[test]
    fn what_is_none_is_refused() {
        let good = file("<f8", "(1,)", &1.5_f64.to_le_bytes());
        assert!(read(&good).is_ok());
        for cut in 0..good.len() {
            assert!(read(&good[..cut]).is_err(), "{cut}");
        }
        for (descr, shape) in [("<c16", "(1,)"), ("|O", "(1,)"), ("<f2", "(1,)"), ("<f8", "()"), ("<f8", "(1, 1, 1)")] {
            assert!(read(&file(descr, shape, &[0; 16])).is_err(), "{descr} {shape}");
        }
        assert!(read(&[good, vec![0]].concat()).is_err());
    }
}
