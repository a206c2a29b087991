//! Colours of a configuration, and the accents that are made of them: readable on every
//! background of the interface, in both themes (WCAG 2.2, 1.4.3).
//!
//! A colour that is too light for the light theme is darkened there, and lightened in the dark
//! theme, by no more than it must be. There is always such an accent, so no colour is refused.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// A colour, in sRGB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Colour([u8; 3]);

/// An accent for both themes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Accent {
    /// In the light theme.
    pub light: Colour,
    /// In the dark theme.
    pub dark: Colour,
}

const WHITE: Colour = Colour([255; 3]);
const BLACK: Colour = Colour([0; 3]);
/// The backgrounds with the least contrast: `--raised` of `web/src/styles.css`.
const RAISED_LIGHT: Colour = Colour([0xf3, 0xf1, 0xed]);
const RAISED_DARK: Colour = Colour([0x28, 0x25, 0x22]);
/// The contrast that text needs.
const READABLE: f64 = 4.5;

impl Accent {
    /// The accent that is most like a colour.
    pub(crate) fn of(colour: Colour) -> Self {
        Self {
            light: colour.towards(BLACK, RAISED_LIGHT),
            dark: colour.towards(WHITE, RAISED_DARK),
        }
    }
}

impl Colour {
    /// The nearest mixture with another colour that can be read on a background.
    fn towards(self, end: Self, background: Self) -> Self {
        const STEPS: u16 = 100;
        let mut mixed = (0..=STEPS).map(|step| self.mixed(end, step, STEPS));
        mixed.find(|one| one.contrast(background) >= READABLE).unwrap_or(end)
    }

    fn mixed(self, end: Self, step: u16, steps: u16) -> Self {
        let part = |at: usize| {
            let (from, to) = (u32::from(self.0[at]), u32::from(end.0[at]));
            let (step, steps) = (u32::from(step), u32::from(steps));
            u8::try_from((from * (steps - step) + to * step) / steps).unwrap_or(u8::MAX)
        };
        Self([part(0), part(1), part(2)])
    }

    /// From 1 to 21.
    fn contrast(self, other: Self) -> f64 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }

    fn luminance(self) -> f64 {
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        let [red, green, blue] = self.0;
        0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }
}

impl FromStr for Colour {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6);
        let digits = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let number = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let [_, red, green, blue] = number
            .map(u32::to_be_bytes)
            .ok_or_else(|| format!("'{text}' is no colour; write it like \"#2f6f5e\""))?;
        Ok(Self([red, green, blue]))
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

impl Serialize for Colour {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accent(text: &str) -> Accent {
        Accent::of(text.parse().unwrap())
    }

    /// U-4, U-10: every accent can be read on every background, and what is written on it too.
    #[test]
    fn every_accent_is_readable_in_both_themes() {
        for red in (0..=255).step_by(51) {
            for green in (0..=255).step_by(51) {
                for blue in (0..=255).step_by(51) {
                    let Accent { light, dark } = Accent::of(Colour([red, green, blue]));
                    for background in [RAISED_LIGHT, Colour([0xfa, 0xf9, 0xf7]), WHITE] {
                        assert!(light.contrast(background) >= READABLE, "{light}");
                    }
                    let ink = Colour([0x10, 0x11, 0x0f]);
                    for background in [RAISED_DARK, Colour([0x16, 0x15, 0x14]), ink] {
                        assert!(dark.contrast(background) >= READABLE, "{dark}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_colour_that_is_readable_stays() {
        assert_eq!(accent("#2f6f5e").light.to_string(), "#2f6f5e");
        assert_eq!(accent("#5FB39B").dark.to_string(), "#5fb39b");
        assert_ne!(accent("#ffff00").light.to_string(), "#ffff00");
        assert_eq!(accent("#ffff00").dark.to_string(), "#ffff00");
    }

    #[test]
    fn what_is_no_colour_is_refused() {
        for text in ["", "2f6f5e", "#fff", "#2f6f5", "#2f6f5g", "green", "#+f6f5e", "#2f6f5é"] {
            let error = text.parse::<Colour>().unwrap_err();
            assert!(error.contains("\"#2f6f5e\""), "{error}");
        }
    }
}
