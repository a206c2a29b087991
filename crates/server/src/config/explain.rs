//! What a mistake in the configuration is called: the place, and the nearest
//! thing that would have been right.

use parlor_guard::nearest;

/// The error as it is shown, with a suggestion where a name is not known.
pub(super) fn explain(error: &toml::de::Error) -> String {
    let text = error.to_string();
    match suggestion(error.message()) {
        Some(nearest) => format!("{}\ndid you mean `{nearest}`?", text.trim_end()),
        None => text.trim_end().to_owned(),
    }
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
    Some(nearest(wrong, quoted.chain(elsewhere))).filter(|name| !name.is_empty())
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
