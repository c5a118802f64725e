//! On a GPU: billions of samples a second, medians of seven, with the bare word of ChaCha20 beside them. Exits with
//! 1 where a bar is missed, and with 3 where there is no GPU.
//!
//! cargo run --release --example measure [samples, 2^30 by default] [names, with commas; all by default]
#![allow(clippy::float_arithmetic, reason = "times, and their ratios")]

use std::{error::Error, process::ExitCode};

use certus::{
    bits::Key,
    exact::{Positive, parse},
    sample::{PreparedGaussian, PreparedLaplace},
};
use certus_gpu::{Device, Element, GpuError, Noise, Prepared, Tensor, measure};

const REPEATS: usize = 7;

/// The median of seven times, after one that is not counted, as billions a second.
fn billions(
    device: &Device,
    samples: usize,
    mut work: impl FnMut() -> Result<(), GpuError>,
) -> Result<f64, Box<dyn Error>> {
    work()?;
    let mut times = Vec::new();
    for _ in 0..REPEATS {
        times.push(measure::milliseconds(device, &mut work)?);
    }
    times.sort_by(f64::total_cmp);
    Ok(samples as f64 / times[REPEATS / 2] / 1e6)
}

struct Figures {
    fill: f64,
    add: f64,
    /// From a place within a block, so that nothing is aligned.
    unaligned: f64,
}

fn figures<T: Element>(device: &Device, noise: &Noise, samples: usize) -> Result<Figures, Box<dyn Error>> {
    let mut tensor = Tensor::<T>::zeros(device, samples)?;
    let mut key = Key::new()?;
    // Ranges of whole blocks, since the tensor's length is a multiple of eight.
    let mut next = || key.range(samples as u64).map_err(GpuError::from);
    let fill = billions(device, samples, || noise.fill(next()?, &mut tensor))?;
    let add = billions(device, samples, || noise.add_noise(next()?, &mut tensor).map(drop))?;
    let mut odd = Key::new()?;
    drop(odd.range(3)?);
    let mut next = || odd.range(samples as u64).map_err(GpuError::from);
    let unaligned = billions(device, samples, || noise.add_noise(next()?, &mut tensor).map(drop))?;
    Ok(Figures { fill, add, unaligned })
}

fn run() -> Result<bool, Box<dyn Error>> {
    let samples = std::env::args().nth(1).map_or(Ok(1 << 30), |count| count.parse::<usize>())? / 8 * 8;
    let only = std::env::args().nth(2);
    let device = Device::new(0)?;
    println!("{}: {samples} samples, medians of {REPEATS}, billions a second", device.name()?);
    let bare = {
        let mut tensor = Tensor::<i64>::zeros(&device, samples)?;
        let words = measure::Bare::new(&device, &[7; 8])?;
        billions(&device, samples, || words.fill(&mut tensor))?
    };
    println!("bare ChaCha20 word, 64 bits                 {bare:7.1}");
    println!("                    out i64  added  unaligned   out i32  added  unaligned   bare/out  bare/added");
    let mut all = Vec::new();
    for (name, is_gaussian, scale) in [
        ("Gaussian 1", true, "1"),
        ("Gaussian 10", true, "10"),
        ("Gaussian 1000", true, "1000"),
        ("Laplace 10", false, "10"),
        ("Laplace 1000", false, "1000"),
        ("Gaussian 2^20", true, "1048576"),
        ("Laplace 2^20", false, "1048576"),
        ("Gaussian 2^40", true, "1099511627776"),
        ("Gaussian 2^50", true, "1125899906842624"),
    ] {
        if only.as_ref().is_some_and(|only| !only.split(',').any(|of| of == name)) {
            continue;
        }
        let scale = Positive::new(parse(scale)?)?;
        let prepared: Prepared =
            if is_gaussian { PreparedGaussian::new(&scale).into() } else { PreparedLaplace::new(&scale).into() };
        let noise = device.prepare(prepared)?;
        let long = figures::<i64>(&device, &noise, samples)?;
        let mut line = format!("{name:<18} {:7.1} {:7.1}  {:7.1}", long.fill, long.add, long.unaligned);
        // Beyond 32 bits a tensor of them is filled in vain.
        if !name.contains("2^40") && !name.contains("2^50") {
            let short = figures::<i32>(&device, &noise, samples)?;
            line += &format!("    {:7.1} {:7.1}  {:7.1} ", short.fill, short.add, short.unaligned);
        } else {
            line += &" ".repeat(29);
        }
        println!("{line}    {:6.2}    {:6.2}", bare / long.fill, bare / long.add);
        all.push((name, long));
    }
    // As a training step would: 10^7 parameters at a time.
    let small = 10_000_000;
    let noise = device.prepare(PreparedGaussian::new(&Positive::new(parse("1048576")?)?))?;
    let step = figures::<i64>(&device, &noise, small)?;
    println!(
        "Gaussian 2^20, {small} at a time: out {:.1}, added {:.1}: {:.0} microseconds a call",
        step.fill,
        step.add,
        small as f64 / step.add / 1e3
    );
    let mut met = true;
    for (name, least, most) in [("Gaussian 10", 120.0, 1.35), ("Gaussian 2^20", 95.0, 1.8)] {
        for (_, figures) in all.iter().filter(|(of, _)| *of == name) {
            let is_met = figures.add >= least && bare / figures.fill <= most;
            println!(
                "{}: {name}, added {:.1} (at least {least}), bare/out {:.2} (at most {most})",
                if is_met { "met" } else { "MISSED" },
                figures.add,
                bare / figures.fill
            );
            met &= is_met;
        }
    }
    Ok(met)
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
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
