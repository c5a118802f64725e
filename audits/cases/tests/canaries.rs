//! One training run, audited: missing noise and planted bugs are found, and correct DP-SGD is not.

use certus_cases::{Setting, Silent, cases};

#[test]
fn planted_bugs_are_refuted_in_one_run_and_correct_training_is_not() {
    let case = cases::named("canaries").unwrap();
    let study = (case.run)(&Setting::new(case, true, 1, &[]).unwrap(), &Silent).unwrap();
    let figure = |what: &str, name: &str| study.named(&format!("{what}: {name}"));

    for name in [
        "no privacy",
        "clipping, no noise",
        "clipping forgotten",
        "noise once an epoch",
        "rate understated tenfold",
        "accountant told 8 for 1",
    ] {
        assert_eq!(figure("claim refuted", name), 1.0, "{name}");
        assert_eq!(figure("plan refuted", name), 1.0, "{name}");
        // Infinite where there is none, and then no figure.
        let truth = figure("epsilon true", name);
        assert!(truth.is_nan() || truth >= 8.0 * figure("epsilon claimed", name), "{name}: {truth}");
    }
    // Without noise every guess is right.
    assert!(figure("epsilon found", "no privacy") >= 5.0 * figure("epsilon claimed", "no privacy"));
    assert_eq!(figure("claim refuted by the model", "no privacy"), 1.0);
    for noise in ["noise 0.3", "noise 2", "noise 8"] {
        assert_eq!(figure("claim refuted", noise), 0.0, "{noise}");
        assert_eq!(figure("plan refuted", noise), 0.0, "{noise}");
        assert_eq!(figure("claim refuted by the model", noise), 0.0, "{noise}");
    }
    // Searched for one of them in quick mode.
    assert!(figure("epsilon found along the plan", "noise 2") <= figure("epsilon claimed", "noise 2"));
}
