//! The sample recipes that a tenant gets on its first use, in the language of its first
//! reader. They are data in the shape that any client would send, and go through the same
//! checks.

use crate::error::RecipeError;
use crate::input::RecipeInput;
use crate::recipe::Content;

const ENGLISH: &str = include_str!("samples.json");
const PORTUGUESE: &str = include_str!("samples_pt.json");

/// A language that there are samples in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SampleLanguage {
    /// Also for who does not say.
    #[default]
    English,
    /// Of Brazil.
    Portuguese,
}

/// All samples.
pub(crate) fn all(language: SampleLanguage) -> Result<Vec<Content>, RecipeError> {
    let samples = match language {
        SampleLanguage::English => ENGLISH,
        SampleLanguage::Portuguese => PORTUGUESE,
    };
    let inputs: Vec<RecipeInput> = serde_json::from_str(samples)
        .map_err(|error| RecipeError::Corrupt(format!("the samples: {error}")))?;
    inputs.into_iter().map(RecipeInput::complete).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// the samples are complete recipes, among them three that the tests rely on.
    #[test]
    fn samples_are_complete_recipes() {
        let english = all(SampleLanguage::English).unwrap();
        let titles: HashSet<&str> = english.iter().map(|one| one.title.as_str()).collect();
        assert_eq!(titles.len(), english.len());
        for title in ["Tomato Soup", "Chocolate Chip Cookies", "Feijoada"] {
            assert!(titles.contains(title), "{title}");
        }
        for content in english.iter().chain(&all(SampleLanguage::Portuguese).unwrap()) {
            let title = &content.title;
            assert!(content.description.is_some() && content.servings.is_some(), "{title}");
            assert!(content.prep_time_minutes.is_some(), "{title}");
            assert!(content.cook_time_minutes.is_some(), "{title}");
            assert!(content.ingredients.len() >= 5 && content.steps.len() >= 4, "{title}");
            let measured = content.ingredients.iter().filter(|i| i.quantity.is_some()).count();
            assert!(measured * 3 >= content.ingredients.len() * 2, "{title}");
            let timed = content.steps.iter().filter(|step| step.duration_minutes.is_some()).count();
            assert!(timed * 2 >= content.steps.len(), "{title}");
        }
    }

    /// U-4: the samples in both languages are the same recipes: as many of everything.
    #[test]
    fn samples_are_the_same_in_both_languages() {
        let english = all(SampleLanguage::English).unwrap();
        let portuguese = all(SampleLanguage::Portuguese).unwrap();
        assert_eq!(english.len(), portuguese.len());
        for (one, other) in english.iter().zip(&portuguese) {
            let amounts = |content: &Content| -> Vec<_> {
                content.ingredients.iter().map(|ingredient| ingredient.quantity.clone()).collect()
            };
            let times = |content: &Content| -> Vec<_> {
                content.steps.iter().map(|step| step.duration_minutes).collect()
            };
            let facts = |content: &Content| {
                (content.servings, content.prep_time_minutes, content.cook_time_minutes)
            };
            let title = &other.title;
            assert_eq!(amounts(one), amounts(other), "{title}");
            assert_eq!(times(one), times(other), "{title}");
            assert_eq!(facts(one), facts(other), "{title}");
        }
    }
}
