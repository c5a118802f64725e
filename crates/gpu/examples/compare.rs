//! On a GPU: 10^9 samples at each of twelve parameters, equal bit for bit to the processor's counter mode. Exits
//! with 1 on a difference, and with 3 where there is no GPU.
//!
//! cargo run --release --example compare [samples at each, 10^9 by default]

use std::{error::Error, process::ExitCode, time::Instant};

use certus::{
    bits::{Bits, Key, SystemBits, seeded},
    exact::{Positive, parse},
    sample::{PreparedGaussian, PreparedLaplace},
};
use certus_gpu::{Device, GpuError, Prepared, Tensor};
use rayon::prelude::*;

/// How many samples are drawn, read back and compared at a time.
const PIECE: u64 = 1 << 27;

fn parameters() -> Result<Vec<(&'static str, Prepared)>, Box<dyn Error>> {
    let mut all = Vec::new();
    for (name, is_gaussian, scale) in [
        ("Gaussian 1", true, "1"),
        ("Gaussian 10", true, "10"),
        ("Gaussian 1000", true, "1000"),
        ("Laplace 1/3", false, "1/3"),
        ("Laplace 10", false, "10"),
        ("Laplace 1000", false, "1000"),
        ("Gaussian 2^11", true, "2048"),
        ("Gaussian 2^20", true, "1048576"),
        ("Gaussian 2^40", true, "1099511627776"),
        ("Laplace 2^20", false, "1048576"),
        ("Laplace 2^40", false, "1099511627776"),
        ("Gaussian 2^50", true, "1125899906842624"),
    ] {
        let scale = Positive::new(parse(scale)?)?;
        let prepared: Prepared =
            if is_gaussian { PreparedGaussian::new(&scale).into() } else { PreparedLaplace::new(&scale).into() };
        all.push((name, prepared));
    }
    Ok(all)
}

/// Fills a slice on the processor.
fn fill(noise: &Prepared, range: certus::bits::Range, out: &mut [i64]) -> Result<(), Box<dyn Error>> {
    match noise {
        Prepared::Gaussian(noise) => noise.fill_at(range, out)?,
        Prepared::Laplace(noise) => noise.fill_at(range, out)?,
    }
    Ok(())
}

/// How many samples differ, of the GPU's and the processor's under one fresh key, and of sums on 32 bits.
fn differing(device: &Device, prepared: &Prepared, samples: u64) -> Result<u64, Box<dyn Error>> {
    let noise = device.prepare(prepared.clone())?;
    let mut seed = [0; 32];
    let mut bits = SystemBits::new()?;
    for byte in &mut seed {
        *byte = u8::try_from(bits.take(8)?)?;
    }
    // The same key on both sides: it is no secret here.
    let (mut ours, mut theirs) = (Key::drawn_from(&mut seeded(seed))?, Key::drawn_from(&mut seeded(seed))?);
    let mut differing = 0_u64;
    let mut left = samples;
    let length = usize::try_from(PIECE.min(samples))?;
    let (mut here, mut there) = (vec![0_i64; length], vec![0_i64; length]);
    let mut piece = 0_u64;
    while left > 0 {
        // Of an odd length, so that the next begins within a block.
        let count = left.min(PIECE - 5);
        let length = usize::try_from(count)?;
        let (here, there) = (&mut here[..length], &mut there[..length]);
        if piece.is_multiple_of(2) {
            let mut out = Tensor::<i64>::zeros(device, length)?;
            noise.fill(theirs.range(count)?, &mut out)?;
            out.read(0, there)?;
        } else {
            // What is added in place, less what it is added to.
            let mut out = Tensor::<i64>::from_slice(device, &vec![1_000_003; length])?;
            if noise.add_noise(theirs.range(count)?, &mut out)? > 0 {
                differing += 1;
            }
            out.read(0, there)?;
            there.par_iter_mut().for_each(|sum| *sum -= 1_000_003);
        }
        fill(prepared, ours.range(count)?, here)?;
        differing += here.par_iter().zip(there.par_iter()).filter(|(here, there)| here != there).count() as u64;
        left -= count;
        piece += 1;
    }
    // 32 bits, added to at both ends of the type.
    let count = 1_000_003_usize;
    let before: Vec<i32> = (0..count).map(|at| [0, 7, i32::MAX, i32::MIN][at % 4]).collect();
    let mut out = Tensor::from_slice(device, &before)?;
    let clamped = noise.add_noise(theirs.range(count as u64)?, &mut out)?;
    let (out, mut here) = (out.to_vec()?, vec![0; count]);
    fill(prepared, ours.range(count as u64)?, &mut here)?;
    let mut expected_clamped = 0;
    for ((&before, &sample), &after) in before.iter().zip(&here).zip(&out) {
        let sum = i128::from(before) + i128::from(sample);
        let clamped = sum.clamp(i32::MIN.into(), i32::MAX.into());
        expected_clamped += u64::from(clamped != sum);
        differing += u64::from(clamped != i128::from(after));
    }
    Ok(differing + u64::from(clamped != expected_clamped))
}

fn run() -> Result<bool, Box<dyn Error>> {
    let samples = std::env::args().nth(1).map_or(Ok(1_000_000_000), |count| count.parse::<u64>())?;
    let device = Device::new(0)?;
    println!("{}: {samples} samples at each, and 1,000,003 sums on 32 bits", device.name()?);
    let mut all_equal = true;
    for (name, prepared) in parameters()? {
        let started = Instant::now();
        let differing = differing(&device, &prepared, samples)?;
        all_equal &= differing == 0;
        println!("{name:<14} {differing:>12} differ   {:6.1} s", started.elapsed().as_secs_f64());
    }
    Ok(all_equal)
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => {
            println!("all equal, bit for bit");
            ExitCode::SUCCESS
        }
        Ok(false) => {
            println!("DIFFERENT");
            ExitCode::from(1)
        }
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
