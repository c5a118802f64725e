//! The command on every entry.

use certus::mechanism::{CATALOGUE, Entry};

use crate::support::{self, certus, json, stdout};

/// All entries.
fn entries() -> impl Iterator<Item = &'static Entry> {
    CATALOGUE.iter().flat_map(|family| family.entries)
}

/// All examples.
fn examples() -> impl Iterator<Item = &'static str> {
    entries().flat_map(|entry| entry.examples).copied()
}

fn refused(arguments: &[&str], named: &str, within: u64) {
    support::refused_within(arguments, 2, &[named], within);
}

#[test]
fn every_example_is_sampled_and_accounted() {
    for example in examples() {
        let text = stdout(&["sample", example, "-n", "25", "--seed", "7"]);
        assert_eq!(text.lines().count(), 25, "{example}");
        let document = json(&["sample", example, "-n", "25", "--seed", "7", "--stats"]);
        let samples: Vec<&str> =
            document["samples"].as_array().unwrap().iter().map(|sample| sample.as_str().unwrap()).collect();
        assert_eq!(samples, text.lines().collect::<Vec<_>>(), "{example}");
        assert!(document["stats"]["random_bits"].as_u64().unwrap() > 0);
        let document = json(&["account", &format!("{example}*2"), "--epsilon", "1/2"]);
        assert!(document["plan"].to_string().contains("*2"), "{example}: {document}");
    }
}

#[test]
fn mechanisms_lists_every_entry_with_its_family() {
    let (text, document) = (stdout(&["mechanisms"]), json(&["mechanisms"]));
    let listed = document["mechanisms"].as_array().unwrap();
    for entry in entries() {
        assert!(text.contains(&format!("\n{}", entry.name)), "{}", entry.name);
        let found = listed.iter().find(|listed| listed["name"] == entry.name).unwrap();
        assert!(found["family"].is_string() && found["input"].is_string());
    }
    let only = document["account_only"].as_array().unwrap();
    assert_eq!(only.len(), 4);
    for entry in only {
        assert!(text.contains(entry["name"].as_str().unwrap()));
        for example in entry["examples"].as_array().unwrap() {
            // Once: what a thousand copies take is the accountant's to say.
            let once = example.as_str().unwrap().split('*').next().unwrap();
            json(&["account", once, "--epsilon", "1"]);
        }
    }
}

/// A certificate names its inputs, its claims and both directions; on inputs that are no neighbours it fails,
/// with exit status 1.
#[test]
fn certificates_of_two_inputs() {
    let spec = "permute_and_flip(epsilon=1, candidates=2)";
    let document = json(&["certify", spec]);
    assert_eq!((&document["holds"], &document["sampler"]), (&true.into(), &"reference".into()));
    assert!(document["total_variation_upper"].is_null() && document["pmf"][0]["expected_lower"].is_null());
    assert_eq!(document["inputs"].as_array().unwrap().len(), 2);
    for point in document["privacy"].as_array().unwrap() {
        assert!(point["forward"]["upper"].is_string() && point["backward"]["lower"].is_string());
        assert_eq!(point["holds"], true);
    }
    let text = stdout(&["certify", spec, "--input", "0,0", "--neighbour", "1,-1"]);
    assert!(text.contains("the certificate holds") && text.contains("(stated)"));
    let failed = certus(&["certify", spec, "--input", "0,0", "--neighbour", "5,-5"]);
    assert_eq!(failed.status.code(), Some(1));
    assert!(String::from_utf8(failed.stdout).unwrap().contains("FAILS"));
    // With a closed form, it is compared too.
    let document = json(&["certify", "exponential(epsilon=1, candidates=3)"]);
    assert!(document["total_variation_upper"].as_str().unwrap().parse::<f64>().unwrap() < 1e-12);
    assert!(document["pmf"][0]["expected_lower"].is_string());
    // The noise with samplers of its own takes two inputs as well.
    assert_eq!(json(&["certify", "gaussian(sigma=2)", "--input", "0", "--neighbour", "1"])["holds"], true);
    let failed = certus(&["certify", "laplace(scale=1)", "--input", "0", "--neighbour", "2"]);
    assert_eq!(failed.status.code(), Some(1));
    let flat = json(&["certify", "count(scale=1/2)", "--mode", "flat", "--depth", "12"]);
    assert_eq!((&flat["tapes_agree"], &flat["holds"]), (&true.into(), &true.into()));
}

