//! The kernels' functions on the host, thread by thread, in the loop of launches that a GPU runs them in: each
//! sample must be what the processor's counter mode gives, bit for bit.

use std::convert::Infallible;

use certus::{
    bits::{Key, Range, seeded},
    exact::{Integer, Positive, parse},
    sample::{PreparedGaussian, PreparedLaplace},
};
use certus_gpu_kernel::{
    construction::{List, Tables as _},
    dense::dense,
    finish::finish,
    launch::{Counters, Launch, Thread},
    lists::{Lists, Open},
};

use crate::{
    element::{Element, settled},
    error::GpuError,
    launches::{Launches, Shape, run},
    tables::{Place, Prepared, Tables},
};

/// A range of one key for all tests, from `first` on. (It is seeded: so each test may use it anew.)
fn range(first: u64, len: usize) -> Range {
    let mut key = Key::drawn_from(&mut seeded([34; 32])).unwrap();
    drop(key.range(first).unwrap());
    key.range(len as u64).unwrap()
}

fn positive(text: &str) -> Positive {
    Positive::new(parse(text).unwrap()).unwrap()
}

fn gaussian(sigma: &str) -> Prepared {
    PreparedGaussian::new(&positive(sigma)).into()
}

fn laplace(scale: &str) -> Prepared {
    PreparedLaplace::new(&positive(scale)).into()
}

/// Tables, buckets in a word, and buckets in a word and a quarter, of both kinds of noise.
fn twelve() -> [(&'static str, Prepared); 12] {
    let two_to = |power: u32| (1_u64 << power).to_string();
    [
        ("sigma 1", gaussian("1")),
        ("sigma 10", gaussian("10")),
        ("sigma 1000", gaussian("1000")),
        ("scale 1/3", laplace("1/3")),
        ("scale 10", laplace("10")),
        ("scale 1000", laplace("1000")),
        ("sigma 2^11", gaussian(&two_to(11))),
        ("sigma 2^20", gaussian(&two_to(20))),
        ("sigma 2^40", gaussian(&two_to(40))),
        ("scale 2^20", laplace(&two_to(20))),
        ("scale 2^40", laplace(&two_to(40))),
        ("sigma 2^50", gaussian(&two_to(50))),
    ]
}

/// Lists where they are.
struct InPlace;

impl Place for InPlace {
    fn words(&mut self, list: &[u32]) -> Result<List<u32>, GpuError> {
        Ok(List { first: list.as_ptr(), len: list.len() as u64 })
    }

    fn long_words(&mut self, list: &[u64]) -> Result<List<u64>, GpuError> {
        Ok(List { first: list.as_ptr(), len: list.len() as u64 })
    }
}

/// A launch on the host: every thread in turn, from the last to the first.
struct OnHost<'t, T> {
    noise: &'t Prepared,
    tables: Tables,
    shape: Shape,
    adds: bool,
    first: u64,
    out: &'t mut [T],
    goes_on: bool,
    entries: Vec<Open>,
    lengths: Vec<u32>,
    done: Vec<u32>,
    hard: Vec<u64>,
    counters: Counters,
    /// How often the first kernel was launched, and the second.
    launched: [u32; 2],
    /// How many slots the processor settled.
    settled: u32,
}

#[repr(align(16))]
struct AlignedKey([u32; 8]);

impl<'t, T: Element> OnHost<'t, T> {
    fn new(noise: &'t Prepared, shape: Shape, first: u64, out: &'t mut [T], adds: bool) -> Self {
        Self {
            noise,
            tables: Tables::new(noise, &mut InPlace).unwrap(),
            shape,
            adds,
            first,
            out,
            goes_on: false,
            entries: vec![Open::new(7, 7, 7); shape.entries()],
            lengths: vec![0; shape.blocks as usize],
            done: vec![u32::MAX; shape.count()],
            hard: vec![u64::MAX; shape.hard_room as usize],
            counters: Counters::default(),
            launched: [0; 2],
            settled: 0,
        }
    }

