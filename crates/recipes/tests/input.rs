//! Validation of recipes.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may fail")]

use parlor_recipes::{Content, RecipeError, RecipeInput};
use proptest::prelude::*;
use serde_json::{Value, json};

fn read(value: Value) -> RecipeInput {
    serde_json::from_value(value).unwrap()
}

fn complete(value: Value) -> Result<Content, String> {
    read(value).complete().map_err(|error| error.to_string())
}

fn soup() -> Value {
    json!({
        "title": "Soup",
        "description": "Hot.",
        "servings": 4,
        "prep_time_minutes": 10,
        "cook_time_minutes": 20,
        "ingredients": [{"name": "water", "quantity": 1, "unit": "l", "notes": "cold"}],
        "steps": [{"instruction": "Boil it.", "duration_minutes": 20}],
    })
}

fn with(field: &str, value: Value) -> Value {
    let mut soup = soup();
    soup.as_object_mut().unwrap().insert(field.to_owned(), value);
    soup
}

/// a validation error names the field and says what to do.
#[test]
fn validation_errors_say_where_they_are_and_what_to_do() {
    let many: Vec<Value> = (0..101).map(|n| json!({"name": n.to_string()})).collect();
    let cases = [
        ("title", json!(""), "title: give the recipe a title"),
        ("title", json!(null), "title: give the recipe a title"),
        ("title", json!(" \n\t "), "title: give the recipe a title"),
        ("title", json!("x".repeat(201)), "title: it has 201 characters, and can have 200 at most"),
        ("title", json!("So\u{0}up"), "title: it holds control characters"),
        ("description", json!("é".repeat(1001)), "description: it has 1001 characters"),
        ("servings", json!(0), "servings: 0 is not possible; give a whole number from 1 to 1000"),
        ("servings", json!(2.5), "servings: 2.5 is not possible"),
        (
            "prep_time_minutes",
            json!(-5),
            "prep_time_minutes: -5 is negative; give whole minutes from 0 to 129600",
        ),
        ("cook_time_minutes", json!(1e9), "cook_time_minutes: 1000000000 is not possible"),
        ("cook_time_minutes", json!(-0.5), "cook_time_minutes: -0.5 is negative"),
        ("ingredients", json!(null), "ingredients: give the list of ingredients"),
        ("ingredients", json!(many), "ingredients: there are 101, and there can be 100 at most"),
        (
            "ingredients",
            json!([{"name": "salt"}, {"name": " "}]),
            "ingredients[1].name: name the ingredient",
        ),
        ("ingredients", json!([{"quantity": 1}]), "ingredients[0].name: name the ingredient"),
        (
            "ingredients",
            json!([{"name": "salt", "quantity": -1}]),
            "ingredients[0].quantity: -1 is not more than 0; leave it out if it is not known",
        ),
        (
            "ingredients",
            json!([{"name": "salt", "quantity": "-1,5"}]),
            "ingredients[0].quantity: -1.5 is not more than 0",
        ),
        (
            "ingredients",
            json!([{"name": "salt", "quantity": 2e6}]),
            "ingredients[0].quantity: 2000000 is more than 1000000; choose a larger unit",
        ),
        (
            "ingredients",
            json!([{"name": "salt", "unit": "g".repeat(51)}]),
            "ingredients[0].unit: it has 51 characters",
        ),
        ("steps", json!(null), "steps: give the list of steps"),
        (
            "steps",
            json!([{"instruction": ""}]),
            "steps[0].instruction: say what is done in this step",
        ),
        (
            "steps",
            json!([{"instruction": "Wait.", "duration_minutes": -1}]),
            "steps[0].duration_minutes: -1 is negative",
        ),
    ];
    for (field, value, fault) in cases {
        let error = complete(with(field, value)).unwrap_err();
        assert!(error.starts_with(fault), "{error}\nis not\n{fault}");
    }
    let all = complete(json!({"servings": -1})).unwrap_err();
    let places: Vec<&str> = all.split("; ").filter_map(|fault| fault.split(':').next()).collect();
    for place in ["ingredients", "steps", "title", "servings"] {
        assert!(places.contains(&place), "{all}");
    }
}

