//! Every public way to draw, each as a function from a source to text. A function of the library that takes a
//! source of bits and is not here fails [`every_public_way_to_draw_is_listed`].

use std::{collections::BTreeSet, fs, path::Path};

use certus::{
    bits::Bits,
    exact::{Integer, NonNegative, Positive, parse},
    guarantee::{Filter, L1, LInfinity, Odometer, Relation, Sensitivity},
    mechanism::{
        Private,
        additive::{LaplaceMechanism, LaplaceVector},
        from_spec,
        selection::{SelectionNoise, SparseVector},
    },
    sample::{
        GaussianNoise, Laplace, LaplaceNoise, PreparedGaussian, PreparedLaplace, Program, Sampler, Uniform,
        fixed::{FixedGaussian, FixedLaplace, Mode},
    },
};

/// A source that a pool of threads may borrow.
type Source<'a> = dyn Bits + Send + 'a;

/// A draw of at least 60 bits of entropy, as text.
pub type Draw = fn(&mut Source<'_>) -> String;

/// `file: function`, and what draws with it.
pub const ALL: &[(&str, Draw)] = &[
    ("sample/program.rs: sample", one_sample),
    ("sample/uniform.rs: word_below", |bits| {
        format!("{}", Uniform::word_below(core::num::NonZeroU64::MAX, bits).unwrap())
    }),
    ("sample/prepared/mod.rs: fill", |bits| {
        let mut out = [0i64; 8];
        PreparedLaplace::new(&wide()).fill(bits, &mut out).unwrap();
        let mut narrow = [0i64; 128];
        PreparedGaussian::new(&one()).fill(bits, &mut narrow).unwrap();
        format!("{out:?}{narrow:?}")
    }),
    ("sample/prepared/mod.rs: add_noise", |bits| {
        let mut values = [5i64; 128];
        PreparedGaussian::new(&one()).add_noise(bits, &mut values).unwrap();
        format!("{values:?}")
    }),
    ("sample/prepared/mod.rs: samples", |bits| {
        format!("{:?}", PreparedLaplace::new(&wide()).samples(bits).next().unwrap().unwrap())
    }),
    ("sample/fixed/mod.rs: fill", |bits| {
        let mut out = [0i64; 8];
        FixedLaplace::new(&positive("1e15"), Mode::Standard).unwrap().fill(bits, &mut out).unwrap();
        let mut wide = [0i64; 8];
        FixedGaussian::new(&positive("1e15"), Mode::Wide).unwrap().fill(bits, &mut wide).unwrap();
        format!("{out:?}{wide:?}")
    }),
    ("mechanism/private.rs: release", |bits| {
        let sensitivity = Sensitivity::<L1>::new(NonNegative::one(), Relation::AddRemove);
        let mechanism = LaplaceMechanism::with_scale(&sensitivity, wide().get()).unwrap();
        mechanism.release(&Integer::from(7), bits).unwrap().get().to_string()
    }),
    ("mechanism/private.rs: release_within", |bits| {
        let sensitivity = Sensitivity::<L1>::new(NonNegative::one(), Relation::AddRemove);
        let mechanism = LaplaceMechanism::with_scale(&sensitivity, wide().get()).unwrap();
        let mut budget = Filter::new(mechanism.guarantee());
        mechanism.release_within(&mut budget, &Integer::from(7), bits).unwrap().get().to_string()
    }),
    ("mechanism/additive/in_place.rs: add_noise", |bits| {
        SAMPLERS
            .map(|sampler| {
                in_place(sampler, |mechanism, values| mechanism.add_noise(values, bits).map(|_| ()).unwrap())
            })
            .join(" ")
    }),
    ("mechanism/additive/in_place.rs: add_noise_within", |bits| {
        in_place(Sampler::Reference, |mechanism, values| {
            let mut budget = Filter::new(mechanism.guarantee());
            mechanism.add_noise_within(&mut budget, values, bits).map(|_| ()).unwrap();
        })
    }),
    ("sample/noise.rs: fill", |bits| {
        SAMPLERS
            .map(|sampler| {
                let mut out = [0i64; 8];
                LaplaceNoise::new(&positive("1e15"), sampler).unwrap().fill(bits, &mut out).unwrap();
                format!("{out:?}")
            })
            .join(" ")
    }),
    ("sample/noise.rs: add_noise", |bits| {
        SAMPLERS
            .map(|sampler| {
                let mut values = [5i64; 8];
                GaussianNoise::new(&positive("1e30"), sampler).unwrap().add_noise(bits, &mut values).unwrap();
                format!("{values:?}")
            })
            .join(" ")
    }),
    ("sample/program.rs: bulk", |bits| {
        let mut all = Vec::new();
        Laplace::new(&wide()).bulk(bits, 2, &mut |sample| all.push(sample)).unwrap();
        for sampler in SAMPLERS {
            let noise = LaplaceNoise::new(&positive("1e15"), sampler).unwrap();
            noise.bulk(bits, 2, &mut |sample| all.push(sample)).unwrap();
        }
        format!("{all:?}")
    }),
    ("mechanism/catalogue/erased.rs: draw_each", |bits| {
        let mut all = Vec::new();
        let mechanism = from_spec(&"count(scale=1e18)".parse().unwrap()).unwrap();
        mechanism.on("1,1").unwrap().draw_each(bits, 2, &mut |output| all.push(output)).unwrap();
        format!("{all:?}")
    }),
    ("mechanism/catalogue/erased.rs: release_within", |bits| {
        let mechanism = from_spec(&"count(scale=1e18)".parse().unwrap()).unwrap();
        let mut budget = Filter::new(mechanism.cost(Relation::AddRemove).unwrap());
        mechanism.release_within(&mut budget, "1,1", bits).unwrap().to_string()
    }),
    ("mechanism/catalogue/erased.rs: release_counted", |bits| {
        let mechanism = from_spec(&"count(scale=1e18)".parse().unwrap()).unwrap();
        let mut odometer = Odometer::new(&mechanism.cost(Relation::AddRemove).unwrap());
        mechanism.release_counted(&mut odometer, "1,1", bits).unwrap().to_string()
    }),
    ("mechanism/catalogue/erased.rs: draw_bulk", |bits| {
        let mut all = Vec::new();
        let mechanism = from_spec(&"laplace(scale=1e18)".parse().unwrap()).unwrap();
        let mechanism = mechanism.with_sampler(Sampler::Prepared).unwrap();
        mechanism.on("1").unwrap().draw_bulk(bits, 2, &mut |output| all.push(output)).unwrap();
        format!("{all:?}")
    }),
    ("mechanism/catalogue/erased.rs: draw", |bits| {
        let drawn = |spec: &str, input: &str, bits: &mut Source<'_>| {
            from_spec(&spec.parse().unwrap()).unwrap().on(input).unwrap().draw(bits).unwrap().to_string()
        };
        format!("{} {}", drawn("laplace(scale=1e18)", "0", bits), drawn("count(scale=1e18)", "1,2,3", bits))
    }),
    ("mechanism/selection/sparse_vector.rs: stream", |bits| {
        // Queries without noise find the threshold by bisection: 2^66 is 74 scales away from 0.
        let mut stream = stream(1_000, "1e-18", "1e40", bits);
        let (mut below, mut above) = (-(1_i128 << 66), 1_i128 << 66);
        while above - below > 1 {
            let middle = below.midpoint(above);
            let query = parse(&middle.to_string()).unwrap().to_integer().into();
            match stream.ask(&query, bits).unwrap() {
                Some(true) => above = middle,
                _ => below = middle,
            }
        }
        above.to_string()
    }),
    ("mechanism/selection/sparse_vector.rs: ask", |bits| {
        // Noise that is much wider than the threshold's: each answer is a coin.
        let mut stream = stream(u64::MAX, "1", "1", bits);
        (0..128).map(|_| if stream.ask(&Integer::ZERO, bits).unwrap() == Some(true) { '1' } else { '0' }).collect()
    }),
    ("audit/outputs/split.rs: draw", |mut bits| {
        format!("{:?}", certus_audit::outputs::draw(&[1; 256], 128, &mut bits).unwrap())
    }),
    ("audit/outputs/table.rs: split", |mut bits| {
        use certus_audit::outputs::{Recording, Table};
        let tally = |name: &str| {
            let mut recording = Recording::new();
            recording.integers(&(0..512).collect::<Vec<i64>>());
            recording.finish(name)
        };
        format!("{:?}", Table::split(&tally("a"), &tally("b"), &mut bits).unwrap())
    }),
    ("audit/batches.rs: run", |mut bits| {
        // The order of 1,000 outputs is what the coins decide; the audit that has seen it is what is told.
        let side = |name: &str| {
            let mut recording = certus_audit::outputs::Recording::new();
            (0..1000).for_each(|value| recording.integer(value));
            recording.finish(name)
        };
        let claim = certus_audit::Claim::new(parse("1").unwrap(), parse("0").unwrap()).unwrap();
        let mut audit = certus_audit::Sequential::new(&claim, 0.99).unwrap();
        in_a_pool(|| {
            audit.run(1000, &mut bits, |_| Ok::<_, certus::bits::BitsError>((side("a"), side("b")))).unwrap();
        });
        format!("{audit:?}")
    }),
    // What breaks ties.
    ("audit/canaries/table.rs: new", |mut bits| {
        use certus_audit::canaries::{Canaries, Canary};
        format!("{:?}", Canaries::new(&[Canary { score: 0.0, is_in: true }; 2], &mut bits).unwrap())
    }),
    ("audit/sampled.rs: fresh_seed", |mut bits| format!("{:?}", certus_audit::fresh_seed(&mut bits).unwrap())),
];

