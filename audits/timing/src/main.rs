//! Does the time of a draw depend on the noise? A test after dudect (Reparaz, Balasch, Verbauwhede 2017).
//!
//! **What is timed.** One draw, from the call to its return: for the fixed-work samplers `fill` of a slice of one, for the control `sample` of the
//! plain sampler (CKS20). A draw is *all* of its trials, rejected ones too, and a refill of ChaCha20 where one falls. Both are
//! independent of the accepted value, so that they are noise in the measurement, alike in both classes.
//!
//! **Classes.** dudect chooses inputs; a sampler has none. So each draw is recorded as (cycles, output) and classified afterwards:
//! by *magnitude* (at most the median, or above it), by *sign* (zeros left out), and at *random*: the null, which must show nothing.
//!
//! **The test.** Welch's t between the two classes, on all draws and on those below each of several percentiles of the time (cropping, as in
//! dudect: it takes away interrupts and refills), and on squared deviations from the mean (second order). The greatest |t| of them
//! counts. Draws of the first round set the percentiles and the mean, and are counted no further.
//!
//! Exit status 1 if a fixed-work sampler shows |t| ≥ 4.5 by magnitude or sign, or the control shows |t| ≤ 100.

use std::{hint::black_box, process::ExitCode};

use certus::{
    bits::{Bits, seeded},
    exact::{Positive, parse},
    sample::{
        Gaussian, Laplace, Program,
        fixed::{FixedGaussian, FixedLaplace, Mode},
    },
};

/// Draws a sampler makes before the next one has its turn.
const ROUND: usize = 100_000;

/// The percentiles that times are cropped at, in thousandths.
const CROPS: [usize; 9] = [250, 500, 750, 900, 950, 980, 990, 995, 999];

const LEAK: f64 = 4.5;
const CONTROL: f64 = 100.0;