/// small mistakes of models are corrected.
#[test]
fn small_mistakes_are_corrected() {
    let content = complete(json!({
        "title": "  Tomato \n Soup ",
        "description": "",
        "servings": 4.0,
        "prep_time_minutes": null,
        "cook_time_minutes": 0,
        "ingredients": [{"name": " salt ", "quantity": " 1/2 ", "unit": "", "notes": " "},
                        {"name": "water", "quantity": "1,5", "unit": "l"}],
        "steps": [{"instruction": "One.\r\nTwo.\n"}],
    }));
    assert_eq!(
        serde_json::to_value(content.unwrap()).unwrap(),
        json!({
            "title": "Tomato Soup",
            "servings": 4,
            "cook_time_minutes": 0,
            "ingredients": [{"name": "salt", "quantity": "1/2"},
                            {"name": "water", "quantity": 1.5, "unit": "l"}],
            "steps": [{"instruction": "One.\nTwo."}],
        })
    );
    assert!(complete(json!({"title": "Water", "ingredients": [], "steps": []})).is_ok());
}

/// an update changes the fields that it names, and nothing else.
#[test]
fn a_change_touches_what_it_names() {
    let old = complete(soup()).unwrap();
    let change = |value: Value| read(value).change(&old);
    let fields = soup();
    for (field, value) in [
        ("title", json!("Broth")),
        ("description", json!("Thin.")),
        ("servings", json!(2)),
        ("prep_time_minutes", json!(0)),
        ("cook_time_minutes", json!(5)),
        ("ingredients", json!([{"name": "bones"}])),
        ("steps", json!([])),
    ] {
        let new = change(json!({field: value})).unwrap();
        let mut expected = fields.clone();
        expected[field] = value;
        assert_eq!(serde_json::to_value(new).unwrap(), expected, "{field}");
    }
    assert_eq!(change(json!({"description": ""})).unwrap().description, None);
    let with_nulls = json!({"title": "Broth", "description": null, "servings": null,
                            "ingredients": null, "steps": null});
    assert_eq!(serde_json::to_value(change(with_nulls).unwrap()).unwrap()["servings"], 4);
    for nothing in [json!({}), json!({"title": null})] {
        let error = change(nothing).unwrap_err();
        assert!(error.to_string().starts_with("nothing is to be changed: give title"), "{error}");
    }
    assert!(matches!(change(json!({"title": " "})), Err(RecipeError::Invalid(_))));
}

fn words() -> impl Strategy<Value = Value> {
    prop_oneof![
        1 => any::<String>().prop_map(Value::from),
        30 => "[a-zà-ü,.½🍲 ]{1,60}".prop_map(Value::from),
        1 => Just(Value::Null),
    ]
}

fn number() -> impl Strategy<Value = Value> {
    prop_oneof![
        1 => any::<f64>().prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        30 => (1..1000_u32).prop_map(Value::from),
        10 => Just(Value::Null),
    ]
}

fn quantity() -> impl Strategy<Value = Value> {
    prop_oneof![number(), words(), "[0-9]{1,4}([.,/][0-9]{1,4})?".prop_map(Value::from)]
}

prop_compose! {
    fn recipe()(
        title in words(), description in words(),
        servings in number(), prep in number(), cook in number(),
        ingredients in prop::collection::vec((words(), quantity(), words(), words()), 0..5),
        steps in prop::collection::vec((words(), number()), 0..5),
    ) -> Value {
        let ingredients = ingredients.into_iter().map(|(name, quantity, unit, notes)| {
            json!({"name": name, "quantity": quantity, "unit": unit, "notes": notes})
        });
        let steps = steps.into_iter().map(|(instruction, minutes)| {
            json!({"instruction": instruction, "duration_minutes": minutes})
        });
        json!({
            "title": title, "description": description, "servings": servings,
            "prep_time_minutes": prep, "cook_time_minutes": cook,
            "ingredients": ingredients.collect::<Vec<_>>(), "steps": steps.collect::<Vec<_>>(),
        })
    }
}

proptest! {
    /// Every input is accepted or refused with reasons; an accepted recipe can be sent again, and
    /// stays the same.
    #[test]
    fn what_was_taken_is_taken_again(given in recipe()) {
        match read(given).complete() {
            Ok(content) => {
                let wire = serde_json::to_string(&content).unwrap();
                let again: RecipeInput = serde_json::from_str(&wire).unwrap();
                prop_assert_eq!(again.clone().complete().unwrap(), content.clone());
                prop_assert_eq!(again.change(&content).unwrap(), content.clone());
                prop_assert!(!content.title.is_empty() && content.title.chars().count() <= 200);
                prop_assert!(!wire.contains("\\u0000"));
                let stored: Content = serde_json::from_str(&wire).unwrap();
                prop_assert_eq!(stored, content);
            }
            Err(RecipeError::Invalid(faults)) => {
                prop_assert!(!faults.is_empty());
                prop_assert!(faults.iter().all(|fault| fault.contains(": ")));
            }
            Err(other) => prop_assert!(false, "{}", other),
        }
    }
}
