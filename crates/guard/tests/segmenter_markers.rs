//! P-10: inline markers.

#![allow(clippy::unwrap_used, clippy::panic)]

use parlor_guard::segmenter::{Segment, Segmenter};
use parlor_protocol::PromptDraft;
use parlor_protocol::{PromptType, Severity};

fn marked(json: &str) -> String {
    format!("<!-- userPrompt:start -->\n{json}\n<!-- userPrompt:end -->")
}

fn prompt(json: &str) -> PromptDraft {
    match Segmenter::split(&marked(json)).as_slice() {
        [Segment::Prompt { prompt, source }] if *source == marked(json) => *prompt.clone(),
        other => panic!("{json} is {other:?}"),
    }
}

/// P-10: the three types of the seed, under either name.
#[test]
fn confirm_input_and_select_become_prompts() {
    let confirm = prompt(r#"{"type": "confirm", "question": "Go on?", "default": true}"#);
    assert_eq!((confirm.prompt_type, confirm.question.as_str()), (PromptType::Confirm, "Go on?"));
    assert_eq!(confirm.default.as_deref(), Some("yes"));

    let input = prompt(
        r#"{"type": "userPrompt", "promptType": "input", "question": "Name?", "context": "For the file", "severity": "major"}"#,
    );
    assert_eq!((input.prompt_type, input.severity), (PromptType::Input, Some(Severity::Major)));
    assert_eq!(input.context.as_deref(), Some("For the file"));

    let select = prompt(
        r#"{"promptType": "select", "question": "Which?", "options": ["a", {"label": "B", "value": "b"}], "default": "b"}"#,
    );
    assert_eq!(select.options.unwrap().len(), 2);
    assert_eq!(select.default.as_deref(), Some("b"));
}

/// P-10: several questions and plans can be asked in the same way.
#[test]
fn several_questions_and_plans_can_be_marked() {
    let several = prompt(
        r#"{"type": "multi_question", "questions": [{"question": "One?", "options": ["a"]}, {"question": "Two?"}]}"#,
    );
    assert_eq!(several.question, "One?\nTwo?");
    assert_eq!(several.questions.unwrap().len(), 2);

    let plan = marked(
        r#"{"type": "plan", "plan": {"goal": "G", "steps": [{"step_number": 1, "action": "a", "reason": "r"}]}}"#,
    );
    assert!(matches!(Segmenter::split(&plan).as_slice(), [Segment::Plan { .. }]));
}

/// P-10: a marker with a `toolCall` stays text: it is never an approval. The same holds for markers
/// that are malformed, unknown or cannot be answered.
#[test]
fn what_is_no_prompt_keeps_its_words() {
    for json in [
        r#"{"type": "confirm", "question": "Run it?", "toolCall": {"name": "rm", "input": {}}}"#,
        r#"{"type": "confirm", "question": "Run it?", "tool_call": {"name": "rm"}}"#,
        r#"{"type": "select", "question": "Which?"}"#,
        r#"{"type": "select", "question": "Which?", "options": []}"#,
        r#"{"type": "select", "question": "Which?", "options": ["a", {}]}"#,
        r#"{"type": "confirm", "question": "  "}"#,
        r#"{"type": "confirm"}"#,
        r#"{"type": "multi_question", "questions": []}"#,
        r#"{"type": "form", "question": "Fill in", "schema": {}}"#,
        r#"{"type": "hologram", "question": "Which?"}"#,
        r#"{"question": "Which?"}"#,
        "{not json}",
        "",
    ] {
        let source = marked(json);
        assert_eq!(
            Segmenter::split(&source),
            [Segment::Invalid { source: source.clone() }],
            "{json}"
        );
    }
    let open = "<!-- userPrompt:start -->{\"type\": \"confirm\", \"question\": \"Go?\"}";
    assert_eq!(Segmenter::split(open), [Segment::Invalid { source: open.to_owned() }]);
}

/// White space in markers does not matter; the text around them stays.
#[test]
fn markers_are_read_leniently() {
    let json = r#"{"type":"confirm","question":"A <b> or {x}?"}"#;
    let text = format!("Well. <!--userPrompt:start-->{json}<!--  userPrompt:end  --> Bye.");
    match Segmenter::split(&text).as_slice() {
        [Segment::Text(before), Segment::Prompt { prompt, .. }, Segment::Text(after)] => {
            assert_eq!((before.as_str(), after.as_str()), ("Well. ", " Bye."));
            assert_eq!(prompt.question, "A <b> or {x}?");
        }
        other => panic!("{other:?}"),
    }
}