    fn each_thread(&mut self, is_first: bool) {
        let range = range(self.first, self.out.len());
        let key = range.launch(|launch| AlignedKey(*launch.key())).unwrap();
        let launch = Launch {
            key: key.0.as_ptr(),
            out: self.out.as_mut_ptr(),
            first: self.first,
            len: self.out.len() as u64,
            lists: Lists {
                entries: self.entries.as_mut_ptr(),
                lengths: self.lengths.as_mut_ptr(),
                room: self.shape.room,
            },
            done: self.done.as_mut_ptr(),
            goes_on: self.goes_on.into(),
            hard_room: self.shape.hard_room,
            hard: self.hard.as_mut_ptr(),
            counters: &raw mut self.counters,
        };
        let (blocks, size) = (self.shape.blocks, self.shape.threads);
        for number in (0..blocks * size).rev() {
            let thread = Thread { block: number / size, index: number % size, blocks, size };
            macro_rules! body {
                ($tables:expr) => {
                    // SAFETY: every pointer is to a list of this struct's, as long as the shape says, and the
                    // tables are those of the noise, which outlives them.
                    unsafe {
                        let view = $tables.view();
                        match (is_first, self.adds) {
                            (true, true) => dense::<_, T, true>(&view, &launch, thread),
                            (true, false) => dense::<_, T, false>(&view, &launch, thread),
                            (false, true) => finish::<_, T, true>(&view, &launch, thread),
                            (false, false) => finish::<_, T, false>(&view, &launch, thread),
                        }
                    }
                };
            }
            match self.tables {
                Tables::Table(tables) => body!(tables),
                Tables::Wide(tables) => body!(tables),
                Tables::Wider(tables) => body!(tables),
            }
        }
        self.launched[usize::from(!is_first)] += 1;
    }
}

impl<T: Element> Launches for OnHost<'_, T> {
    type Error = Infallible;

    fn dense(&mut self, goes_on: bool) -> Result<(), Infallible> {
        self.lengths.fill(0);
        self.goes_on = goes_on;
        self.each_thread(true);
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Infallible> {
        self.each_thread(false);
        Ok(())
    }

    fn counters(&mut self) -> Result<Counters, Infallible> {
        Ok(std::mem::take(&mut self.counters))
    }

    fn hard(&mut self, count: u32) -> Result<Vec<u64>, Infallible> {
        Ok(self.hard[..count as usize].to_vec())
    }

    fn settle(&mut self, place: u64) -> Result<bool, Infallible> {
        let range = range(self.first, self.out.len());
        let sample = range.launch(|launch| self.noise.sample_at(launch, place)).unwrap().unwrap();
        let element = &mut self.out[usize::try_from(place).unwrap()];
        let (after, is_past) = settled(self.adds.then_some(*element), &sample);
        *element = after;
        self.settled += 1;
        Ok(is_past)
    }
}

/// What the processor's counter mode makes of a range; and how many sums or samples passed the type.
fn expected<T: Element>(noise: &Prepared, first: u64, before: &[T], adds: bool) -> (Vec<T>, u64) {
    let mut samples = vec![Integer::ZERO; before.len()];
    let range = range(first, before.len());
    match noise {
        Prepared::Gaussian(noise) => noise.fill_at(range, &mut samples).unwrap(),
        Prepared::Laplace(noise) => noise.fill_at(range, &mut samples).unwrap(),
    }
    let mut past = 0;
    let all = before.iter().zip(&samples).map(|(&before, sample)| {
        let (after, is_past) = settled(adds.then_some(before), sample);
        past += u64::from(is_past);
        after
    });
    (all.collect(), past)
}

fn shape(blocks: u32, threads: u32, room: u32) -> Shape {
    Shape { blocks, threads, room, hard_room: 16 }
}

/// Values to add to: small ones, and both ends of the type.
fn values<T: Element>(len: usize) -> Vec<T> {
    let value = |at: usize| match at % 16 {
        3 => T::LEAST,
        12 => T::GREATEST,
        _ => T::try_from(i64::try_from(at).unwrap() - 1000).unwrap_or_default(),
    };
    (0..len).map(value).collect()
}

/// Fills and adds a range, and compares both with the shipped sampler; gives the launches of the last.
fn compare<T: Element + std::fmt::Debug>(
    name: &str,
    noise: &Prepared,
    first: u64,
    len: usize,
    shape: Shape,
) -> [u32; 2] {
    let mut launched = [0; 2];
    for adds in [false, true] {
        let before = if adds { values::<T>(len) } else { vec![T::GREATEST; len] };
        let mut out = before.clone();
        let mut on = OnHost::new(noise, shape, first, &mut out, adds);
        let past = run(&mut on).unwrap();
        launched = on.launched;
        let (all, expected_past) = expected(noise, first, &before, adds);
        let differing: Vec<usize> = (0..len).filter(|&at| out[at].into() != all[at].into()).collect();
        assert!(
            differing.is_empty(),
            "{name}, from {first}: {} places differ, the first {differing:.5?}",
            differing.len()
        );
        assert_eq!(past, expected_past, "{name}, from {first}");
    }
    launched
}

