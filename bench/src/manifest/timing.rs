//! Medians of interleaved samples, and numbers of allocations.

use std::{
    alloc::System,
    time::{Duration, Instant},
};

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Samples of each; odd, so that there is one in the middle.
const SAMPLES: usize = 21;
/// How long one sample takes at least.
const SAMPLE: Duration = Duration::from_millis(20);

/// Nanoseconds a call, the median of all samples.
pub(crate) struct Compared {
    pub(crate) first: f64,
    pub(crate) second: f64,
}

/// Times two things in turn, so that what else the machine does slows both.
pub(crate) fn compare(mut first: impl FnMut(), mut second: impl FnMut()) -> Compared {
    let (calls_first, calls_second) = (calls(&mut first), calls(&mut second));
    let mut samples = (Vec::new(), Vec::new());
    for _ in 0..SAMPLES {
        samples.0.push(sample(&mut first, calls_first));
        samples.1.push(sample(&mut second, calls_second));
    }
    Compared {
        first: median(samples.0),
        second: median(samples.1),
    }
}

/// Nanoseconds a call.
pub(crate) fn time(mut work: impl FnMut()) -> f64 {
    let calls = calls(&mut work);
    median((0..SAMPLES).map(|_| sample(&mut work, calls)).collect())
}

/// Requests for memory during one call.
pub(crate) fn allocations(work: impl FnOnce()) -> usize {
    let region = Region::new(ALLOCATOR);
    work();
    let change = region.change();
    change.allocations + change.reallocations
}

/// How many calls make a sample long enough.
fn calls(work: &mut impl FnMut()) -> u32 {
    let mut calls = 1;
    loop {
        let start = Instant::now();
        (0..calls).for_each(|_| work());
        if start.elapsed() >= SAMPLE {
            return calls;
        }
        calls *= 2;
    }
}

fn sample(work: &mut impl FnMut(), calls: u32) -> f64 {
    let start = Instant::now();
    (0..calls).for_each(|_| work());
    start.elapsed().as_secs_f64() * 1e9 / f64::from(calls)
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}
