//! Which bug is turned on: the number in the environment variable `PLANTED`.

use std::sync::OnceLock;

pub(crate) fn is(number: u32) -> bool {
    static PLANTED: OnceLock<Option<u32>> = OnceLock::new();
    let planted = PLANTED.get_or_init(|| std::env::var("PLANTED").ok().and_then(|text| text.parse().ok()));
    *planted == Some(number)
}
