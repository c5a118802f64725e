//! What is drawn: from the right numbers, once, by the sampler that is named.
