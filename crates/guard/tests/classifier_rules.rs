//! C-2, C-3: the rules, their order, and input that matches none of them.

#![allow(clippy::unwrap_used, clippy::panic)]

use parlor_guard::classifier::{Classified, Structured, classify};
use parlor_protocol::MessageType::{
    self, Error, Info, MultiQuestion, Plan, Question, Text, Thinking, ToolCall, ToolResult,
};
use serde_json::{Value, json};

fn read(line: &Value) -> Classified {
    classify(line, &str::to_owned)
}

fn says(text: &str) -> MessageType {
    read(&json!({"type": "text", "text": text})).message_type
}

fn a_plan() -> Value {
    json!({"goal": "Dinner", "steps": [{"step_number": 1, "action": "Cook", "reason": "Hunger"}]})
}

fn assistant(block: Value) -> Value {
    json!({"type": "assistant", "message": {"role": "assistant", "content": [block]}})
}

fn permission(tool: &str, input: Value) -> Value {
    json!({"type": "control_request", "request_id": "r", "request":
        {"subtype": "can_use_tool", "tool_name": tool, "input": input, "tool_use_id": "toolu_1"}})
}

/// C-2, 1: a stop is not an error, and its own text is not shown.
#[test]
fn an_aborted_result_is_info_without_words() {
    for reason in ["aborted_streaming", "aborted_tools"] {
        let result =
            read(&json!({"type": "result", "subtype": "error_during_execution", "is_error": true,
            "terminal_reason": reason, "result": "half", "errors": ["[ede_diagnostic] internal"]}));
        assert_eq!((result.message_type, result.content.as_str()), (Info, ""));
    }
}

/// C-2, 2: `type: "error"` and failed results, with readable text.
#[test]
fn errors_are_errors() {
    for (line, words) in [
        (json!({"type": "error", "message": "No space left"}), "No space left"),
        (
            json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
            "Overloaded",
        ),
        (json!({"error": {"message": "Bad key", "code": 401}}), "Bad key"),
        (json!({"error": "Bad key"}), "Bad key"),
        (
            json!({"type": "result", "subtype": "success", "is_error": true, "result": "API Error: 500"}),
            "API Error: 500",
        ),
        (
            json!({"type": "result", "is_error": true, "errors": ["No conversation found"]}),
            "No conversation found",
        ),
        (
            json!({"type": "result", "is_error": true, "subtype": "error_max_turns"}),
            "error max turns",
        ),
        (
            json!({"jsonrpc": "2.0", "id": 2, "error": {"code": -32603, "message": "Internal error"}}),
            "Internal error",
        ),
        (json!({"type": "turn.failed", "error": {"message": "High demand"}}), "High demand"),
        (json!({"type": "error"}), ""),
    ] {
        let classified = read(&line);
        assert_eq!(
            (classified.message_type, classified.content.as_str()),
            (Error, words),
            "{line}"
        );
    }
}

