//! Errors of the configuration file, with a suggestion if a known name is similar.

use super::suggestion::similar;

/// The error as it is shown, with a suggestion for an unknown name.
pub(super) fn explain(error: &toml::de::Error) -> String {
    let text = error.to_string();
    match suggestion(error.message()) {
        Some(nearest) => format!("{}\ndid you mean `{nearest}`?", text.trim_end()),
        None => text.trim_end().to_owned(),
    }
}

/// The same without the place in the text, for whoever names the key.
pub(super) fn in_short(error: &toml::de::Error) -> String {
    match suggestion(error.message()) {
        Some(nearest) => format!("{}; did you mean `{nearest}`?", error.message()),
        None => error.message().to_owned(),
    }
}

/// The name of a field that is unknown, if that is what is wrong.
pub(super) fn unknown_field(message: &str) -> Option<&str> {
    message.strip_prefix("unknown field `")?.split('`').next()
}

/// serde says "unknown field `x`, expected one of `a`, `b`". Suggests one of these if it
/// is similar, else the same name in another section.
fn suggestion(message: &str) -> Option<&str> {
    let is_field = message.starts_with("unknown field ");
    let rest = message
        .strip_prefix("unknown field ")
        .or_else(|| message.strip_prefix("unknown variant "))?;
    let mut quoted = rest.split('`').skip(1).step_by(2);
    let unknown = quoted.next()?;
    let own_name = |key: &&str| key.rsplit('.').next() == Some(unknown);
    similar(unknown, quoted)
        .or_else(|| super::environment::known_keys().filter(|_| is_field).find(own_name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_similar_name_is_suggested() {
        let fields = "unknown field `bnid`, expected one of `bind`, `data_dir`";
        assert_eq!(suggestion(fields), Some("bind"));
        let misplaced = "unknown field `bind`, expected one of `server`, `access`";
        assert_eq!(suggestion(misplaced), Some("server.bind"));
        let variant = "unknown variant `stric`, expected one of `strict`, `monitor`";
        assert_eq!(suggestion(variant), Some("strict"));
        assert_eq!(suggestion("invalid type: integer `1`, expected a string"), None);
        let section = "unknown field `storage`, expected one of `server`, `access`, `tenants`";
        assert_eq!(suggestion(section), None, "nothing is like it");
        let section = "unknown field `tenant`, expected one of `server`, `access`, `tenants`";
        assert_eq!(suggestion(section), Some("tenants"));
    }
}