const SAMPLERS: [Sampler; 3] = [Sampler::Reference, Sampler::Prepared, Sampler::Fixed(Mode::Standard)];

/// Eight values with noise of scale 10^15.
fn in_place(sampler: Sampler, add_noise: impl FnOnce(&LaplaceVector, &mut [i64])) -> String {
    let sensitivity = Sensitivity::<L1>::new(NonNegative::one(), Relation::AddRemove);
    let each = LaplaceMechanism::with_scale(&sensitivity, positive("1e15").get()).unwrap();
    let mut values = [5i64; 8];
    add_noise(&each.with_sampler(sampler).unwrap().vector(8).unwrap(), &mut values);
    format!("{values:?}")
}

fn positive(text: &str) -> Positive {
    Positive::new(parse(text).unwrap()).unwrap()
}

fn one() -> Positive {
    positive("1")
}

/// Two samples agree with a probability of about 10^-18.
fn wide() -> Positive {
    positive("1e18")
}

pub fn one_sample(bits: &mut Source<'_>) -> String {
    Laplace::new(&wide()).sample(bits).unwrap().to_string()
}

fn stream(passes: u64, threshold: &str, queries: &str, bits: &mut Source<'_>) -> certus::mechanism::selection::Stream {
    let sensitivity = Sensitivity::<LInfinity>::new(NonNegative::one(), Relation::AddRemove);
    let (threshold, queries) = (positive(threshold), positive(queries));
    let mechanism =
        SparseVector::new(&sensitivity, 0.into(), passes, &threshold, &queries, SelectionNoise::Laplace).unwrap();
    mechanism.stream(bits).unwrap()
}

