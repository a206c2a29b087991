//! A person edits the arguments of a tool call before approving it: a real database, a scripted
//! model, and tools that record their calls.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may fail")]

mod support;

use std::sync::atomic::Ordering;

use parlor_chat::ChatError;
use parlor_protocol::message::MessageData;
use parlor_protocol::request::Remember;
use parlor_protocol::{Preview, Problem, PromptAnswer, PromptClosed, PromptOutcome, PromptStatus};
use parlor_storage::{Decision, Store};
use parlor_test_database::location;
use parlor_testkit::Script;
use serde_json::{Value, json};

use support::asking::{Scene, blank, burn};
use support::{caller, request, seen};

fn edit(input: Value) -> PromptAnswer {
    PromptAnswer { response: json!("yes"), input: Some(input), ..blank() }
}

/// The tool calls in the messages of a model request.
fn calls(request: &Value) -> Vec<Value> {
    let messages = request["messages"].as_array().unwrap();
    let blocks = messages.iter().flat_map(|m| m["content"].as_array().into_iter().flatten());
    let calls = blocks.filter(|block| block["type"] == "tool_use");
    calls.map(|call| call["input"].clone()).collect()
}

async fn decisions(scene: &Scene) -> Vec<Decision> {
    let store = Store::open(location(&scene.dir.path().join("parlor.db")).await).await.unwrap();
    let begin = (parlor_protocol::Timestamp(i64::MIN), "");
    store.decisions(&caller().tenant, begin, 100).await.unwrap()
}

fn old(preview: Option<&Preview>) -> Option<Value> {
    match preview {
        Some(Preview::Record { old, .. }) => old.clone(),
        _ => None,
    }
}

/// P-2, P-6, P-7, S-5: after an edit, the card, the message, the audit and the model (in this turn
/// and in the next) all show the arguments that ran.
#[tokio::test]
async fn what_a_person_changed_is_what_everybody_is_told() {
    let input = json!({"what": "toast", "by": "Claude Code"});
    let call = Script::answer().text("I will.").tool_use("t1", "burn", &input);
    let done = || Script::answer().text("Burnt.");
    let scene = Scene::new([call, done(), done()]).await;
    let at = scene.send("burn the toast").await;
    let prompt = scene.prompt(&at).await;
    let bread = json!({"what": "bread", "by": "[assistant]"});
    scene.answer_with(prompt.id, edit(bread.clone())).await.unwrap();
    let events = scene.rest(&at).await;
    insta::assert_snapshot!(seen(&events).join("\n"));
    let ran = json!({"what": "bread", "by": "Claude Code"});
    assert_eq!(scene.kitchen.made("burn"), std::slice::from_ref(&ran));

    let view = scene.chat.prompt(&caller(), prompt.id).await.unwrap();
    let PromptClosed { tool_call, preview, .. } = view.closed.unwrap();
    let tool_call = tool_call.unwrap();
    assert_eq!(
        (&tool_call.input, tool_call.masked.as_deref()),
        (&bread, Some(&["/by".to_owned()][..]))
    );
    assert_eq!(old(preview.as_ref()), Some(bread.clone()), "what that changes");
    assert_eq!(view.prompt.get().tool_call.as_ref().unwrap().input["what"], "toast", "as proposed");

    let view = scene.chat.conversation(&caller(), at.conversation_id).await.unwrap();
    let message =
        view.messages.iter().map(|m| m.get()).find(|m| m.metadata.contains_key("prompt_id"));
    let message = message.unwrap();
    let Some(MessageData::ToolCall(shown)) = &message.data else { panic!("{message:?}") };
    assert_eq!(shown.input, bread);
    assert_eq!(message.metadata["edited"], true);
    assert_eq!(message.metadata["proposed"]["input"]["what"], "toast");

    let decision = decisions(&scene).await.pop().unwrap();
    assert!(decision.edited);
    assert_eq!(decision.proposed.unwrap()["what"], "toast");
    assert_eq!(decision.arguments.unwrap(), bread);

    // The model reads the edited arguments in this turn, and from the database in the next one.
    assert!(scene.told().contains("The person changed the arguments"), "{}", scene.told());
    assert_eq!(calls(&scene.model.requests().pop().unwrap()), std::slice::from_ref(&ran));
    let again = request("and now?", Some(at.conversation_id));
    let next = scene.chat.send(&caller(), &"recipes".parse().unwrap(), again).await.unwrap();
    scene.rest(&next).await;
    assert_eq!(calls(&scene.model.requests().pop().unwrap()), [ran]);
}

