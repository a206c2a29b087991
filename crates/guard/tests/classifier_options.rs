//! C-4: options and questions, wherever an agent puts them, and the metadata of a message.

#![allow(clippy::unwrap_used)]

use parlor_guard::classifier::{Classified, classify};
use parlor_protocol::{MessageType, QuestionOption};
use serde_json::{Value, json};

fn read(line: &Value) -> Classified {
    classify(line, &str::to_owned)
}

fn pairs(options: &[QuestionOption]) -> Vec<(&str, &str)> {
    options.iter().map(|option| (option.label.as_str(), option.value.as_str())).collect()
}

/// C-4: strings and objects become label, value and description.
#[test]
fn options_are_normalised() {
    let read = read(
        &json!({"message": "Choose", "options": ["Yes", {"label": "No", "value": "n", "description": "Not now"}]}),
    );
    assert_eq!(
        (&read.message_type, read.content.as_str()),
        (&MessageType::MultiQuestion, "Choose")
    );
    let options = read.options.unwrap();
    assert_eq!(pairs(&options), [("Yes", "Yes"), ("No", "n")]);
    assert_eq!(options[1].description.as_deref(), Some("Not now"));
    assert_eq!(read.questions.unwrap()[0].options, options);
}

/// C-4: every question is kept; `options` are those of the first.
#[test]
fn every_question_of_an_ask_tool_is_kept() {
    let read = read(
        &json!({"type": "tool_use", "name": "AskUserQuestion", "input": {"questions": [
            {"question": "Which database?", "header": "Database", "multiSelect": false,
             "options": [{"label": "SQLite", "description": "One file"}, {"label": "PostgreSQL"}]},
            {"question": "Which extras?", "header": "Extras", "multiSelect": true, "options": [{"label": "Search"}, {"label": "Backups"}]},
        ]}}),
    );
    let questions = read.questions.unwrap();
    assert_eq!(questions.len(), 2);
    assert!(questions[1].multi_select);
    assert_eq!(pairs(&questions[1].options), [("Search", "Search"), ("Backups", "Backups")]);
    assert_eq!(read.options.as_ref(), Some(&questions[0].options));
}

/// C-4: the same for an ask tool with a single question in its arguments.
#[test]
fn an_ask_tool_may_ask_one_thing() {
    let read = read(&json!({"tool_calls": [{"function": {"name": "ask_user",
        "arguments": "{\"question\": \"Which one?\", \"options\": [\"A\", \"B\"]}"}}]}));
    assert_eq!(
        (&read.message_type, read.content.as_str()),
        (&MessageType::MultiQuestion, "Which one?")
    );
    assert_eq!(pairs(&read.options.unwrap()), [("A", "A"), ("B", "B")]);
}

/// C-2, 7: a single option is not a choice.
#[test]
fn a_single_option_is_no_choice() {
    assert_eq!(read(&json!({"options": ["A"], "text": "Hm"})).message_type, MessageType::Info);
    assert_eq!(read(&json!({"options": ["A", "B"]})).message_type, MessageType::MultiQuestion);
}

/// P-3: a form is a question if it has one choice, else several questions.
#[test]
fn elicitation_is_asked_as_questions() {
    let colour = json!({"type": "object", "properties": {"colour": {"type": "string", "enum": ["green", "blue"]}}});
    for line in [
        json!({"type": "control_request", "request": {"subtype": "elicitation", "message": "Which colour?", "requested_schema": colour}}),
        json!({"jsonrpc": "2.0", "id": 0, "method": "elicitation/create", "params": {"message": "Which colour?", "requestedSchema": colour}}),
    ] {
        let read = read(&line);
        assert_eq!(
            (&read.message_type, read.content.as_str()),
            (&MessageType::Question, "Which colour?")
        );
        assert_eq!(pairs(&read.options.unwrap()), [("green", "green"), ("blue", "blue")]);
    }
    let form = json!({"method": "elicitation/create", "params": {"message": "Sign up", "requestedSchema": {"properties": {
        "name": {"type": "string", "title": "Name"}, "news": {"type": "boolean", "description": "Send news?"}}}}});
    let read = read(&form);
    assert_eq!(
        (&read.message_type, read.content.as_str()),
        (&MessageType::MultiQuestion, "Name\nSend news?")
    );
    assert_eq!(read.questions.unwrap().len(), 2);
}