/// At every construction, on ranges that begin and end within a block, past 2^32 samples too.
#[test]
fn twelve_parameters_are_the_processors() {
    for (name, noise) in twelve() {
        for (first, len, shape) in
            [(0, 8000, shape(3, 4, 300)), (13, 5003, shape(2, 7, 300)), ((1 << 35) + 5, 3001, shape(1, 64, 300))]
        {
            compare::<i64>(name, &noise, first, len, shape);
        }
    }
}

/// Ranges shorter than a block, within one, and over the edge of two.
#[test]
fn short_ranges_are_the_processors() {
    for (name, noise) in
        [("sigma 10", gaussian("10")), ("sigma 2^20", gaussian("1048576")), ("sigma 1e16", gaussian("1e16"))]
    {
        for first in 0..9 {
            for len in 0..18 {
                compare::<i64>(name, &noise, first, len, shape(2, 2, 8));
            }
        }
    }
}

/// 32 bits: samples past them are counted where a tensor is filled, and sums clamped where it is added to.
#[test]
fn narrow_tensors_are_the_processors() {
    for (name, noise) in
        [("sigma 10", gaussian("10")), ("sigma 2^20", gaussian("1048576")), ("sigma 2^31", gaussian("2147483648"))]
    {
        compare::<i32>(name, &noise, 3, 4001, shape(2, 8, 300));
    }
}

/// Scale 2^62, where one sample in eight passes 64 bits: what no word holds is left to the processor.
#[test]
fn samples_past_64_bits_are_the_processors() {
    compare::<i64>("scale 2^62", &laplace("4611686018427387904"), 5, 1003, shape(2, 8, 300));
}

/// A tensor at an address that is a multiple of its elements' size and no more.
#[test]
fn unaligned_tensors_are_the_processors() {
    for noise in [gaussian("10"), gaussian("1048576")] {
        for skipped in 0..4 {
            let mut out = vec![77_i32; 1004];
            let out = &mut out[skipped..skipped + 1000];
            let before = out.to_vec();
            run(&mut OnHost::new(&noise, shape(2, 8, 64), 8, out, true)).unwrap();
            assert_eq!(out, expected(&noise, 8, &before, true).0);
        }
    }
}

/// Lists with room for one block fill at once: the kernel is launched again and again, and nothing is dropped
/// or written twice.
#[test]
fn a_list_that_is_full_is_launched_again() {
    for (name, noise) in [
        ("sigma 2^20", gaussian("1048576")),
        ("scale 2^40", laplace("1099511627776")),
        ("sigma 2^50", gaussian("1125899906842624")),
    ] {
        let [dense, finish] = compare::<i64>(name, &noise, 3, 20_001, shape(2, 5, 8));
        assert!(dense > 5 && finish >= dense, "{name}: {dense} and {finish} launches");
    }
    // With room enough, once.
    assert_eq!(compare::<i64>("sigma 2^20", &gaussian("1048576"), 3, 20_001, shape(2, 5, 500)), [1, 1]);
}

/// Without the reciprocal, whatever the squeeze leaves open is left to the processor; its list, with room for
/// two, is full at once, and the second kernel is launched again.
#[test]
fn a_processors_list_that_is_full_is_launched_again() {
    for noise in [gaussian("1048576"), laplace("1099511627776")] {
        for adds in [false, true] {
            let before = vec![5_i64; 10_001];
            let mut out = before.clone();
            let shape = Shape { hard_room: 2, ..shape(3, 5, 40) };
            let mut on = OnHost::new(&noise, shape, 3, &mut out, adds);
            let Tables::Wide(tables) = &mut on.tables else { panic!("another construction") };
            tables.has_reciprocal = 0;
            run(&mut on).unwrap();
            assert!(on.settled > 30 && on.launched[1] > 15, "{} settled, {:?}", on.settled, on.launched);
            assert_eq!(out, expected(&noise, 3, &before, adds).0);
        }
    }
}

/// Without its guide, every word of a table is open: the second kernel searches.
#[test]
fn words_that_the_guide_leaves_open_are_searched() {
    for noise in [gaussian("10"), laplace("1000")] {
        let mut out = vec![0_i64; 3001];
        let mut on = OnHost::new(&noise, shape(2, 5, 400), 3, &mut out, false);
        let Tables::Table(tables) = &mut on.tables else { panic!("another construction") };
        tables.guide.len = 0;
        run(&mut on).unwrap();
        assert_eq!(on.settled, 0);
        assert_eq!(out, expected(&noise, 3, &[0; 3001], false).0);
    }
}
