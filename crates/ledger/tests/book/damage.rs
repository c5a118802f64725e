//! Damage and tampering: refused, or in the last record alone.

use std::time::{Duration, Instant};

use certus::exact::Rational;
use certus_ledger::{
    Digest,
    book::{Book, BookError, Budget, Head, Reading},
};

use crate::support::{ID, Memory, debit, epsilon, opening, pure, written};

const SECTOR: usize = 512;
const COSTS: [&str; 3] = ["1/2", "1/4", "1/8"];

/// Where each record begins, and how long it is without its padding: a second reading of the format.
fn records(bytes: &[u8]) -> Vec<(usize, usize)> {
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        assert_eq!(&bytes[at..at + 8], b"\xffcertus\x01");
        let length = u32::from_le_bytes(bytes[at + 8..at + 12].try_into().unwrap()) as usize + 84;
        found.push((at, length));
        at += length.next_multiple_of(SECTOR);
    }
    found
}

/// A record by hand.
fn forged(sequence: u64, previous: &[u8], payload: &[u8]) -> Vec<u8> {
    let mut bytes = b"\xffcertus\x01".to_vec();
    bytes.extend((payload.len() as u32).to_le_bytes());
    bytes.extend(sequence.to_le_bytes());
    bytes.extend(previous);
    bytes.extend(payload);
    bytes.extend(Digest::of(&bytes).as_bytes());
    bytes.resize(bytes.len().next_multiple_of(SECTOR), 0);
    bytes
}

fn hash_at(bytes: &[u8], (at, length): (usize, usize)) -> Head {
    let text: String = bytes[at + length - 32..at + length].iter().map(|byte| format!("{byte:02x}")).collect();
    text.parse().unwrap()
}

fn read(bytes: &[u8]) -> Result<Reading, BookError> {
    Reading::on(&mut Memory::of(bytes), None)
}

/// Opened as a writer would; spent, and the head.
fn open(bytes: &[u8]) -> Result<(Rational, Head), BookError> {
    let book = Book::open_on(Memory::of(bytes), None)?;
    Ok((epsilon(&book.state().spent()), book.head()))
}

fn sample() -> Vec<u8> {
    written("1", ID, &COSTS)
}

