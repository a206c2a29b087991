//! An agent, and the scripted model server behind it.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures_util::StreamExt as _;
use parlor_agent::{
    Agent, AgentError, AgentEvent, HistoryMessage, ModelError, Tools, TurnContext, TurnOutcome,
    TurnRunner, TurnStart,
};
use parlor_models::{
    ModelClient as _, ModelEvent, ModelKind, ModelRequest, ModelSettings, Openai, build_agent,
};
use parlor_protocol::ConversationId;
use parlor_testkit::{Script, ScriptedModel};
use uuid::Uuid;

use crate::transcript::line;

/// A key that must not appear anywhere.
pub(crate) const KEY: &str = "sk-ant-test-4711-do-not-show";

/// Both wire formats.
pub(crate) const BOTH: [ModelKind; 2] = [ModelKind::Anthropic, ModelKind::Openai];

/// A timeout that only turns a hang into a failure.
const FOREVER: Duration = Duration::from_secs(60);

pub(crate) struct Harness {
    pub(crate) model: ScriptedModel,
    pub(crate) agent: Arc<dyn Agent>,
}

impl Harness {
    /// An agent whose model follows these scripts, one for each request.
    pub(crate) async fn new(scripts: impl IntoIterator<Item = Script>) -> Self {
        Self::with(scripts, |_| {}).await
    }

    pub(crate) async fn with(
        scripts: impl IntoIterator<Item = Script>,
        change: impl FnOnce(&mut ModelSettings),
    ) -> Self {
        Self::over(ModelKind::Anthropic, scripts, change).await
    }

    /// The same, over the wire format of this kind of agent.
    pub(crate) async fn over(
        kind: ModelKind,
        scripts: impl IntoIterator<Item = Script>,
        change: impl FnOnce(&mut ModelSettings),
    ) -> Self {
        let model = ScriptedModel::start().await.unwrap();
        for script in scripts {
            model.push(script);
        }
        let mut settings = ModelSettings {
            kind,
            base_url: Some(model.base_url()),
            model: Some("claude-test".into()),
            max_tokens: Some(4_096),
            retry_delay_seconds: 0.0,
            ask_user: false,
            ..ModelSettings::default()
        };
        change(&mut settings);
        Self { agent: agent(&settings, Some(KEY)), model }
    }

    /// An agent with tools, which may also ask the person.
    pub(crate) async fn with_tools(
        scripts: impl IntoIterator<Item = Script>,
        tools: Arc<dyn Tools>,
        change: impl FnOnce(&mut ModelSettings),
    ) -> Self {
        install_tls();
        let model = ScriptedModel::start().await.unwrap();
        for script in scripts {
            model.push(script);
        }
        let base_url = Some(model.base_url());
        let mut settings = ModelSettings { base_url, ..ModelSettings::default() };
        change(&mut settings);
        let agent = build_agent(&settings, |_| Some(KEY.to_owned()), Some(tools));
        let agent = agent.unwrap();
        Self { agent, model }
    }

    pub(crate) fn open(&self) -> Box<dyn TurnRunner> {
        open(&*self.agent)
    }

    /// One turn about one message, with a turn runner of its own.
    pub(crate) async fn ask(&self, message: &str) -> Vec<AgentEvent> {
        turn(&mut self.open(), [HistoryMessage::user(message)]).await
    }
}

/// The events of an OpenAI-compatible model, before the loop turns them into a turn.
pub(crate) async fn heard(script: Script) -> Vec<Result<ModelEvent, ModelError>> {
    install_tls();
    let model = ScriptedModel::start().await.unwrap();
    model.push(script);
    let settings = ModelSettings { model: Some("m".into()), ..ModelSettings::default() };
    let client = Openai::new(&settings, Some(&model.base_url()), None).unwrap();
    let history = [HistoryMessage::user("?")];
    let request = ModelRequest { system_prompt: None, history: &history, tools: &[] };
    in_time(client.stream(&request).collect()).await
}

pub(crate) fn agent(settings: &ModelSettings, key: Option<&str>) -> Arc<dyn Agent> {
    install_tls();
    let keys = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"];
    let env = |name: &str| key.filter(|_| keys.contains(&name)).map(str::to_owned);
    build_agent(settings, env, None).unwrap()
}

pub(crate) fn install_tls() {
    // Another test may have installed it already.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

pub(crate) fn open(agent: &dyn Agent) -> Box<dyn TurnRunner> {
    agent.runner(ConversationId::new(Uuid::nil()))
}

pub(crate) fn start(history: impl IntoIterator<Item = HistoryMessage>) -> TurnStart {
    TurnStart::Message(TurnContext {
        history: history.into_iter().collect(),
        ..TurnContext::default()
    })
}

/// One turn from its beginning to its end.
pub(crate) async fn turn(
    session: &mut Box<dyn TurnRunner>,
    history: impl IntoIterator<Item = HistoryMessage>,
) -> Vec<AgentEvent> {
    session.begin(start(history));
    rest(session).await
}

/// The events up to the end of the turn; nothing may follow.
pub(crate) async fn rest(session: &mut Box<dyn TurnRunner>) -> Vec<AgentEvent> {
    let mut events = Vec::new();
    while !matches!(events.last(), Some(AgentEvent::Ended(_))) {
        events.push(next(session).await);
    }
    assert!(is_idle(session).await, "nothing comes after the end");
    events
}

/// The next event; every request to the model is allowed.
pub(crate) async fn next(session: &mut Box<dyn TurnRunner>) -> AgentEvent {
    loop {
        match any_next(session).await {
            AgentEvent::CallsModel => {}
            event => return event,
        }
    }
}

/// The next event of any kind.
pub(crate) async fn any_next(session: &mut Box<dyn TurnRunner>) -> AgentEvent {
    in_time(session.next()).await.expect("a session does not end")
}

/// Whether the turn runner waits for input; every request to the model is allowed.
pub(crate) async fn is_idle(session: &mut Box<dyn TurnRunner>) -> bool {
    poll_fn(|cx| {
        loop {
            match session.poll_next_unpin(cx) {
                Poll::Ready(Some(AgentEvent::CallsModel)) => {}
                polled => return Poll::Ready(polled.is_pending()),
            }
        }
    })
    .await
}

pub(crate) async fn in_time<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(FOREVER, future).await.expect("the test hangs")
}

/// The events, one line for each.
pub(crate) fn told(events: &[AgentEvent]) -> Vec<String> {
    events.iter().map(line).collect()
}

/// The error of a turn that failed.
pub(crate) fn failure(events: &[AgentEvent]) -> &AgentError {
    match events.last() {
        Some(AgentEvent::Ended(TurnOutcome::Failed(error))) => error,
        other => panic!("the turn did not fail: {other:?}"),
    }
}

/// The text that was streamed.
pub(crate) fn text(events: &[AgentEvent]) -> String {
    let pieces = events.iter().map(|event| match event {
        AgentEvent::Text(text) => text.as_str(),
        _ => "",
    });
    pieces.collect()
}

/// The message for the history.
pub(crate) fn message(events: &[AgentEvent]) -> Option<&HistoryMessage> {
    events.iter().find_map(|event| match event {
        AgentEvent::AssistantMessage(message) => Some(message),
        _ => None,
    })
}
