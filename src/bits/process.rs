//! The process that made something which a fork must not copy.

/// A process, by its id. Where there is no fork (not Unix, or without the standard library) all are the same.
///
/// What this does not see: a snapshot of a virtual machine, and a child that has its parent's very number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Process(u32);

impl Process {
    /// The one that runs this.
    #[inline]
    pub(crate) fn this() -> Self {
        #[cfg(all(feature = "std", unix))]
        let id = std::process::id();
        #[cfg(not(all(feature = "std", unix)))]
        let id = 0;
        Self(id)
    }

    /// Whether it is the one that runs this: not so in a child that a fork gave a copy of what its parent
    /// made.
    #[inline]
    pub(crate) fn is_this(self) -> bool {
        self == Self::this()
    }

    /// Some other one, as a parent is to its child.
    #[cfg(all(test, unix))]
    pub(crate) fn another() -> Self {
        Self(Self::this().0.wrapping_add(1))
    }
}
