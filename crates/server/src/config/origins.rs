//! Lists of origins: other sites, as browsers name them.

use super::public_url::PublicUrl;
use super::{AtPlace, ConfigError};

/// Origins as browsers send them. There is no `*`: it would be every page there is.
pub(super) fn origins(given: Option<Vec<String>>, place: &str) -> Result<Vec<String>, ConfigError> {
    let given = given.unwrap_or_default();
    let each = given.iter().map(|text| origin(text));
    each.collect::<Result<_, String>>().at(place)
}

/// An origin as a browser sends it, from how somebody wrote it.
pub(crate) fn origin(text: &str) -> Result<String, String> {
    text.parse::<PublicUrl>().map(|url| url.as_str().to_owned())
}
