//! Pages and texts that a recipe is imported from.

use parlor_recipes::{RecipeInput, import};

/// A draft passes the checks of a recipe that a client sends, and is what it was.
pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Ok(draft) = import(&text) else { return };
    let sent = serde_json::to_value(&draft.recipe).expect("a recipe is JSON");
    let input: RecipeInput = serde_json::from_value(sent).expect("a draft is input for a recipe");
    let content = input.complete().expect("a draft is a complete recipe");
    assert_eq!(content, draft.recipe);
    assert!(draft.not_understood.len() <= 50, "what was not understood is bounded");
}
