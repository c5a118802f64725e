//! Every entry of the catalogue has a generator: small parameters, extremes included, and all neighbouring
//! inputs of a small domain, on which the account is checked ([`crate::accounted`]). The generators take
//! typed mechanisms.
//!
//! With `CERTUS_FULL=1` parameters and domains are larger.

mod additive;
mod grid;
mod reports;
mod selection;
mod statistics;
mod thresholds;

use certus::mechanism::CATALOGUE;

/// Whether the larger form is asked for.
fn is_full() -> bool {
    std::env::var_os("CERTUS_FULL").is_some_and(|value| value == "1")
}

/// A test for each entry of the catalogue, under its name.
macro_rules! generators {
    ($($name:ident: $check:path;)*) => {
        $(#[test] fn $name() { $check(); })*

        const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

generators! {
    laplace: additive::laplace;
    gaussian: additive::gaussian;
    randomized_response: reports::randomized_response;
    staircase: additive::staircase;
    truncated_laplace: additive::truncated_laplace;
    truncated_gaussian: additive::truncated_gaussian;
    bounded_laplace: additive::bounded_laplace;
    clamped_laplace: additive::clamped_laplace;
    clamped_gaussian: additive::clamped_gaussian;
    laplace_vector: additive::laplace_vector;
    gaussian_vector: additive::gaussian_vector;
    gaussian_histogram: additive::gaussian_histogram;
    laplace_on_grid: grid::laplace_on_grid;
    gaussian_on_grid: grid::gaussian_on_grid;
    laplace_vector_on_grid: grid::laplace_vector_on_grid;
    gaussian_vector_on_grid: grid::gaussian_vector_on_grid;
    rappor: reports::rappor;
    exponential: selection::exponential;
    permute_and_flip: selection::permute_and_flip;
    noisy_max: selection::noisy_max;
    peeling: selection::peeling;
    noisy_top_k: selection::noisy_top_k;
    above_threshold: thresholds::above_threshold;
    sparse_vector: thresholds::sparse_vector;
    numeric_sparse_vector: thresholds::numeric_sparse_vector;
    count: statistics::count;
    sum: statistics::sum;
    mean: statistics::mean;
    mean_of_known: statistics::mean_of_known;
    variance: statistics::variance;
    histogram: statistics::histogram;
    stability_histogram: statistics::stability_histogram;
    prefix_counts: statistics::prefix_counts;
    quantile: statistics::quantile;
    median: statistics::median;
    smooth_median: statistics::smooth_median;
    median_test: statistics::median_test;
}

/// A new entry of the catalogue comes with a generator.
#[test]
fn every_entry_has_a_generator() {
    let entries = CATALOGUE.iter().flat_map(|family| family.entries).map(|entry| entry.name);
    let missing: Vec<_> = entries.clone().filter(|name| !NAMES.contains(name)).collect();
    assert!(
        missing.is_empty(),
        "no generator of neighbours in crates/audit/tests/mechanisms/catalogue for {missing:?}"
    );
    let unknown: Vec<_> = NAMES.iter().filter(|name| !entries.clone().any(|entry| entry == **name)).collect();
    assert!(unknown.is_empty(), "no entry of the catalogue is called {unknown:?}");
}
