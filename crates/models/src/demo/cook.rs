//! What the demo model can do with Recipe Vault: it really calls the tools,
//! asks, plans and waits, so that everything around it is real.
//!
//! A turn is taken in steps: each time it is asked, it looks at what its tools
//! answered since the person's message, and says or calls what comes next.

use serde_json::{Value, json};

use super::conversation::Conversation;
use super::language::{Language, guess, is_filler, words};
use super::phrases::{Phrase, asked, is_servers, title_after};
use super::texts as say;

/// What the demo model does next.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Move {
    /// It says something, and is finished.
    Say(String),
    /// It calls a tool.
    Call(&'static str, Value),
}

/// What comes next, if the message is about recipes.
pub(super) fn next(conversation: &Conversation<'_>) -> Option<Move> {
    let message = conversation.message;
    let (phrase, language) = asked(message, || last_language(conversation))?;
    let cook = Cook { conversation, language };
    Some(match phrase {
        Phrase::List => cook.list(),
        Phrase::Show => cook.show(message),
        Phrase::HowLong => cook.how_long(),
        Phrase::Create => cook.create(&title_after(message)),
        Phrase::Delete => cook.delete(message),
        Phrase::Rename => cook.rename(message),
        Phrase::Add => cook.add(),
        Phrase::Plan => Move::Say(say::plan(language, None)),
        Phrase::Refine => {
            let words = message.rsplit_once("change: ").map_or(message, |(_, words)| words);
            Move::Say(say::plan(language, Some(words)))
        }
        Phrase::Approved => cook.carry_out(),
        Phrase::WhatToCook => Move::Say(say::question(language)),
    })
}

/// The server's own words are English, and titles have no language: the person's
/// own words are before them.
fn last_language(conversation: &Conversation<'_>) -> Language {
    conversation.earlier().find(|said| !is_servers(said)).map_or(Language::English, guess)
}

struct Cook<'a> {
    conversation: &'a Conversation<'a>,
    language: Language,
}

impl Cook<'_> {
    fn list(&self) -> Move {
        self.with_recipes(|recipes| {
            let titles: Vec<&str> = recipes.iter().map(|(_, title)| title.as_str()).collect();
            Move::Say(say::recipes(self.language, &titles))
        })
    }

    fn show(&self, wanted: &str) -> Move {
        self.open(wanted, |title| say::shown(self.language, title))
    }

    /// The plan that it made itself: its first steps are real, what the person
    /// added is beyond a table of phrases.
    fn carry_out(&self) -> Move {
        let was_refined = self.conversation.earlier().next().is_some_and(is_servers);
        self.open("feijoada", |title| say::carried_out(self.language, title, was_refined))
    }

    fn open(&self, wanted: &str, done: impl Fn(&str) -> String) -> Move {
        self.with_recipe(wanted, |id, title| match self.result("display_recipe") {
            None => Move::Call("display_recipe", json!({"recipe_id": id})),
            Some(Ok(_)) => Move::Say(done(title)),
            Some(Err(why)) => Move::Say(say::failed(self.language, &why)),
        })
    }

    /// About the recipe that was shown or made last.
    fn how_long(&self) -> Move {
        let Some(id) = self.conversation.last_recipe() else {
            return Move::Say(say::which(self.language));
        };
        match self.result("get_recipe") {
            None => Move::Call("get_recipe", json!({"recipe_id": id})),
            Some(Ok(recipe)) => Move::Say(say::times(self.language, &recipe)),
            Some(Err(why)) => Move::Say(say::failed(self.language, &why)),
        }
    }

    fn create(&self, title: &str) -> Move {
        if title.is_empty() {
            return self.add();
        }
        self.make(title, 4, |recipe| say::created(self.language, recipe))
    }

    fn delete(&self, wanted: &str) -> Move {
        self.with_recipe(wanted, |id, title| match self.result("delete_recipe") {
            None => Move::Call("delete_recipe", json!({"recipe_id": id})),
            Some(Ok(answer)) => {
                Move::Say(say::deleted(self.language, title_of(&answer["deleted"], title)))
            }
            Some(Err(why)) => self.not_changed(title, &why),
        })
    }

    /// The person said no, or nothing, or the tool could not.
    fn not_changed(&self, title: &str, why: &str) -> Move {
        let is_no = why.starts_with("The person refused") || why.starts_with("Nobody answered");
        Move::Say(if is_no {
            say::kept(self.language, title)
        } else {
            say::failed(self.language, why)
        })
    }

    fn rename(&self, wanted: &str) -> Move {
        self.with_recipe(wanted, |id, title| {
            let Some(answer) = self.result("ask_user") else {
                let question = say::new_name(self.language, title);
                return Move::Call("ask_user", json!({"type": "input", "question": question}));
            };
            let Some(name) = answer.ok().and_then(given) else {
                return Move::Say(say::kept(self.language, title));
            };
            let name = name.as_str().unwrap_or_default().to_owned();
            match self.result("update_recipe") {
                None => Move::Call("update_recipe", json!({"recipe_id": id, "title": name})),
                Some(Ok(recipe)) => {
                    Move::Say(say::renamed(self.language, title, title_of(&recipe, &name)))
                }
                Some(Err(why)) => self.not_changed(title, &why),
            }
        })
    }

    fn add(&self) -> Move {
        let Some(answer) = self.result("ask_user") else {
            return Move::Call("ask_user", say::wizard(self.language));
        };
        let Some(given) = answer.ok().and_then(given) else {
            return Move::Say(say::another_time(self.language));
        };
        let title = given["title"].as_str().unwrap_or_default().to_owned();
        let servings = given["servings"].as_str().and_then(|n| n.parse().ok()).unwrap_or(4);
        self.make(&title, servings, |recipe| say::created(self.language, recipe))
    }

    /// Creates a recipe, then shows it.
    fn make(&self, title: &str, servings: u32, done: impl Fn(&str) -> String) -> Move {
        match (self.result("create_recipe"), self.result("display_recipe")) {
            (None, _) => {
                Move::Call("create_recipe", say::new_recipe(self.language, title, servings))
            }
            (Some(Err(why)), _) => Move::Say(say::failed(self.language, &why)),
            (Some(Ok(recipe)), None) => {
                let id = recipe.get("id").or_else(|| recipe.pointer("/recipe/id"));
                Move::Call("display_recipe", json!({"recipe_id": id}))
            }
            (Some(Ok(recipe)), Some(_)) => Move::Say(done(title_of(&recipe, title))),
        }
    }

    fn with_recipe(&self, wanted: &str, then: impl Fn(&str, &str) -> Move) -> Move {
        self.with_recipes(|recipes| match best_match(recipes, wanted) {
            Some((id, title)) => then(id, title),
            None => {
                let titles: Vec<&str> = recipes.iter().map(|(_, title)| title.as_str()).collect();
                Move::Say(say::not_found(self.language, &titles))
            }
        })
    }

    fn with_recipes(&self, then: impl Fn(&[(String, String)]) -> Move) -> Move {
        let list = match self.result("list_recipes") {
            None => return Move::Call("list_recipes", json!({})),
            Some(Err(why)) => return Move::Say(say::failed(self.language, &why)),
            Some(Ok(list)) => list,
        };
        let text = |recipe: &Value, field: &str| recipe[field].as_str().map(str::to_owned);
        let recipes: Vec<(String, String)> = list["recipes"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|recipe| Some((text(recipe, "id")?, text(recipe, "title")?)))
            .collect();
        then(&recipes)
    }

    /// What a tool answered in this turn: JSON, or why it failed.
    fn result(&self, tool: &str) -> Option<Result<Value, String>> {
        let (text, is_error) = self.conversation.result(tool)?;
        if is_error {
            return Some(Err(text));
        }
        // A note for the model may come after the tool's own answer.
        let mut values = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
        let answer = values.next().and_then(Result::ok).filter(Value::is_object);
        Some(Ok(answer.unwrap_or(Value::String(text))))
    }
}

