//! The loop with tools: the calls that are proposed, the caller's replies, and the results that the
//! model reads. The tools here are in memory; those of MCP servers are tested in their own crate.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use parlor_agent::tools::{
    Claims, ElicitationReply, ServerHealth, ToolCall, ToolEvent, ToolStream,
};
use parlor_agent::{
    AgentEvent, Answer, ContentBlock, HistoryMessage, Reply, Tool, ToolOutcome, ToolSpec, Tools,
    TurnContext, TurnRunner, TurnStart,
};
use parlor_models::ModelSettings;
use parlor_protocol::Mode;
use parlor_testkit::Script;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::harness::{BOTH, Harness, is_idle, next, start, told};

/// Tools: `look` reads, `put` changes, `order` asks a question.
#[derive(Default)]
struct Cupboard {
    calls: Mutex<Vec<ToolCall>>,
}

impl Tools for Cupboard {
    fn list(&self) -> Arc<[Tool]> {
        ["look", "put", "order", "hang"].map(|name| tool(name, name == "look")).into()
    }

    fn call(&self, call: ToolCall) -> ToolStream {
        let name = call.tool.clone();
        self.calls.lock().unwrap().push(call);
        let done = |text: &str| {
            ToolEvent::Done(ToolOutcome::answered(vec![ContentBlock::text(text)], false))
        };
        match name.as_str() {
            "order" => {
                let (reply, answer) = tokio::sync::oneshot::channel();
                let schema = json!({"type": "object"});
                let ask = ToolEvent::Elicitation { message: "How many?".into(), schema, reply };
                let rest = stream::once(async move {
                    match answer.await.unwrap() {
                        ElicitationReply::Accept(value) => done(&format!("ordered {value}")),
                        other => done(&format!("not ordered: {other:?}")),
                    }
                });
                Box::pin(stream::iter([ask]).chain(rest))
            }
            "hang" => Box::pin(stream::pending()),
            name => Box::pin(stream::iter([done(&format!("{name} is done"))])),
        }
    }

    fn health(&self) -> Vec<ServerHealth> {
        Vec::new()
    }
}

fn tool(name: &str, read_only: bool) -> Tool {
    Tool {
        spec: ToolSpec {
            name: name.to_owned(),
            description: format!("Does {name}."),
            input_schema: json!({"type": "object"}),
        },
        server: "cupboard".into(),
        name: name.to_owned(),
        title: None,
        claims: Claims { read_only, not_destructive: false },
        rules: Vec::new(),
        fingerprint: name.to_owned(),
        timeout: Duration::from_secs(1),
        prompt_timeout: None,
        approvers: None,
        preview: None,
        suspicion: None,
        is_changed: false,
        app: Default::default(),
        flow: Default::default(),
    }
}

/// Replies like a caller that approves everything.
fn reply(session: &mut Box<dyn TurnRunner>, event: &AgentEvent) {
    match event {
        AgentEvent::Proposes(call) => {
            let arguments = call.input.clone();
            session.answer(&call.id, Reply::Run { arguments, run: Uuid::nil() });
        }
        AgentEvent::CallEnded { call, outcome, .. } => {
            let (content, is_error) = match outcome {
                ToolOutcome::Answered { content, is_error, .. } => (content.clone(), *is_error),
                ToolOutcome::NotRun(why)
                | ToolOutcome::LoginNeeded(why)
                | ToolOutcome::Unknown(why) => (vec![ContentBlock::text(why)], true),
            };
            session.answer(call, Reply::Result { content, is_error });
        }
        AgentEvent::Asks(ask) => {
            session.answer(&ask.id, Reply::Answer(Answer::Given(json!("four"))));
        }
        _ => {}
    }
}

async fn rest(session: &mut Box<dyn TurnRunner>) -> Vec<AgentEvent> {
    let mut events = Vec::new();
    while !matches!(events.last(), Some(AgentEvent::Ended(_))) {
        let event = next(session).await;
        reply(session, &event);
        events.push(event);
    }
    events
}

