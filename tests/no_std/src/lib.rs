//! If any crate below linked `std`, there would be two panic handlers, and this would not build.
#![no_std]

extern crate alloc;

use core::alloc::{GlobalAlloc, Layout};

use certus::{
    bits::seeded,
    exact::{Positive, Rational},
    sample::{Gaussian, Program},
};

/// Refuses every request: this library is linked, never run.
struct Nothing;

unsafe impl GlobalAlloc for Nothing {
    unsafe fn alloc(&self, _: Layout) -> *mut u8 {
        core::ptr::null_mut()
    }
    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static NOTHING: Nothing = Nothing;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

/// Draws a sample, so that the samplers are linked and not only compiled.
#[unsafe(no_mangle)]
pub extern "C" fn certus_sample(sigma: i64, seed: u8) -> i64 {
    let Ok(sigma) = Positive::new(Rational::from_integer(sigma.into())) else { return 0 };
    Gaussian::new(&sigma).sample(&mut seeded([seed; 32])).ok().and_then(|noise| noise.to_i64()).unwrap_or(0)
}