/// The frame that the documentation draws is the one that is written.
#[test]
fn the_format_is_as_documented() {
    let bytes = sample();
    let (mut previous, mut payloads) = ([0; 32].to_vec(), Vec::new());
    for (sequence, (at, length)) in records(&bytes).into_iter().enumerate() {
        let payload = &bytes[at + 52..at + length - 32];
        let record = forged(sequence as u64, &previous, payload);
        assert_eq!(record, bytes[at..at + record.len()]);
        previous = bytes[at + length - 32..at + length].to_vec();
        payloads.push(String::from_utf8(payload.to_vec()).unwrap());
    }
    assert_eq!(
        payloads[0],
        format!(
            r#"{{"opening":{{"ledger":"{ID}","opening":{{"relation":"add_remove","budget":{{"sum":{{"pure":{{"epsilon":"1"}}}}}}}}}}}}"#
        )
    );
    assert!(
        payloads[1].contains(r#""costs":[{"spec":"laplace(scale=1)","copies":1,"each":{"pure":{"epsilon":"1/2"}}}]"#)
    );
    assert!(payloads[2].contains(r#""output":{"text":"result 0\n"}"#), "{}", payloads[2]);
    assert_eq!(payloads.len(), 7);
}

/// Every bit of a ledger, flipped. In any record but the last: refused, or it is padding and nothing changes.
/// In the last one: what was spent before it is still spent.
#[test]
fn every_flipped_bit_is_refused_or_in_the_last_record() {
    // The last is a debit: the case where something could be regained.
    let memory = Memory::of(&sample());
    let _ = Book::open_on(memory.clone(), None).unwrap().debit(&debit("last", "1/16")).unwrap();
    let bytes = memory.bytes();
    let (whole, records) = (open(&bytes).unwrap(), records(&bytes));
    let (last, before) = (records[records.len() - 1].0, Rational::new(7.into(), 8.into()));
    let in_record = |at: usize| records.iter().any(|(start, length)| (*start..start + length).contains(&at));
    let mut refused = 0;
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            match open(&damaged) {
                Ok(found) if !in_record(at) => assert_eq!(found, whole, "padding at {at}"),
                Ok((spent, _)) => assert!(at >= last && spent == before, "bit {bit} of byte {at}: {spent}"),
                Err(_) => {
                    assert!(in_record(at) && at < last, "bit {bit} of byte {at}");
                    refused += 1;
                }
            }
        }
    }
    let covered: usize = records[..records.len() - 1].iter().map(|(_, length)| length * 8).sum();
    assert_eq!(refused, covered, "every bit of every record but the last");
}

/// Cut at every byte: what is left is a shorter ledger, which only a head tells from a whole one.
#[test]
fn a_truncated_file_is_told_by_its_head_alone() {
    let bytes = sample();
    let (records, (_, head)) = (records(&bytes), open(&bytes).unwrap());
    for length in 0..bytes.len() {
        let cut = &bytes[..length];
        let whole = records.iter().filter(|(start, size)| start + size <= length).count();
        if whole == 0 {
            assert!(matches!(open(cut), Err(BookError::NotALedger(_))), "{length}");
            continue;
        }
        let (spent, found) = open(cut).unwrap();
        assert_eq!(found, hash_at(&bytes, records[whole - 1]));
        let debits = whole / 2;
        let expected = (1..=debits)
            .fold(Rational::from_integer(0.into()), |sum, place| sum + Rational::new(1.into(), (1 << place).into()));
        assert_eq!(spent, expected, "{length}");
        let with_head = Book::open_on(Memory::of(cut), Some(&head));
        assert_eq!(with_head.is_ok(), whole == records.len(), "{length}");
        let torn = read(cut).unwrap().torn() as usize;
        assert_eq!(torn, length.saturating_sub(records[whole - 1].0 + records[whole - 1].1.next_multiple_of(SECTOR)));
    }
}

/// Records that are moved, left out, put in twice, or another ledger's.
#[test]
fn rearranged_and_spliced_records_are_refused() {
    let bytes = sample();
    let other = written("1", "ffeeddccbbaa99887766554433221100", &["1/1000", "1/1000", "1/1000"]);
    let cut = |bytes: &[u8]| -> Vec<Vec<u8>> {
        let starts = records(bytes);
        starts.iter().map(|(at, length)| bytes[*at..at + length.next_multiple_of(SECTOR)].to_vec()).collect()
    };
    let (mine, theirs) = (cut(&bytes), cut(&other));
    let count = mine.len();
    let refused = |records: Vec<Vec<u8>>, what: String| assert!(open(&records.concat()).is_err(), "{what}");
    for one in 0..count {
        for two in one + 1..count {
            let mut swapped = mine.clone();
            swapped.swap(one, two);
            refused(swapped, format!("{one} and {two} swapped"));
        }
        if one + 1 < count {
            let mut without = mine.clone();
            without.remove(one);
            refused(without, format!("without {one}"));
            let mut twice = mine.clone();
            twice.insert(one, mine[one].clone());
            refused(twice, format!("{one} twice"));
        }
        let mut spliced = mine.clone();
        spliced[one] = theirs[one].clone();
        refused(spliced, format!("another's {one}"));
        let mut mixed = mine[..=one].to_vec();
        mixed.extend_from_slice(&theirs[one + 1..]);
        if one + 1 < count {
            refused(mixed, format!("another's after {one}"));
        }
        let mut appended = mine.clone();
        appended.push(theirs[one].clone());
        refused(appended, format!("another's {one} at the end"));
        // An earlier one of its own at the end is no torn write; the last one twice is, and counts once.
        let mut repeated = mine.clone();
        repeated.push(mine[one].clone());
        if one + 1 < count {
            refused(repeated, format!("{one} again at the end"));
        } else {
            assert_eq!(open(&repeated.concat()).unwrap(), open(&bytes).unwrap());
        }
    }
}

/// A whole and chained record that the ledger would have refused: a forger's, or a bug's.
#[test]
fn what_would_have_been_refused_is_refused_when_read() {
    let bytes = sample();
    let all = records(&bytes);
    let (_, head) = open(&bytes).unwrap();
    let payload = |place: usize| {
        let (at, length) = all[place];
        String::from_utf8(bytes[at + 52..at + length - 32].to_vec()).unwrap()
    };
    let (first, one, result) = (payload(0), payload(1), payload(2));
    let zeros = [0; 32];
    for (payload, what) in [
        (one.replace("\"r0\"", "\"new\""), "spends 1/2 where 1/8 is left"),
        (one.replace("\"1/2\"", "\"1/8\""), "has a result"),
        (one.replace("\"r0\"", "\"new\"").replace("\"copies\":1", "\"copies\":0"), "runs never"),
        (one.replace("\"r0\"", "\"new\"").replace("\"1/2\"", "\"-1/2\""), "gives back"),
        (one.replace("\"r0\"", "\"new\"").replace("pure", "zcdp").replace("epsilon", "rho"), "is of another kind"),
        (result.replace("\"r0\"", "\"none\""), "result without a debit"),
        (result.clone(), "second result"),
        (first.clone(), "second opening"),
        ("{}".into(), "nothing"),
        ("not JSON".into(), "no JSON"),
        (String::new(), "empty"),
    ] {
        let mut forged_bytes = bytes.clone();
        forged_bytes.extend(forged(all.len() as u64, head.as_bytes(), payload.as_bytes()));
        assert!(open(&forged_bytes).is_err(), "{what}");
    }
    // The same, within the budget, is admitted: what refuses above is the content.
    let mut good = bytes.clone();
    let fitting = one.replace("\"r0\"", "\"new\"").replace("\"1/2\"", "\"1/8\"");
    good.extend(forged(all.len() as u64, head.as_bytes(), fitting.as_bytes()));
    assert_eq!(open(&good).unwrap().0, Rational::from_integer(1.into()));
    assert!(matches!(open(&forged(0, &zeros, one.as_bytes())), Err(BookError::NotALedger(_))));
    assert!(matches!(open(&forged(1, &zeros, first.as_bytes())), Err(BookError::Damaged { .. })));
    assert!(open(&forged(0, &zeros, first.as_bytes())).is_ok());
    assert!(open(&forged(0, &zeros, first.replace("\"1\"", "\"0\"").as_bytes())).is_err());
}

/// Lengths that lie take no time and no memory.
#[test]
fn forged_lengths_are_refused_at_once() {
    let bytes = sample();
    let started = Instant::now();
    let all = records(&bytes);
    for (place, (at, length)) in all.iter().enumerate() {
        for lie in [0, 1, 427, 428, 429, 1 << 20, (32 << 20) + 4096, (32 << 20) + 4097, 1 << 31, u32::MAX] {
            if lie as usize + 84 == *length {
                continue;
            }
            let mut damaged = bytes.clone();
            damaged[at + 8..at + 12].copy_from_slice(&lie.to_le_bytes());
            let opened = open(&damaged);
            assert_eq!(opened.is_ok(), place + 1 == all.len(), "record {place}, length {lie}");
        }
    }
    assert!(started.elapsed() < Duration::from_secs(60));
}

/// What follows the last record may be as long as one torn write, and no longer.
#[test]
fn a_tail_is_no_longer_than_one_record() {
    let bytes = sample();
    let most = (2 * (16 << 20) + 4096 + 84_usize).next_multiple_of(SECTOR) + SECTOR;
    for (extra, is_fine) in [(1, true), (SECTOR, true), (most, true), (most + 1, false), (2 * most, false)] {
        let mut longer = bytes.clone();
        longer.resize(bytes.len() + extra, 0);
        assert_eq!(open(&longer).is_ok(), is_fine, "{extra}");
    }
}

/// Reading mends nothing; opening cuts the torn write off, and the next record follows the last whole one.
#[test]
fn a_torn_write_is_told_and_then_cut_off() {
    let bytes = sample();
    let memory = Memory::of(&[&bytes[..], &[7; 700]].concat());
    let reading = Reading::on(&mut memory.clone(), None).unwrap();
    assert_eq!((reading.torn(), memory.bytes().len(), reading.records()), (700, bytes.len() + 700, 7));
    let mut book = Book::open_on(memory.clone(), None).unwrap();
    assert_eq!((book.recovered(), memory.bytes().len()), (700, bytes.len()));
    let _ = book.debit(&debit("next", "1/8")).unwrap();
    assert_eq!(open(&memory.bytes()).unwrap().0, Rational::from_integer(1.into()));
}

/// Any bytes at all.
#[test]
fn what_is_no_ledger_is_refused() {
    for bytes in [&b""[..], b"\xffcertus\x01", b"PK", &[0; 4096], &[0xff; 4096], &sample()[1..], &sample()[512..]] {
        assert!(open(bytes).is_err());
    }
    let Budget::Sum(_) = pure("1") else { panic!("kind") };
    assert!(Book::create_on(Memory::of(b"x"), &opening(pure("1")), ID).is_err());
}
