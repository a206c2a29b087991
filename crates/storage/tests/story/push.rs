//! Push subscriptions and the outbox: who is told, once, and until when.

use parlor_protocol::{PersonId, PromptId, Timestamp, TurnId, Visibility};
use parlor_storage::*;

use crate::people::{joined, token};
use crate::prompts::{waiting, yes};
use crate::scene::{Scene, scope, tenant, uuid};

async fn subscribe(store: &Store, session: &str, endpoint: &str, most: u64) -> bool {
    let tenant = tenant();
    let new = NewPushSubscription {
        session,
        tenant: &tenant,
        endpoint_hash: endpoint.to_owned(),
        sealed: vec![1, 2, 3],
        language: "pt",
        created_at: Timestamp(5),
    };
    store.push().subscribe(&new, most).await.unwrap()
}

async fn log_in(store: &Store, session: &str, person: Option<PersonId>) {
    let new = token(session, TokenKind::Session, AccessRole::User, person);
    store.access().add_token(&new).await.unwrap();
}

fn at(now: i64) -> PushClaim {
    let now = Timestamp(now);
    PushClaim { now, happened_by: now, until: Timestamp(now.0 + 60), most: 16 }
}

async fn claimed(store: &Store, now: i64) -> Vec<PushMessage> {
    let mut all = store.push().claim(at(now)).await.unwrap();
    all.sort_by(|one, other| one.session.cmp(&other.session));
    all
}

fn sessions(messages: &[PushMessage]) -> Vec<&str> {
    messages.iter().map(|message| message.session.as_str()).collect()
}

/// U-11: a browser has one subscription, a session too, and a person as many as they can have.
#[tokio::test]
async fn a_browser_is_subscribed_once() {
    let scene = Scene::new().await;
    let (store, push) = (&scene.store, scene.store.push());
    let ana = joined(store, 100, "Ana").await;
    for (session, person) in [("a1", Some(ana)), ("a2", Some(ana)), ("family", None)] {
        log_in(store, session, person).await;
    }
    assert!(!push.exist().await.unwrap());
    assert!(subscribe(store, "a1", "phone", 1).await);
    assert!(!subscribe(store, "a2", "tablet", 1).await, "she has one");
    assert!(subscribe(store, "family", "tablet", 1).await, "others are counted by themselves");
    assert!(subscribe(store, "a1", "new phone", 1).await, "in place of what it had");
    assert!(subscribe(store, "a2", "new phone", 1).await, "in place of whoever was there");
    assert_eq!(push.endpoint_of("a1").await.unwrap(), None);
    assert_eq!(push.endpoint_of("a2").await.unwrap().as_deref(), Some("new phone"));
    push.count_failure("a2", true).await.unwrap();
    let numbers = push.numbers(&tenant(), Timestamp(5)).await.unwrap();
    assert_eq!(numbers, PushNumbers { subscriptions: 2, failing: 1, unsent: 0 });
    push.count_failure("a2", false).await.unwrap();
    push.unsubscribe("family").await.unwrap();
    let numbers = push.numbers(&tenant(), Timestamp(5)).await.unwrap();
    assert_eq!(numbers, PushNumbers { subscriptions: 1, failing: 0, unsent: 0 });
    store.people().set_disabled(&tenant(), ana, true, Timestamp(6)).await.unwrap();
    push.forget_ended(Timestamp(7)).await.unwrap();
    assert!(!push.exist().await.unwrap(), "a session that is over has none");
}

