//! A recipe as people write it down: a title, then lines under headings, in English or
//! Portuguese.
//!
//! The first line is the title. Lines before the first heading are times and servings if they
//! read like them, and the description otherwise. Lines under a heading that is not known are
//! not understood.

use super::durations::minutes;
use super::{Found, one_line};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Beginning,
    Ingredients,
    Steps,
    Unknown,
}

const INGREDIENTS: &[&str] = &["ingredients", "ingredientes", "you need", "você precisa de"];
const STEPS: &[&str] = &[
    "steps", "instructions", "method", "directions", "preparation", "how to", "procedure",
    "modo de preparo", "modo de fazer", "modo de preparar", "preparo", "preparação", "passos",
    "instruções", "como fazer",
];
/// Headings of what has no place in a recipe.
const OTHERS: &[&str] =
    &["notes", "tips", "nutrition", "notas", "dicas", "observações", "informação nutricional"];
const SERVINGS: &[&str] = &[
    "serves", "servings", "yield", "yields", "makes", "portions", "serve", "porções", "rende",
    "rendimento",
];
const PREPARATION: &[&str] = &[
    "prep", "prep time", "preparation", "preparation time", "tempo de preparo", "preparo",
    "preparação",
];
const COOKING: &[&str] = &[
    "cook", "cook time", "cooking", "cooking time", "baking time", "tempo de cozimento",
    "cozimento", "tempo de forno", "forno",
];

/// The longest heading.
const HEADING: usize = 40;

/// What the lines mean; none if there is no line.
pub(super) fn read(text: &str) -> Option<Found> {
    let mut lines = text.lines().map(one_line).filter(|line| !line.is_empty());
    let title = lines.next()?.trim_start_matches('#').trim().to_owned();
    let mut found = Found { title, ..Found::default() };
    let mut part = Part::Beginning;
    let mut description = Vec::new();
    for line in lines {
        if let Some(next) = heading(&line, part) {
            // A heading inside a list of ingredients or steps ("For the sauce:") does not end it.
            if next != Part::Unknown || !line.ends_with(':') || !is_list(part) {
                part = next;
            }
            if next == Part::Unknown {
                found.not_understood.push(line);
            }
        } else if part != Part::Steps && fact(&line, &mut found) {
            continue;
        } else {
            match part {
                Part::Beginning => description.push(line),
                Part::Ingredients => found.ingredients.push(without_bullet(&line)),
                Part::Steps => found.steps.push(without_number(&line)),
                Part::Unknown => found.not_understood.push(line),
            }
        }
    }
    found.description = (!description.is_empty()).then(|| description.join(" "));
    Some(found)
}

fn is_list(part: Part) -> bool {
    matches!(part, Part::Ingredients | Part::Steps)
}

/// The part that a heading begins. A line is one if it is a known word, ends with a colon, or
/// is marked with "#".
fn heading(line: &str, before: Part) -> Option<Part> {
    let bare = line
        .trim_start_matches('#')
        .trim()
        .trim_matches('*')
        .trim_end_matches(':')
        .trim()
        .to_lowercase();
    if bare.chars().count() > HEADING || bare.is_empty() {
        return None;
    }
    if INGREDIENTS.contains(&bare.as_str()) {
        Some(Part::Ingredients)
    } else if STEPS.contains(&bare.as_str()) {
        Some(Part::Steps)
    } else {
        let marked = line.starts_with('#') || (line.ends_with(':') && before != Part::Steps);
        (marked || OTHERS.contains(&bare.as_str())).then_some(Part::Unknown)
    }
}

/// Takes servings or a time out of a line such as "Serves 4" or "Prep time: 15 min".
fn fact(line: &str, found: &mut Found) -> bool {
    let lower = line.trim_matches('*').to_lowercase();
    let number = lower.find(|c: char| c.is_ascii_digit());
    let Some(at) = number else { return false };
    let name = lower[..at].trim().trim_end_matches([':', '-', '–']).trim();
    let value = &lower[at..];
    if SERVINGS.contains(&name) {
        let digits: String = value.chars().take_while(char::is_ascii_digit).collect();
        found.servings = found.servings.or(digits.parse().ok());
        return true;
    }
    let Some(minutes) = minutes(value) else { return false };
    if PREPARATION.contains(&name) {
        found.prep_minutes = found.prep_minutes.or(Some(minutes));
    } else if COOKING.contains(&name) {
        found.cook_minutes = found.cook_minutes.or(Some(minutes));
    } else {
        return false;
    }
    true
}

fn without_bullet(line: &str) -> String {
    let line = line.trim_start_matches(['-', '*', '•', '–', '·', '▢', '☐']).trim_start();
    let line = line.strip_prefix("[ ]").or_else(|| line.strip_prefix("[x]")).unwrap_or(line);
    line.trim().to_owned()
}

/// "1. Chop" and "Step 1: Chop" are "Chop".
fn without_number(line: &str) -> String {
    let line = without_bullet(line);
    let begins =
        |word: &&str| line.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    let named = ["step ", "passo "].into_iter().find(begins);
    let rest = &line[named.map_or(0, str::len)..];
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let after = &rest[digits..];
    let numbered =
        digits > 0 && digits < 4 && (named.is_some() || after.starts_with(['.', ')', ':']));
    let text = after.trim_start_matches(['.', ')', ':', '-', '–']).trim();
    if numbered && !text.is_empty() { text.to_owned() } else { line }
}