/// On a pool of its own: the threads of a pool that the parent has used are not there in a child.
fn in_a_pool(work: impl FnOnce() + Send) {
    rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap().install(work);
}

/// The function names, by `file: function`, of the library's public functions that take a source of bits.
fn public_functions_of_bits() -> BTreeSet<String> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let library = own.join("../../src");
    let mut found = of_folder(&own.join("src"), "audit/");
    found.extend(of_folder(&library, ""));
    found
}

fn of_folder(root: &Path, prefix: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let file = format!("{prefix}{}", path.strip_prefix(root).unwrap().to_str().unwrap());
            // `bits` is the door itself: raw calls are begun by whoever makes them; and so are those that
            // certificates make.
            let is_raw = file.starts_with("bits/") || file == "sample/hooks.rs";
            if !is_raw && file.ends_with(".rs") {
                found.extend(of_file(&fs::read_to_string(&path).unwrap()).map(|name| format!("{file}: {name}")));
            }
        }
    }
    found
}

/// Those of one file: `pub fn`, and the functions of a `pub trait`, whose signature names `Bits`.
fn of_file(text: &str) -> impl Iterator<Item = String> + use<> {
    let text = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let mut names = Vec::new();
    let mut in_public_trait = false;
    let mut rest = text;
    while let Some((line, after)) = rest.split_once('\n') {
        if line.starts_with("pub trait ") {
            in_public_trait = true;
        } else if line.starts_with('}') {
            in_public_trait = false;
        }
        let code = line.trim_start();
        let public = code.strip_prefix("pub fn ").or_else(|| code.strip_prefix("fn ").filter(|_| in_public_trait));
        if let Some(name) = public {
            let signature = rest.split(['{', ';']).next().unwrap_or_default();
            let name = name.split(['<', '(']).next().unwrap_or_default();
            if ["B: Bits", "impl Bits", "dyn Bits"].iter().any(|bits| signature.contains(bits)) {
                names.push(name.to_owned());
            }
        }
        rest = after;
    }
    names.into_iter()
}

#[test]
fn every_public_way_to_draw_is_listed() {
    let listed: BTreeSet<String> = ALL.iter().map(|(name, _)| (*name).to_owned()).collect();
    let found = public_functions_of_bits();
    let of = |names: Vec<&String>| names.into_iter().cloned().collect::<Vec<_>>().join(", ");
    assert_eq!(of(found.difference(&listed).collect()), "", "without a fork test in crates/audit/tests/fork/draws.rs");
    assert_eq!(of(listed.difference(&found).collect()), "", "listed, but not in the library");
}
