//! "Did you mean …?": the known name that is most like an unknown one.

use strsim::osa_distance;

/// The name with the fewest letters to change, or nothing to suggest.
pub fn nearest<'n>(wrong: &str, names: impl Iterator<Item = &'n str>) -> &'n str {
    // A name in the wrong place is compared by its own part: `bind` is `server.bind`.
    let own = |name: &'n str| match name.rsplit_once('.') {
        Some((_, last)) if !wrong.contains('.') => last,
        _ => name,
    };
    names.min_by_key(|name| osa_distance(wrong, own(name))).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typing_error_finds_its_name() {
        let names = ["memory.forget_all", "jailbreak.dan_mode", "override.new_instructions"];
        assert_eq!(nearest("jailbrake.dan-mode", names.into_iter()), "jailbreak.dan_mode");
        assert_eq!(nearest("dan-mode", names.into_iter()), "jailbreak.dan_mode");
        assert_eq!(nearest("bnid", ["and", "bind"].into_iter()), "bind");
        assert_eq!(nearest("x", std::iter::empty()), "");
    }
}
