//! Recipes as sites and people write them.

use serde_json::{Value, json};

use super::*;

const PAGE: &str = r#"<!DOCTYPE html><html><head><title>Bolo</title>
<script>var a = "<b>";</script>
<SCRIPT type='application/ld+json' data-x="1">
{"@context": "https://schema.org", "@graph": [
  {"@type": "WebPage", "name": "A page"},
  {"@type": ["Recipe", "NewsArticle"], "name": "Bolo de Cenoura &amp; Chocolate",
   "description": "<p>Fofinho.</p> De  domingo.",
   "recipeYield": ["12", "12 porções"], "prepTime": "PT20M", "totalTime": "PT1H10M",
   "recipeIngredient": ["3 cenouras médias, raladas", "1 ½ xícaras (chá) de açúcar", "200g de farinha de trigo (peneirada)", "sal a gosto"],
   "recipeInstructions": [
     {"@type": "HowToSection", "name": "Massa", "itemListElement": [
       {"@type": "HowToStep", "text": "Bata tudo no liquidificador."},
       {"@type": "HowToStep", "text": "Asse por 40&nbsp;minutos."}]},
     {"@type": "HowToStep", "name": "Deixe esfriar."}]}]}
</SCRIPT></head><body>Text that says nothing</body></html>"#;

fn recipe(draft: &Draft) -> Value {
    serde_json::to_value(&draft.recipe).unwrap()
}

/// R-1: the structured data of a page is read as it is meant.
#[test]
fn a_page_with_structured_data() {
    let draft = import(PAGE).unwrap();
    assert_eq!(draft.source, DraftSource::StructuredData);
    assert_eq!(
        recipe(&draft),
        json!({
            "title": "Bolo de Cenoura & Chocolate",
            "description": "Fofinho. De domingo.",
            "servings": 12,
            "prep_time_minutes": 20,
            "cook_time_minutes": 50,
            "ingredients": [
                {"name": "cenouras médias", "quantity": 3, "notes": "raladas"},
                {"name": "açúcar", "quantity": "1 ½", "unit": "xícaras (chá)"},
                {"name": "farinha de trigo", "quantity": 200, "unit": "g", "notes": "peneirada"},
                {"name": "sal a gosto"},
            ],
            "steps": [
                {"instruction": "Bata tudo no liquidificador."},
                {"instruction": "Asse por 40 minutos."},
                {"instruction": "Deixe esfriar."},
            ],
        })
    );
    assert_eq!(draft.not_understood, ["Massa"]);
}

