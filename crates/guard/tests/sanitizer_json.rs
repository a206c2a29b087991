//! S-5: masked JSON and the list of what was masked.

use parlor_guard::sanitizer::Sanitizer;
use serde_json::{Value, json};

fn check(value: Value, expected: Value, pointers: &[&str]) {
    let masked = Sanitizer::default().sanitize_json(&value);
    assert_eq!(masked.value, expected);
    assert_eq!(masked.masked, pointers);
    for pointer in pointers {
        assert!(masked.value.pointer(pointer).is_some(), "{pointer} points nowhere");
    }
}

/// S-5: strings are masked and listed, everything else stays.
#[test]
fn s_5_strings_are_masked_and_listed() {
    check(
        json!({"a": "by OpenAI", "b": [1, null, "Codex", {"c": "plain"}], "d/e~": "sk-ant-a1"}),
        json!({"a": "by [provider]", "b": [1, null, "[assistant]", {"c": "plain"}], "d/e~": "[token]"}),
        &["/a", "/b/2", "/d~1e~0"],
    );
    check(json!("Codex"), json!("[assistant]"), &[""]);
    check(json!({"a": [true, 1.5, {}]}), json!({"a": [true, 1.5, {}]}), &[]);
}

/// S-5: keys are masked too, and stay unique.
#[test]
fn s_5_keys_are_masked_and_kept_apart() {
    check(
        json!({"Anthropic": 1, "OpenAI": "Codex", "[provider]": 3}),
        json!({"[provider]": 3, "[provider]-2": 1, "[provider]-3": "[assistant]"}),
        &["/[provider]-2", "/[provider]-3"],
    );
}

/// S-5: a value of any depth is masked without overflowing the stack.
#[test]
fn s_5_deep_values_end() {
    let mut value = json!("Codex");
    for _ in 0..2_000 {
        value = json!([value]);
    }
    let masked = Sanitizer::default().sanitize_json(&value);
    assert_eq!(masked.masked, ["/0".repeat(128)]);
    assert_eq!(masked.value.pointer(&masked.masked[0]), Some(&json!("[…]")));
}
