//! What the fuzzers look for, quickly and on the stable toolchain: the kept corpus, and small changes of it.
//!
//! `fuzz/` says how to run the fuzzers themselves.
#![expect(clippy::unwrap_used, reason = "a test's helper may end it")]

use std::{fs, path::Path};

use deedbox_neighbours::tools;
use deedbox_tests::random::Random;

/// Changed inputs for each target.
const CHANGED: usize = 4_000;
/// Longer inputs are left to the fuzzers, which are built for speed.
const LONGEST: usize = 16 * 1024;

fn corpus(folder: &Path) -> Vec<Vec<u8>> {
    assert!(folder.is_dir(), "{} is missing", folder.display());
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    // In an order that the file system does not decide, or the seed would not repeat a run.
    files.sort();
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

fn index(random: &mut Random, end: usize) -> usize {
    usize::try_from(random.below(end.max(1) as u64)).unwrap()
}

/// One input with a few changes, as a fuzzer makes them.
fn changed(random: &mut Random, inputs: &[Vec<u8>]) -> Vec<u8> {
    const TELLING: &[u8] = b"\0 \"\\/:.@[]{},-+0aAfFxe\x7f\x80\xc3\xef\xff";
    let mut input = random.pick(inputs).clone();
    for _ in 0..=random.below(4) {
        let at = index(random, input.len() + 1);
        match random.below(6) {
            0 => input.insert(at, *random.pick(TELLING)),
            1 if at < input.len() => {
                input.remove(at);
            }
            2 if at < input.len() => input[at] = *random.pick(TELLING),
            3 if at < input.len() => input[at] ^= 1 << random.below(8),
            4 => {
                let other = random.pick(inputs);
                let from = index(random, other.len());
                input.truncate(at);
                input.extend_from_slice(&other[from..]);
            }
            _ => {
                let end = at + index(random, input.len() - at + 1);
                let again = input[at..end].to_vec();
                input.splice(at..at, again);
            }
        }
    }
    input.truncate(LONGEST);
    input
}

#[test]
fn what_fuzzers_look_for_holds_for_the_kept_corpus_and_for_what_is_like_it() {
    let random = Random::seeded();
    for (n, (target, run)) in (0..).zip(deedbox_fuzz::TARGETS) {
        let inputs = corpus(&tools::root().join("fuzz/corpus").join(target));
        assert!(inputs.len() >= 10, "{target} has {} inputs", inputs.len());
        for input in &inputs {
            run(input);
        }
        let mut random = random.fork(n);
        for _ in 0..CHANGED {
            run(&changed(&mut random, &inputs));
        }
    }
}

#[test]
fn every_target_has_a_fuzzer_and_a_corpus() {
    for folder in ["fuzz_targets", "corpus"] {
        let mut found: Vec<String> = fs::read_dir(tools::root().join("fuzz").join(folder))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
            .collect();
        found.sort();
        let mut targets: Vec<_> = deedbox_fuzz::TARGETS
            .iter()
            .map(|(name, _)| *name)
            .collect();
        targets.sort_unstable();
        assert_eq!(found, targets, "fuzz/{folder}");
    }
}