/// P-9: an edit that was made just before the server went down is still what the model reads.
#[tokio::test]
async fn an_edit_outlives_the_server() {
    let mut scene = Scene::new([burn(), Script::answer().text("Burnt.")]).await;
    let at = scene.send("burn the toast").await;
    let prompt = scene.prompt(&at).await;
    scene.restart().await;
    scene.answer_with(prompt.id, edit(json!({"what": "bread"}))).await.unwrap();
    scene.rest(&at).await;
    assert_eq!(scene.kitchen.made("burn"), [json!({"what": "bread"})]);
    assert_eq!(calls(&scene.model.requests().pop().unwrap()), [json!({"what": "bread"})]);
}

/// P-6: the audit has the arguments of a call that was approved unchanged, and of one that was
/// refused, with the reason; the model gets no note about a change.
#[tokio::test]
async fn what_was_not_changed_and_what_was_refused_is_written_down() {
    let done = || Script::answer().text("Done.");
    let scene = Scene::new([burn(), done(), burn(), done()]).await;
    let at = scene.send("burn the toast").await;
    let prompt = scene.prompt(&at).await;
    scene.answer_with(prompt.id, edit(json!({"what": "toast"}))).await.unwrap();
    scene.rest(&at).await;
    let closed = scene.chat.prompt(&caller(), prompt.id).await.unwrap().closed.unwrap();
    assert_eq!((closed.tool_call, closed.preview), (None, None));
    assert!(!scene.told().contains("The person changed"), "{}", scene.told());

    let at = scene.send("burn it again").await;
    let prompt = scene.prompt(&at).await;
    let reason = Some("It is breakfast.".to_owned());
    let no = PromptAnswer { response: json!("no"), reason: reason.clone(), ..blank() };
    scene.answer_with(prompt.id, no).await.unwrap();
    let events = scene.rest(&at).await;
    let closed = scene.chat.prompt(&caller(), prompt.id).await.unwrap().closed.unwrap();
    assert_eq!(closed.reason, reason);
    let told = events.iter().any(|event| {
        serde_json::to_value(event.body.get()).unwrap()["data"]["reason"] == "It is breakfast."
    });
    assert!(told, "{events:?}");
    let decisions = decisions(&scene).await;
    assert_eq!(decisions[0].arguments, Some(json!({"what": "toast"})));
    assert_eq!(decisions[0].proposed, None);
    assert_eq!(decisions[1].arguments, None);
    assert_eq!(decisions[1].proposed, Some(json!({"what": "toast"})));
    assert_eq!(decisions[1].reason, reason);
}

