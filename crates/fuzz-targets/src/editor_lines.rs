//! Lines of an editor that speaks the Agent Client Protocol, as responses to every kind of
//! question, and as text that answers one.

use parlor_protocol::UserPrompt;
use parlor_server::fuzz::{editor_line, editor_reply};
use serde_json::{Value, json};
use uuid::Uuid;

/// Whatever comes is answered in one line of JSON, and only the words that were offered for
/// it are a yes (B-4).
pub fn run(data: &[u8]) {
    let prompts = prompts();
    for line in data.split(|byte| *byte == b'\n') {
        for prompt in &prompts {
            let (sent, answers) = editor_line(line, prompt);
            if let Some(sent) = sent {
                assert!(!sent.contains(&b'\n'), "one line");
                let sent: Value = serde_json::from_slice(&sent).expect("it is JSON");
                assert_eq!(sent["jsonrpc"], "2.0");
            }
            for answer in answers.iter().filter(|answer| answer.response == "yes") {
                let line: Value = serde_json::from_slice(line).expect("it was read");
                let chosen = line["result"]["outcome"]["optionId"].as_str();
                assert!(matches!(chosen, Some("allow" | "always")), "{line} is no {answer:?}");
            }
        }
    }
    let text = String::from_utf8_lossy(data);
    for prompt in &prompts {
        let Some(answer) = editor_reply(&text, prompt) else { continue };
        let said = text.trim().to_lowercase();
        assert!(answer.response != "yes" || ["yes", "1"].contains(&said.as_str()), "{text:?}");
        assert!(answer.response != "execute" || said == "execute", "{text:?}");
    }
}

fn prompts() -> Vec<UserPrompt> {
    let options = json!([{"label": "Soup", "value": "soup"}, {"label": "Cake", "value": "cake"}]);
    let question = json!({"id": "q1", "question": "Which?", "options": options,
        "multi_select": true, "allow_other": true});
    let step = json!({"id": "s1", "title": "One", "promptType": "input", "question": "What?"});
    let schema = json!({"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string"}, "size": {"type": "integer"}, "ring": {"type": "boolean"}}});
    let prompts = [
        json!({"promptType": "confirm", "toolCall": {"name": "mark", "input": {}}}),
        json!({"promptType": "input"}),
        json!({"promptType": "select", "options": options}),
        json!({"promptType": "multi_question", "questions": [question]}),
        json!({"promptType": "wizard", "steps": [step]}),
        json!({"promptType": "form", "schema": schema}),
        json!({"promptType": "plan", "plan": {"goal": "Dinner", "steps": []}}),
    ];
    let prompt = |mut prompt: Value| {
        prompt["messageId"] = json!(Uuid::nil());
        prompt["conversation_id"] = json!(Uuid::nil());
        prompt["question"] = json!("Well?");
        serde_json::from_value(prompt).expect("it is a prompt")
    };
    prompts.map(prompt).into()
}
