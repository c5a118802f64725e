//! `certus sample`: a stream of samples, in constant memory.

use std::{
    io::{self, IsTerminal, Write},
    time::{Duration, Instant},
};

use serde_json::json;

use super::{
    Failure, SCHEMA_VERSION,
    arguments::{Sample, Sampler, Shared},
    catalogue, data,
    progress::Progress,
    source::{Source, count, mechanism, seed},
    statistic::{Names, Shown},
};
use certus::{
    bits::{Bits, Meter},
    exact::{Rational, Rounding, decimal},
    mechanism::{AnyMechanism, AnyRelease, Entry, InputError, Outcome, SamplerError, Spec, entry},
    sample::{self, fixed::Mode},
};

/// How much text is gathered before it is written.
const BUFFER: usize = 1 << 16;

/// How many samples of noise are drawn at a time.
const BULK: u64 = 1024;

/// How many of anything else.
const FEW: u64 = 16;

/// From how many samples on the tables are built first.
const PREPARED_FROM: u64 = 1000;

/// What to print, and how.
struct Job<'a> {
    release: &'a dyn AnyRelease,
    /// How many are drawn at a time, and whether as many as is fastest.
    bulk: (u64, bool),
    samples: u64,
    json: bool,
    head: serde_json::Value,
    stats: bool,
    shown: &'a Shown,
    names: Option<&'a Names>,
    quiet: bool,
}

impl Job<'_> {
    /// An output as it is printed.
    fn line(&self, output: &Outcome) -> Option<String> {
        self.names.map(|names| names.shown(output)).or_else(|| self.shown.statistic(output))
    }
}

pub(super) fn run(options: &Sample, shared: &Shared, out: &mut dyn Write) -> Result<u8, Failure> {
    let (spec, mechanism) = mechanism(&options.spec)?;
    let samples = count("-n", &options.n, 0, u64::MAX)?;
    let names = options.keys.as_deref().map(|given| Names::new("--keys", given, &spec)).transpose()?;
    let column = options.column.as_deref();
    let given = options.input.as_deref().map(|given| data::read("--input", given, column, &spec)).transpose()?;
    let is_file = given.as_ref().is_some_and(|data| data.is_file);
    let wrong_input = |error: InputError| {
        let lines = if is_file {
            "; in a file one a line, or one a row of CSV with --column NAME; keys that are words need --keys"
        } else {
            ""
        };
        Failure::argument("--input", format_args!("{error}{lines}"))
    };
    let given = given.map(|data| match &names {
        Some(names) => names.numbered(&data.text).into(),
        None => data.text,
    });
    if let Some(input) = &given {
        // Refused before anything is built of it.
        mechanism.on(input).map_err(wrong_input)?;
    }
    let sampler = match options.sampler {
        Sampler::Reference => sample::Sampler::Reference,
        // Whoever asks for the bits cares for them: the reference sampler draws the fewest.
        Sampler::Auto if samples < PREPARED_FROM || options.stats => sample::Sampler::Reference,
        Sampler::Auto | Sampler::Prepared => sample::Sampler::Prepared,
        Sampler::Fixed => sample::Sampler::Fixed(Mode::Standard),
    };
    let has_samplers = entry(spec.name()).is_some_and(Entry::has_samplers);
    let mechanism = match options.sampler {
        _ if has_samplers => mechanism.with_sampler(sampler),
        Sampler::Fixed => Err(SamplerError::NoNoise),
        _ => Ok(mechanism),
    };
    let mechanism = mechanism.map_err(|error| Failure::argument("--sampler", error))?;
    let input = given.as_deref().unwrap_or(mechanism.neighbours().0);
    let release = mechanism.on(input).map_err(wrong_input)?;
    let sampler = mechanism.sampler();
    // An output may be a long vector. A fixed-work sampler fills: the same samples as one by one, from the
    // same bits, at a third of the time.
    let bulk = (if has_samplers { BULK } else { FEW }, sampler == "fixed");
    let shown = if options.raw { Shown::Plain } else { Shown::of(&spec) };
    if is_file && !shared.quiet {
        let _ = writeln!(io::stderr(), "{}", notes(&*mechanism, samples, names.is_some()));
    }
    draw_all((&*release, bulk, sampler), &spec, samples, (&shown, names.as_ref()), options, shared, out)
}

