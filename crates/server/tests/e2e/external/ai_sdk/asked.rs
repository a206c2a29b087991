//! What a person or an app is asked: approvals, questions, plans, and the app's own tools.

use std::time::Duration;

use parlor_testkit::Script;
use serde_json::{Value, json};

use super::super::client::ExternalClient;
use super::super::scene::Scene;
use super::{CLIENTS, THREAD, client, post, said};

/// Answers all approvals. In version 5 they are questions.
async fn answer(client: &mut ExternalClient, version: u8, approve: bool, reason: &str) -> Value {
    match version {
        5 => {
            let value = json!({"approved": approve, "reason": reason});
            client.call("answer_question", json!({"value": value})).await
        }
        _ => client.call("answer", json!({"approve": approve, "reason": reason})).await,
    }
}

/// What is asked: approvals, or questions in version 5.
fn asked(seen: &Value, version: u8) -> &Vec<Value> {
    let list = if version == 5 { "questions" } else { "approvals" };
    seen[list].as_array().unwrap()
}

/// The parts of the client's messages that are of a tool.
fn tool_parts(seen: &Value, tool: &str) -> Vec<Value> {
    let messages = seen["messages"].as_array().unwrap().iter();
    let parts = messages.flat_map(|message| message["parts"].as_array().unwrap());
    let named = format!("tool-{tool}");
    parts.filter(|part| part["toolName"] == tool || part["type"] == named).cloned().collect()
}

/// I-2, P-9: an approval outlives the server; the client answers, and the tool runs once. The same
/// answer once more does not run it again.
#[tokio::test]
async fn an_approval_survives_the_death_of_the_server() {
    for of in CLIENTS {
        let mut scene = Scene::start().await;
        scene.will_mark("Marked.");
        let mut client = client(&scene, of).await;
        let sent = client.call("send", json!({"text": "mark it"})).await;
        assert_eq!(sent["status"], "ready", "{of:?}: {sent}");
        assert_eq!(asked(&sent, of.1).len(), 1, "{of:?}: {sent}");
        assert_eq!(scene.marks(), 0);
        scene.kill_and_restart().await;
        let answered = answer(&mut client, of.1, true, "").await;
        assert_eq!(answered["error"], Value::Null, "{of:?}: {answered}");
        assert_eq!(answered["text"], "I will. Marked.", "{of:?}: {answered}");
        let calls = tool_parts(&answered, "s_mark");
        assert_eq!(calls.len(), 1, "{of:?}: {answered}");
        assert_eq!(calls[0]["state"], "output-available", "{of:?}: {answered}");
        assert_eq!(answered["messages"].as_array().unwrap().len(), 2, "{of:?}: {answered}");
        assert_eq!(scene.marks(), 1, "{of:?}");
        let again = client.call("repeat", json!({})).await;
        assert_eq!(again["text"], "I will. Marked.", "{of:?}: {again}");
        assert_eq!(tool_parts(&again, "s_mark"), calls, "{of:?}: {again}");
        assert_eq!(scene.marks(), 1, "{of:?}");
    }
}

/// I-2: a refusal with a reason.
#[tokio::test]
async fn a_refusal_tells_the_model_why() {
    for of in CLIENTS {
        let scene = Scene::start().await;
        scene.will_mark("All right.");
        let mut client = client(&scene, of).await;
        client.call("send", json!({"text": "mark it"})).await;
        let refused = answer(&mut client, of.1, false, "not now").await;
        assert_eq!(refused["text"], "I will. All right.", "{of:?}: {refused}");
        let state = if of.1 == 5 { "output-error" } else { "output-denied" };
        assert_eq!(tool_parts(&refused, "s_mark")[0]["state"], state, "{of:?}: {refused}");
        let read = scene.model.requests().pop().unwrap().to_string();
        assert!(read.contains("The person refused: not now"), "{of:?}: {read}");
        assert_eq!(scene.marks(), 0);
    }
}