async fn harness(scripts: impl IntoIterator<Item = Script>) -> (Harness, Arc<Cupboard>) {
    harness_with(scripts, |_| {}).await
}

async fn harness_with(
    scripts: impl IntoIterator<Item = Script>,
    change: impl FnOnce(&mut ModelSettings),
) -> (Harness, Arc<Cupboard>) {
    let cupboard = Arc::new(Cupboard::default());
    let tools: Arc<dyn Tools> = Arc::<Cupboard>::clone(&cupboard);
    (Harness::with_tools(scripts, tools, change).await, cupboard)
}

/// The tool results that the model read, by request.
fn results(requests: &[Value]) -> Vec<Value> {
    let last = requests.last().unwrap();
    let messages = last["messages"].as_array().unwrap();
    messages.iter().filter(|m| m["content"][0]["type"] == "tool_result").cloned().collect()
}

/// H-3: text beside calls, two calls in one message, an unknown tool; the loop continues to the
/// final answer.
#[tokio::test]
async fn tools_run_one_after_the_other_and_the_loop_goes_on() {
    let (harness, cupboard) = harness([
        Script::answer()
            .text("Let me see.")
            .tool_use("t1", "look", &json!({"at": "flour"}))
            .tool_use("t2", "put", &json!({"what": "salt"}))
            .tool_use("t3", "dance", &json!({})),
        Script::answer().text("All there."),
    ])
    .await;
    let mut session = harness.open();
    session.begin(start([HistoryMessage::user("?")]));
    let told = told(&rest(&mut session).await);
    insta::assert_snapshot!(told.join("\n"));
    insta::assert_json_snapshot!(results(&harness.model.requests()));
    assert_eq!(cupboard.calls.lock().unwrap().len(), 2);
}

/// H-3: the loop ends with a readable error after its last round, and its history is still valid
/// for a model.
#[tokio::test]
async fn a_model_that_never_stops_calling_is_stopped() {
    let call = || Script::answer().tool_use("t", "look", &json!({}));
    let (harness, _) = harness_with([call(), call(), call()], |s| s.max_rounds = 3).await;
    let mut session = harness.open();
    session.begin(start([HistoryMessage::user("?")]));
    let told = told(&rest(&mut session).await);
    assert_eq!(told.last().unwrap(), "failed: the turn was ended after 3 rounds");
    assert_eq!(told.iter().filter(|line| line.starts_with("results")).count(), 2);
}

/// T-3: in plan mode only calls that read are proposed.
#[tokio::test]
async fn in_plan_mode_nothing_that_changes_runs() {
    let (harness, cupboard) = harness([
        Script::answer().tool_use("t1", "put", &json!({})).tool_use("t2", "look", &json!({})),
        Script::answer().text("A plan."),
    ])
    .await;
    let mut session = harness.open();
    let history = vec![HistoryMessage::user("?")];
    let context = TurnContext { history, mode: Mode::Plan, ..TurnContext::default() };
    session.begin(TurnStart::Message(context));
    let told = told(&rest(&mut session).await);
    assert!(told.iter().any(|line| line.starts_with("call t1 ended: NotRun(\"put was not run")));
    let made: Vec<String> =
        cupboard.calls.lock().unwrap().iter().map(|call| call.tool.clone()).collect();
    assert_eq!(made, ["look"]);
}

/// P-2, P-3, M-3: the model asks the person through a tool, and a server asks during its call.
#[tokio::test]
async fn the_agent_and_its_servers_ask_the_person() {
    let (harness, _) = harness([
        Script::answer()
            .tool_use("t1", "ask_user", &json!({"type": "input", "question": "For how many?"}))
            .tool_use("t2", "ask_user", &json!({"type": "select", "question": "Which?"}))
            .tool_use("t3", "order", &json!({})),
        Script::answer().text("Done."),
    ])
    .await;
    let mut session = harness.open();
    session.begin(start([HistoryMessage::user("?")]));
    let told = told(&rest(&mut session).await);
    insta::assert_snapshot!(told.join("\n"));
}