/// What the recipe is called that a tool tells of: a person may have changed what
/// was asked of it.
fn title_of<'r>(recipe: &'r Value, asked_for: &'r str) -> &'r str {
    recipe["title"].as_str().unwrap_or(asked_for)
}

/// What the person answered: the loop says it in words.
fn given(answer: Value) -> Option<Value> {
    let text = answer.as_str()?.strip_prefix("The person answered: ")?;
    Some(serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned())))
}

/// The recipe that shares most words with what is wanted; "de" and "the" are no words
/// to find a recipe by, least of all one to delete.
fn best_match<'r>(recipes: &'r [(String, String)], wanted: &str) -> Option<(&'r str, &'r str)> {
    let wanted: Vec<String> = words(wanted)
        .into_iter()
        .filter(|word| !is_filler(word))
        .flat_map(|word| [in_english(&word), in_portuguese(&word), word])
        .collect();
    let shared = |title: &str| words(title).iter().filter(|word| wanted.contains(word)).count();
    let best = recipes.iter().max_by_key(|(_, title)| shared(title))?;
    (shared(&best.1) > 0).then_some((best.0.as_str(), best.1.as_str()))
}

/// Sample recipes have titles in one of both languages.
fn in_english(word: &str) -> String {
    let english = match word {
        "sopa" => "soup",
        "tomate" | "tomates" => "tomato",
        "biscoito" | "biscoitos" | "bolachas" | "cookie" => "cookies",
        "frango" => "chicken",
        "panquecas" => "pancakes",
        "salada" => "salad",
        "arroz" => "rice",
        "bolo" => "cake",
        "pao" => "bread",
        other => other,
    };
    english.to_owned()
}

/// The other way round, for the words of titles.
fn in_portuguese(word: &str) -> String {
    let portuguese = match word {
        "soup" => "sopa",
        "tomato" | "tomatoes" => "tomate",
        "garlic" => "alho",
        "lentil" | "lentils" => "lentilha",
        "cheese" => "queijo",
        "bread" | "breads" => "pao",
        other => other,
    };
    portuguese.to_owned()
}
