//! What each thread of a GPU does to draw exact noise: compiled for the GPU, and for the host, where tests
//! run it thread by thread.
//!
//! The samplers' integer code is not here: it is in `certus-kernel`, whose functions the processor calls too.
//! Here is who reads which words, and where what comes of them is written:
//!
//! | file | what it holds |
//! | --- | --- |
//! | [`launch`] | what a launch is told: the range, the tensor, the key, the lists, the counters |
//! | [`construction`] | the three constructions, as tables in the GPU's memory |
//! | [`dense`] | the first kernel: eight samples from each block of stream 0 |
//! | [`lists`] | the slots that the first kernel leaves open |
//! | [`finish`] | the second kernel: open slots, with words of streams 1, 2, … |
//! | [`output`] | tensors of 32 or 64 bits, filled or added to |
//! | [`rounding`] | gradients of single examples, rounded to integers of a bounded norm and added up |
//! | [`count`], [`bare`] | for tests and measurements: histograms on the device, and words of ChaCha20 alone |
//! | `entries` | the names by which a host launches them; on the GPU alone |
//!
//! Whatever is called from a kernel must be generic or `#[inline]` and must not panic: nothing else comes
//! along into the PTX.

#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, stdarch_nvptx))]

pub mod bare;
pub mod construction;
pub mod count;
pub mod dense;
#[cfg(target_arch = "nvptx64")]
mod entries;
pub mod finish;
pub mod launch;
pub mod lists;
pub mod output;
pub mod rounding;