/// What a release of data in a file costs, and what does not count: all of it public.
fn notes(mechanism: &dyn AnyMechanism, samples: u64, has_names: bool) -> String {
    let cost = catalogue::stated(mechanism).unwrap_or_else(|| "not stated: see certus account".to_owned());
    let times = if samples > 1 { format!("; each of these {samples} releases costs that much") } else { String::new() };
    let names = if has_names { "\nnote: records with other names than --keys has are not counted" } else { "" };
    format!("cost: {cost}{times}\nnote: no ledger was debited for it; `certus release` keeps one{names}")
}

/// Draws from the source that was asked for, with progress, and reports what it took.
fn draw_all(
    (release, bulk, sampler): (&dyn AnyRelease, (u64, bool), &str),
    spec: &Spec,
    samples: u64,
    (shown, names): (&Shown, Option<&Names>),
    options: &Sample,
    shared: &Shared,
    out: &mut dyn Write,
) -> Result<u8, Failure> {
    let seed = seed(shared.seed.as_deref())?;
    // Not the input: the document may be released.
    let head = json!({
        "schema_version": SCHEMA_VERSION,
        "spec": spec.to_string(),
        "sampler": sampler,
    });
    let quiet = shared.quiet;
    let job = Job { release, bulk, samples, json: shared.json, head, stats: options.stats, shown, names, quiet };
    // A bar amid samples that scroll by on the same terminal would be in their way.
    let quiet = shared.quiet || io::stdout().is_terminal();
    let mut progress = Progress::new(Some(samples), "samples", quiet);
    let started = Instant::now();
    let used = draw(&job, Source::new(seed)?, out, &mut progress)?;
    drop(progress);
    if options.stats && !shared.json {
        let seconds = seconds(started.elapsed());
        let mean = mean(used, samples);
        writeln!(io::stderr(), "{samples} samples, {used} random bits, {mean} bits a sample, {seconds} s")?;
    }
    Ok(0)
}

/// Draws and prints every sample; the answer is the number of random bits used.
fn draw<B: Bits>(job: &Job<'_>, bits: B, out: &mut dyn Write, progress: &mut Progress) -> Result<u64, Failure> {
    let started = Instant::now();
    let mut bits = Meter::new(bits);
    let mut text = Vec::with_capacity(BUFFER + 4096);
    if job.json {
        // The head without its closing brace; the samples follow as they are drawn.
        let head = job.head.to_string();
        write!(text, "{},\"samples\":[", head.strip_suffix('}').unwrap_or(&head))?;
    }
    let (mut index, mut samples, mut released) = (0u64, Vec::new(), Vec::new());
    while index < job.samples {
        let (most, is_bulk) = job.bulk;
        let count = (job.samples - index).min(most);
        samples.clear();
        let mut put = |output| samples.push(output);
        let drawn = if is_bulk {
            job.release.draw_bulk(&mut bits, count, &mut put)
        } else {
            job.release.draw_each(&mut bits, count, &mut put)
        };
        if let ([sample], 1, false) = (samples.as_slice(), job.samples, job.quiet)
            && let Some(accuracy) = job.shown.accuracy(sample)
        {
            let _ = writeln!(io::stderr(), "accuracy: {accuracy}");
        }
        for sample in &samples {
            let line = job.line(sample);
            match (&line, job.json) {
                (Some(line), true) => write!(text, "{}{}", if index == 0 { "" } else { "," }, json!(line))?,
                (None, true) => write!(text, "{}\"{sample}\"", if index == 0 { "" } else { "," })?,
                (Some(line), false) => writeln!(text, "{line}")?,
                (None, false) => writeln!(text, "{sample}")?,
            }
            if line.is_some() && job.json {
                released.push(sample.to_string());
            }
            index += 1;
            if text.len() >= BUFFER {
                out.write_all(&text)?;
                text.clear();
                progress.at(index);
            }
        }
        if let Err(error) = drawn {
            // Whole lines only; a document that ends here is not one, and the exit status says so.
            out.write_all(&text)?;
            out.flush()?;
            return Err(error.into());
        }
    }
    let used = bits.used();
    if job.json {
        write!(text, "]")?;
        // What was drawn, where it is not what is shown.
        if !released.is_empty() {
            write!(text, ",\"released\":{}", json!(released))?;
        }
        if job.stats {
            let mean = mean(used, job.samples);
            let seconds = seconds(started.elapsed());
            write!(
                text,
                ",\"stats\":{{\"samples\":{},\"random_bits\":{used},\"bits_per_sample\":\"{mean}\",\"seconds\":{seconds}}}",
                job.samples
            )?;
        }
        writeln!(text, "}}")?;
    }
    out.write_all(&text)?;
    out.flush()?;
    Ok(used)
}

/// used/samples to four digits, rounded up.
fn mean(used: u64, samples: u64) -> String {
    decimal(&Rational::new(used.into(), samples.max(1).into()), 4, Rounding::Up)
}

