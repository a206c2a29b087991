//! Writes finished conversations to the database, as a turn does.

use std::path::Path;

use parlor_guard::Clean;
use parlor_guard::sanitizer::Sanitizer;
use parlor_protocol::message::{Message, Metadata};
use parlor_protocol::{
    BootId, ConversationId, DoneReason, EventBody, MessageId, MessageType, Mode, Role, Timestamp,
    TurnId,
};
use parlor_storage::{
    BeginTurn, ClosedPrompts, Commit, Follows, NewConversation, NewEvent, Step, Store, TurnOutcome,
    TurnOwner, TurnStatus,
};
use parlor_test_database::location;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::test_app::tenant;

/// One turn: the person's message, the raw history, and the final answer.
pub(crate) struct Turn {
    pub(crate) asked: String,
    pub(crate) between: Vec<Value>,
    pub(crate) answer: String,
}

impl Turn {
    pub(crate) fn new(asked: &str, answer: &str) -> Self {
        Self { asked: asked.to_owned(), between: Vec::new(), answer: answer.to_owned() }
    }

    /// Adds a tool call and its result.
    pub(crate) fn tool(mut self, name: &str, output: &str) -> Self {
        let id = format!("toolu_{name}");
        let call = json!({"type": "tool_use", "id": id, "name": name, "input": {}});
        let result = json!({"type": "tool_result", "tool_use_id": id, "is_error": false,
            "content": [{"type": "text", "text": output}]});
        self.between.push(json!({"role": "assistant", "blocks": [call]}));
        self.between.push(json!({"role": "tool", "blocks": [result]}));
        self
    }
}

/// Stores a conversation of the tenant `home`.
pub(crate) async fn conversation(data_dir: &Path, turns: &[Turn]) -> ConversationId {
    let store = Store::open(location(&data_dir.join("parlor.db")).await).await.unwrap();
    let id = ConversationId::new(Uuid::from_u128(7_000));
    for (number, turn) in (0_u128..).zip(turns) {
        let ids = 7_100 + 10 * number;
        let begin = beginning(id, ids, turn, number == 0);
        let begun = store.begin_turn(&begin).await.unwrap();
        store.commit(&ending(&begin, begun.epoch, begun.next_seq, ids, turn)).await.unwrap();
    }
    store.close().await;
    id
}

fn beginning(conversation: ConversationId, ids: u128, turn: &Turn, new: bool) -> BeginTurn {
    let message = message(conversation, ids, ids + 1, Role::User, &turn.asked);
    let start = EventBody::Start {
        conversation_id: conversation,
        turn_id: message.turn_id,
        message_id: Some(message.id),
        app: None,
        branch: None,
    };
    BeginTurn {
        tenant: tenant("home"),
        conversation,
        new: new.then(|| NewConversation {
            project: "recipes".parse().unwrap(),
            title: turn.asked.clone(),
            mode: Mode::Act,
            folder: None,
            person: None,
        }),
        turn: message.turn_id,
        started_by: "seed".into(),
        person: None,
        usage: None,
        client_message_id: None,
        request_hash: None,
        external: None,
        client_tools: None,
        follows: Follows::Leaf,
        clears: false,
        start: clean(start),
        message: Some(clean(message)),
        history: vec![said("user", &turn.asked)],
        files: Vec::new(),
        told: Vec::new(),
        title: None,
        mode: None,
        closes: ClosedPrompts::default(),
        block_message: MessageId::new(Uuid::from_u128(ids + 2)),
        owner: TurnOwner { boot: BootId::new(Uuid::from_u128(1)), handed_over: false, home: None },
        now: Timestamp(1),
    }
}

fn ending(begin: &BeginTurn, epoch: u64, first_seq: u64, ids: u128, turn: &Turn) -> Commit {
    let message = message(begin.conversation, ids, ids + 2, Role::Assistant, &turn.answer);
    let done = EventBody::Done {
        conversation_id: begin.conversation,
        turn_id: begin.turn,
        tokens_used: None,
        reason: DoneReason::Complete,
    };
    let answer = clean(EventBody::Message(Box::new(message.clone())));
    Commit {
        conversation: begin.conversation,
        epoch,
        turn: begin.turn,
        first_seq,
        step: Step {
            events: vec![
                NewEvent { body: answer, message: Some(clean(message)) },
                NewEvent { body: clean(done), message: None },
            ],
            history: [turn.between.clone(), vec![said("assistant", &turn.answer)]].concat(),
            end: Some(TurnOutcome {
                status: TurnStatus::Complete,
                tokens_used: None,
                cost_micros: None,
            }),
            ..Step::default()
        },
        block_message: MessageId::new(Uuid::from_u128(ids + 3)),
        now: Timestamp(2),
    }
}

fn message(conversation: ConversationId, turn: u128, id: u128, role: Role, text: &str) -> Message {
    Message {
        id: MessageId::new(Uuid::from_u128(id)),
        conversation_id: conversation,
        turn_id: TurnId::new(Uuid::from_u128(turn)),
        role,
        message_type: if role == Role::User { MessageType::Text } else { MessageType::Info },
        content: text.to_owned(),
        data: None,
        options: None,
        questions: None,
        metadata: Metadata::new(),
        created_at: Timestamp(1),
    }
}

fn said(role: &str, text: &str) -> Value {
    json!({"role": role, "blocks": [{"type": "text", "text": text}]})
}

fn clean<T: parlor_guard::Cleanable>(value: T) -> Clean<T> {
    Clean::new(&Sanitizer::default(), value)
}
