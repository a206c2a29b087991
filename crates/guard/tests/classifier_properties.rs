//! C-3: no JSON makes the classifier panic, and its results are consistent.

use parlor_guard::classifier::{Structured, classify};
use parlor_protocol::MessageType;
use proptest::prelude::*;
use serde_json::{Map, Value};

/// Names and words that the classifier's rules look for.
const KEYS: [&str; 44] = [
    "type", "subtype", "message", "content", "text", "role", "result", "is_error", "error",
    "errors", "event", "delta", "request", "input", "tool_name", "name", "questions", "question",
    "options", "goal", "steps", "plan", "thinking", "method", "params", "item", "update",
    "sessionUpdate", "toolCall", "rawInput", "rawOutput", "entries", "choices", "tool_calls",
    "terminal_reason", "label", "value", "id", "jsonrpc", "requestedSchema", "properties",
    "status", "output", "turn",
];
const WORDS: [&str; 36] = [
    "assistant", "user", "result", "error", "system", "tool_use", "tool_result", "thinking",
    "text", "message", "stream_event", "text_delta", "control_request", "can_use_tool",
    "elicitation", "ExitPlanMode", "AskUserQuestion", "session/update",
    "session/request_permission", "item/completed", "item.completed", "agent_message", "plan",
    "tool_call", "completed", "aborted_tools", "Error: x", "Which option?", "Hello.", "",
    "{\"goal\":\"g\",\"steps\":[]}", "```json\n{", "🦀", "item/x/requestApproval", "todo_list",
    "switch_mode",
];

fn lines() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        prop::sample::select(WORDS.to_vec()).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    let key = prop_oneof![9 => prop::sample::select(KEYS.to_vec()).prop_map(str::to_owned), 1 => any::<String>()];
    leaf.prop_recursive(6, 64, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2048, ..ProptestConfig::default() })]

    /// C-3, C-4: every input has a result, whose parts fit its type.
    #[test]
    fn any_json_is_classified(line in lines()) {
        let read = classify(&line, &str::to_owned);
        prop_assert!(MessageType::KNOWN.contains(&read.message_type));
        let fits = match &read.data {
            Some(Structured::Plan(_)) => read.message_type == MessageType::Plan,
            Some(Structured::Question(_)) => read.message_type == MessageType::Question,
            Some(Structured::ToolCall { .. }) => read.message_type == MessageType::ToolCall,
            Some(Structured::ToolResult { .. }) => read.message_type == MessageType::ToolResult,
            None => !matches!(read.message_type, MessageType::Plan | MessageType::ToolCall | MessageType::ToolResult),
        };
        prop_assert!(fits, "{:?}", read);
        prop_assert_eq!(read.questions.is_some(), read.message_type == MessageType::MultiQuestion);
        if let (Some(questions), Some(options)) = (&read.questions, &read.options) {
            prop_assert_eq!(&questions[0].options, options);
        }
    }
}
