//! The PIN: first without privacy, out of the first hundred with noise, and noise is what does it.

use certus_cases::{Setting, Silent, cases};

#[test]
fn the_pin_is_learnt_by_heart_and_with_noise_it_is_not() {
    let case = cases::named("pin").unwrap();
    let study = (case.run)(&Setting::new(case, true, 1, &[]).unwrap(), &Silent).unwrap();
    let figure = |name: &str| study.named(name);

    assert!((985.0..1000.0).contains(&figure("words")));
    // Before: first, and its neighbours follow.
    assert_eq!(figure("rank without privacy"), 1.0);
    // By chance one of nine guesses is a neighbour (36 of 9,999 are) with probability 0.03; three with 4e-6.
    assert!(figure("near neighbours in the first ten without privacy") >= 3.0);
    // Where there is nothing to find, the attack finds nothing; and clipping alone does not help.
    assert!(figure("rank without privacy and without the sentence") > 100.0);
    assert!(figure("rank with clipping alone") <= 10.0);
    // After, at the document's noise and above.
    for noise in ["0.3", "1", "4"] {
        assert!(figure(&format!("rank at noise {noise}")) > 100.0, "{noise}");
    }
    // What the guarantee is worth: less noise costs more, and 0.3 is none.
    assert!((1600.0..1700.0).contains(&figure("epsilon at noise 0.15")));
    assert!(figure("epsilon at noise 0.3") > 200.0);
    assert!(figure("epsilon at noise 1") < 15.0);
    assert!(figure("epsilon at noise 4") < 2.0);
}
