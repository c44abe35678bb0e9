//! Shared harness.