/// The time stamp, with everything before it finished and nothing after it begun.
#[cfg(target_arch = "x86_64")]
fn now() -> u64 {
    use core::arch::x86_64::{_mm_lfence, _rdtsc};
    // SAFETY: both instructions exist on every x86-64 processor, and touch no memory.
    unsafe {
        _mm_lfence();
        let now = _rdtsc();
        _mm_lfence();
        now
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn now() -> u64 {
    use std::{sync::OnceLock, time::Instant};
    static START: OnceLock<Instant> = OnceLock::new();
    u64::try_from(START.get_or_init(Instant::now).elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// Mean and sum of squared deviations of one class.
#[derive(Clone, Copy, Default)]
struct Moments {
    count: f64,
    mean: f64,
    squares: f64,
}

impl Moments {
    fn push(&mut self, value: f64) {
        self.count += 1.0;
        let delta = value - self.mean;
        self.mean += delta / self.count;
        self.squares += delta * (value - self.mean);
    }
}

/// Welch's t.
fn welch([a, b]: [Moments; 2]) -> f64 {
    if a.count < 1000.0 || b.count < 1000.0 {
        return 0.0;
    }
    let variance = |m: Moments| m.squares / (m.count - 1.0) / m.count;
    let error = (variance(a) + variance(b)).sqrt();
    if error == 0.0 { 0.0 } else { (a.mean - b.mean) / error }
}

/// One way to split the draws, with the tests on it: all of them, cropped ones, second order.
#[derive(Clone, Default)]
struct Split {
    all: [Moments; 2],
    cropped: [[Moments; 2]; CROPS.len()],
    second: [Moments; 2],
}

impl Split {
    fn push(&mut self, class: usize, time: f64, calibration: &Calibration) {
        self.all[class].push(time);
        for (moments, limit) in self.cropped.iter_mut().zip(calibration.limits) {
            if time <= limit {
                moments[class].push(time);
            }
        }
        // Of the cropped tail: an interrupt squared would drown everything.
        if time <= calibration.limits[CROPS.len() - 1] {
            self.second[class].push((time - calibration.mean).powi(2));
        }
    }

    fn worst(&self) -> f64 {
        let tests = self.cropped.iter().chain([&self.all, &self.second]);
        tests.map(|moments| welch(*moments).abs()).fold(0.0, f64::max)
    }
}

/// What the first round sets.
struct Calibration {
    limits: [f64; CROPS.len()],
    mean: f64,
    median: u64,
}

impl Calibration {
    fn new(times: &[u64], outputs: &[i64]) -> Self {
        let mut times = times.to_vec();
        times.sort_unstable();
        let limits = CROPS.map(|crop| times[times.len() * crop / 1000] as f64);
        let kept = &times[..times.len() * 999 / 1000];
        let mut magnitudes: Vec<u64> = outputs.iter().map(|output| output.unsigned_abs()).collect();
        magnitudes.sort_unstable();
        let mean = kept.iter().sum::<u64>() as f64 / kept.len() as f64;
        Self { limits, mean, median: magnitudes[magnitudes.len() / 2] }
    }
}

/// Fills a slice.
type Fill = Box<dyn FnMut(&mut [i64])>;

/// Draws once, and says what it drew.
type Draw = Box<dyn FnMut() -> i64>;

struct Subject {
    name: &'static str,
    noise: String,
    is_control: bool,
    draw: Draw,
    times: Vec<u64>,
    outputs: Vec<i64>,
    calibration: Option<Calibration>,
    magnitude: Split,
    sign: Split,
    random: Split,
    draws: u64,
}

impl Subject {
    fn new(name: &'static str, noise: String, is_control: bool, draw: Draw) -> Self {
        Self {
            name,
            noise,
            is_control,
            draw,
            times: vec![0; ROUND],
            outputs: vec![0; ROUND],
            calibration: None,
            magnitude: Split::default(),
            sign: Split::default(),
            random: Split::default(),
            draws: 0,
        }
    }

    fn round(&mut self, coins: &mut impl Bits) {
        for (time, output) in self.times.iter_mut().zip(&mut self.outputs) {
            let start = now();
            let drawn = black_box((self.draw)());
            *time = now().wrapping_sub(start);
            *output = drawn;
        }
        let Some(calibration) = &self.calibration else {
            self.calibration = Some(Calibration::new(&self.times, &self.outputs));
            return;
        };
        for (time, output) in self.times.iter().zip(&self.outputs) {
            let time = *time as f64;
            self.magnitude.push(usize::from(output.unsigned_abs() > calibration.median), time, calibration);
            if *output != 0 {
                self.sign.push(usize::from(*output < 0), time, calibration);
            }
            let coin = usize::from(coins.take(1).expect("ChaCha20 does not fail") == 1);
            self.random.push(coin, time, calibration);
        }
        self.draws += self.times.len() as u64;
    }

    fn is_as_it_should_be(&self) -> bool {
        if self.is_control {
            self.magnitude.worst() > CONTROL
        } else {
            self.magnitude.worst() < LEAK && self.sign.worst() < LEAK
        }
    }
}

fn positive(text: &str) -> Positive {
    Positive::new(parse(text).expect("a number")).expect("positive")
}

fn subjects() -> Vec<Subject> {
    let mut subjects = Vec::new();
    let mut fixed = |name: &'static str, noise: String, mut fill: Fill| {
        let draw: Draw = Box::new(move || {
            let mut out = [0];
            fill(&mut out);
            out[0]
        });
        subjects.push(Subject::new(name, noise, false, draw));
    };
    for (mode, name) in [(Mode::Standard, "certus-fixed"), (Mode::Wide, "certus-fixed wide")] {
        for sigma in ["1", "1000", "1099511627776"] {
            let noise = FixedGaussian::new(&positive(sigma), mode).expect("in range");
            let mut bits = seeded([11; 32]);
            fixed(
                name,
                format!("gaussian {sigma}"),
                Box::new(move |out| noise.fill(&mut bits, out).expect("no failure")),
            );
        }
        for scale in ["1/2", "2", "1000", "1099511627776"] {
            let noise = FixedLaplace::new(&positive(scale), mode).expect("in range");
            let mut bits = seeded([12; 32]);
            fixed(
                name,
                format!("laplace {scale}"),
                Box::new(move |out| noise.fill(&mut bits, out).expect("no failure")),
            );
        }
    }
    let noise = Gaussian::new(&positive("1000"));
    let mut bits = seeded([13; 32]);
    let draw: Draw = Box::new(move || noise.sample(&mut bits).expect("no failure").to_i64().expect("small"));
    subjects.push(Subject::new("CKS20 control", "gaussian 1000".into(), true, draw));
    let noise = Laplace::new(&positive("1000"));
    let mut bits = seeded([14; 32]);
    let draw: Draw = Box::new(move || noise.sample(&mut bits).expect("no failure").to_i64().expect("small"));
    subjects.push(Subject::new("CKS20 control", "laplace 1000".into(), true, draw));
    subjects
}

/// The number of draws after `--draws`, and whether `--json` was given; nothing if there is anything else.
fn arguments() -> Option<(u64, bool, Option<String>)> {
    let (mut draws, mut json, mut only) = (1e7, false, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--json" => json = true,
            "--draws" => draws = arguments.next()?.parse::<f64>().ok().filter(|draws| (1e5..=1e12).contains(draws))?,
            "--only" => only = Some(arguments.next()?),
            _ => return None,
        }
    }
    Some((draws as u64, json, only))
}

fn main() -> ExitCode {
    let Some((draws, json, only)) = arguments() else {
        eprintln!("usage: timing [--draws N] [--json] [--only NAME]: N from 1e5 to 1e12, default 1e7");
        return ExitCode::from(2);
    };
    let mut subjects = subjects();
    if let Some(only) = &only {
        subjects.retain(|subject| format!("{} {}", subject.name, subject.noise).contains(only.as_str()));
    }
    let mut coins = seeded([1; 32]);
    // One round more than is counted, for the calibration.
    for _ in 0..=draws.div_ceil(ROUND as u64) {
        for subject in &mut subjects {
            subject.round(&mut coins);
        }
    }
    let fine = subjects.iter().all(Subject::is_as_it_should_be);
    if json {
        let rows: Vec<String> = subjects
            .iter()
            .map(|s| {
                format!(
                    r#"{{"sampler":"{}","noise":"{}","draws":{},"t_magnitude":{:.2},"t_sign":{:.2},"t_random":{:.2},"as_expected":{}}}"#,
                    s.name, s.noise, s.draws, s.magnitude.worst(), s.sign.worst(), s.random.worst(), s.is_as_it_should_be()
                )
            })
            .collect();
        println!(
            r#"{{"schema_version":1,"leak_from":{LEAK},"control_above":{CONTROL},"holds":{fine},"rows":[{}]}}"#,
            rows.join(",")
        );
    } else {
        println!(
            "greatest |t|, {draws} draws each; a fixed-work sampler must stay below {LEAK}, the control must exceed {CONTROL}\n"
        );
        println!(
            "{:<18} {:<24} {:>12} {:>10} {:>10}   median cycles",
            "sampler", "noise", "by magnitude", "by sign", "at random"
        );
        for s in &subjects {
            let (magnitude, sign, random) = (s.magnitude.worst(), s.sign.worst(), s.random.worst());
            let verdict = if s.is_as_it_should_be() { "" } else { "   NOT AS IT SHOULD BE" };
            let median = s.calibration.as_ref().map_or(0.0, |calibration| calibration.limits[1]);
            println!(
                "{:<18} {:<24} {magnitude:>12.2} {sign:>10.2} {random:>10.2}   {median:>7}{verdict}",
                s.name, s.noise
            );
        }
    }
    ExitCode::from(u8::from(!fine))
}
