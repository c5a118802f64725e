//! The names by which a host launches the kernels: each finds out which thread it is, and runs its body.

use core::arch::nvptx::{_block_dim_x, _block_idx_x, _grid_dim_x, _thread_idx_x};

use crate::{
    bare, construction::{Table, Tables, Wide}, count::{self, Count}, dense::dense, finish::finish, launch::{Launch, Thread},
    rounding::{self, Rounding},
};

#[inline(always)]
fn thread() -> Thread {
    // SAFETY: reading a special register has no effect.
    unsafe {
        Thread {
            block: _block_idx_x(),
            index: _thread_idx_x(),
            blocks: _grid_dim_x(),
            size: _block_dim_x(),
        }
    }
}

macro_rules! entries {
    ($($dense:ident $finish:ident $tables:ty, $word:ty, $add:literal;)*) => { $(
        /// The first kernel.
        ///
        /// # Safety
        ///
        /// As [`Launch`] and [`Tables::view`] say.
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $dense(tables: $tables, launch: Launch<$word>) {
            // SAFETY: the caller's.
            unsafe { dense::<_, $word, $add>(&tables.view(), &launch, thread()) }
        }

        /// The second kernel.
        ///
        /// # Safety
        ///
        /// As [`Launch`] and [`Tables::view`] say.
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $finish(tables: $tables, launch: Launch<$word>) {
            // SAFETY: the caller's.
            unsafe { finish::<_, $word, $add>(&tables.view(), &launch, thread()) }
        }
    )* };
}

entries! {
    dense_table_fill_i32 finish_table_fill_i32 Table, i32, false;
    dense_table_fill_i64 finish_table_fill_i64 Table, i64, false;
    dense_table_add_i32 finish_table_add_i32 Table, i32, true;
    dense_table_add_i64 finish_table_add_i64 Table, i64, true;
    dense_wide_fill_i32 finish_wide_fill_i32 Wide<0>, i32, false;
    dense_wide_fill_i64 finish_wide_fill_i64 Wide<0>, i64, false;
    dense_wide_add_i32 finish_wide_add_i32 Wide<0>, i32, true;
    dense_wide_add_i64 finish_wide_add_i64 Wide<0>, i64, true;
    dense_wider_fill_i32 finish_wider_fill_i32 Wide<16>, i32, false;
    dense_wider_fill_i64 finish_wider_fill_i64 Wide<16>, i64, false;
    dense_wider_add_i32 finish_wider_add_i32 Wide<16>, i32, true;
    dense_wider_add_i64 finish_wider_add_i64 Wide<16>, i64, true;
}

/// Words of ChaCha20.
///
/// # Safety
///
/// As [`Launch`] says.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn bare_i64(launch: Launch<i64>) {
    // SAFETY: the caller's.
    unsafe { bare::bare(&launch, thread()) }
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
