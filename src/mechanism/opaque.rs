//! `Debug` without what is private.

/// Implements `Debug` for programs that hold a private input: the name of the type and nothing that it holds,
/// so that no log, panic message or assertion repeats a record, an answer or a score.
macro_rules! opaque_debug {
    ($($name:ident $(<$parameter:ident>)?),+ $(,)?) => {$(
        impl $(<$parameter>)? core::fmt::Debug for $name $(<$parameter>)? {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    )+};
}

pub(crate) use opaque_debug;
