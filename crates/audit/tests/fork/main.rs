//! A child never repeats its parent's noise, and never spends its parent's budget: forked for real.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail by panicking")]

mod draws;

use std::{
    collections::HashSet,
    io::{Read, Write, pipe},
};

use certus::{
    bits::{Bits, Key, SystemBits, seeded},
    exact::{Integer, NonNegative, Positive, Real, parse},
    guarantee::{DebitError, Filter, Guarantee, LInfinity, Relation, Sensitivity},
    mechanism::selection::{AskError, SelectionNoise, SparseVector},
    sample::PreparedGaussian,
};
use draws::Draw;
use fork::{Fork, fork, waitpid};

/// What a child writes that does `work` on a copy of all that this process holds.
fn in_a_child(work: &mut dyn FnMut() -> String) -> String {
    let (mut reader, mut writer) = pipe().unwrap();
    match fork().unwrap() {
        Fork::Child => {
            let written = writer.write_all(work().as_bytes()).is_ok();
            std::process::exit(i32::from(!written));
        }
        Fork::Parent(child) => {
            drop(writer);
            let mut text = String::new();
            reader.read_to_string(&mut text).unwrap();
            waitpid(child).unwrap();
            assert!(!text.is_empty(), "a child died");
            text
        }
    }
}

/// What each of `children` forks of this process draws first from the source that it inherits, and then this
/// process itself.
fn first_draws<B: Bits + Send>(bits: &mut B, children: usize, draw: Draw) -> Vec<String> {
    // The stream is in the middle of a word when it is inherited.
    bits.take(3).unwrap();
    let mut draws: Vec<String> = (0..children).map(|_| in_a_child(&mut || draw(bits))).collect();
    draws.push(draw(bits));
    draws
}

/// Every draw has at least 60 bits of entropy: two fresh ones agree with a probability of at most 2^-60.
#[test]
fn no_way_to_draw_repeats_in_a_child() {
    for (name, draw) in draws::ALL {
        let draws = first_draws(&mut SystemBits::new().unwrap(), 3, *draw);
        assert_eq!(draws.iter().collect::<HashSet<_>>().len(), 4, "{name}: {draws:?}");
    }
}

/// The control: from a source that does not look, children and parent draw the same, so that the test above
/// could fail.
#[test]
fn an_unprotected_stream_repeats() {
    for (name, draw) in draws::ALL {
        let draws = first_draws(&mut seeded([1; 32]), 3, *draw);
        assert_eq!(draws.iter().collect::<HashSet<_>>().len(), 1, "{name}: {draws:?}");
    }
}

#[test]
fn a_thousand_children_and_their_parent_draw_differently() {
    let draws = first_draws(&mut SystemBits::new().unwrap(), 1000, draws::one_sample);
    assert_eq!(draws.iter().collect::<HashSet<_>>().len(), 1001);
}

/// A key, and a range of it, draw nothing in a child: its parent's noise neither alone nor on values, which are not left as they were.
#[test]
fn a_key_draws_in_its_own_process_alone() {
    let noise = PreparedGaussian::new(&Positive::new(parse("1").unwrap()).unwrap());
    let mut key = Key::new().unwrap();
    let mut range = Some(key.range(3).unwrap());
    let said = in_a_child(&mut || {
        let mut values = [7_i64; 3];
        let noised = noise.add_noise_at(range.take().unwrap(), &mut values);
        format!("{noised:?} {values:?} {:?}", key.range(1).map(|_| ()))
    });
    assert_eq!(said, "Err(Forked) [0, 0, 0] Err(Forked)");
    assert_eq!(noise.fill_at(range.unwrap(), &mut [0_i64; 3]), Ok(()));
    assert!(key.range(1).is_ok());
}

/// Both processes would answer as many queries as one has paid for.
#[test]
fn a_stream_of_queries_is_asked_by_the_process_that_began_it_alone() {
    let half = Positive::new(parse("1/2").unwrap()).unwrap();
    let sensitivity = Sensitivity::<LInfinity>::new(NonNegative::one(), Relation::AddRemove);
    let mechanism = SparseVector::new(&sensitivity, 0.into(), 1, &half, &half, SelectionNoise::Laplace).unwrap();
    let mut bits = SystemBits::new().unwrap();
    let mut stream = mechanism.stream(&mut bits).unwrap();
    let far = Integer::from(1_000_000);
    let asked = in_a_child(&mut || format!("{:?}", stream.ask(&far, &mut bits)));
    assert_eq!(asked, format!("{:?}", Err::<Option<bool>, _>(AskError::Forked)));
    assert_eq!(stream.ask(&far, &mut bits), Ok(Some(true)));
    assert_eq!(stream.ask(&far, &mut bits), Ok(None));
}

#[test]
fn a_budget_is_spent_by_the_process_that_made_it_alone() {
    let one = Guarantee::pure(Relation::AddRemove, Real::from(1)).unwrap();
    let mut filter = Filter::new(one.clone());
    let debited = in_a_child(&mut || format!("{:?}", filter.debit(&one)));
    assert_eq!(debited, format!("{:?}", Err::<(), _>(DebitError::Forked)));
    let mut filter = Some(filter);
    let saved = in_a_child(&mut || format!("{:?}", filter.take().unwrap().save().map(|_| ())));
    assert_eq!(saved, format!("{:?}", Err::<(), _>(DebitError::Forked)));
    let mut filter = filter.unwrap().save().unwrap().restore();
    assert_eq!(filter.debit(&one), Ok(()));
}
