//! Whoever has a GPU draws on it what the processor draws; whoever has none is told so, in one line.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use std::io::Write;

use certus::{
    bits::{Key, seeded},
    exact::{Positive, parse},
    sample::PreparedGaussian,
};
use certus_gpu::{Device, GpuError, Tensor};

fn gaussian(sigma: &str) -> PreparedGaussian {
    PreparedGaussian::new(&Positive::new(parse(sigma).unwrap()).unwrap())
}

/// The first GPU; where there is none, a loud word.
fn device(test: &str) -> Option<Device> {
    match Device::new(0) {
        Ok(device) => Some(device),
        Err(GpuError::NoGpu(why)) => {
            // Not by a macro, whose text the tests' harness would keep to itself.
            let line = format!("\n== SKIPPED {test}: there is no GPU: {why}\n");
            std::io::stderr().write_all(line.as_bytes()).unwrap();
            None
        }
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn no_gpu_is_an_error_of_one_line() {
    // No machine has so many.
    let error = Device::new(1_000_000).unwrap_err();
    assert!(matches!(error, GpuError::NoGpu(_)), "{error:?}");
    let text = error.to_string();
    assert!(text.starts_with("there is no GPU: ") && !text.contains('\n'), "{text}");
}

#[test]
fn samples_are_the_processors() {
    let Some(device) = device("samples_are_the_processors") else { return };
    for sigma in ["10", "1048576", "1125899906842624"] {
        let noise = gaussian(sigma);
        let on_device = device.prepare(&noise).unwrap();
        let key = || Key::drawn_from(&mut seeded([9; 32])).unwrap();
        let (mut ours, mut theirs) = (key(), key());
        for length in [1_usize, 8, 100_003, 3_000_000] {
            let mut here = vec![0_i64; length];
            let mut there = Tensor::<i64>::zeros(&device, length).unwrap();
            noise.fill_at(ours.range(length as u64).unwrap(), &mut here).unwrap();
            on_device.fill(theirs.range(length as u64).unwrap(), &mut there).unwrap();
            assert!(there.to_vec().unwrap() == here, "sigma {sigma}, {length} samples");
            noise.add_noise_at(ours.range(length as u64).unwrap(), &mut here).unwrap();
            on_device.add_noise(theirs.range(length as u64).unwrap(), &mut there).unwrap();
            assert!(there.to_vec().unwrap() == here, "sigma {sigma}, {length} sums");
        }
    }
}

#[test]
fn what_does_not_fit_is_said() {
    let Some(device) = device("what_does_not_fit_is_said") else { return };
    let mut key = Key::new().unwrap();
    let noise = device.prepare(gaussian("1e12")).unwrap();
    let mut narrow = Tensor::<i32>::zeros(&device, 1000).unwrap();
    assert_eq!(noise.fill(key.range(1000).unwrap(), &mut narrow), Err(GpuError::TooWide));
    let clamped = noise.add_noise(key.range(1000).unwrap(), &mut narrow).unwrap();
    assert!((900..=1000).contains(&clamped), "{clamped}");
    let length = noise.fill(key.range(999).unwrap(), &mut narrow);
    assert_eq!(length, Err(GpuError::Length { len: 1000, range: 999 }));
    assert!(matches!(device.prepare(gaussian("1e19")), Err(GpuError::NoTables)));
}

/// After a call, and after one that fails.
#[test]
fn the_key_is_wiped() {
    let Some(device) = device("the_key_is_wiped") else { return };
    let mut key = Key::new().unwrap();
    let noise = device.prepare(gaussian("1e12")).unwrap();
    let mut narrow = Tensor::<i32>::zeros(&device, 1000).unwrap();
    noise.add_noise(key.range(1000).unwrap(), &mut narrow).unwrap();
    assert_eq!(certus_gpu::measure::key_words(&device), Ok([0; 8]));
    assert_eq!(noise.fill(key.range(1000).unwrap(), &mut narrow), Err(GpuError::TooWide));
    assert_eq!(certus_gpu::measure::key_words(&device), Ok([0; 8]));
}
