//! One conversation on a real database, and the writes of its first turn.

use parlor_guard::sanitizer::Sanitizer;
use parlor_guard::{Clean, CleanStream};
use parlor_protocol::message::{Message, Metadata};
use parlor_protocol::{
    BootId, ConversationId, DoneReason, EventBody, EventId, MessageId, MessageType, Mode, NodeId,
    Role, TenantId, Timestamp, TurnId,
};
use parlor_storage::*;
use parlor_test_database::location;
use serde_json::json;
use uuid::Uuid;

/// Everything that these tests write fits into one page.
pub(crate) const PAGE: PageSize = PageSize { entries: 100, bytes: 1 << 20 };

/// What a node takes over from servers that are gone.
#[allow(dead_code, reason = "the unit tests share this file and do not use it")]
pub(crate) const ABANDONED: Claim =
    Claim::Abandoned { node: NodeId::new(Uuid::from_u128(900)), home_patience_ms: 60_000 };

pub(crate) fn uuid(n: u128) -> Uuid {
    Uuid::from_u128(n)
}

pub(crate) fn boot(n: u128) -> BootId {
    BootId::new(uuid(n))
}

pub(crate) fn tenant() -> TenantId {
    "home".parse().unwrap()
}

/// What the tenant's shared account sees.
pub(crate) fn scope() -> Scope {
    Scope::of(tenant(), None)
}

fn clean_text(text: &str) -> Served<String> {
    let mut clean = Served::empty();
    clean.push(&mut CleanStream::new(&Sanitizer::default()), text);
    assert_eq!(clean.get(), text, "nothing to hold back in these tests");
    clean
}

fn message(
    conversation: ConversationId,
    turn: TurnId,
    id: MessageId,
    role: Role,
    text: &str,
) -> Message {
    Message {
        id,
        conversation_id: conversation,
        turn_id: turn,
        role,
        message_type: MessageType::Text,
        content: text.to_owned(),
        data: None,
        options: None,
        questions: None,
        metadata: Metadata::new(),
        created_at: Timestamp(1),
    }
}

fn clean<T: parlor_guard::Cleanable>(value: T) -> Clean<T> {
    Clean::new(&Sanitizer::default(), value)
}

pub(crate) struct Scene {
    pub(crate) store: Store,
    pub(crate) dir: tempfile::TempDir,
    pub(crate) conversation: ConversationId,
    pub(crate) turn: TurnId,
    pub(crate) answer: MessageId,
}

impl Scene {
    pub(crate) async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(location(&dir.path().join("parlor.db")).await).await.unwrap();
        Self {
            store,
            dir,
            conversation: ConversationId::new(uuid(1)),
            turn: TurnId::new(uuid(2)),
            answer: MessageId::new(uuid(4)),
        }
    }

    /// Opens the same database again, as another run of the server would.
    #[allow(dead_code, reason = "the unit tests share this file and do not use it")]
    pub(crate) async fn reopen(&self) -> Store {
        Store::open(location(&self.dir.path().join("parlor.db")).await).await.unwrap()
    }

    pub(crate) fn begin(&self, turn: TurnId, new: bool, client_id: Option<&str>) -> BeginTurn {
        let id = MessageId::new(Uuid::from_u128(turn.as_uuid().as_u128() + 1));
        let said = message(self.conversation, turn, id, Role::User, "hello");
        BeginTurn {
            tenant: tenant(),
            conversation: self.conversation,
            new: new.then(|| NewConversation {
                project: "recipes".parse().unwrap(),
                title: "hello".into(),
                mode: Mode::Act,
                folder: None,
                person: None,
            }),
            turn,
            started_by: "session-1".into(),
            person: None,
            usage: None,
            client_message_id: client_id.map(|id| id.parse().unwrap()),
            request_hash: None,
            external: new.then(|| ExternalConversation {
                principal: "session-1".into(),
                surface: Surface::AgUi,
                project: "recipes".parse().unwrap(),
                id: turn.to_string().parse().unwrap(),
            }),
            client_tools: None,
            follows: Follows::Leaf,
            clears: false,
            start: clean(EventBody::Start {
                conversation_id: self.conversation,
                turn_id: turn,
                message_id: Some(id),
                app: None,
                branch: None,
            }),
            message: Some(clean(said)),
            history: vec![json!({"role": "user", "text": "hello"})],
            files: Vec::new(),
            told: Vec::new(),
            title: None,
            mode: None,
            closes: ClosedPrompts::default(),
            block_message: self.answer,
            owner: TurnOwner { boot: boot(1), handed_over: false, home: None },
            now: Timestamp(10),
        }
    }

    /// What a person says in a conversation.
    #[allow(dead_code, reason = "the unit tests share this file and do not use it")]
    pub(crate) fn says(
        &self,
        conversation: ConversationId,
        turn: TurnId,
        id: u128,
        text: &str,
    ) -> Clean<Message> {
        clean(message(conversation, turn, MessageId::new(uuid(id)), Role::User, text))
    }

    pub(crate) fn block(&self, parts: u64) -> TextBlock {
        TextBlock { seq: 3, message: self.answer, kind: BlockKind::Text, parts }
    }

    pub(crate) fn delta(&self, part: u64, text: &str) -> Delta {
        Delta {
            conversation: self.conversation,
            turn: self.turn,
            epoch: 1,
            block: self.block(part),
            raw: text.to_owned(),
            clean: clean_text(text),
            now: Timestamp(11),
        }
    }

    pub(crate) fn commit(&self, epoch: u64, first_seq: u64) -> Commit {
        let said = message(self.conversation, self.turn, self.answer, Role::Assistant, "Hi there");
        let mut step = Step {
            closes_block: Some(self.block(if first_seq == 4 { 1 } else { 0 })),
            history: vec![json!({"role": "assistant", "text": "Hi there"})],
            end: Some(TurnOutcome {
                status: TurnStatus::Complete,
                tokens_used: Some(7),
                cost_micros: Some(1_500),
            }),
            ..Step::default()
        };
        step.message(clean(said));
        let done = EventBody::Done {
            conversation_id: self.conversation,
            turn_id: self.turn,
            tokens_used: Some(7),
            reason: DoneReason::Complete,
        };
        step.event(&Sanitizer::default(), done);
        Commit {
            conversation: self.conversation,
            epoch,
            turn: self.turn,
            first_seq,
            step,
            block_message: MessageId::new(uuid(99)),
            now: Timestamp(12),
        }
    }

    pub(crate) async fn seqs_after(&self, after: EventId) -> Vec<u64> {
        let entries = self.store.log_after(self.conversation, after, PAGE).await.unwrap();
        entries.iter().map(LogEntry::seq).collect()
    }
}
