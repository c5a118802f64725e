//! Tallies: drawn on many machines, merged in any order.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use super::{Folder, certus, json, refused};

fn draw(folder: &Folder, name: &str, input: &str, seed: &str) -> String {
    let output = certus(&["sample", "laplace(scale=1)", "-n", "3000", "--input", input, "--seed", seed]);
    folder.file(name, output.stdout)
}

fn tally(folder: &Folder, samples: &str, name: &str) -> String {
    let to = folder.to(name);
    let (document, status) = json(&["tally", samples, "--id", name, "--output", &to]);
    assert_eq!((document["samples"].as_u64(), status), (Some(3000), 0));
    to
}

#[test]
fn any_order_and_any_shards_give_the_same() {
    let folder = Folder::new();
    let a: Vec<String> = (1..=3)
        .map(|i| tally(&folder, &draw(&folder, &format!("a{i}.txt"), "0", &i.to_string()), &format!("a{i}.tally")))
        .collect();
    let b = tally(&folder, &draw(&folder, "b.txt", "1", "b"), "b.tally");
    let audit = |order: [usize; 3]| {
        let mut arguments = vec!["audit", "--claim", "epsilon=0.5", "--seed", "1", "--tally-b", &b];
        for place in order {
            arguments.extend(["--tally-a", &a[place]]);
        }
        let (mut document, status) = json(&arguments);
        assert_eq!((document["verdict"].as_str(), status), (Some("violation"), 1));
        assert_eq!((document["samples_a"].as_u64(), document["samples_b"].as_u64()), (Some(9000), Some(3000)));
        document["seconds"] = 0.into();
        document["files"] = 0.into();
        document["counterexample"] = 0.into();
        document
    };
    let one = audit([0, 1, 2]);
    for order in [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        assert_eq!(audit(order), one);
    }
}

#[test]
fn copies_and_damage_are_refused() {
    let folder = Folder::new();
    let samples = draw(&folder, "a.txt", "0", "1");
    let (one, copy) = (tally(&folder, &samples, "one"), tally(&folder, &samples, "copy"));
    let b = tally(&folder, &draw(&folder, "b.txt", "1", "2"), "b.tally");
    let claim = ["--claim", "epsilon=1"];
    let with = |a: &[&str]| {
        let mut arguments = vec!["audit", "--tally-b", &b];
        a.iter().for_each(|a| arguments.extend(["--tally-a", a]));
        arguments.extend(claim);
        arguments.into_iter().map(str::to_owned).collect::<Vec<String>>()
    };
    let refuse = |a: &[&str], named: &[&str]| {
        let arguments = with(a);
        refused(&arguments.iter().map(String::as_str).collect::<Vec<_>>(), 2, named);
    };
    refuse(&[&one, &one], &["--tally-a", "twice"]);
    refuse(&[&one, &copy], &["--tally-a", "same outputs"]);
    refuse(&[&b], &["--tally-b", "twice"]);
    refuse(&[&samples], &["--tally-a", "certus-tally"]);
    let damaged = std::fs::read_to_string(&one).unwrap().replacen("values ", "values 1", 1);
    refuse(&[&folder.file("damaged", damaged)], &["--tally-a"]);
    refused(&["tally", &samples, "--json"], 2, &["--json", "--output"]);
    refused(&["tally", &samples, "--id", ""], 2, &["--id"]);
}

/// A tally of one value.
fn constant(folder: &Folder, name: &str, samples: u64) -> String {
    let lines =
        format!("certus-tally 1\nshard {name} {samples} 00000000000000{:02x} 0\nvalues 1\n{samples} 7\n", name.len());
    let digest = lines
        .bytes()
        .fold(0xCBF2_9CE4_8422_2325_u64, |digest, byte| (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3));
    folder.file(name, format!("{lines}end {digest:016x}\n"))
}

/// 2^63 and 2^63 + 1,000 samples are not 1,000; two files in one are not the first; more than an audit takes
/// are too many.
#[test]
fn samples_that_do_not_add_up_are_refused() {
    let folder = Folder::new();
    let (half, more) = (constant(&folder, "half", 1 << 63), constant(&folder, "more-than", (1 << 63) + 1000));
    let (few, others) = (constant(&folder, "few", 1000), constant(&folder, "others", 1000));
    let audit = |a: &[&str], named: &[&str]| {
        let mut arguments = vec!["audit", "--claim", "epsilon=1", "--tally-b", &few];
        a.iter().for_each(|a| arguments.extend(["--tally-a", a]));
        refused(&arguments, 2, named);
    };
    audit(&[&half, &more], &["--tally-a", "2^64"]);
    audit(&[&half], &["--tally-a", "1000000000"]);
    let two = [std::fs::read(&others).unwrap(), std::fs::read(&few).unwrap()].concat();
    audit(&[&folder.file("two", two)], &["--tally-a", "line 6", "after its end"]);
    let (document, status) = json(&["audit", "--claim", "epsilon=1", "--tally-a", &others, "--tally-b", &few]);
    assert_eq!((document["samples_a"].as_u64(), status), (Some(1000), 0), "{document}");
}

/// What is written can be read: an output may end in a carriage return.
#[test]
fn carriage_returns_are_outputs() {
    let folder = Folder::new();
    let lines = |from| (from..from + 3000).map(|i| format!("{}\r\n", super::scattered(i) % 100)).collect::<String>();
    let (a, b) = (folder.file("a.txt", lines(0)), folder.file("b.txt", lines(3000)));
    let (a, b) = (tally(&folder, &a, "a"), tally(&folder, &b, "b"));
    assert_eq!(json(&["audit", "--tally-a", &a, "--tally-b", &b, "--claim", "epsilon=1"]).1, 0);
    refused(&["audit", "--tally-a", &a, "--tally-b", &b, "--claim", "epsilon=1", "--samples", "50"], 2, &["--samples"]);
}

/// Standard input, to standard output; a name of its own each time.
#[test]
fn a_stream_is_tallied() {
    let tally = || {
        let mut child = Command::new(env!("CARGO_BIN_EXE_certus"))
            .arg("tally")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(b"1\n2\n\n2\nx,y\n").unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    let (one, two) = (tally(), tally());
    assert_ne!(one, two);
    assert!(one.starts_with("certus-tally 1\n") && one.contains("\n2 2\n") && one.contains("\n1 x,y\n"), "{one}");
}