#[test]
fn bad_arguments_are_refused() {
    let spec = "exponential(epsilon=1, candidates=3)";
    refused(&["sample", spec, "--input", "1,2"], "--input", 1);
    refused(&["sample", spec, "--input", "a,b,c"], "--input", 1);
    refused(&["sample", spec, "--sampler", "fixed"], "--sampler", 1);
    refused(&["certify", spec, "--sampler", "fixed"], "--sampler", 1);
    refused(&["certify", spec, "--sampler", "prepared"], "--sampler", 1);
    refused(&["certify", spec, "--input", "1,2,3"], "--neighbour", 1);
    refused(&["certify", spec, "--input", "1,2,3", "--neighbour", "1,2"], "--neighbour", 1);
    refused(&["certify", "count(scale=1)*2"], "*k", 1);
    for absurd in [
        "exponential(epsilon=1, candidates=1e9)",
        "laplace_vector(scale=1, coordinates=1e12)",
        "histogram(keys=1e12, scale=1)",
        "prefix_counts(slots=1e9, scale=1)",
        "mean_of_known(scale=1, lower=0, upper=1, records=1e9)",
        "rappor(k=1e9, h=1e9, f=1/2)",
    ] {
        refused(&["sample", absurd], "SPEC", 1);
        refused(&["certify", absurd], "SPEC", 1);
        refused(&["account", absurd, "--epsilon", "1"], "SPEC", 1);
    }
    // Out of reach of an enumeration, and not of the clock.
    for wide in ["histogram(keys=50, scale=1)", "laplace_vector(scale=1e100, coordinates=65536)", "count(scale=1e9)"] {
        refused(&["certify", wide], "too many outputs", 60);
    }
}

/// The values of the issue, on the command line: a sample each. And what is no integer is refused without
/// being repeated.
#[test]
fn no_value_of_an_input_is_refused() {
    for (spec, input) in [
        ("bounded_laplace(scale=2, lower=0, upper=10)", "11"),
        ("sum(lower=-1, upper=60, scale=61/2)", "9223372036854775808"),
        ("quantile(level=1/4, lower=0, upper=7, epsilon=1)", "1e30,-1e30"),
        ("count(scale=2)", "2"),
        ("histogram(keys=2, scale=1)", "-1"),
        ("randomized_response(gamma=1/4)", "7"),
    ] {
        assert_eq!(stdout(&["sample", spec, "--input", input, "--seed", "7"]).lines().count(), 1, "{spec} {input}");
        let [one, other] = ["7.25", "private"].map(|input| {
            let output = certus(&["sample", spec, "--input", input]);
            assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{spec} {input}");
            String::from_utf8(output.stderr).unwrap()
        });
        assert_eq!(one, other, "{spec}");
        assert!(!one.contains("private") && one.contains("--input"), "{one}");
    }
}

/// One relation a plan: what is mixed is refused, and converted where it is asked for and can be.
#[test]
fn a_plan_is_for_neighbours_of_one_relation() {
    let comes = "histogram(keys=2, scale=1)";
    let changes = "mean_of_known(lower=-1, upper=1, records=4, scale=2)";
    for question in [&["--delta", "0"][..], &["--epsilon", "1"], &["--profile"], &["--delta", "1/10", "--summary"]] {
        let mixed = [&["account", comes, changes], question].concat();
        refused(&mixed, "--relation change_one", 1);
        refused(&[&mixed[..], &["--relation", "add_remove"]].concat(), "--relation: must be change_one", 1);
        let document = json(&[&mixed[..], &["--relation", "change_one"]].concat());
        assert_eq!(document["relation"], "change_one");
        assert_eq!(document["converted"].as_array().unwrap(), &[comes]);
    }
    // The histogram by itself is 1-private for records that come and go, 2-private for those that change; the
    // mean 1-private.
    let text = stdout(&["account", comes, changes, "--delta", "0", "--relation", "change_one"]);
    assert!(text.contains("epsilon   exactly 3\n"), "{text}");
    assert!(text.contains("relation  change_one: neighbours differ by the value of one record\n"), "{text}");
    assert!(text.contains("histogram(keys=2, scale=1): as two steps of add_remove\n"), "{text}");
    let truth = ["account", "histogram(keys=2, scale=1, change_one=1)", changes, "--delta", "0"];
    assert!(stdout(&truth).contains("epsilon   exactly 3\n"));
    refused(
        &["account", comes, "--epsilon", "1", "--relation", "both"],
        "--relation: must be add_remove or change_one",
        1,
    );
    let sampled = "subsampled_gaussian(sigma=2, rate=1/10)";
    refused(&["account", sampled, "--epsilon", "1", "--relation", "change_one"], "no conversion", 1);
    refused(&["account", sampled, changes, "--epsilon", "1"], "same neighbours", 1);
    // A stated sensitivity goes with either.
    for one in [comes, changes] {
        assert!(json(&["account", one, "laplace(scale=1, sensitivity=3)", "--epsilon", "1"])["relation"].is_string());
    }
    let either = json(&["account", "laplace(scale=1)", "--epsilon", "1"]);
    assert!(either["relation"].is_null() && either["converted"].as_array().unwrap().is_empty());
}

/// A plan file is a plan as any other.
#[test]
fn a_plan_file_is_for_neighbours_of_one_relation() {
    let folder = std::env::temp_dir().join(format!("certus-relations-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("plan.toml");
    let plan = "[[mechanism]]\nspec = 'count(scale=1)'\n[[mechanism]]\nspec = 'rappor(k=2, h=1, f=1/2)'\n\
                [[mechanism]]\np = [0.5, 0.5]\nq = [1, 0]\n";
    std::fs::write(&path, plan).unwrap();
    let path = path.to_str().unwrap();
    refused(&["account", path, "--epsilon", "1"], "same neighbours", 1);
    let document = json(&["account", path, "--epsilon", "1", "--relation", "change_one"]);
    assert_eq!(document["converted"].as_array().unwrap(), &["count(scale=1)"]);
    std::fs::remove_dir_all(&folder).unwrap();
}
