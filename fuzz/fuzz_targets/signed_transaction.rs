//! Feeds `deedbox_fuzz::signed_transaction`. Without a fuzzer it does nothing, so that it always compiles.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| deedbox_fuzz::signed_transaction(data));

#[cfg(not(fuzzing))]
fn main() {}
