//! What is written beside standard output: never over an input, never twice into one file, with the mode that
//! was there.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    process::Command,
};

use super::{Folder, certus, json, refused, scattered};

fn lines(from: u64) -> String {
    (from..from + 500).map(|i| format!("{}\n", scattered(i) % 10)).collect()
}

/// Every written file against every input, by its own name, through a link and by a second name.
#[test]
fn an_input_is_never_replaced() {
    let folder = Folder::new();
    let (a, b) = (folder.file("a", lines(0)), folder.file("b", lines(1000)));
    let [tally_a, tally_b] = [&a, &b].map(|file| {
        let to = format!("{file}.tally");
        assert_eq!(json(&["tally", file, "--output", &to]).1, 0);
        to
    });
    let toml = |name: &str, keys: &str| {
        folder.file(name, format!("[[target]]\nname = \"one\"\n{keys}\nclaim = {{ epsilon = 1 }}\n"))
    };
    let of_samples = toml("samples.toml", "samples_a = \"a\"\nsamples_b = \"b\"");
    let of_tallies = toml("tallies.toml", "tally_a = [\"a.tally\"]\ntally_b = \"b.tally\"");
    let of_spec = toml("spec.toml", "spec = \"laplace(scale=1)\"\nsamples = 1000");
    let claim = ["--claim", "epsilon=1"];
    let samples = [&["audit", "--samples-a", &a, "--samples-b", &b], &claim[..]].concat();
    let tallies = [&["audit", "--tally-a", &tally_a, "--tally-b", &tally_b], &claim[..]].concat();
    let runs: Vec<(Vec<&str>, Vec<&str>)> = vec![
        (samples, vec![&a, &b]),
        (tallies, vec![&tally_a, &tally_b]),
        (vec!["audit", &of_samples], vec![&of_samples, &a, &b]),
        (vec!["audit", &of_tallies], vec![&of_tallies, &tally_a, &tally_b]),
        (vec!["audit", &of_spec], vec![&of_spec]),
    ];
    let try_all = |arguments: &[&str], flags: &[&str], input: &str| {
        let before = fs::read(input).unwrap();
        let (link, hard) = (folder.to("link"), folder.to("hard"));
        let _ = (fs::remove_file(&link), fs::remove_file(&hard));
        symlink(input, &link).unwrap();
        fs::hard_link(input, &hard).unwrap();
        let dotted = format!("{}/./{}", folder.path().display(), input.rsplit_once('/').unwrap().1);
        for flag in flags {
            for name in [input, &link, &hard, &dotted] {
                refused(&[arguments, &[flag, name]].concat(), 2, &[flag, "input"]);
                assert_eq!(fs::read(name).unwrap(), before, "{flag} {name}");
            }
        }
    };
    for (arguments, inputs) in runs {
        for input in inputs {
            try_all(&arguments, &["--report", "--junit", "--sarif", "--counterexample"], input);
        }
    }
    try_all(&["tally", &a], &["--output"], &a);
    let pair = folder.file("pair", "p,q\n1/3,2/3\n2/3,1/3\n");
    try_all(&["account", "--pair", &pair, "--epsilon", "1"], &["--plot"], &pair);
    let many = format!("{pair}*2");
    try_all(&["account", "--pair", &many, "--epsilon", "1"], &["--plot"], &pair);
    let plan = folder.file("plan.toml", "[[mechanism]]\npair = \"pair\"\n");
    try_all(&["account", &plan, "--epsilon", "1"], &["--plot"], &plan);
    try_all(&["account", &plan, "--epsilon", "1"], &["--plot"], &pair);
    // Standard input is an input.
    let script = format!("{} tally --output {a} <{a}", env!("CARGO_BIN_EXE_certus"));
    let output = Command::new("sh").arg("-c").arg(script).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read_to_string(&a).unwrap(), lines(0));
}

