//! The census: everybody is found in the published table and nobody in a noisy one; bits are found at little noise and guessed at much.

use certus_cases::{Setting, Silent, cases};

#[test]
fn the_table_tells_all_and_the_noisy_table_nothing() {
    let case = cases::named("census").unwrap();
    let study = (case.run)(&Setting::new(case, true, 1, &[]).unwrap(), &Silent).unwrap();
    let figure = |name: &str| study.named(name);

    // Before: the document's 30, 31 with age 0, and one world for the table.
    assert_eq!(figure("worlds of the males from age 1"), 30.0);
    assert_eq!(figure("worlds of the males from age 0"), 31.0);
    assert_eq!(figure("worlds with 2C black or African American"), 73.0);
    assert_eq!(figure("worlds with 3B married adults"), 1.0);
    assert_eq!(figure("people right at epsilon 100000"), 7.0);
    // After: nobody fits, and fewer than one of seven is right.
    for epsilon in [1, 10, 100] {
        assert_eq!(figure(&format!("tables that nobody fits at epsilon {epsilon}")), 1.0, "{epsilon}");
        assert!(figure(&format!("people right at epsilon {epsilon}")) < 0.7, "{epsilon}");
        // And it is not for want of searching.
        assert!(figure(&format!("searches as good as the truth at epsilon {epsilon}")) >= 0.9, "{epsilon}");
    }

    // Dinur and Nissim, before and after. 20 trials of 64 bits: by chance 50 % ± 1.4 %, so 60 % is seven deviations away.
    assert_eq!(figure("bits found at no noise"), 1.0);
    assert!(figure("bits found at scale 1") >= 0.95);
    assert!(figure("bits found at epsilon 1") <= 0.6);
}
