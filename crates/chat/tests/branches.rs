//! Branches (U-7): whatever is sent, edited, asked for again and chosen, in whatever order and over
//! restarts, the model reads exactly the path, and nothing is lost.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may fail")]

mod support;

use std::collections::HashMap;
use std::path::PathBuf;

use parlor_chat::{Chat, ChatError};
use parlor_protocol::{
    BranchChoice, ChatRequest, ConversationId, EventBody, EventId, MessageId, Role, TurnId,
};
use parlor_storage::{Logged, PageSize, Store};
use parlor_test_database::location;
use parlor_testkit::{Gate, Script, ScriptedModel};
use proptest::prelude::*;
use serde_json::Value;

use support::{Scene, caller, open, read, request};

/// What can happen to a conversation. A number chooses one of its turns.
#[derive(Debug, Clone, Copy)]
enum Act {
    Send,
    Edit(usize),
    Regenerate(usize),
    /// A branch is chosen by a turn, or by its message.
    Choose(usize, bool),
    Restart,
}

fn act() -> impl Strategy<Value = Act> {
    let turn = 0_usize..20;
    prop_oneof![
        3 => Just(Act::Send),
        2 => turn.clone().prop_map(Act::Edit),
        2 => turn.clone().prop_map(Act::Regenerate),
        3 => (turn, any::<bool>()).prop_map(|(turn, by_message)| Act::Choose(turn, by_message)),
        1 => Just(Act::Restart),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24, max_shrink_iters: 30, failure_persistence: None, ..ProptestConfig::default()
    })]

    /// U-7, K-1, H-5: the model reads the path, and every page finds the same tree in the log.
    #[test]
    fn the_model_reads_the_path_and_nothing_is_lost(acts in prop::collection::vec(act(), 1..14)) {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(play(&acts));
    }
}

/// A turn as it should be.
#[derive(Debug, Clone)]
struct Turn {
    id: TurnId,
    message: MessageId,
    parent: Option<usize>,
    asked: String,
    answer: String,
}

/// A conversation, and what is expected of it.
struct Story {
    chat: Chat,
    model: ScriptedModel,
    path: PathBuf,
    _dir: tempfile::TempDir,
    id: Option<ConversationId>,
    turns: Vec<Turn>,
    leaf: Option<usize>,
}

async fn play(acts: &[Act]) {
    let mut story = Story::new().await;
    story.say(Act::Send).await;
    for act in acts {
        match act {
            Act::Choose(turn, by_message) => story.choose(*turn, *by_message).await,
            Act::Restart => story.chat = open(&story.path, &story.model).await,
            Act::Send | Act::Edit(_) | Act::Regenerate(_) => story.say(*act).await,
        }
        story.check().await;
    }
    story.check_log().await;
}

