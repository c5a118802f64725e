//! `certus release` finds another program beside itself or on the PATH, and is that program from then on.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path, process::Command};

/// A copy of the command in a folder of its own, where nothing is beside it.
fn alone(folder: &Path) -> std::path::PathBuf {
    fs::create_dir_all(folder).unwrap();
    let certus = folder.join("certus");
    fs::copy(env!("CARGO_BIN_EXE_certus"), &certus).unwrap();
    certus
}

fn put(folder: &Path, script: &str) {
    fs::create_dir_all(folder).unwrap();
    let program = folder.join("certus-release");
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn the_program_is_found_and_its_status_passed_on() {
    let folder = std::env::temp_dir().join(format!("certus-release-{}", std::process::id()));
    let certus = alone(&folder.join("bin"));
    let run = |path: &Path, arguments: &[&str]| {
        Command::new(&certus).arg("release").args(arguments).env("PATH", path).output().unwrap()
    };
    let empty = folder.join("empty");
    fs::create_dir_all(&empty).unwrap();
    let absent = run(&empty, &["people.csv", "count"]);
    let line = String::from_utf8(absent.stderr).unwrap();
    assert_eq!((absent.status.code(), line.lines().count()), (Some(3), 1), "{line}");
    assert!(line.starts_with("error: certus-release is not installed"), "{line}");
    let path = folder.join("path");
    put(&path, "#!/bin/sh\necho path \"$@\"\nexit 4\n");
    let found = run(&path, &["people.csv", "count", "--json", "--where", "a = 'b c'", "--help"]);
    assert_eq!(String::from_utf8(found.stdout).unwrap(), "path people.csv count --json --where a = 'b c' --help\n");
    assert_eq!(found.status.code(), Some(4));
    // Beside the command comes first.
    put(&folder.join("bin"), "#!/bin/sh\necho beside \"$@\"\n");
    let found = run(&path, &["--json", "x"]);
    assert_eq!(
        (String::from_utf8(found.stdout).unwrap().as_str(), found.status.code()),
        ("beside --json x\n", Some(0))
    );
    let help = Command::new(&certus).arg("--help").output().unwrap();
    assert!(String::from_utf8(help.stdout).unwrap().contains("\n  release "));
    fs::remove_dir_all(&folder).unwrap();
}
