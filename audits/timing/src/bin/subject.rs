//! What `disassembly` and `memcheck` look at: the shipped fill loop, and planted loops that leak, to show that both would see it.
//!
//! `subject fixed` fills slices with every construction, every random word marked undefined for valgrind. `subject branch` and `subject address` run
//! the planted ones. Outside valgrind the marks do nothing.

use std::hint::black_box;

use certus::{
    bits::{Bits, BitsError, seeded},
    exact::{Positive, parse},
    sample::fixed::{FixedGaussian, FixedLaplace, Mode},
};

/// VALGRIND_MAKE_MEM_UNDEFINED (tool base "MC", request 1): whatever branches on it, or takes it for an address, is reported.
const MAKE_UNDEFINED: u64 = 0x4d43_0001;

/// VALGRIND_MAKE_MEM_DEFINED: no secret any more.
const MAKE_DEFINED: u64 = 0x4d43_0002;

/// Tells memcheck about memory.
#[cfg(target_arch = "x86_64")]
fn tell(request: u64, words: &mut [u64]) {
    let arguments: [u64; 6] = [request, words.as_mut_ptr() as u64, std::mem::size_of_val(words) as u64, 0, 0, 0];
    // SAFETY: valgrind's client request: rotations of rdi by 128 bits in all, and a swap of rbx with itself, which change nothing. Under
    // valgrind the answer comes in rdx.
    unsafe {
        core::arch::asm!(
            "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
            in("rax") arguments.as_ptr(),
            inout("rdx") 0u64 => _,
        );
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn tell(_: u64, _: &mut [u64]) {}

/// ChaCha20, every word of it secret.
struct Secret<B>(B);

impl<B: Bits> Bits for Secret<B> {
    fn take(&mut self, count: u32) -> Result<u64, BitsError> {
        let mut word = [self.0.take(count)?];
        tell(MAKE_UNDEFINED, &mut word);
        Ok(black_box(word)[0])
    }

    fn words(&mut self, words: &mut [u64]) -> Result<(), BitsError> {
        self.0.words(words)?;
        tell(MAKE_UNDEFINED, words);
        Ok(())
    }

    fn disclose(&mut self, found: &mut [u64]) {
        tell(MAKE_DEFINED, found);
    }
}

const TABLE: [u64; 16] = {
    let mut table = [0; 16];
    let mut i = 0;
    while i < 16 {
        table[i] = (i as u64 + 1) << 60 | 12345;
        i += 1;
    }
    table[15] = u64::MAX;
    table
};

/// Planted: the scan ends as soon as it has found the place.
#[inline(never)]
fn planted_early_exit(words: &[u64], out: &mut [i64]) {
    for (word, out) in words.iter().zip(out) {
        let mut place = 0;
        for threshold in black_box(&TABLE) {
            if threshold > word {
                break;
            }
            place += 1;
        }
        *out = place;
    }
}

/// Planted: the noise is looked up at a secret place.
#[inline(never)]
fn planted_look_up(words: &[u64], out: &mut [i64]) {
    let table: &[u64; 16] = black_box(&TABLE);
    for (word, out) in words.iter().zip(out) {
        *out = table[(word >> 60) as usize] as i64;
    }
}

fn positive(text: &str) -> Positive {
    Positive::new(parse(text).expect("a number")).expect("positive")
}

fn main() {
    let mut out = [0; 200];
    let mut bits = Secret(seeded([5; 32]));
    let planted: Option<fn(&[u64], &mut [i64])> = match std::env::args().nth(1).as_deref() {
        Some("fixed") => None,
        Some("branch") => Some(planted_early_exit),
        Some("address") => Some(planted_look_up),
        _ => {
            eprintln!("usage: subject fixed | branch | address");
            std::process::exit(2);
        }
    };
    if let Some(planted) = planted {
        let mut words = [0; 200];
        bits.words(&mut words).expect("no failure");
        planted(&words, &mut out);
        black_box(out);
        return;
    }
    for mode in [Mode::Standard, Mode::Wide] {
        for scale in ["1/2", "2", "1000", "1099511627776"] {
            FixedGaussian::new(&positive(scale), mode)
                .expect("in range")
                .fill(&mut bits, &mut out)
                .expect("no failure");
            black_box(&mut out);
            FixedLaplace::new(&positive(scale), mode).expect("in range").fill(&mut bits, &mut out).expect("no failure");
            black_box(&mut out);
        }
    }
}