impl Story {
    async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let model = ScriptedModel::start().await.unwrap();
        let path = dir.path().join("parlor.db");
        let chat = open(&path, &model).await;
        let (id, turns, leaf) = (None, Vec::new(), None);
        Self { chat, model, path, _dir: dir, id, turns, leaf }
    }

    /// A message, a new version of one, or another answer.
    async fn say(&mut self, act: Act) {
        let number = self.turns.len();
        let chosen = |turn: usize| turn % number.max(1);
        let answer = format!("answer {number}");
        self.model.push(Script::answer().text(&answer));
        let mut request = request(&format!("question {number}"), self.id);
        let (parent, asked) = match act {
            Act::Edit(turn) => {
                let old = &self.turns[chosen(turn)];
                request.edit_of = Some(old.message);
                (old.parent, request.message.clone())
            }
            Act::Regenerate(turn) => {
                let old = &self.turns[chosen(turn)];
                request.regenerate = Some(old.message);
                request.message = String::new();
                (old.parent, old.asked.clone())
            }
            Act::Send | Act::Choose(..) | Act::Restart => (self.leaf, request.message.clone()),
        };
        let at = self.chat.send(&caller(), &"recipes".parse().unwrap(), request).await.unwrap();
        let events = read(&self.chat, at.conversation_id, at.after).await;
        let message = events.iter().find_map(|event| match event.body.get() {
            EventBody::Start { message_id, .. } => *message_id,
            _ => None,
        });
        self.id = Some(at.conversation_id);
        let turn = Turn { id: at.turn_id, message: message.unwrap(), parent, asked, answer };
        self.turns.push(turn);
        self.leaf = Some(number);
        let mut expected = self.path_to(number);
        expected.pop();
        assert_eq!(said(self.model.requests().last().unwrap()), expected, "what the model reads");
    }

    async fn choose(&mut self, turn: usize, by_message: bool) {
        let turn = turn % self.turns.len();
        let named = &self.turns[turn];
        let choice = match by_message {
            true => BranchChoice { turn_id: None, message_id: Some(named.message) },
            false => BranchChoice { turn_id: Some(named.id), message_id: None },
        };
        let leaf = self.chat.choose_branch(&caller(), self.id.unwrap(), choice).await.unwrap();
        let newest = (0..self.turns.len()).rev().find(|at| self.is_from(*at, turn)).unwrap();
        assert_eq!(leaf, self.turns[newest].id, "the newest end of the branch");
        self.leaf = Some(newest);
    }

    /// Whether a turn is another one, or follows it.
    fn is_from(&self, turn: usize, other: usize) -> bool {
        turn == other || self.turns[turn].parent.is_some_and(|parent| self.is_from(parent, other))
    }

    /// What was said on the path to a turn.
    fn path_to(&self, turn: usize) -> Vec<String> {
        let Turn { parent, asked, answer, .. } = &self.turns[turn];
        let mut path = parent.map(|parent| self.path_to(parent)).unwrap_or_default();
        path.extend([asked.clone(), answer.clone()]);
        path
    }

    fn has_branches(&self) -> bool {
        self.turns.iter().enumerate().any(|(at, turn)| turn.parent != at.checked_sub(1))
    }

    /// The conversation has all messages, and its tree is the expected one.
    async fn check(&self) {
        let view = self.chat.conversation(&caller(), self.id.unwrap()).await.unwrap();
        let all: Vec<&str> = view.messages.iter().map(|m| m.get().content.as_str()).collect();
        let expected = self.turns.iter().flat_map(|turn| [turn.asked.as_str(), &turn.answer]);
        assert_eq!(all, expected.collect::<Vec<_>>(), "nothing is lost");
        let shown: Vec<&str> = view.messages_of_path().map(|m| m.get().content.as_str()).collect();
        assert_eq!(shown, self.path_to(self.leaf.unwrap()));
        if !self.has_branches() {
            assert!(view.leaf.is_none() && view.turns.is_empty(), "one line says nothing of trees");
            return;
        }
        assert_eq!(view.leaf, self.leaf.map(|leaf| self.turns[leaf].id));
        let parents =
            self.turns.iter().map(|turn| (turn.id, turn.parent.map(|at| self.turns[at].id)));
        let places: Vec<_> = view.turns.iter().map(|place| (place.turn_id, place.parent)).collect();
        assert_eq!(places, parents.collect::<Vec<_>>());
    }

    /// A page that reads the log alone finds the same tree and the same path.
    async fn check_log(&self) {
        let store = Store::open(location(&self.path).await).await.unwrap();
        let page = PageSize { entries: 1_000, bytes: 1 << 20 };
        let entries = store.log_after(self.id.unwrap(), EventId::durable(0), page).await.unwrap();
        let (mut order, mut parents, mut leaf) = (Vec::new(), HashMap::new(), None);
        for entry in entries {
            let parlor_storage::LogEntry::Event(Logged { body, .. }) = entry else { continue };
            match body.get() {
                EventBody::Start { turn_id, branch, .. } => {
                    let before = order.last().copied();
                    let parent = branch.map_or(before, |branch| branch.parent);
                    parents.insert(*turn_id, parent);
                    order.push(*turn_id);
                    leaf = Some(*turn_id);
                }
                EventBody::BranchChosen { turn_id, .. } => leaf = Some(*turn_id),
                _ => {}
            }
        }
        assert_eq!(leaf, self.leaf.map(|leaf| self.turns[leaf].id), "the log's leaf");
        for turn in &self.turns {
            assert_eq!(parents[&turn.id], turn.parent.map(|at| self.turns[at].id));
        }
    }
}

/// The texts of a request to the model, in order.
fn said(request: &Value) -> Vec<String> {
    let messages = request["messages"].as_array().unwrap().iter();
    let blocks = messages.flat_map(|message| message["content"].as_array().unwrap().clone());
    blocks.filter_map(|block| Some(block["text"].as_str()?.to_owned())).collect()
}

