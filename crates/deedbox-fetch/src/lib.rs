//! Fetching what a stranger named, without doing what a stranger wants.