/// R-1: JSON alone, in the ways in which sites write it, also against the rules of JSON.
#[test]
fn json_in_its_many_ways() {
    for (text, title, steps) in [
        (r#"{"@type": "Recipe", "name": "A", "recipeInstructions": "One.\nTwo."}"#, "A", 2),
        (
            "[{\"@type\": \"http://schema.org/Recipe\", \"name\": \"B\nb\", \"recipeInstructions\": [\"One.\"]}]",
            "B b",
            1,
        ),
        (
            r#"{"mainEntity": {"@type": "schema:Recipe", "name": ["C"], "recipeInstructions": {"@type": "ItemList", "itemListElement": ["x", {"text": "y"}]}}}"#,
            "C",
            2,
        ),
        (
            r#"{"@type": "Recipe", "name": "D", "recipeInstructions": "<ol><li>One</li><li>Two</li><li>Three</li></ol>"}"#,
            "D",
            3,
        ),
    ] {
        let draft = import(text).unwrap();
        assert_eq!(draft.recipe.title, title);
        assert_eq!(draft.recipe.steps.len(), steps, "{title}");
    }
}

/// R-1: a text of headings and lines, in both languages; what is not understood is said.
#[test]
fn plain_text_in_both_languages() {
    let english = "# Grandma's Pancakes\nFor Sunday mornings.\nServes 4\nPrep time: 10 min\nCook: 1 h 5 min\n\n\
        Ingredients:\n- 2 cups flour, sifted\n* 1/2 tsp. salt\n• 2-3 eggs\nFor the sauce:\n- 1 tbsp of honey (runny)\n- butter\n\n\
        Method\n1. Mix.\n2) Rest: 20 minutes.\nStep 3: Fry.\n10 minutes later they are done.\n\nNotes\n## Nutrition\n500 kcal";
    let draft = import(english).unwrap();
    assert_eq!(draft.source, DraftSource::Text);
    assert_eq!(
        recipe(&draft),
        json!({
            "title": "Grandma's Pancakes",
            "description": "For Sunday mornings.",
            "servings": 4,
            "prep_time_minutes": 10,
            "cook_time_minutes": 65,
            "ingredients": [
                {"name": "flour", "quantity": 2, "unit": "cups", "notes": "sifted"},
                {"name": "salt", "quantity": "1/2", "unit": "tsp"},
                {"name": "eggs", "quantity": "2-3"},
                {"name": "honey", "quantity": 1, "unit": "tbsp", "notes": "runny"},
                {"name": "butter"},
            ],
            "steps": [
                {"instruction": "Mix."},
                {"instruction": "Rest: 20 minutes."},
                {"instruction": "Fry."},
                {"instruction": "10 minutes later they are done."},
            ],
        })
    );
    assert_eq!(draft.not_understood, ["For the sauce:", "Notes", "## Nutrition", "500 kcal"]);

    let portuguese = "Brigadeiro\nRende 30 porções\nTempo de preparo: 25 minutos\nINGREDIENTES\n1 lata de leite condensado\n\
        2 colheres de sopa de chocolate em pó\n1 colher (chá) de manteiga\n1,5 kg de granulado\nModo de preparo:\n1 - Misture tudo.\nEnrole.";
    let draft = import(portuguese).unwrap();
    assert_eq!(
        recipe(&draft),
        json!({
            "title": "Brigadeiro",
            "servings": 30,
            "prep_time_minutes": 25,
            "ingredients": [
                {"name": "leite condensado", "quantity": 1, "unit": "lata"},
                {"name": "chocolate em pó", "quantity": 2, "unit": "colheres de sopa"},
                {"name": "manteiga", "quantity": 1, "unit": "colher (chá)"},
                {"name": "granulado", "quantity": 1.5, "unit": "kg"},
            ],
            "steps": [{"instruction": "1 - Misture tudo."}, {"instruction": "Enrole."}],
        })
    );
    assert!(draft.not_understood.is_empty(), "{:?}", draft.not_understood);
}

/// What holds no recipe is refused, and no words of a page are taken for one.
#[test]
fn what_holds_no_recipe() {
    for text in [
        "<!doctype html><p>Soup",
        "<html><script type=\"application/ld+json\">{</script></html>",
        r#"{"@type": "Article", "name": "x"}"#,
        r#"{"@type": "Recipe"}"#,
        "[]",
        "#",
        "[1, 2]",
    ] {
        assert!(matches!(import(text), Err(RecipeError::NoRecipe)), "{text}");
    }
    for blank in ["", " \n\t", "\u{feff}"] {
        assert!(matches!(import(blank), Err(RecipeError::Invalid(_))), "{blank:?}");
    }
}

/// What is over a limit is given back, not cut off in silence.
#[test]
fn limits_are_kept_and_said() {
    let long = "x".repeat(3_000);
    let many: String = (0..150).map(|n| format!("- egg {n}\n")).collect();
    let text = format!("{long}\nIngredients\n{many}\nSteps\n{long}\n-\nEat.");
    let draft = import(&text).unwrap();
    assert_eq!(draft.recipe.title.chars().count(), 200);
    assert_eq!((draft.recipe.ingredients.len(), draft.recipe.steps.len()), (100, 1));
    assert_eq!(draft.not_understood.len(), 50);
    let nested = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
    assert!(matches!(import(&nested), Err(RecipeError::NoRecipe)), "too deep to hold one");
}

/// Amounts that no recipe can have stay out of it.
#[test]
fn odd_amounts() {
    for (line, quantity, name) in [
        ("-5 eggs", json!(5), "eggs"),
        ("0 eggs", json!(null), "eggs"),
        ("99999999 eggs", json!(null), "eggs"),
        ("2 to 3 eggs", json!("2 to 3"), "eggs"),
        ("2 a 3 ovos", json!("2 a 3"), "ovos"),
        ("1½ eggs", json!("1½"), "eggs"),
        ("12", json!(null), "12"),
        ("½", json!(null), "½"),
        ("3. eggs", json!(3), "eggs"),
    ] {
        let draft = import(&format!("T\nIngredients\n{line}")).unwrap();
        let shown = recipe(&draft)["ingredients"][0].clone();
        assert_eq!(
            (shown["quantity"].clone(), shown["name"].clone()),
            (quantity, json!(name)),
            "{line}"
        );
    }
}
