//! What a new user types first: data from files, help, files that are no samples, verdicts in words.

use std::{fs, io::Write as _, path::PathBuf, process::Stdio};

use crate::support::{certus, command, json, json_and_status, refused, stdout};

/// A folder that goes with its test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("certus-front-door-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        fs::write(&path, content).unwrap();
        path.display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The same from an argument, a file, a column and standard input; a file is more than a shell takes.
#[test]
fn data_come_from_files() {
    let folder = Folder::new("data");
    let spec = "sum(lower=0, upper=10, scale=1)";
    let lines = folder.file("ages.txt", "3\n 4\n10\n99\n");
    let csv = folder.file("people.csv", "name,\"age, years\"\n\"A, B\",3\nC,4\nD,10\nE,99\n");
    let expected = stdout(&["sample", spec, "--seed", "5", "--input", "3,4,10,99", "-n", "9"]);
    let from = |more: &[&str]| stdout(&[&["sample", spec, "--seed", "5", "-n", "9", "--quiet"], more].concat());
    assert_eq!(from(&["--input", &format!("@{lines}")]), expected);
    assert_eq!(from(&["--input", &format!("@{csv}"), "--column", "age, years"]), expected);
    let mut child = command()
        .args(["sample", spec, "--seed", "5", "-n", "9", "--input", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"3\r\n4\r\n10\r\n99").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    assert!(String::from_utf8(output.stderr).unwrap().contains("no ledger was debited"));
    // Two million records: 16 MB, far beyond an argument.
    let many = folder.file("many.txt", "1\n0\n".repeat(1_000_000));
    let count: i64 = stdout(&["sample", "count(scale=2)", "--input", &format!("@{many}")]).trim().parse().unwrap();
    assert!((count - 1_000_000).abs() < 100);
    // Neighbours from files, too.
    let (first, second) = (folder.file("one", "1\n5\n5\n"), folder.file("two", "0\n6\n6\n"));
    let spec = "exponential(epsilon=1, candidates=3)";
    let (input, neighbour) = (format!("@{first}"), format!("@{second}"));
    let by_file = stdout(&["certify", spec, "--input", &input, "--neighbour", &neighbour]);
    assert_eq!(by_file, stdout(&["certify", spec, "--input", "1,5,5", "--neighbour", "0,6,6"]));
}

/// A refusal tells neither the line nor what stands on it.
#[test]
fn bad_data_are_refused_without_telling_them() {
    let folder = Folder::new("bad");
    let secret = folder.file("secret.txt", "1\n0\nSECRET\n");
    let ragged = folder.file("ragged.csv", "a,b\n1,2\nSECRET\n");
    let of = |file: &str| format!("@{file}");
    for (arguments, named) in [
        (vec!["--input".to_owned(), of(&secret)], "--input: must be records"),
        (vec!["--input".to_owned(), of(&ragged), "--column".to_owned(), "a".to_owned()], "--input: must be CSV"),
        (
            vec!["--input".to_owned(), of(&ragged), "--column".to_owned(), "c".to_owned()],
            "--column: must be one column of a, b",
        ),
        (vec!["--input".to_owned(), "@/no/such/file".to_owned()], "--input: /no/such/file must be a file"),
        (
            vec!["--input".to_owned(), "1".to_owned(), "--column".to_owned(), "a".to_owned()],
            "--column: is for data in a CSV",
        ),
    ] {
        let arguments: Vec<&str> =
            ["sample", "count(scale=2)"].into_iter().chain(arguments.iter().map(String::as_str)).collect();
        refused(&arguments, 2, &[named]);
        assert!(!String::from_utf8(certus(&arguments).stderr).unwrap().contains("SECRET"));
    }
}

#[test]
fn statistics_and_names() {
    let folder = Folder::new("statistics");
    let votes = folder.file("votes.txt", "red\nblue\nblue\nblack\n".repeat(1000));
    let text = stdout(&["sample", "histogram(keys=2, scale=2)", "--keys", "red,blue", "--input", &format!("@{votes}")]);
    let counts: Vec<i64> =
        text.trim().split(',').map(|part| part.split_once('=').unwrap().1.parse().unwrap()).collect();
    assert!(text.starts_with("red=") && (counts[0] - 1000).abs() < 100 && (counts[1] - 2000).abs() < 100, "{text}");
    refused(
        &["sample", "histogram(keys=3, scale=2)", "--keys", "red,blue"],
        2,
        &["--keys: must have as many names as keys=3"],
    );
    let ages = folder.file("ages.txt", "30\n50\n".repeat(5000));
    let mean = ["sample", "mean(lower=0, upper=100, scale_sum=200, scale_count=2)", "--input", &format!("@{ages}")];
    let output = certus(&mean);
    let value: f64 = String::from_utf8(output.stdout).unwrap().trim().parse().unwrap();
    assert!((value - 40.0).abs() < 1.0, "{value}");
    assert!(
        String::from_utf8(output.stderr).unwrap().contains("accuracy: the mean of the clamped records is from 39.9")
    );
    let document = json(&[&mean[..], &["-n", "3"]].concat());
    assert_eq!((document["samples"].as_array().unwrap().len(), document["released"].as_array().unwrap().len()), (3, 3));
    let raw = stdout(&[&mean[..], &["--raw"]].concat());
    assert_eq!(raw.trim().split(',').count(), 2, "{raw}");
}

#[test]
fn help_as_people_type_it() {
    assert!(stdout(&["help", "audit"]).contains("What is audited:"));
    let laplace = stdout(&["mechanisms", "laplace"]);
    assert!(laplace.contains("pure, epsilon = 2/5") && laplace.contains("certus certify 'laplace(scale=5/2)'"));
    assert_eq!(json(&["mechanisms", "laplace"])["name"], "laplace");
    assert!(stdout(&["mechanisms", "dp_sgd"]).contains("in accounts only"));
    refused(&["mechanisms", "laplce"], 2, &["NAME: must be a mechanism", "did you mean laplace?"]);
    refused(&["man", "audti"], 2, &["COMMAND: must be one of", "did you mean audit?"]);
    refused(&["acount", "x"], 2, &["account"]);
    assert!(stdout(&["man", "ledger-init"]).contains("certus\\-ledger\\-init"));
    let folder = Folder::new("man");
    stdout(&["man", "--folder", &folder.0.display().to_string()]);
    for page in ["certus.1", "certus-audit.1", "certus-sample.1", "certus-ledger-verify.1"] {
        assert!(folder.0.join(page).is_file(), "{page}");
    }
    refused(&["man", "--folder", "/no/such/folder"], 2, &["--folder"]);
    // What does nothing is not offered, and accepted all the same.
    assert!(!stdout(&["certify", "--help"]).contains("--seed"));
    assert!(stdout(&["sample", "--help"]).contains("--seed"));
    stdout(&["mechanisms", "--seed", "1", "--quiet"]);
    refused(&["mechanisms", "--seed", "zz"], 2, &["--seed"]);
}

#[test]
fn colour_when_asked_for() {
    let audit = |more: &[&str]| {
        let few = ["audit", "laplace(scale=1)", "--samples", "2000", "--seed", "1", "--expect", "no-violation"];
        String::from_utf8(certus(&[&few[..], more].concat()).stdout).unwrap()
    };
    assert!(!audit(&[]).contains('\u{1b}') && !audit(&["--color", "never"]).contains('\u{1b}'));
    let coloured = audit(&["--color", "always"]);
    assert!(coloured.contains("\u{1b}[33minconclusive\u{1b}[0m"), "{coloured}");
}

#[cfg(unix)]
#[test]
fn a_file_that_is_no_samples_is_named() {
    let folder = Folder::new("files");
    let good = folder.file("good.txt", "1\n2\n".repeat(50));
    for (name, content, named) in [
        ("x.parquet", &b"PAR1\x15\x04"[..], "is Parquet"),
        ("renamed.csv", b"PAR1\x15\x04", "is Parquet"),
        ("x.npz", b"PK\x03\x04\0\0", "ZIP"),
        ("x.gz", b"\x1f\x8b\x08", "gzip"),
        ("x.bin", b"\x01\x02\0\x03", "is not text"),
        ("x.csv", b"a\n1\n\0\n", "is not text"),
        ("x.npy", b"\x93NUMPY\x01\0\x08\0garbage\n", "must be an array of NumPy"),
    ] {
        let bad = folder.file(name, content);
        let arguments = ["audit", "--samples-a", &bad, "--samples-b", &bad, "--claim", "epsilon=1"];
        refused(&arguments, 2, &[named]);
    }
    let header = "{'descr': '<i8', 'fortran_order': False, 'shape': (2000,), }";
    let array = |shift: i64| {
        let mut bytes = b"\x93NUMPY\x01\0".to_vec();
        bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
        bytes.extend(header.bytes());
        bytes.extend((0..2000).flat_map(|number: i64| (shift + (number * 7919) % 2000 / 500).to_le_bytes()));
        bytes
    };
    let (a, b) = (folder.file("a.npy", array(0)), folder.file("b.npy", array(9)));
    let (document, status) = json_and_status(&["audit", "--samples-a", &a, "--samples-b", &b, "--claim", "epsilon=1"]);
    assert_eq!(
        (document["verdict"].as_str(), document["samples_a"].as_u64(), status),
        (Some("violation"), Some(2000), 1)
    );
    drop(good);
}

/// The event that people can explain, with what it is, and which input is which.
#[cfg(unix)]
#[test]
fn counterexamples_in_words() {
    let (document, _) = json_and_status(&["audit", "--only", "float_laplace", "--seed", "1"]);
    let target =
        document["targets"].as_array().unwrap().iter().find(|target| target["verdict"] == "violation").unwrap();
    assert!(target["words"].as_str().unwrap().starts_with("the lowest set bit of the number is at 2^-"), "{target}");
    assert!(target["also"]["event"].is_string() || target["also"].is_null());
    assert_eq!(target["cause"], target["about"]);
    let sum = "awk -v n=$CERTUS_SAMPLES -v s=$CERTUS_SHARD 'BEGIN { srand(s); split(\"{}\", x, \",\"); for (i = 0; i < n; i++) print x[1] + x[2] }'";
    let output = certus(&["audit", "--command", sum, "--base", "1,2", "--claim", "epsilon=1", "--samples", "2000"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("\na: 1,2\nb: ") && text.contains("\nfound: the "), "{text}");
    assert!(text.contains("always on a, never on b") || text.contains("never on a, always on b"), "{text}");
}

/// A sequential audit starts its commands once, and a message on standard output is pointed out.
#[cfg(unix)]
#[test]
fn commands_stay_and_messages_are_seen() {
    let folder = Folder::new("kept");
    let started = folder.0.join("started").display().to_string();
    let command = format!(
        "echo x >> {started}; awk -v n=$CERTUS_SAMPLES -v s=$CERTUS_SHARD 'BEGIN {{ srand(s); for (i = 0; i < n; i++) print int(1000 * rand()) }}'"
    );
    let arguments = [
        "audit",
        "--a",
        &command,
        "--b",
        &command,
        "--claim",
        "epsilon=1",
        "--sequential",
        "--samples",
        "20000",
        "--shards",
        "2",
    ];
    let (document, status) = json_and_status(&arguments);
    assert_eq!((status, document["samples_a"].as_u64()), (0, Some(20_000)), "{document}");
    assert_eq!(fs::read_to_string(&started).unwrap().lines().count(), 4);
    let short =
        ["audit", "--a", "seq 10", "--b", "seq 10", "--claim", "epsilon=1", "--sequential", "--samples", "20000"];
    refused(&short, 3, &["--", "asked for, and ended"]);
    let talkative = "echo 'Loading model…'; seq $CERTUS_SAMPLES";
    refused(
        &["audit", "--a", talkative, "--b", talkative, "--claim", "epsilon=1", "--samples", "100"],
        3,
        &["printed more than", "Loading model…", "standard error"],
    );
}