/// I-2: another device answered meanwhile: the client gets what came after.
#[tokio::test]
async fn another_device_answered_first() {
    for of in CLIENTS {
        let scene = Scene::start().await;
        scene.will_mark("Marked.");
        let mut client = client(&scene, of).await;
        client.call("send", json!({"text": "mark it"})).await;
        scene.answer_elsewhere("yes").await;
        let late = answer(&mut client, of.1, false, "").await;
        assert_eq!(late["error"], Value::Null, "{of:?}: {late}");
        assert_eq!(late["text"], "I will. Marked.", "{of:?}: {late}");
        assert_eq!(tool_parts(&late, "s_mark")[0]["state"], "output-available", "{of:?}: {late}");
        assert_eq!(scene.marks(), 1, "{of:?}");
    }
}

/// I-3: a message while something is asked gets it again, and nothing enters the log. The answer
/// to it counts.
#[tokio::test]
async fn a_message_while_a_prompt_is_open() {
    for of in CLIENTS {
        let scene = Scene::start().await;
        scene.will_mark("Marked.");
        let mut client = client(&scene, of).await;
        client.call("send", json!({"text": "mark it"})).await;
        let again = client.call("send", json!({"text": "hello?"})).await;
        assert_eq!(again["error"], Value::Null, "{of:?}: {again}");
        assert_eq!(asked(&again, of.1).len(), 2, "{of:?}: {again}");
        let answered = answer(&mut client, of.1, true, "").await;
        assert_eq!(answered["text"], "Marked.", "{of:?}: {answered}");
        let last = tool_parts(&answered, "s_mark").pop().unwrap();
        assert_eq!(last["state"], "output-available", "{of:?}: {answered}");
        assert_eq!(scene.marks(), 1, "{of:?}");
        assert!(!scene.messages().await.iter().any(|said| said == "user: hello?"), "{of:?}");
    }
}

/// I-2: `useChat` resumes when its page is loaded: the open approval is there, and can be answered.
#[tokio::test]
async fn a_page_that_is_loaded_has_the_open_prompt() {
    for of in CLIENTS {
        let scene = Scene::start().await;
        scene.will_mark("Marked.");
        let begun = post(&scene, "/ai-sdk/home/recipes", &said("m1", "mark it")).await;
        assert_eq!(begun.0, 200, "{begun:?}");
        let url = scene.url(&format!("/ai-sdk/home/recipes?v={}", of.1));
        let variables = [("PARLOR_THREAD", THREAD), ("DRIVER_MODE", "react")];
        let mut client = ExternalClient::start(of.0, &url, &variables).await;
        let loaded = client.call("state", json!({})).await;
        assert_eq!(asked(&loaded, of.1).len(), 1, "{of:?}: {loaded}");
        assert_eq!(loaded["text"], "I will. ", "{of:?}: {loaded}");
        let answered = answer(&mut client, of.1, true, "").await;
        assert_eq!(answered["text"], "I will. Marked.", "{of:?}: {answered}");
        assert_eq!(scene.marks(), 1, "{of:?}");
        let sent = client.call("reload", json!({})).await;
        assert_eq!(sent["status"], "ready", "{of:?}: {sent}");
    }
}

/// I-2: a question of the model is answered by a tool's output, and the answer goes on in the same
/// message; a page that is loaded meanwhile has it as one message too.
#[tokio::test]
async fn a_question_is_answered() {
    for of in CLIENTS {
        let scene = Scene::start().await;
        let question = r#"{"question": "Soup or cake?", "options": ["soup", "cake"]}"#;
        let words = |n: u64| format!("spoon{n} ");
        scene.model.push(Script::answer().text(question));
        scene.model.push(Script::answer().steady(60, Duration::from_millis(20), words));
        let mut client = client(&scene, of).await;
        let sent = client.call("send", json!({"text": "cook"})).await;
        let asked = sent["questions"].as_array().unwrap();
        assert_eq!(asked.len(), 1, "{of:?}: {sent}");
        assert_eq!(asked[0]["toolName"], "ask_user", "{of:?}: {sent}");
        assert_eq!(asked[0]["input"]["options"][1]["value"], "cake", "{of:?}: {sent}");
        let answering = client.begin("answer_question", json!({"value": "soup"})).await;
        client.text(answering, 60).await;
        let loaded = client.call("reload", json!({})).await;
        let expected: String = (0..60).map(words).collect();
        let text = loaded["text"].as_str().unwrap();
        assert!(text.trim_end().ends_with(expected.trim_end()), "{of:?}: {loaded}");
        assert_eq!(loaded["messages"].as_array().unwrap().len(), 1, "{of:?}: {loaded}");
        let asked = tool_parts(&loaded, "ask_user");
        assert_eq!(asked[0]["output"], "soup", "{of:?}: {loaded}");
        let read = scene.model.requests().len();
        assert_eq!(read, 2, "{of:?}: it was answered once");
    }
}

