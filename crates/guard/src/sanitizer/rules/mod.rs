//! The built-in rules, as data: one file for each subject, in one catalogue.

mod harness;
mod internals;
pub(super) mod links;
mod names;
mod secrets;

use self::{harness::HARNESS, internals::INTERNALS, links::LINKS, names::NAMES, secrets::SECRETS};
use super::rule::{BLANK, MaskRule};

/// All built-in rules. Two more, `home` and `workspace`, come from the settings.
#[must_use]
pub fn builtin_rules() -> &'static [MaskRule] {
    &ALL
}

/// The catalogue, in the order in which rules win where they match the same text.
const PARTS: [&[MaskRule]; 5] = [NAMES, LINKS, INTERNALS, HARNESS, SECRETS];

const COUNT: usize = NAMES.len() + LINKS.len() + INTERNALS.len() + HARNESS.len() + SECRETS.len();

static ALL: [MaskRule; COUNT] = {
    let mut all = [BLANK; COUNT];
    let (mut next, mut part) = (0, 0);
    while part < PARTS.len() {
        let mut rule = 0;
        while rule < PARTS[part].len() {
            all[next] = PARTS[part][rule];
            (next, rule) = (next + 1, rule + 1);
        }
        part += 1;
    }
    all
};
