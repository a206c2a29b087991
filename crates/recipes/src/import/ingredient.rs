//! One line of an ingredient, taken apart: "1 1/2 cups of flour, sifted".
//!
//! What stands before a name is a quantity and then a unit that is known; what stands after
//! a comma or in brackets at the end is a note. Everything else is the name.

use super::one_line;
use crate::input::IngredientInput;
use crate::quantity::Quantity;

/// Units by their first word, in lower case without a full stop.
const UNITS: &[&str] = &[
    // English
    "g", "gr", "gram", "grams", "kg", "kilo", "kilos", "mg", "ml", "l", "cl", "dl", "liter",
    "liters", "litre", "litres", "cup", "cups", "tbsp", "tbsps", "tablespoon", "tablespoons",
    "tsp", "tsps", "teaspoon", "teaspoons", "oz", "ounce", "ounces", "lb", "lbs", "pound",
    "pounds", "pinch", "pinches", "handful", "handfuls", "can", "cans", "tin", "tins", "slice",
    "slices", "stick", "sticks", "pint", "pints", "quart", "quarts", "bunch", "bunches", "sprig",
    "sprigs", "packet", "packets", "dash", "cm", // Portuguese
    "grama", "gramas", "quilo", "quilos", "litro", "litros", "xícara", "xícaras", "xicara",
    "xicaras", "colher", "colheres", "copo", "copos", "pitada", "pitadas", "punhado", "punhados",
    "lata", "latas", "fatia", "fatias", "pacote", "pacotes", "maço", "maços", "ramo", "ramos",
];

/// What a spoon or a cup is for, in Portuguese: "colher de sopa", "xícara (chá)".
const KINDS: &[&str] = &["sopa", "chá", "cha", "sobremesa", "café", "cafe"];

/// Words between the unit and the name.
const OF: &[&str] = &["of", "de", "da", "do", "das", "dos"];

const FRACTIONS: &str = "½¼¾⅓⅔⅛⅜⅝⅞⅕⅙";

/// The longest quantity or unit that is one.
const LONGEST: usize = 50;

/// The ingredient; none if the line is empty.
pub(super) fn parse(line: &str) -> Option<IngredientInput> {
    let line = one_line(line);
    let line = line.trim_start_matches(['-', '–', '•', '*', ' ']).to_owned();
    let (amount, rest) = quantity(&line);
    let (unit, rest) = if amount.is_empty() { (String::new(), rest) } else { unit(rest) };
    let (name, notes) = notes(rest);
    // Without a name the line is the name: "2 cups".
    let (amount, unit, name) = if name.is_empty() {
        (String::new(), String::new(), line.clone())
    } else {
        (amount, unit, name)
    };
    if name.is_empty() || amount.len() > LONGEST || unit.len() > LONGEST {
        return None;
    }
    let text = |text: String| Some(text).filter(|text| !text.is_empty());
    Some(IngredientInput {
        name: text(name),
        quantity: text(amount).and_then(known),
        unit: text(unit),
        notes: text(notes),
    })
}

/// A quantity that the checks of recipes accept: zero is none.
fn known(amount: String) -> Option<Quantity> {
    let is_zero = amount.chars().all(|c| matches!(c, '0' | '.' | ','));
    let is_huge = amount.chars().take_while(char::is_ascii_digit).count() > 6;
    (!is_zero && !is_huge).then_some(Quantity::Text(amount))
}

/// The number at the beginning of a line, as it is written, and what follows it.
fn quantity(line: &str) -> (String, &str) {
    let mut amount = String::new();
    let mut rest = line;
    loop {
        let word_end = rest.find(' ').unwrap_or(rest.len());
        let number_end = rest.find(|c: char| !is_number(c)).unwrap_or(rest.len());
        let word = &rest[..word_end];
        if number_end > 0 && word[..number_end.min(word.len())].contains(is_digit) {
            let number = rest[..number_end].trim_end_matches(['-', '–', '.', ',']);
            if !amount.is_empty() {
                amount.push(' ');
            }
            amount.push_str(number);
            rest = &rest[number.len()..];
            if !rest.starts_with(' ') {
                break;
            }
            rest = rest.trim_start();
        } else if !amount.is_empty()
            && ["to", "a", "ou", "or"].contains(&word)
            && follows_number(&rest[word_end..])
        {
            amount.push_str(&format!(" {word}"));
            rest = rest[word_end..].trim_start();
        } else {
            break;
        }
    }
    (amount, rest)
}

/// Whether a range goes on: "2 to 3".
fn follows_number(rest: &str) -> bool {
    rest.trim_start().starts_with(is_digit)
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || FRACTIONS.contains(c)
}

fn is_number(c: char) -> bool {
    is_digit(c) || matches!(c, '.' | ',' | '/' | '⁄' | '-' | '–')
}

/// The unit at the beginning, if it is known, and what follows it.
fn unit(rest: &str) -> (String, &str) {
    let (word, after) = first_word(rest);
    let bare = word.trim_end_matches('.').to_lowercase();
    if !UNITS.contains(&bare.as_str()) {
        return (String::new(), rest);
    }
    let mut unit = word.trim_end_matches('.').to_owned();
    let mut after = after;
    let (second, beyond) = first_word(after);
    let (third, beyond_third) = first_word(beyond);
    let in_brackets = second.strip_prefix('(').and_then(|word| word.strip_suffix(')'));
    if in_brackets.is_some_and(is_kind) {
        unit = format!("{unit} {second}");
        after = beyond;
    } else if second == "de" && is_kind(third) && !beyond_third.is_empty() {
        unit = format!("{unit} de {third}");
        after = beyond_third;
    }
    let (of, name) = first_word(after);
    if OF.contains(&of.to_lowercase().as_str()) && !name.is_empty() {
        after = name;
    }
    (unit, after)
}

fn is_kind(word: &str) -> bool {
    KINDS.contains(&word.to_lowercase().as_str())
}

fn first_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let end = text.find(' ').unwrap_or(text.len());
    (&text[..end], text[end..].trim_start())
}

/// The name, and the note after it.
fn notes(rest: &str) -> (String, String) {
    let rest = rest.trim().trim_start_matches(['-', '–', ':', '.', ',']).trim();
    if let Some((name, note)) = rest.strip_suffix(')').and_then(|rest| rest.rsplit_once('('))
        && !name.trim().is_empty()
        && !note.contains(')')
    {
        return (name.trim().trim_end_matches(',').to_owned(), note.trim().to_owned());
    }
    match rest.split_once(", ") {
        Some((name, note)) if !name.trim().is_empty() => {
            (name.trim().to_owned(), note.trim().to_owned())
        }
        _ => (rest.trim_end_matches(',').to_owned(), String::new()),
    }
}
