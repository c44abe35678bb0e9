//! Chance that can be repeated.

/// A small generator (SplitMix64). Good enough for mixing up tests; not for secrets.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The run's seed, printed so that a failing run can be repeated with `DEEDBOX_SEED=<number>`.
    #[must_use]
    #[expect(clippy::print_stdout, reason = "the seed belongs to a test's output")]
    pub fn seeded() -> Self {
        let seed = std::env::var("DEEDBOX_SEED")
            .ok()
            .and_then(|text| text.parse().ok())
            .unwrap_or_else(|| std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), 0));
        println!("DEEDBOX_SEED={seed}");
        Self(seed)
    }

    /// A generator of its own for the `n`th of several clients.
    #[must_use]
    pub fn fork(&self, n: u64) -> Self {
        let mut child = Self(self.0 ^ n.wrapping_mul(0xd134_2543_de82_ef95));
        child.draw();
        child
    }

    /// The next 64 bits.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`, which is not zero.
    pub fn below(&mut self, end: u64) -> u64 {
        self.draw() % end
    }

    /// One of `items`, which are not none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        let i = usize::try_from(self.below(items.len() as u64)).unwrap_or(0);
        &items[i]
    }
}
