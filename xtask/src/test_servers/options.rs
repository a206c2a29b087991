//! The options of `cargo xtask services`.

/// Nothing is installed, not even by root.
const NO_INSTALL: &str = "--no-install";
/// What PostgreSQL acknowledges survives a power failure, as in production.
const DURABLE: &str = "--durable";

/// How the servers are provided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Options {
    pub(super) no_install: bool,
    pub(super) durable: bool,
}

impl Options {
    /// For measurements: a commit waits for the disk.
    pub(crate) const DURABLE: Self = Self { no_install: false, durable: true };

    /// Reads the options before a command; returns the command.
    pub(super) fn read<'a, 'w>(mut words: &'a [&'w str]) -> (Self, &'a [&'w str]) {
        let mut options = Self::default();
        while let [word, rest @ ..] = words {
            match *word {
                NO_INSTALL => options.no_install = true,
                DURABLE => options.durable = true,
                _ => break,
            }
            words = rest;
        }
        (options, words)
    }

    /// The same options as words, for the supervisor.
    pub(super) fn words(self) -> impl Iterator<Item = &'static str> {
        let chosen = [(self.no_install, NO_INSTALL), (self.durable, DURABLE)];
        chosen.into_iter().filter_map(|(is_chosen, word)| is_chosen.then_some(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_as_they_are_written() {
        let both = Options { no_install: true, durable: true };
        for options in [Options::default(), Options::DURABLE, both] {
            let mut words: Vec<&str> = options.words().collect();
            words.extend(["cargo", "--durable"]);
            assert_eq!(Options::read(&words), (options, &["cargo", "--durable"][..]));
        }
    }
}
