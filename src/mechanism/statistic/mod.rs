//! Statistics of data.
