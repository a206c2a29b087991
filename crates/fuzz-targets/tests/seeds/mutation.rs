//! Small mutations of seeds, from a fixed random seed: each run makes the same ones.
//!
//! This does not replace libFuzzer, which is guided by coverage. It finds bugs that a single wrong
//! byte triggers, in seconds and on stable Rust.

/// Longer inputs are cut: they would take most of the time.
const LONGEST: usize = 16 << 10;

/// Values at which bounds and lengths often break.
const INTERESTING: &[u8] =
    &[0, 1, 0x7d, 0x7e, 0x7f, 0x80, 0xfe, 0xff, b'\n', b'\r', b'"', b'{', b'}', b'\\', b'<', b';'];

/// An endless sequence of mutated seeds.
pub(crate) struct Mutations<'s> {
    seeds: &'s [Vec<u8>],
    state: u64,
}

impl<'s> Mutations<'s> {
    pub(crate) fn of(seeds: &'s [Vec<u8>]) -> Self {
        Self { seeds, state: 0x9e37_79b9_7f4a_7c15 }
    }

    /// A number below `bound`, which must not be zero.
    fn below(&mut self, bound: usize) -> usize {
        // xorshift64*
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        (self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }

    fn seed(&mut self) -> &'s [u8] {
        let at = self.below(self.seeds.len());
        &self.seeds[at]
    }

    /// A part of at most `longest` bytes.
    fn part<'b>(&mut self, of: &'b [u8], longest: usize) -> &'b [u8] {
        let from = self.below(of.len() + 1);
        let length = self.below(longest) + 1;
        &of[from..of.len().min(from + length)]
    }

    fn change(&mut self, input: &mut Vec<u8>) {
        let at = self.below(input.len() + 1);
        match self.below(6) {
            0 if at < input.len() => input[at] ^= 1 << self.below(8),
            1 if at < input.len() => input[at] = INTERESTING[self.below(INTERESTING.len())],
            2 => input.insert(at, INTERESTING[self.below(INTERESTING.len())]),
            3 => {
                let end = input.len().min(at + self.below(32) + 1);
                input.drain(at..end);
            }
            4 => {
                let other = self.seed();
                let part = self.part(other, 64);
                input.splice(at..at, part.iter().copied());
            }
            _ => {
                let own = input.clone();
                let part = self.part(&own, 64);
                input.splice(at..at, part.iter().copied());
            }
        }
    }
}

impl Iterator for Mutations<'_> {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        let mut input = self.seed().to_vec();
        for _ in 0..=self.below(4) {
            self.change(&mut input);
        }
        input.truncate(LONGEST);
        Some(input)
    }
}