fn seconds(elapsed: Duration) -> String {
    format!("{}.{:03}", elapsed.as_secs(), elapsed.subsec_millis())
}

#[cfg(test)]
mod tests {
    use super::*;
    use certus::{
        bits::{Replay, seeded},
        mechanism::from_spec,
        sample::Sampler as By,
    };

    fn job(release: &dyn AnyRelease, samples: u64, json: bool) -> Job<'_> {
        Job {
            release,
            bulk: (BULK, false),
            samples,
            json,
            head: json!({ "spec": "x" }),
            stats: json,
            shown: &Shown::Plain,
            names: None,
            quiet: true,
        }
    }

    fn release() -> Box<dyn AnyRelease> {
        from_spec(&"laplace(scale=3)".parse().unwrap()).unwrap().on("0").unwrap()
    }

    /// A source that fails midway: the whole lines drawn before it are there, no part of another is, and the
    /// status is 3.
    #[test]
    fn a_source_that_fails_leaves_no_partial_line() {
        let release = release();
        let whole = {
            let mut out = Vec::new();
            draw(&job(&*release, 50, false), seeded([9; 32]), &mut out, &mut Progress::new(None, "", true)).unwrap();
            String::from_utf8(out).unwrap()
        };
        for length in [0, 1, 7, 64, 200] {
            let mut bits = seeded([9; 32]);
            let tape = (0..length).map(|_| bits.take(1).unwrap() == 1).collect();
            let mut out = Vec::new();
            let failure =
                draw(&job(&*release, 50, false), Replay::new(tape), &mut out, &mut Progress::new(None, "", true));
            assert_eq!(failure.unwrap_err().status(), 3);
            let printed = String::from_utf8(out).unwrap();
            assert!(printed.is_empty() || printed.ends_with('\n'), "{printed:?}");
            assert!(whole.starts_with(&printed) && printed.len() < whole.len());
        }
    }

    /// In bulk, the same samples from the same bits, across the borders of a bulk.
    #[test]
    fn bulk_is_one_by_one() {
        for spec in ["laplace(scale=1/3)", "laplace(scale=1000)", "gaussian(sigma=1)", "gaussian(sigma=1e9)"] {
            for (sampler, input) in
                [(By::Fixed(Mode::Standard), "5"), (By::Fixed(Mode::Wide), "-7"), (By::Prepared, "0")]
            {
                let mechanism = from_spec(&spec.parse().unwrap()).unwrap().with_sampler(sampler).unwrap();
                let release = mechanism.on(input).unwrap();
                let mut out = Vec::new();
                let job = Job { bulk: (BULK, mechanism.sampler() == "fixed"), ..job(&*release, 2500, false) };
                let used = draw(&job, seeded([8; 32]), &mut out, &mut Progress::new(None, "", true)).unwrap();
                let mut bits = Meter::new(seeded([8; 32]));
                let singles: String = (0..2500).map(|_| format!("{}\n", release.draw(&mut bits).unwrap())).collect();
                assert_eq!(String::from_utf8(out).unwrap(), singles, "{spec}");
                assert_eq!(used, bits.used(), "{spec}");
            }
        }
    }

    #[test]
    fn json_is_one_document() {
        let release = release();
        for samples in [0, 1, 3, 20_000] {
            let mut out = Vec::new();
            draw(&job(&*release, samples, true), seeded([9; 32]), &mut out, &mut Progress::new(None, "", true))
                .unwrap();
            let document: serde_json::Value = serde_json::from_slice(&out).unwrap();
            assert_eq!(document["samples"].as_array().unwrap().len() as u64, samples);
            assert_eq!(document["stats"]["samples"], samples);
            assert!(out.ends_with(b"}\n"));
        }
    }

    /// A reader that goes away, and a disk that is full.
    #[test]
    fn a_closed_pipe_is_silent_and_a_full_disk_is_not() {
        struct Broken(io::ErrorKind);
        impl Write for Broken {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(self.0.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let release = release();
        let fail = |kind| {
            let mut progress = Progress::new(None, "", true);
            draw(&job(&*release, 5, false), seeded([9; 32]), &mut Broken(kind), &mut progress).unwrap_err()
        };
        let closed = fail(io::ErrorKind::BrokenPipe);
        assert_eq!((closed.status(), closed.line()), (0, None));
        let full = fail(io::ErrorKind::StorageFull);
        assert_eq!(full.status(), 3);
        assert!(full.line().unwrap().starts_with("the output could not be written"));
    }
}