/// Two outputs are two files, whatever they are called; nothing is drawn before that is known.
#[test]
fn two_outputs_are_two_files() {
    let folder = Folder::new();
    let old = folder.file("old", "");
    symlink(&old, folder.to("link")).unwrap();
    fs::hard_link(&old, folder.to("hard")).unwrap();
    let new = folder.to("new");
    let dotted = format!("{}/../{}/new", folder.path().display(), folder.path().file_name().unwrap().to_str().unwrap());
    let pairs = [
        (&old, folder.to("link")),
        (&old, folder.to("hard")),
        (&old, old.clone()),
        (&new, new.clone()),
        (&new, dotted),
    ];
    let drawn = folder.to("drawn");
    let command = format!("touch {drawn}; seq $CERTUS_SAMPLES");
    for (one, two) in pairs {
        for (first, second) in
            [("--report", "--junit"), ("--sarif", "--counterexample"), ("--counterexample", "--report")]
        {
            let arguments =
                ["audit", "--a", &command, "--b", &command, "--claim", "epsilon=1", first, one, second, &two];
            refused(&arguments, 2, &["file of its own"]);
            assert!(!fs::exists(&drawn).unwrap() && !fs::exists(&new).unwrap());
        }
    }
}

/// A file that is replaced keeps its mode; a new one has the usual one.
#[test]
fn a_replaced_file_keeps_its_mode() {
    let folder = Folder::new();
    let (a, b) = (folder.file("a", lines(0)), folder.file("b", lines(1000)));
    for mode in [0o600, 0o640, 0o444, 0o755, 0o664] {
        let (report, tally) = (folder.file("report.html", "old"), folder.file("a.tally", "old"));
        for file in [&report, &tally] {
            fs::set_permissions(file, fs::Permissions::from_mode(mode)).unwrap();
        }
        let arguments = ["audit", "--samples-a", &a, "--samples-b", &b, "--claim", "epsilon=1", "--report", &report];
        assert_eq!(json(&arguments).1, 0);
        assert_eq!(json(&["tally", &a, "--output", &tally]).1, 0);
        for file in [&report, &tally] {
            assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o7777, mode, "{file}");
            assert_ne!(fs::read_to_string(file).unwrap(), "old");
            fs::remove_file(file).unwrap();
        }
    }
}

/// JUnit, the page and SARIF name the file that was written, and how to replay the one target; without a file
/// they say how to get one.
#[test]
fn the_counterexample_is_named_by_its_file() {
    let folder = Folder::new();
    let (junit, sarif, page) = (folder.to("audit.xml"), folder.to("audit.sarif"), folder.to("audit.html"));
    let written = ["--junit", &junit, "--sarif", &sarif, "--report", &page];
    let single = ["audit", "laplace(scale=1)", "--claim", "epsilon=0.5", "--samples", "5000"];
    let found = folder.to("it's found.json");
    assert_eq!(certus(&[&single[..], &written, &["--counterexample", &found]].concat()).status.code(), Some(1));
    let quoted = format!("certus replay '{}'", found.replace('\'', "'\\''"));
    let unescaped = |file: &str| {
        let text = fs::read_to_string(file).unwrap();
        text.replace("&#39;", "'").replace("&apos;", "'").replace("\\\\", "\\")
    };
    for file in [&junit, &page, &sarif] {
        let text = unescaped(file);
        assert!(text.contains(&quoted), "{file}: {text}");
        assert!(!text.contains("counterexample.json"), "{file}");
    }
    // The command that they name works.
    let line =
        unescaped(&junit).lines().find_map(|line| line.split_once("certus replay ").map(|(_, it)| it.to_owned()));
    let script = format!("{} replay {}", env!("CARGO_BIN_EXE_certus"), line.unwrap());
    assert_eq!(Command::new("sh").arg("-c").arg(script).output().unwrap().status.code(), Some(1));

    let file = folder.file(
        "targets.toml",
        "[[target]]\nname = \"the bad one\"\nspec = \"laplace(scale=1)\"\nsamples = 5000\nclaim = { epsilon = 0.5 }\n",
    );
    let found = folder.to("found.json");
    assert_eq!(
        certus(&[&["audit", &file], &written[..], &["--counterexample", &found]].concat()).status.code(),
        Some(1)
    );
    let command = format!("certus replay {found} --target 'the bad one'");
    for file in [&junit, &page, &sarif] {
        assert!(unescaped(file).contains(&command), "{file}");
    }

    assert_eq!(certus(&[&single[..], &written].concat()).status.code(), Some(1));
    for file in [&junit, &page, &sarif] {
        let text = unescaped(file);
        assert!(text.contains("--counterexample FILE") && !text.contains("counterexample.json"), "{file}: {text}");
    }
}
