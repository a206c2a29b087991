//! The sample recipes that a tenant gets on its first use. They are data in the shape
//! that any client would send, and go through the same checks.

use crate::error::RecipeError;
use crate::input::RecipeInput;
use crate::recipe::Content;

const SAMPLES: &str = include_str!("samples.json");

/// All samples.
pub(crate) fn all() -> Result<Vec<Content>, RecipeError> {
    let inputs: Vec<RecipeInput> = serde_json::from_str(SAMPLES)
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
        let all = all().unwrap();
        let titles: HashSet<&str> = all.iter().map(|content| content.title.as_str()).collect();
        assert_eq!(titles.len(), all.len());
        for title in ["Tomato Soup", "Chocolate Chip Cookies", "Feijoada"] {
            assert!(titles.contains(title), "{title}");
        }
        for content in &all {
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
}
