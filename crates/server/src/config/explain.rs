//! What a mistake in the configuration is called: the place, and the nearest
//! thing that would have been right.

/// The error as it is shown, with a suggestion where a name is not known.
pub(super) fn explain(error: &toml::de::Error) -> String {
    let text = error.to_string();
    match suggestion(error.message()) {
        Some(nearest) => format!("{}\ndid you mean `{nearest}`?", text.trim_end()),
        None => text.trim_end().to_owned(),
    }
}

/// The name that is most like a wrong one.
pub(super) fn nearest<'n>(wrong: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    // A key in the wrong section is compared by its own name.
    let own = |name: &'n str| name.rsplit('.').next().unwrap_or(name);
    names.min_by_key(|name| strsim::damerau_levenshtein(wrong, own(name)))
}

/// serde says "unknown field `x`, expected one of `a`, `b`"; names that stand
/// in other sections are candidates too.
fn suggestion<'m>(message: &'m str) -> Option<&'m str> {
    let rest = message
        .strip_prefix("unknown field ")
        .or_else(|| message.strip_prefix("unknown variant "))?;
    let mut quoted = rest.split('`').skip(1).step_by(2);
    let wrong = quoted.next()?;
    let elsewhere = super::environment::known_keys()
        .filter(|_| message.starts_with("unknown field"))
        .map(|key| -> &'m str { key });
    nearest(wrong, quoted.chain(elsewhere))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_suggested() {
        let fields = "unknown field `bnid`, expected one of `bind`, `data_dir`";
        assert_eq!(suggestion(fields), Some("bind"));
        let misplaced = "unknown field `bind`, expected one of `server`, `access`";
        assert_eq!(suggestion(misplaced), Some("server.bind"));
        let variant = "unknown variant `stric`, expected one of `strict`, `monitor`";
        assert_eq!(suggestion(variant), Some("strict"));
        assert_eq!(suggestion("invalid type: integer `1`, expected a string"), None);
    }
}
