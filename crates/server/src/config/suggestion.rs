//! "Did you mean …?": the known name that is most like an unknown one.

use strsim::osa_distance;

/// The known name that was probably meant: at most a third of its letters differ, or one
/// of both begins with the other. Swapped neighbours count as one letter.
pub(super) fn similar<'n>(unknown: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let most = (unknown.chars().count() / 3).max(1);
    let is_prefix = |name: &str| {
        let shorter = name.len().min(unknown.len());
        shorter > 2 && (unknown.starts_with(name) || name.starts_with(unknown))
    };
    names
        .map(|name| (osa_distance(unknown, name), name))
        .filter(|(distance, name)| *distance <= most || is_prefix(name))
        .min()
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typing_error_finds_its_name() {
        let names = ["server", "access", "tenants"];
        assert_eq!(similar("sever", names.into_iter()), Some("server"));
        assert_eq!(similar("tenant", names.into_iter()), Some("tenants"));
        assert_eq!(similar("newest", ["new", "resume"].into_iter()), Some("new"));
        assert_eq!(similar("bnid", ["and", "bind"].into_iter()), Some("bind"));
        for unknown in ["storage", "x", ""] {
            assert_eq!(similar(unknown, names.into_iter()), None, "{unknown}");
        }
    }
}
