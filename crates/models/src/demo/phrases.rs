//! How people ask for what the demo model can do with recipes.

use super::language::{Language, contains, guess, words};

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phrase {
    List,
    Show,
    HowLong,
    Create,
    Delete,
    Rename,
    Add,
    Plan,
    Refine,
    Approved,
    WhatToCook,
}

/// Tried from top to bottom; the more special ones come first.
const PHRASES: &[(Phrase, &[&str], &[&str])] = &[
    (Phrase::Approved, &["the plan is approved"], &[]),
    (Phrase::Refine, &["refine the plan"], &[]),
    (
        Phrase::Create,
        &["create a recipe called", "create a recipe named", "new recipe called"],
        &["crie uma receita chamada", "criar uma receita chamada", "nova receita chamada"],
    ),
    (
        Phrase::Add,
        &["add a recipe", "add a new recipe", "create a recipe", "new recipe"],
        &["adicione uma receita", "adicionar uma receita", "crie uma receita", "nova receita"],
    ),
    (Phrase::Rename, &["rename"], &["renomeie", "renomear", "mude o nome"]),
    (Phrase::Delete, &["delete", "remove"], &["apague", "apagar", "exclua", "excluir", "remova"]),
    (
        Phrase::Plan,
        &["plan a dinner", "plan dinner", "plan a meal", "plan a menu"],
        &["planeje um jantar", "planejar um jantar", "planeje uma refeicao", "planeje um menu"],
    ),
    (
        Phrase::WhatToCook,
        &["what should i cook", "what can i cook", "what should we cook", "what to cook"],
        &["o que devo cozinhar", "o que eu devo cozinhar", "o que cozinhar", "o que vou cozinhar"],
    ),
    (
        Phrase::HowLong,
        &["how long does it take", "how long does this take", "how long will it take", "how long"],
        &["quanto tempo leva", "quanto tempo demora", "quanto tempo"],
    ),
    (
        Phrase::List,
        &["what recipes", "which recipes", "list recipes", "list my recipes", "my recipes"],
        &["quais receitas", "que receitas", "liste as receitas", "minhas receitas"],
    ),
    (
        Phrase::Show,
        &["show me", "show the", "show", "open the", "display"],
        &["mostre", "mostra", "mostrar", "abra", "abrir", "quero ver"],
    ),
];

/// Titles that an option of the demo model's own question stands for.
const CHOICES: &[&str] = &["Tomato Soup", "Chocolate Chip Cookies", "Feijoada"];

/// What a message asks for, and in which language; `before` is that of the
/// messages before, where this one does not tell.
pub(super) fn asked(message: &str, before: impl Fn() -> Language) -> Option<(Phrase, Language)> {
    if CHOICES.contains(&message.trim()) {
        return Some((Phrase::Show, before()));
    }
    let words = words(message);
    let said = |phrases: &[&str]| phrases.iter().any(|phrase| contains(&words, phrase));
    PHRASES.iter().find_map(|(phrase, english, portuguese)| {
        let language = match (said(english), said(portuguese)) {
            (false, false) => return None,
            _ if matches!(phrase, Phrase::Approved | Phrase::Refine) => before(),
            (true, false) => Language::English,
            (false, true) => Language::Portuguese,
            (true, true) => guess(message),
        };
        Some((*phrase, language))
    })
}

/// Whether these are words that the server says for a person: a decision on a plan,
/// or the value of an option.
pub(super) fn is_servers(message: &str) -> bool {
    let words = words(message);
    CHOICES.contains(&message.trim())
        || ["the plan is approved", "refine the plan"].iter().any(|said| contains(&words, said))
}

/// The words after "called" and its like, as they were written.
pub(super) fn title_after(message: &str) -> String {
    const BEFORE: &[&str] = &["called", "named", "chamada", "chamado"];
    let mut written = message.split_whitespace();
    let is_before = |word: &&str| BEFORE.contains(&words(word).concat().as_str());
    if written.by_ref().find(is_before).is_none() {
        return String::new();
    }
    let title: Vec<&str> = written.collect();
    title.join(" ").trim_matches(|c: char| !c.is_alphanumeric() && c != ')').to_owned()
}
