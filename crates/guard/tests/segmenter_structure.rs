//! What the segmenter finds in an agent's text, and what it leaves unchanged.

#![allow(clippy::unwrap_used, clippy::panic)]

use parlor_guard::segmenter::{HELD_AT_MOST, Segment, Segmenter};

const PLAN: &str = r#"{"goal": "Dinner", "steps": [{"step_number": 1, "action": "Cook {rice}", "reason": "Hunger"}]}"#;
const QUESTION: &str =
    r#"{"question": "Which one?", "options": [{"label": "A", "value": "a"}, "B"]}"#;

/// One short word for each segment.
fn kinds(text: &str) -> Vec<&'static str> {
    Segmenter::split(text)
        .iter()
        .map(|segment| match segment {
            Segment::Text(_) => "text",
            Segment::Plan { .. } => "plan",
            Segment::Question { .. } => "question",
            Segment::Prompt { .. } => "prompt",
            Segment::Invalid { .. } => "invalid",
        })
        .collect()
}

fn text_only(text: &str) {
    assert_eq!(Segmenter::split(text), [Segment::Text(text.to_owned())], "{text}");
}

/// T-2, T-4: plans and questions within prose, alone, and several of them.
#[test]
fn plans_and_questions_are_found_in_prose() {
    let Some(Segment::Plan { plan, source }) = Segmenter::split(PLAN).pop() else {
        panic!("a plan alone is a plan");
    };
    assert_eq!((plan.goal.as_str(), plan.steps.len(), source.as_str()), ("Dinner", 1, PLAN));
    assert_eq!(kinds(&format!("Here it is:\n{PLAN}\nAll right?")), ["text", "plan", "text"]);
    assert_eq!(kinds(&format!("{QUESTION} and {PLAN}")), ["question", "text", "plan"]);
}

/// T-2: the fence around a structure is removed with it.
#[test]
fn structure_in_a_code_fence_takes_the_fence_with_it() {
    for fence in ["```", "```json", "``` json", "```JSON", "````json title=\"plan\"", "- ```json"] {
        let ticks = if fence.starts_with("````") { "````" } else { "```" };
        let text = format!("Look:\n{fence}\n\n  {PLAN}\n{ticks}\nDone.");
        assert_eq!(kinds(&text), ["text", "plan", "text"], "{fence}");
        let segments = Segmenter::split(&text);
        assert_eq!(segments.last(), Some(&Segment::Text("\nDone.".to_owned())), "{fence}");
    }
    assert_eq!(kinds(&format!("```json\n{PLAN}")), ["plan"], "the fence was never closed");
}

/// C-2: an invalid structure stays text.
#[test]
fn invalid_claims_are_told_apart() {
    for invalid in [
        r#"{"goal": "x", "steps": []}"#, r#"{"goal": 7, "steps": "none"}"#,
        r#"{"question": "Which?", "options": []}"#, r#"{"question": " ", "options": ["a"]}"#,
        r#"{"goal": "x", "steps": [{"step_number": 1,}]}"#, r#"{"goal": "x", "steps": ["#,
        "{\"goal\": \"x\", \"steps\": [\"a line\nbreak\"]}",
    ] {
        let kinds = kinds(invalid);
        assert_eq!(kinds[0], "invalid", "{invalid}");
        assert!(!kinds.contains(&"plan"), "{invalid}");
    }
}

/// Ordinary braces, code and other JSON are text.
#[test]
fn what_is_no_structure_is_text() {
    for text in [
        "",
        "No braces at all.",
        "Use {name} and {{ x }} and {} and {\"a\": 1}.",
        "fn main() { println!(\"{}\", \"goal\"); }",
        "{\"goal\": \"only a goal\"}",
        "{\"goal\": null, \"steps\": null}",
        "{\"outer\": {\"goal\": \"x\", \"steps\": [{\"step_number\": 1, \"action\": \"a\", \"reason\": \"r\"}]}}",
        "```rust\nlet x = r#\"{\"question\": \"Which?\", \"options\": [\"a\"]}\"#;\n```",
        "`{` and ``` inline ``` and <!-- a comment --> and a < b",
        "```json\n{\"a\": 1}\n```",
        "<!-- userPrompt:begin -->{}<!-- userPrompt:end -->",
    ] {
        if text.is_empty() {
            assert!(Segmenter::split(text).is_empty());
        } else {
            text_only(text);
        }
    }
}