/// I-2: a plan is approved, in version 5 answered, and carried out in the same message.
#[tokio::test]
async fn a_plan_is_carried_out() {
    for of in CLIENTS {
        let scene = Scene::start().await;
        let step = json!({"step_number": 1, "action": "Cook", "reason": "Hunger"});
        let plan = json!({"goal": "Dinner", "steps": [step]});
        scene.model.push(Script::answer().text(&plan.to_string()));
        scene.model.push(Script::answer().text("Cooked."));
        let mut client = client(&scene, of).await;
        let sent = client.call("send", json!({"text": "plan dinner"})).await;
        assert_eq!(asked(&sent, of.1).len(), 1, "{of:?}: {sent}");
        let parts = sent["messages"][1]["parts"].as_array().unwrap();
        let shown = parts.iter().find(|part| part["type"] == "data-plan").unwrap();
        assert_eq!(shown["data"]["plan"]["goal"], "Dinner", "{of:?}: {sent}");
        let answered = answer(&mut client, of.1, true, "").await;
        assert_eq!(answered["error"], Value::Null, "{of:?}: {answered}");
        assert!(answered["text"].as_str().unwrap().ends_with("Cooked."), "{of:?}: {answered}");
        let tool = if of.1 == 5 { "ask_user" } else { "present_plan" };
        let part = &tool_parts(&answered, tool)[0];
        assert_eq!(part["state"], "output-available", "{of:?}: {answered}");
        assert_eq!(part["output"], "execute", "{of:?}: {answered}");
        assert_eq!(answered["messages"].as_array().unwrap().len(), 2, "{of:?}: {answered}");
        assert_eq!(scene.model.requests().len(), 2, "{of:?}: it was answered once");
    }
}

/// I-4: a tool of the client: the turn waits for its result over the death of the server.
#[tokio::test]
async fn a_tool_of_the_client() {
    for of in CLIENTS {
        let mut scene = Scene::start().await;
        let input = json!({"page": "soups"});
        scene.model.push(Script::answer().text("I look. ").tool_use("t1", "open_page", &input));
        scene.model.push(Script::answer().text("There are two."));
        let mut body = said("m1", "which soups?");
        body["tools"] = json!({"open_page": {"description": "Opens a page of the app.",
            "inputSchema": {"type": "object", "properties": {"page": {"type": "string"}}}}});
        let begun = post(&scene, &format!("/ai-sdk/home/recipes?v={}", of.1), &body).await;
        assert_eq!(begun.0, 200, "{begun:?}");
        scene.kill_and_restart().await;
        let mut client = client(&scene, of).await;
        let resumed = client.call("resume", json!({})).await;
        let call = tool_parts(&resumed, "open_page").pop().unwrap();
        assert_eq!(call["type"], "tool-open_page", "{of:?}: {resumed}");
        assert_eq!(call["input"], input, "{of:?}: {resumed}");
        let output = json!({"id": call["toolCallId"], "output": {"soups": ["leek", "tomato"]}});
        let answered = client.call("tool_output", output).await;
        assert_eq!(answered["text"], "I look. There are two.", "{of:?}: {answered}");
        let read = scene.model.requests().pop().unwrap().to_string();
        assert!(read.contains("tomato"), "{of:?}: {read}");
        assert_eq!(scene.model.requests().len(), 2, "{of:?}");
    }
}
