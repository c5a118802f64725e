//! Release plans: what is to be released, and from which columns.