/// P-9: after a crash, calls without an outcome are proposed again under the same id, and are made
/// only if the caller says so.
#[tokio::test]
async fn a_turn_goes_on_from_its_checkpoint() {
    let (harness, cupboard) = harness([
        Script::answer().tool_use("t1", "put", &json!({"what": "salt"})),
        Script::answer().text("Done."),
    ])
    .await;
    let mut session = harness.open();
    session.begin(start([HistoryMessage::user("?")]));
    let mut history = vec![HistoryMessage::user("?")];
    let checkpoint = loop {
        match next(&mut session).await {
            AgentEvent::AssistantMessage(message) => history.push(message),
            AgentEvent::Checkpoint(checkpoint) => break checkpoint,
            _ => {}
        }
    };
    drop(session);

    let mut session = harness.open();
    let context = TurnContext { history, ..TurnContext::default() };
    session.begin(TurnStart::Resume(context, checkpoint));
    let AgentEvent::Proposes(call) = next(&mut session).await else { panic!("no proposal") };
    assert_eq!((call.id.as_str(), call.name.as_str()), ("t1", "put"));
    assert!(is_idle(&mut session).await, "it waits for the reply");
    session.answer("t0", Reply::not_run("for another call"));
    assert!(is_idle(&mut session).await, "a reply to something else changes nothing");
    session.answer("t1", Reply::not_run("The person said no."));
    let told = told(&rest(&mut session).await);
    insta::assert_snapshot!(told.join("\n"));
    assert!(cupboard.calls.lock().unwrap().is_empty());
}

/// H-6: a stop during a call leaves a history that is valid for a model.
#[tokio::test]
async fn a_stop_settles_the_calls_that_are_left() {
    let (harness, _) = harness([Script::answer()
        .text("Wait.")
        .tool_use("t1", "hang", &json!({}))
        .tool_use("t2", "put", &json!({}))])
    .await;
    let mut session = harness.open();
    session.begin(start([HistoryMessage::user("?")]));
    loop {
        let event = next(&mut session).await;
        reply(&mut session, &event);
        if matches!(event, AgentEvent::Proposes(_)) {
            break;
        }
    }
    assert!(is_idle(&mut session).await, "the call hangs");
    session.stop();
    let told = told(&rest(&mut session).await);
    insta::assert_snapshot!(told.join("\n"));
}

/// H-3: the loop is the same over both wire formats, and a call whose arguments are not JSON is
/// answered with an explanation.
#[tokio::test]
async fn both_wire_formats_run_the_same_loop() {
    let mut stories = Vec::new();
    for kind in BOTH {
        let scripts = [
            Script::answer()
                .text("Let me see.")
                .tool_use("t1", "look", &json!({"at": "flour"}))
                .tool_use_saying("t2", "put", "{\"what\": sal"),
            Script::answer().text("All there."),
        ];
        let (harness, cupboard) = harness_with(scripts, |settings| settings.kind = kind).await;
        let mut session = harness.open();
        session.begin(start([HistoryMessage::user("?")]));
        let told = told(&rest(&mut session).await);
        let request = harness.model.recorded().pop().unwrap();
        stories.push((told, request.transcript(), request.tools()));
        assert_eq!(cupboard.calls.lock().unwrap().len(), 1);
    }
    assert_eq!(stories[0], stories[1]);
    let (_, transcript, tools) = &stories[0];
    assert_eq!(
        transcript[1..],
        [
            "assistant: Let me see.",
            "call t1: look {\"at\":\"flour\"}",
            "call t2: put {\"invalid_arguments\":\"{\\\"what\\\": sal\"}",
            "result t1: look is done",
            "result t2: Error: put was not run: its arguments are not a JSON object. Try again.",
        ]
    );
    assert_eq!(tools[..2], ["look", "put"]);
}