/// U-11: a prompt is in the outbox with the write that opens it, is claimed by one, and stays until
/// its end was told too.
#[tokio::test]
async fn a_prompt_is_told_and_its_end_too() {
    let scene = Scene::new().await;
    let (store, push) = (&scene.store, scene.store.push());
    log_in(store, "family", None).await;
    log_in(store, "gone", None).await;
    assert!(subscribe(store, "family", "one", 9).await && subscribe(store, "gone", "two", 9).await);
    store.access().revoke_token(&tenant(), "gone", Timestamp(6)).await.unwrap();
    let prompt = waiting(&scene, 700).await;
    assert!(push.are_left().await.unwrap());
    let early = PushClaim { happened_by: Timestamp(0), ..at(50) };
    assert!(push.claim(early).await.unwrap().is_empty(), "what has just happened is not told yet");
    let messages = claimed(store, 50).await;
    assert_eq!(sessions(&messages), ["family"]);
    let [message] = &messages[..] else { panic!("{messages:?}") };
    assert_eq!((message.subject, message.sent), (PushSubject::Prompt(prompt), false));
    assert_eq!(message.to.as_ref().unwrap().language, "pt");
    assert!(claimed(store, 60).await.is_empty(), "it is somebody's");
    let again = claimed(store, 111).await;
    assert_eq!(sessions(&again), ["family"], "whose time is over");
    push.later(&again[0], Timestamp(130)).await.unwrap();
    assert!(claimed(store, 120).await.is_empty());
    let again = claimed(store, 130).await;
    assert_eq!(again[0].attempts, 1);
    push.sent(&again[0], Timestamp(131)).await.unwrap();
    assert!(claimed(store, 140).await.is_empty(), "as long as the prompt is open");
    assert_eq!(store.open_prompt_count(&scope()).await.unwrap(), 1);
    assert!(store.resolve_prompt(&yes(&scene, prompt, 150)).await.unwrap());
    assert_eq!(store.open_prompt_count(&scope()).await.unwrap(), 0);
    let ended = claimed(store, 151).await;
    assert!(ended[0].sent, "its end is told");
    push.sent(&ended[0], Timestamp(152)).await.unwrap();
    assert!(!push.are_left().await.unwrap());
    push.add_test("family", Timestamp(160)).await.unwrap();
    push.add_test("family", Timestamp(161)).await.unwrap();
    let test = claimed(store, 162).await;
    assert_eq!((test.len(), test[0].subject), (1, PushSubject::Test));
    push.release_claims().await.unwrap();
    assert_eq!(claimed(store, 163).await.len(), 1);
}

/// U-11, Y-2: what a person has to themselves is told to them alone, and a turn to whoever began it.
#[tokio::test]
async fn only_whoever_may_answer_is_told() {
    let scene = Scene::new().await;
    let store = &scene.store;
    let (ana, bob) = (joined(store, 100, "Ana").await, joined(store, 110, "Bob").await);
    for (session, person) in [("ana", Some(ana)), ("bob", Some(bob)), ("family", None)] {
        log_in(store, session, person).await;
        assert!(subscribe(store, session, session, 9).await);
    }
    let turn = TurnId::new(uuid(500));
    let mut begin = scene.begin(turn, true, None);
    begin.person = Some(ana);
    begin.started_by = format!("person:{ana}");
    begin.new.as_mut().unwrap().person = Some(ana);
    begin.conversation = scene.conversation;
    let begun = store.begin_turn(&begin).await.unwrap();
    let hers = Scope::of(tenant(), Some(ana));
    let private = store.conversation(&hers, scene.conversation).await.unwrap();
    assert_eq!(private.visibility, Visibility::Private);
    let mut commit = scene.commit(begun.epoch, begun.next_seq);
    commit.turn = turn;
    commit.step = Step {
        end: Some(TurnOutcome {
            status: TurnStatus::Complete,
            tokens_used: None,
            cost_micros: None,
        }),
        prompts: vec![crate::prompts::opens(scene.conversation, 700)],
        ..Step::default()
    };
    store.commit(&commit).await.unwrap();
    let messages = claimed(store, 60).await;
    assert_eq!(sessions(&messages), ["ana", "ana"]);
    let subjects: Vec<PushSubject> = messages.iter().map(|message| message.subject).collect();
    assert!(subjects.contains(&PushSubject::Prompt(PromptId::new(uuid(700)))));
    assert!(subjects.contains(&PushSubject::Turn(turn)));
    let ended = store.ended_turn(&hers, turn).await.unwrap();
    assert_eq!((ended.status, ended.is_followed, ended.asks), (TurnStatus::Complete, false, true));
    let of_bob = store.ended_turn(&Scope::of(tenant(), Some(bob)), turn).await;
    assert!(matches!(of_bob, Err(StorageError::NotFound)));
}

/// U-11: of two nodes that make a key pair one is first; without it nothing is left.
#[tokio::test]
async fn the_key_pair_is_made_once() {
    let scene = Scene::new().await;
    let (store, push) = (&scene.store, scene.store.push());
    assert_eq!(push.keys().await.unwrap(), None);
    push.add_keys(&[1], Timestamp(1)).await.unwrap();
    push.add_keys(&[2], Timestamp(2)).await.unwrap();
    assert_eq!(push.keys().await.unwrap(), Some(vec![1]));
    log_in(store, "family", None).await;
    assert!(subscribe(store, "family", "one", 9).await);
    push.forget_keys().await.unwrap();
    assert_eq!((push.keys().await.unwrap(), push.exist().await.unwrap()), (None, false));
}