/// P-7: the preview follows an edit and keeps masked parts; no tool runs for it.
#[tokio::test]
async fn the_preview_follows_an_edit() {
    let input = json!({"what": "toast", "by": "Claude Code"});
    let call = Script::answer().tool_use("t1", "burn", &input);
    let scene = Scene::new([call, Script::answer().text("Burnt.")]).await;
    let at = scene.send("burn the toast").await;
    let prompt = scene.prompt(&at).await;
    let bread = json!({"what": "bread", "by": "[assistant]"});
    let previewed = scene.chat.preview(&caller(), prompt.id, &bread).await.unwrap();
    assert_eq!(old(previewed.preview.as_ref().map(|p| p.get())), Some(bread.clone()));
    assert_eq!(previewed.call.get().input, bread);
    for (bad, problem) in [
        (json!({"what": 3, "by": "[assistant]"}), Problem::WrongType),
        (json!({"what": "bread", "by": "me"}), Problem::Masked),
    ] {
        match scene.chat.preview(&caller(), prompt.id, &bad).await {
            Err(ChatError::AnswerInvalid(error)) => {
                assert_eq!(error.problems[0].problem, problem, "{error}");
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(scene.kitchen.made("burn").is_empty(), "nothing runs");
    scene.answer(prompt.id, json!("no")).await.unwrap();
    let late = scene.chat.preview(&caller(), prompt.id, &bread).await;
    assert!(matches!(late, Err(ChatError::PromptClosed)));
}

/// P-11: if a tool changes while its approval is open, it needs a new approval, also after a
/// restart; "always allow" applies only to the tool that was shown.
#[tokio::test]
async fn a_tool_that_changed_is_asked_about_anew() {
    let mut scene = Scene::new([burn(), Script::answer().text("Burnt.")]).await;
    let at = scene.send("burn the toast").await;
    let first = scene.prompt(&at).await;
    scene.kitchen.version.store(1, Ordering::SeqCst);
    let remember = Some(Remember::Conversation);
    let yes = PromptAnswer { response: json!("yes"), remember, ..blank() };
    scene.answer_with(first.id, yes).await.unwrap();
    let second = scene.open_prompt().await.prompt.into_inner();
    assert_ne!(first.id, second.id);
    assert_eq!(second.tool_call, first.tool_call);
    assert!(second.context.unwrap().contains("changed after you were asked"));
    assert!(scene.kitchen.made("burn").is_empty(), "a yes was for another tool");
    scene.restart().await;
    let open = scene.chat.prompts(&caller(), Some(PromptStatus::Open), None).await.unwrap();
    assert_eq!(open.prompts.len(), 1);
    scene.answer(second.id, json!("yes")).await.unwrap();
    let events = scene.rest(&at).await;
    assert!(seen(&events).last().unwrap().starts_with("done Complete"), "{:?}", seen(&events));
    assert_eq!(scene.kitchen.made("burn"), [json!({"what": "toast"})]);
    let outcomes: Vec<_> = decisions(&scene).await.into_iter().map(|d| d.outcome).collect();
    assert_eq!(outcomes, [PromptOutcome::Answered; 2]);
}

/// S-5: a number is approved and passed on exactly as the model wrote it; if that is not possible,
/// the call is not made and the model is told why. Nothing is rounded.
#[tokio::test]
async fn numbers_are_exact_or_not_taken() {
    let large = r#"{"what": "toast", "n": 18446744073709551615, "d": 0.1234567890123456}"#;
    let script = Script::answer().tool_use_saying("t1", "burn", large);
    let scene = Scene::new([script, Script::answer().text("Burnt.")]).await;
    let at = scene.send("burn the toast").await;
    let prompt = scene.prompt(&at).await;
    let shown = prompt.tool_call.unwrap();
    assert_eq!(shown.input["n"], "18446744073709551615", "as its digits: browsers would round it");
    assert_eq!(shown.input["d"].to_string(), "0.1234567890123456");
    assert_eq!(shown.masked.as_deref().unwrap(), ["/n"]);
    let mut edited = shown.input.clone();
    edited["what"] = json!("bread");
    scene.answer_with(prompt.id, edit(edited)).await.unwrap();
    scene.rest(&at).await;
    let made = scene.kitchen.made("burn").pop().unwrap().to_string();
    assert_eq!(made, r#"{"what":"bread","n":18446744073709551615,"d":0.1234567890123456}"#);

    for beyond in ["123456789012345678901234567890", "3.14159265358979323846264338327950288"] {
        let input = format!(r#"{{"what": "toast", "n": {beyond}}}"#);
        let script = Script::answer().tool_use_saying("t1", "burn", &input);
        let scene = Scene::new([script, Script::answer().text("I see.")]).await;
        let at = scene.send("burn the toast").await;
        let events = scene.rest(&at).await;
        assert!(!seen(&events).join("\n").contains("prompt "), "{beyond}: nobody is asked");
        assert!(scene.kitchen.made("burn").is_empty(), "{beyond}");
        assert!(scene.told().contains("more digits than can be passed on exactly"));
        let request = scene.model.requests().pop().unwrap().to_string();
        assert!(request.contains(beyond), "the model reads what it wrote");
    }
}