/// A code block of another language is not searched; the text after it is.
#[test]
fn code_blocks_are_left_alone() {
    let text = format!("```ts\n * ```\nconst x = {PLAN}\n```\n{PLAN}");
    assert_eq!(kinds(&text), ["text", "plan"]);
    let text = format!("```json\n{{\"a\": 1}}\n{PLAN}\n```\n{QUESTION}");
    assert_eq!(kinds(&text), ["text", "question"]);
    let text = format!("```rust says `{QUESTION}");
    assert_eq!(kinds(&text), ["text", "question"], "no fence: its line has a backtick");
}

/// Only the outermost object counts, even if it is too long to be held back.
#[test]
fn objects_in_objects_do_not_count() {
    let long = "x".repeat(300);
    text_only(&format!("{{\"note\": \"{long}\", \"inner\": {PLAN}}}"));
    let after = format!("{{\"note\": \"{long}\", \"inner\": {PLAN}}} {PLAN}");
    assert_eq!(kinds(&after), ["text", "plan"]);
    assert_eq!(
        kinds(&format!("[{PLAN}, {QUESTION}]")),
        ["text", "plan", "text", "question", "text"]
    );
}

/// At most 64 KB are held back; longer candidates are text.
#[test]
fn too_long_is_text() {
    let filler = "x".repeat(HELD_AT_MOST);
    text_only(&format!("{{\"goal\": \"{filler}\", \"steps\": []}}"));
    let marked = format!("<!-- userPrompt:start -->{filler}<!-- userPrompt:end -->");
    assert_eq!(kinds(&marked)[0], "invalid");

    let mut segmenter = Segmenter::new();
    let mut out = Vec::new();
    segmenter.push(&format!("{{\"goal\": \"{filler}"), &mut out);
    assert!(!out.is_empty(), "released before the end");
}

/// T-8: no JSON of a plan or question is sent as text, whatever the chunks are.
#[test]
fn raw_json_never_flashes_while_it_streams() {
    for structure in [
        PLAN.to_owned(),
        QUESTION.to_owned(),
        format!("```json\n{PLAN}\n```"),
        "<!-- userPrompt:start -->{\"type\":\"confirm\",\"question\":\"Go?\"}<!-- userPrompt:end -->".to_owned(),
    ] {
        let mut segmenter = Segmenter::new();
        let mut out = Vec::new();
        for letter in format!("Olá, aqui está: {structure}").chars() {
            segmenter.push(letter.encode_utf8(&mut [0; 4]), &mut out);
        }
        segmenter.finish(&mut out);
        let shown: String = out
            .iter()
            .filter_map(|segment| match segment {
                Segment::Text(text) => Some(text.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(
            shown.trim_end(),
            "Olá, aqui está:".trim_end(),
            "{structure}"
        );
    }
}

/// Prose is passed on at once, letter by letter, and so is a rejected candidate.
#[test]
fn nothing_is_held_back_without_need() {
    let mut segmenter = Segmenter::new();
    for (piece, expected) in [
        ("Hello", "Hello"),
        (" {", " "),
        ("name", "{name"),
        ("} <", "} "),
        ("b> `x` ", "<b> `x` "),
        ("\n``", "\n"),
        ("`ru", "```ru"),
        ("st\nlet s = {\"goal", "st\nlet s = {\"goal"),
    ] {
        let mut out = Vec::new();
        segmenter.push(piece, &mut out);
        assert_eq!(out, [Segment::Text(expected.to_owned())], "{piece}");
    }
}