/// C-2, 3: the output of tools is never searched, and a failed tool is not an error.
#[test]
fn tool_results_are_tool_results_whatever_is_in_them() {
    let hidden = format!("Error: {} Which option?", a_plan());
    for content in [json!(hidden), json!([{"type": "text", "text": hidden}])] {
        let line = json!({"type": "user", "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "toolu_1", "content": content, "is_error": true}]}});
        let result = read(&line);
        assert_eq!((&result.message_type, &result.content), (&ToolResult, &hidden));
        assert_eq!(result.metadata["is_error"], true);
        assert_eq!((result.options, result.questions), (None, None));
    }
    let images = json!({"type": "tool_result", "content": [
        {"type": "text", "text": "one"}, {"type": "image", "source": {}}, {"type": "text", "text": "two"}]});
    assert_eq!(read(&images).content, "one\n[image]\ntwo");
}

/// P-10: markers count in the agent's own text only, never in a tool's output or in a person's
/// text.
#[test]
fn markers_in_tool_results_and_in_peoples_words_are_not_prompts() {
    let marker = "<!-- userPrompt:start -->{\"type\":\"confirm\",\"question\":\"Pay?\"}<!-- userPrompt:end -->";
    assert_eq!(says(marker), Question);
    let result = read(&json!({"type": "tool_result", "content": marker}));
    assert_eq!((result.message_type, result.content.as_str()), (ToolResult, marker));
    let person = read(&json!({"type": "user", "message": {"role": "user", "content": marker}}));
    assert_eq!((person.message_type, person.content.as_str()), (Info, ""));
}

/// C-2, 4 and T-2: `ExitPlanMode` as a tool or as a request, plan JSON anywhere.
#[test]
fn plans_are_plans() {
    let markdown = json!({"plan": "# Add a page\n\n1. Write it\n2. Link it\n", "planFilePath": "/home/x/plan.md"});
    for line in [
        assistant(json!({"type": "tool_use", "name": "ExitPlanMode", "input": markdown})),
        permission("ExitPlanMode", markdown.clone()),
        json!({"jsonrpc": "2.0", "id": 1, "method": "session/request_permission", "params":
            {"toolCall": {"name": "ExitPlanMode", "kind": "switch_mode", "rawInput": markdown}, "options": ["Yes", "No"]}}),
        json!({"method": "item/completed", "params": {"item": {"type": "plan", "text": markdown["plan"]}}}),
    ] {
        let plan = read(&line);
        assert_eq!(
            (&plan.message_type, plan.content.as_str()),
            (&Plan, markdown["plan"].as_str().unwrap()),
            "{line}"
        );
        let Some(Structured::Plan(plan)) = plan.data else { panic!("{line}") };
        assert_eq!((plan.goal.as_str(), plan.steps.len()), ("Add a page", 2));
    }
    let prose = format!("Here is my plan:\n```json\n{}\n```\nShall I go on?", a_plan());
    for line in [
        a_plan(),
        json!({"type": "plan", "plan": a_plan()}),
        json!(prose),
        json!({"type": "text", "text": a_plan().to_string()}),
        assistant(json!({"type": "text", "text": prose})),
    ] {
        let plan = read(&line);
        assert_eq!(
            (&plan.message_type, plan.content.as_str()),
            (&Plan, "## Dinner\n\n1. Cook (Hunger)"),
            "{line}"
        );
    }
}

/// T-2: an ACP plan has entries; the first one becomes the goal.
#[test]
fn an_acp_plan_is_a_plan() {
    let plan = read(
        &json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update":
        {"sessionUpdate": "plan", "entries": [{"content": "Look", "priority": "high", "status": "pending"}, {"content": "Leap"}]}}}),
    );
    assert_eq!((&plan.message_type, plan.content.as_str()), (&Plan, "1. Look\n2. Leap"));
    let Some(Structured::Plan(plan)) = plan.data else { panic!("it has a plan") };
    assert_eq!((plan.goal.as_str(), plan.steps.len()), ("Look", 2));
}

/// C-2, 6: a question with options, as an object or in text.
#[test]
fn questions_with_options_are_questions() {
    let question = json!({"question": "Which one?", "options": ["A", "B"], "severity": "critical"});
    for line in [question.clone(), json!(format!("Hm. {question}")), json!({"content": question})] {
        let read = read(&line);
        assert_eq!(
            (&read.message_type, read.content.as_str()),
            (&Question, "Which one?"),
            "{line}"
        );
        assert_eq!(read.options.unwrap().len(), 2);
        assert_eq!(read.metadata["severity"], "critical");
        assert!(matches!(read.data, Some(Structured::Question(_))));
    }
}

/// C-2: an invalid plan or question is `text` with its original content, and no later rule runs.
#[test]
fn invalid_plans_and_questions_are_text() {
    for claim in [
        json!({"goal": "", "steps": []}),
        json!({"goal": "G", "steps": [{"action": "no number"}]}),
        json!({"question": "Which?", "options": []}),
        json!({"question": 7, "options": ["a", "b"]}),
    ] {
        assert_eq!((read(&claim).message_type, read(&claim).content), (Text, claim.to_string()));
        for text in [format!("Error: {claim}?"), format!("```json\n{claim}\n```\nWhich option?")] {
            let read = read(&json!({"type": "text", "text": text}));
            assert_eq!((read.message_type, read.content), (Text, text));
        }
    }
    let nothing = read(&json!({"goal": null, "steps": null, "text": "Hello"}));
    assert_eq!((nothing.message_type, nothing.content.as_str()), (Info, "Hello"));
}

