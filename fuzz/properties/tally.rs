//! What must hold of any bytes given to the reader of tallies. A broken property panics.

use certus_audit::outputs::Tally;

/// A tally that is read is written as bytes that read back as the same one. The bytes are tried as they are,
/// and with the digest that would end them, which nobody finds by chance.
pub fn tally(bytes: &[u8]) {
    check(bytes);
    let mut sealed = bytes.to_vec();
    if sealed.last() != Some(&b'\n') {
        sealed.push(b'\n');
    }
    let digest = sealed.split_inclusive(|byte| *byte == b'\n').fold(0xcbf2_9ce4_8422_2325, fnv);
    sealed.extend_from_slice(format!("end {digest:016x}\n").as_bytes());
    check(&sealed);
}

fn check(bytes: &[u8]) {
    match Tally::read(bytes) {
        Ok(tally) => {
            let mut written = Vec::new();
            tally.write(&mut written).expect("memory takes every byte");
            assert_eq!(Tally::read(&written[..]).ok().as_ref(), Some(&tally), "what is written reads back");
            let counted: u64 = tally.iter().map(|(_, count)| count).sum();
            assert_eq!(counted, tally.samples(), "every sample is counted once");
            assert!(tally.clone().merge(&tally).is_err() || tally.samples() == 0, "a shard is not counted twice");
        }
        Err(error) => {
            let line = error.to_string();
            assert!(!line.is_empty() && line.len() <= 400 && !line.chars().any(char::is_control), "one line: {line:?}");
        }
    }
}

/// FNV-1a of a line, over its bytes and its newline, as the file form states it.
fn fnv(digest: u64, line: &[u8]) -> u64 {
    line.iter().fold(digest, |digest, byte| (digest ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