/// P-10: the options of a marker become those of the question.
#[test]
fn a_marker_is_a_question_with_its_options() {
    let marked =
        |json: Value| json!(format!("Hm.\n<!-- userPrompt:start -->{json}<!-- userPrompt:end -->"));
    let select = read(&marked(
        json!({"type": "select", "question": "Which?", "options": ["a", "b"], "severity": "minor"}),
    ));
    assert_eq!((&select.message_type, select.content.as_str()), (&MessageType::Question, "Which?"));
    assert_eq!(pairs(&select.options.unwrap()), [("a", "a"), ("b", "b")]);
    assert_eq!(Value::from(select.metadata), json!({"prompt_type": "select", "severity": "minor"}));

    let confirm = read(&marked(json!({"type": "confirm", "question": "Sure"})));
    assert_eq!((&confirm.message_type, confirm.options), (&MessageType::Question, None));
    let several = read(&marked(
        json!({"type": "multi_question", "questions": [{"question": "One"}, {"question": "Two"}]}),
    ));
    assert_eq!(
        (&several.message_type, several.questions.map(|all| all.len())),
        (&MessageType::MultiQuestion, Some(2))
    );
    let approval =
        json!({"type": "confirm", "question": "Run?", "toolCall": {"name": "rm", "input": {}}});
    assert_eq!(read(&marked(approval)).message_type, MessageType::Text);
}

/// metadata is taken by an allow-list.
#[test]
fn metadata_has_only_safe_facts() {
    let result = read(
        &json!({"type": "result", "subtype": "success", "result": "Done.", "session_id": "s-1", "uuid": "u-1",
        "total_cost_usd": 0.1, "duration_ms": 12, "num_turns": 2, "stop_reason": "end_turn", "terminal_reason": "completed",
        "usage": {"input_tokens": 3, "output_tokens": 4, "service_tier": "standard"}, "modelUsage": {"claude-opus-5-5": {}}}),
    );
    assert_eq!(
        Value::from(result.metadata),
        json!({"duration_ms": 12, "num_turns": 2, "stop_reason": "end_turn", "terminal_reason": "completed",
            "usage": {"input_tokens": 3, "output_tokens": 4}})
    );
    let strange = read(
        &json!({"type": "text", "text": "x", "stop_reason": "see /home/me/notes.md", "duration_ms": "long",
        "cwd": "/home/me", "model": "gpt-5"}),
    );
    assert!(strange.metadata.is_empty(), "{:?}", strange.metadata);
}

/// C-2, C-4: the structure of an ask tool becomes several questions, however it is wrapped; a
/// person may always give another answer, as in the prompt that it becomes.
#[test]
fn the_structure_of_an_ask_tool_is_known_by_its_name() {
    let questions = json!([{"question": "Which database?", "options": [{"label": "SQLite"}, {"label": "PostgreSQL"}]}]);
    for line in [
        json!({"type": "AskUserQuestion", "questions": questions}),
        json!({"type": "AskUserQuestion", "input": {"questions": questions}}),
        json!({"type": "ask_user_question", "question": "Which database?", "options": ["SQLite", "PostgreSQL"]}),
        json!({"AskUserQuestion": {"questions": questions}}),
        json!({"type": "tool_use", "name": "AskUserQuestion", "input": {"questions": questions}}),
    ] {
        let read = read(&line);
        assert_eq!(read.message_type, MessageType::MultiQuestion, "{line}");
        let questions = read.questions.unwrap();
        assert_eq!(questions[0].question, "Which database?", "{line}");
        assert_eq!(
            pairs(&questions[0].options),
            [("SQLite", "SQLite"), ("PostgreSQL", "PostgreSQL")],
            "{line}"
        );
        assert!(questions[0].allow_other, "{line}");
    }
    let plan = read(&json!({"type": "ExitPlanMode", "plan": "# Goal\n\n1. Do it"}));
    assert_eq!(plan.message_type, MessageType::Plan);
}

/// C-4: the answers that an agent offers for an approval are its options.
#[test]
fn the_answers_to_an_approval_are_kept() {
    let call = json!({"toolCallId": "c1", "title": "rm a", "kind": "execute", "rawInput": {"command": "rm a"}});
    let read = read(
        &json!({"jsonrpc": "2.0", "id": 1, "method": "session/request_permission", "params": {
        "sessionId": "s", "toolCall": call, "options": [
            {"optionId": "once", "name": "Allow", "kind": "allow_once"},
            {"optionId": "no", "name": "Reject", "kind": "reject_once"},
        ]}}),
    );
    assert_eq!(read.message_type, MessageType::ToolCall);
    assert_eq!(pairs(&read.options.unwrap()), [("Allow", "once"), ("Reject", "no")]);
    assert!(read.questions.is_none());
}