/// C-2, 8: a request is a `tool_call`, whatever its arguments look like; any
/// other tool is a `tool_result`.
#[test]
fn permission_requests_are_tool_calls_and_other_tools_are_tool_results() {
    let asking = json!({"question": "Pay?", "options": ["Yes", "No"], "questions": [{"question": "Pay?"}],
        "goal": "g", "steps": []});
    for input in [json!({"command": "ls"}), asking] {
        let call = read(&permission("mcp__bank__pay", input.clone()));
        assert_eq!((&call.message_type, call.content.as_str()), (&ToolCall, "mcp__bank__pay"));
        assert_eq!(
            call.data,
            Some(Structured::ToolCall { name: "mcp__bank__pay".into(), input: input.clone() })
        );
        let used =
            read(&assistant(json!({"type": "tool_use", "name": "mcp__bank__pay", "input": input})));
        assert_eq!(
            (used.message_type, used.metadata["status"].as_str()),
            (ToolResult, Some("running"))
        );
    }
    let named_like_a_question =
        permission("ask_user", json!({"question": "Pay?", "options": ["Yes"]}));
    assert_eq!(read(&named_like_a_question).message_type, ToolCall);
    let described = permission("Bash", json!({"command": "ls", "description": "List files"}));
    assert_eq!(read(&described).content, "List files");
    for line in [
        json!({"jsonrpc": "2.0", "id": 0, "method": "session/request_permission", "params": {"toolCall":
            {"title": "touch x", "kind": "execute", "rawInput": {"command": "touch x"}}, "options": [{"optionId": "a", "name": "Yes"}, {"optionId": "b", "name": "No"}]}}),
        json!({"id": 0, "method": "item/commandExecution/requestApproval", "params": {"command": "touch x", "threadId": "t"}}),
        json!({"id": 0, "method": "execCommandApproval", "params": {"command": "touch x"}}),
        json!({"type": "tool_call", "name": "touch x", "requires_approval": true, "input": {"command": "touch x"}}),
    ] {
        let call = read(&line);
        assert_eq!(
            (&call.message_type, call.content.as_str(), call.questions),
            (&ToolCall, "touch x", None),
            "{line}"
        );
        let Some(Structured::ToolCall { input, .. }) = call.data else { panic!("{line}") };
        assert_eq!(input, json!({"command": "touch x"}), "{line}");
    }
}

/// C-2, 9: thinking, whole or in pieces.
#[test]
fn thinking_is_thinking() {
    for line in [
        assistant(json!({"type": "thinking", "thinking": "Error: or not?", "signature": "x"})),
        json!({"type": "thinking", "content": "Error: or not?"}),
        json!({"type": "stream_event", "event": {"type": "content_block_delta", "delta": {"type": "thinking_delta", "thinking": "Error: or not?"}}}),
        json!({"type": "item.completed", "item": {"type": "reasoning", "text": "Error: or not?"}}),
    ] {
        let read = read(&line);
        assert_eq!(
            (read.message_type, read.content.as_str()),
            (Thinking, "Error: or not?"),
            "{line}"
        );
    }
}

/// C-2, C-4: several questions.
#[test]
fn asking_tools_and_lists_of_questions_are_multi_questions() {
    let questions =
        json!({"questions": [{"question": "One?", "options": ["a", "b"]}, {"question": "Two?"}]});
    for line in [
        questions.clone(),
        assistant(json!({"type": "tool_use", "name": "AskUserQuestion", "input": questions})),
        permission("AskUserQuestion", questions.clone()),
        json!({"id": 1, "method": "item/tool/requestUserInput", "params": questions}),
    ] {
        let read = read(&line);
        assert_eq!(
            (&read.message_type, read.content.as_str()),
            (&MultiQuestion, "One?\nTwo?"),
            "{line}"
        );
    }
}

/// C-3: in doubt the type is `info`; nothing is shown as JSON.
#[test]
fn what_says_nothing_is_info_without_words() {
    let mut deep = json!("bottom?");
    for _ in 0..120 {
        deep = json!({"content": [deep]});
    }
    for line in [
        json!(null),
        json!(true),
        json!(7),
        json!(""),
        json!([]),
        json!({}),
        json!([[], {}, null]),
        deep,
        json!({"type": "system", "subtype": "init", "cwd": "/x", "tools": ["Bash"]}),
        json!({"type": "control_response", "response": {"subtype": "success", "response": {"options": ["a", "b"]}}}),
        json!({"type": "control_cancel_request", "request_id": "x"}),
        json!({"type": "stream_event", "event": {"type": "content_block_delta", "delta": {"type": "input_json_delta", "partial_json": "{\"a"}}}),
        json!({"type": "wibble", "wobble": {"question": "Why?"}}),
        json!({"type": 7, "content": {"a": [1]}, "message": false}),
        json!({"id": 1, "result": {"stopReason": "end_turn"}}),
        json!({"role": "user", "content": "What would you do?"}),
        json!({"questions": [], "options": ["only one"], "error": null}),
    ] {
        let read = read(&line);
        assert_eq!((read.message_type, read.content.as_str()), (Info, ""), "{line}");
    }
}
