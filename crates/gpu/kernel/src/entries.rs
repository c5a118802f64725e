//! The names by which a host launches the kernels: each finds out which thread it is, and runs its body.

use core::arch::nvptx::{_block_dim_x, _block_idx_x, _grid_dim_x, _thread_idx_x};

use crate::{
    bare,
    construction::{List, Table, Tables, Wide},
    count::{self, Count},
    dense::dense,
    finish::finish,
    launch::{Counters, Launch, Thread},
    lists::{Lists, Open},
    rounding::{self, Rounding},
};

#[inline(always)]
fn thread() -> Thread {
    // SAFETY: reading a special register has no effect.
    unsafe { Thread { block: _block_idx_x(), index: _thread_idx_x(), blocks: _grid_dim_x(), size: _block_dim_x() } }
}

/// The entries of one construction: each takes the fields of its tables and of its launch one by one, since the
/// compiler then knows that what they point to is in global memory. The order is that of `Tables::arguments`
/// and `Launch::arguments`.
macro_rules! entries {
    ($make:expr, ($($field:ident: $type:ty),*), $($dense:ident $finish:ident $word:ty, $add:literal;)*) => {
        entries! { each $make, ($($field: $type),*), $($dense dense $word, $add; $finish finish $word, $add;)* }
    };
    (each $make:expr, $fields:tt, $($name:ident $body:ident $word:ty, $add:literal;)*) => {
        $(entries! { one $make, $fields, $name $body $word, $add })*
    };
    (one $make:expr, ($($field:ident: $type:ty),*), $name:ident $body:ident $word:ty, $add:literal) => {
        /// One of the two kernels, by its name.
        ///
        /// # Safety
        ///
        /// As [`Launch`] and [`Tables::view`] say.
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $name(
            $($field: $type,)*
            key: *const u32, out: *mut $word, first: u64, len: u64, entries: *mut Open, lengths: *mut u32,
            room: u32, done: *mut u32, goes_on: u32, hard_room: u32, hard: *mut u64, counters: *mut Counters,
        ) {
            let lists = Lists { entries, lengths, room };
            let launch = Launch { key, out, first, len, lists, done, goes_on, hard_room, hard, counters };
            // SAFETY: the caller's.
            unsafe { $body::<_, $word, $add>(&$make($($field),*).view(), &launch, thread()) }
        }
    };
}

const fn list<T>(first: *const T, len: u64) -> List<T> {
    List { first, len }
}

entries! {
    |guide, guide_len, thresholds, thresholds_len| Table {
        guide: list(guide, guide_len),
        thresholds: list(thresholds, thresholds_len),
    },
    (guide: *const u32, guide_len: u64, thresholds: *const u64, thresholds_len: u64),
    dense_table_fill_i32 finish_table_fill_i32 i32, false;
    dense_table_fill_i64 finish_table_fill_i64 i64, false;
    dense_table_add_i32 finish_table_add_i32 i32, true;
    dense_table_add_i64 finish_table_add_i64 i64, true;
}

macro_rules! wide {
    ($second:literal, $($rest:tt)*) => {
        entries! {
            |guide, guide_len, thresholds, thresholds_len, finer, finer_len, sure, sure_len, prefix, offset, squeeze,
             is_gaussian, mantissa, exponent, has_reciprocal| Wide::<$second> {
                guide: list(guide, guide_len),
                thresholds: list(thresholds, thresholds_len),
                finer: list(finer, finer_len),
                sure: list(sure, sure_len),
                prefix, offset, squeeze, is_gaussian, mantissa, exponent, has_reciprocal,
            },
            (guide: *const u32, guide_len: u64, thresholds: *const u64, thresholds_len: u64, finer: *const u64,
             finer_len: u64, sure: *const u64, sure_len: u64, prefix: u32, offset: u32, squeeze: u32,
             is_gaussian: u32, mantissa: u64, exponent: u32, has_reciprocal: u32),
            $($rest)*
        }
    };
}

wide! { 0,
    dense_wide_fill_i32 finish_wide_fill_i32 i32, false;
    dense_wide_fill_i64 finish_wide_fill_i64 i64, false;
    dense_wide_add_i32 finish_wide_add_i32 i32, true;
    dense_wide_add_i64 finish_wide_add_i64 i64, true;
}

wide! { 16,
    dense_wider_fill_i32 finish_wider_fill_i32 i32, false;
    dense_wider_fill_i64 finish_wider_fill_i64 i64, false;
    dense_wider_add_i32 finish_wider_add_i32 i32, true;
    dense_wider_add_i64 finish_wider_add_i64 i64, true;
}

/// Words of ChaCha20.
///
/// # Safety
///
/// As [`bare::bare`] says.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn bare_i64(key: *const u32, out: *mut i64, len: u64) {
    // SAFETY: the caller's.
    unsafe { bare::bare(key, out, len, thread()) }
}

/// Histograms.
///
/// # Safety
///
/// As [`Count`] says.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn count_i64(of: Count) {
    // SAFETY: the caller's.
    unsafe { count::count(&of, thread()) }
}

/// Gradients, rounded and added up.
///
/// # Safety
///
/// As [`Rounding`] says.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn round_f32(of: Rounding) {
    // SAFETY: the caller's.
    unsafe { rounding::round(&of, thread()) }
}