fn edit(of: MessageId, text: &str, to: ConversationId) -> ChatRequest {
    ChatRequest { edit_of: Some(of), ..request(text, Some(to)) }
}

/// The messages of people, in the order of the log.
async fn asked(scene: &Scene, id: ConversationId) -> Vec<(MessageId, TurnId)> {
    let view = scene.chat.conversation(&caller(), id).await.unwrap();
    let messages = view.messages.iter().map(|message| message.get());
    let messages = messages.filter(|message| message.role == Role::User);
    messages.map(|message| (message.id, message.turn_id)).collect()
}

/// U-7: of two people who edit and choose at the same moment the log has an order, and all agree;
/// while a turn runs nobody can do either.
#[tokio::test]
async fn nothing_changes_under_a_turn_that_runs() {
    let scene = Scene::new().await;
    scene.model.always(Script::answer().text("Soup."));
    let first = scene.send("one", None).await;
    let id = first.conversation_id;
    scene.read(id, first.after).await;
    let (message, turn) = asked(&scene, id).await[0];
    let edited = scene.try_send(edit(message, "two", id)).await.unwrap();
    scene.read(id, edited.after).await;
    let gate = Gate::closed();
    scene.model.push(Script::answer().text("So far").gate(&gate));
    let running = scene.send("three", Some(id)).await;
    scene.read_text(id, running.after, "So far").await;
    let back = BranchChoice { turn_id: Some(turn), message_id: None };
    let chosen = scene.chat.choose_branch(&caller(), id, back).await;
    assert!(matches!(chosen, Err(ChatError::TurnRunning)), "{chosen:?}");
    let again = scene.try_send(edit(message, "four", id)).await;
    assert!(matches!(again, Err(ChatError::TurnRunning)), "{again:?}");
    // The branch that is gone on with can be named at any time: nothing changes.
    let here = BranchChoice { turn_id: Some(running.turn_id), message_id: None };
    assert_eq!(scene.chat.choose_branch(&caller(), id, here).await.unwrap(), running.turn_id);
    gate.release(1);
    scene.read(id, running.after).await;
    let caller = caller();
    let (one, other) = tokio::join!(
        scene.chat.choose_branch(&caller, id, back),
        scene.try_send(edit(message, "five", id)),
    );
    assert!(one.is_ok() || matches!(one, Err(ChatError::TurnRunning)), "{one:?}");
    let at = other.unwrap();
    scene.read(id, at.after).await;
    let view = scene.chat.conversation(&caller, id).await.unwrap();
    assert!(view.leaf == Some(at.turn_id) || one.is_ok() && view.leaf == Some(turn));
}

/// U-7, H-5: an edit that is sent twice begins one turn, and its picture is kept.
#[tokio::test]
async fn an_edit_is_repeated_like_any_message() {
    const GIF: &str = "R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAkQBADs=";
    let scene = Scene::new().await;
    scene.model.always(Script::answer().text("A dot."));
    let picture = serde_json::json!({
        "message": "What is this?", "image": {"data": GIF, "media_type": "image/gif"}
    });
    let first = scene.try_send(serde_json::from_value(picture).unwrap()).await.unwrap();
    let id = first.conversation_id;
    scene.read(id, first.after).await;
    let (message, _) = asked(&scene, id).await[0];
    let twice = ChatRequest {
        client_message_id: Some("tab:2".parse().unwrap()),
        ..edit(message, "And this?", id)
    };
    let one = scene.try_send(twice.clone()).await.unwrap();
    scene.read(id, one.after).await;
    assert_eq!(scene.try_send(twice).await.unwrap(), one);
    assert!(scene.model.requests()[1].to_string().contains("image/gif"), "the picture is kept");
    let without = ChatRequest { image: Some(None), ..edit(message, "And without?", id) };
    let at = scene.try_send(without).await.unwrap();
    scene.read(id, at.after).await;
    let asked = scene.model.requests()[2].to_string();
    assert!(asked.contains("And without?") && !asked.contains("image/gif"), "{asked}");
    let view = scene.chat.conversation(&caller(), id).await.unwrap();
    let messages: Vec<_> =
        view.messages.iter().map(|m| m.get()).filter(|m| m.role == Role::User).collect();
    let image = |at: usize| messages[at].metadata.get("image").cloned();
    assert_eq!((image(1), image(2)), (image(0), None), "the same picture, stored once");
}
