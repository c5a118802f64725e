//! On a GPU, for compute-sanitizer (memcheck, racecheck, initcheck): every kernel once or more, on ranges and
//! tensors that begin and end anywhere. Exits with 1 on a difference from the processor's samples, and with 3 where
//! there is no GPU.

use std::{error::Error, process::ExitCode};

use certus::{
    bits::{Key, seeded},
    exact::{Positive, parse},
    sample::PreparedGaussian,
};
use certus_gpu::{Device, Element, GpuError, Tensor, measure};

fn check<T: Element>(device: &Device, sigma: &str, fits: bool) -> Result<(), Box<dyn Error>> {
    let noise = PreparedGaussian::new(&Positive::new(parse(sigma)?)?);
    let on_device = device.prepare(&noise)?;
    let (mut ours, mut theirs) = (Key::drawn_from(&mut seeded([1; 32]))?, Key::drawn_from(&mut seeded([1; 32]))?);
    for length in [1_usize, 7, 8, 100_003] {
        let mut here = vec![0_i64; length];
        if fits {
            let mut out = Tensor::<T>::zeros(device, length)?;
            on_device.fill(theirs.range(length as u64)?, &mut out)?;
            noise.fill_at(ours.range(length as u64)?, &mut here)?;
            if out.to_vec()?.iter().zip(&here).any(|(&there, &here)| there.into() != here) {
                return Err(format!("sigma {sigma}, {length} filled: DIFFERENT").into());
            }
        }
        let mut out = Tensor::<T>::zeros(device, length)?;
        on_device.add_noise(theirs.range(length as u64)?, &mut out)?;
        noise.fill_at(ours.range(length as u64)?, &mut here)?;
        if fits && out.to_vec()?.iter().zip(&here).any(|(&there, &here)| there.into() != here) {
            return Err(format!("sigma {sigma}, {length} added: DIFFERENT").into());
        }
    }
    Ok(())
}

fn run() -> Result<(), Box<dyn Error>> {
    let device = Device::new(0)?;
    for (sigma, fits) in [("10", true), ("1048576", true), ("1125899906842624", false)] {
        check::<i64>(&device, sigma, true)?;
        check::<i32>(&device, sigma, fits)?;
    }
    let mut words = Tensor::<i64>::zeros(&device, 100_000)?;
    measure::Bare::new(&device, &[3; 8])?.fill(&mut words)?;
    let bins = measure::Bins { count: 64, shift: 58, least: -32, low_bits: 10, class_shift: 62 };
    let mut counter = measure::Counter::new(&device, bins)?;
    counter.add(&words)?;
    let counted: u64 = counter.histogram()?.bins.iter().sum();
    if counted != 100_000 {
        return Err(format!("{counted} of 100000 counted").into());
    }
    println!("every kernel ran, and what it drew is the processor's");
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if matches!(error.downcast_ref(), Some(GpuError::NoGpu(_))) => {
            eprintln!("SKIPPED: {error}");
            ExitCode::from(3)
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(1)
        }
    }
}
