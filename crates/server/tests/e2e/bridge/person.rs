//! A person who uses the server over a real WebSocket. Every frame is checked: none may name what
//! is behind the bridge (S-5).

use std::collections::BTreeMap;

use parlor_testkit::RecordedRequest;
use serde_json::{Value, json};

use super::bridge_app::{BridgeApp, SOCKET};
use crate::mcp::served::SECRETS;
use crate::sockets::Socket;
use crate::transcript::Transcript;

/// Longer than any forbidden word.
const LONGEST_WORD: usize = 200;

pub(crate) struct Person {
    socket: Socket,
    unspeakable: Vec<String>,
    /// All frames so far.
    pub(crate) seen: Vec<Value>,
    /// The first frame of the next transcript.
    told: usize,
    /// The end of the streamed text, by message: a forbidden word may be split into pieces.
    streamed: BTreeMap<String, String>,
}

impl Person {
    /// Connects for a new conversation.
    pub(crate) async fn at(app: &BridgeApp) -> Self {
        Self::open(app, "").await
    }

    /// Reconnects after the last frame.
    pub(crate) async fn back(self, app: &BridgeApp) -> Self {
        let Self { socket, .. } = Self::reading(app, self.seen.last().unwrap()).await;
        Self { socket, ..self }
    }

    /// Reads on after a frame that somebody else has seen.
    pub(crate) async fn reading(app: &BridgeApp, after: &Value) -> Self {
        let text = |key: &str| after[key].as_str().unwrap().to_owned();
        let query = format!("?conversation_id={}&after={}", text("conversation_id"), text("id"));
        Self::open(app, &query).await
    }

    async fn open(app: &BridgeApp, query: &str) -> Self {
        let (_, key) = SECRETS.iter().find(|(name, _)| *name == "PARLOR_API_KEY").unwrap();
        let path = format!("{SOCKET}{query}");
        let socket = Socket::at(app.server().address(), &path, &[("x-api-key", *key)]).await;
        Self {
            socket: socket.unwrap(),
            unspeakable: app.unspeakable(),
            seen: Vec::new(),
            told: 0,
            streamed: BTreeMap::new(),
        }
    }

    pub(crate) async fn send(&mut self, frame: &Value) {
        self.socket.send(frame).await;
    }

    /// Sends a message without waiting.
    pub(crate) async fn begin(&mut self, words: &str) {
        self.send(&json!({"message": words})).await;
    }

    /// Sends a message, and waits for the end of the turn.
    pub(crate) async fn say(&mut self, words: &str) -> Value {
        self.begin(words).await;
        self.done().await
    }

    /// Waits for the end of the turn.
    pub(crate) async fn done(&mut self) -> Value {
        self.find("done").await
    }

    /// Waits for the next prompt.
    pub(crate) async fn prompt(&mut self) -> Value {
        self.find("userPrompt").await
    }

    /// Answers a prompt.
    pub(crate) async fn answer(&mut self, prompt: &Value, answer: Value) {
        let mut frame = json!({"type": "userPromptResponse", "messageId": prompt["messageId"]});
        frame.as_object_mut().unwrap().extend(answer.as_object().unwrap().clone());
        self.send(&frame).await;
    }

    /// The next frame of a type, skipping others.
    pub(crate) async fn find(&mut self, kind: &str) -> Value {
        loop {
            let frame = self.socket.next().await;
            let frame = frame.unwrap_or_else(|| panic!("no {kind} came: {:#?}", self.seen));
            self.look_at(&frame);
            self.seen.push(frame.clone());
            if frame["type"] == kind {
                return frame;
            }
            assert_ne!(frame["type"], "done", "no {kind} came: {:#?}", self.seen);
        }
    }

    /// A transcript of the frames since the last one.
    pub(crate) fn story(&mut self) -> Transcript {
        let story = Transcript::default().frames(&self.seen[self.told..]);
        self.told = self.seen.len();
        story
    }

    fn look_at(&mut self, frame: &Value) {
        let message = frame["message_id"].as_str().unwrap_or_default().to_owned();
        let piece = frame["token"].as_str().or(frame["text"].as_str()).unwrap_or_default();
        let end = self.streamed.entry(message).or_default();
        end.push_str(piece);
        for text in [&frame.to_string(), &*end] {
            let text = text.to_lowercase();
            let named = self.unspeakable.iter().find(|word| text.contains(word.as_str()));
            assert_eq!(named, None, "a frame names it: {frame}");
        }
        let kept = end.char_indices().rev().nth(LONGEST_WORD).map_or(0, |(at, _)| at);
        end.drain(..kept);
    }
}

/// The conversation in the model's last request, without what the CLI adds to it.
pub(crate) fn model_saw(app: &BridgeApp) -> Vec<String> {
    let asked = app.model.recorded();
    let last = asked.iter().rfind(|request| !request.body["messages"].is_null());
    let mut request: RecordedRequest = last.expect("the model was not asked").clone();
    request.body.as_object_mut().unwrap().remove("system");
    let messages = request.body["messages"].as_array_mut().unwrap();
    messages.retain(|message| message["role"] != "system");
    for message in messages {
        if let Some(blocks) = message["content"].as_array_mut() {
            blocks.retain(|block| !is_added(block["text"].as_str().unwrap_or_default()));
        }
    }
    let place = |name: &str| app.path(name).to_str().unwrap().to_owned();
    let (workspace, plans) = (place("workspace"), place("home/.claude/plans/"));
    let shown = |line: &String| {
        let line = line.replace(&workspace, "[workspace]");
        // The CLI gives its plans random names.
        let mut parts = line.split(&plans);
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |line, rest| line + "[plans]/" + &rest[rest.find(".md").unwrap()..])
    };
    request.transcript().iter().map(shown).collect()
}

/// Whether the model's last request contains these words, including what the CLI adds.
pub(crate) fn was_told(app: &BridgeApp, words: &str) -> bool {
    let asked = app.model.recorded();
    let last = asked.iter().rfind(|request| !request.body["messages"].is_null());
    last.is_some_and(|request| request.body["messages"].to_string().contains(words))
}

/// What the CLI and the bridge add to people's messages.
fn is_added(text: &str) -> bool {
    text.trim_start().starts_with("<system-reminder>") || text.starts_with("(This message came ")
}
