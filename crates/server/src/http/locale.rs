//! The reader's language: English or Portuguese (U-4).

use axum::http::{HeaderMap, header};
use serde::Serialize;

/// A language of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Locale {
    En,
    Pt,
}

impl Locale {
    /// The browser's preferred language, of those that we have.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let header = headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
        let mut best = (Self::En, 0.0);
        for entry in header.unwrap_or_default().split(',') {
            let (language, weight) = entry.split_once(';').unwrap_or((entry, ""));
            let weight = weight.trim().strip_prefix("q=").map_or(Some(1.0), |q| q.parse().ok());
            let locale = match language.trim().split('-').next().unwrap_or_default() {
                "pt" | "PT" => Self::Pt,
                "en" | "EN" => Self::En,
                _ => continue,
            };
            if weight.is_some_and(|weight: f32| weight > best.1) {
                best = (locale, weight.unwrap_or_default());
            }
        }
        best.0
    }

    /// As in `<html lang>`.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Pt => "pt",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_preferred_language_that_we_have() {
        let of = |line: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_LANGUAGE, line.parse().unwrap());
            Locale::of(&headers).as_str()
        };
        assert_eq!(of("pt-BR,pt;q=0.9,en;q=0.8"), "pt");
        assert_eq!(of("en-US,en;q=0.9,pt;q=0.8"), "en");
        assert_eq!(of("de, pt;q=0.5, en;q=0.1"), "pt");
        assert_eq!(of("de"), "en");
        assert_eq!(of("pt;q=nonsense"), "en");
    }
}
