//! Rows of files: by cases, and for all bytes.

use std::io::Write;

use proptest::prelude::*;

use super::{Header, ROW_BYTES};

fn rows(bytes: &[u8], fields: usize, ends: &[u64]) -> Vec<Vec<Vec<u8>>> {
    super::rows(bytes, fields, ends).unwrap()
}

fn texts(bytes: &[u8]) -> Vec<String> {
    let rows = rows(bytes, 2, &[]);
    rows.iter()
        .map(|row| row.iter().map(|field| String::from_utf8_lossy(field)).collect::<Vec<_>>().join("|"))
        .collect()
}

#[test]
fn every_row_is_something() {
    let cases: [(&[u8], &[&str]); 14] = [
        (b"", &[]),
        (b"a,b", &["a|b"]),
        (b"a,b\n", &["a|b"]),
        (b"a,b\r\nc,d\r\n", &["a|b", "c|d"]),
        (b"\n\r\na,b\n\n", &["a|b"]),
        (b"a\na,b,c\na,b\n", &["|", "|", "a|b"]),
        (b"\"a,\"\"b\",\" c\"\n", &["a,\"b| c"]),
        (b"\"a,b\nc,d\n", &["|", "c|d"]),
        (b"x,\"a\nc,d\n", &["x|a", "c|d"]),
        (b"a\"b,c\n", &["a\"b|c"]),
        (b"\"a\"b,c\n", &["ab|c"]),
        (b",\n", &["|"]),
        (b"\xef\xbb\xbfa,b\n\xef\xbb\xbf\"c\",d\n", &["\u{feff}a|b", "\u{feff}\"c\"|d"]),
        (b"a,b\rc\n", &["a|b\rc"]),
    ];
    for (bytes, expected) in cases {
        assert_eq!(texts(bytes), expected, "{}", bytes.escape_ascii());
    }
}

#[test]
fn a_long_row_is_missing() {
    for (length, expected) in [(ROW_BYTES - 2, 1), (ROW_BYTES + 10, 0), (3 * ROW_BYTES, 0)] {
        let mut bytes = b"a,b\nc,".to_vec();
        bytes.extend(std::iter::repeat_n(b'x', length));
        bytes.extend(b"\ne,f\n");
        let rows = rows(&bytes, 2, &[]);
        assert_eq!(rows.len(), 3);
        assert_eq!([rows[0][1].len(), rows[1][0].len(), rows[2][1].len()], [1, expected, 1], "{length}");
    }
}

#[test]
fn a_header_is_one_line() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(b"\xef\xbb\xbfa,\"b, \"\"c\"\"\",a\r\n1,2,3\n").unwrap();
    let header = Header::read(file.as_file()).unwrap();
    assert_eq!(header.columns(), 3);
    assert_eq!(header.place("b, \"c\"").unwrap(), 1);
    assert_eq!(header.place("a").unwrap_err().to_string(), "the header has the column \"a\" more than once");
    assert_eq!(header.place("B").unwrap_err().to_string(), "the header has no column \"B\"");
    for bad in [&b""[..], b"\n1,2\n", b"\xff,a\n", &[b','; 20_000], &[b'a'; 1 << 20]] {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bad).unwrap();
        assert!(Header::read(file.as_file()).is_err());
    }
}

/// Bytes in which what a reader looks at is frequent.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![Just(b','), Just(b'"'), Just(b'\n'), Just(b'\r'), Just(b'a'), any::<u8>()];
    proptest::collection::vec(byte, 0..80)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn where_ranges_are_cut_changes_nothing(bytes in bytes(), first in 0..80_u64, second in 0..80_u64, fields in 1..4_usize) {
        let most = bytes.len() as u64;
        let cuts = [first.min(second).min(most), first.max(second).min(most)];
        let whole = rows(&bytes, fields, &[]);
        prop_assert_eq!(rows(&bytes, fields, &cuts), &whole[..]);
        // Each line that is not empty is a row.
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !matches!(line, [] | [b'\r']));
        prop_assert_eq!(lines.count(), whole.len());
    }
}
