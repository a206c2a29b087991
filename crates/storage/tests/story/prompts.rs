//! Prompts: opened by a step, resolved once, together with what the resolution changes.

use parlor_guard::Clean;
use parlor_guard::sanitizer::Sanitizer;
use parlor_protocol::{
    Approvers, ConversationId, PromptId, PromptOutcome, PromptStatus, RoleName, Timestamp,
};
use parlor_storage::*;
use serde_json::json;

use crate::scene::{Scene, scope, tenant, uuid};

fn new_prompt(conversation: ConversationId, id: uuid::Uuid) -> NewPrompt {
    let public = json!({"type": "userPrompt", "promptType": "confirm",
        "messageId": id, "conversation_id": conversation, "question": "Really?"});
    NewPrompt {
        tenant: tenant(),
        project: "recipes".parse().unwrap(),
        ask_id: id.to_string(),
        origin: "approval".into(),
        turn_waits: true,
        public: Clean::new(&Sanitizer::default(), serde_json::from_value(public).unwrap()),
        private: json!("result"),
        timeout_ms: None,
    }
}

/// A prompt that opens.
pub(crate) fn opens(conversation: ConversationId, prompt: u128) -> PromptWrite {
    PromptWrite::Open(Box::new(new_prompt(conversation, uuid(prompt))))
}

/// A turn that waits for a person: a prompt about a proposed run.
pub(crate) async fn waiting(scene: &Scene, prompt: u128) -> PromptId {
    let begun = scene.store.begin_turn(&scene.begin(scene.turn, true, None)).await.unwrap();
    let mut commit = scene.commit(begun.epoch, begun.next_seq);
    commit.step = Step {
        runs: vec![RunWrite::Add(ToolRun {
            id: uuid(800),
            call_id: "call-1".into(),
            server: "recipes".into(),
            tool: "delete_recipe".into(),
            status: RunStatus::Proposed,
            arguments: "{}".into(),
            result: None,
            label: None,
        })],
        prompts: vec![PromptWrite::Open(Box::new(new_prompt(scene.conversation, uuid(prompt))))],
        ..Step::default()
    };
    scene.store.commit(&commit).await.unwrap();
    PromptId::new(uuid(prompt))
}

/// Y-2: a prompt that names who answers it is found by the tenant, and listed for those who do not see its
/// conversation, while it is open; any other is not. Roles of people are kept as they were given.
#[tokio::test]
async fn a_prompt_may_name_who_answers_it() {
    let scene = Scene::new().await;
    let store = &scene.store;
    let owner = crate::people::joined(store, 60, "Ana").await;
    let cook = crate::people::joined(store, 61, "Cleo").await;
    let begin = scene.begin(scene.turn, true, None);
    let new = begin.new.clone().map(|new| NewConversation { person: Some(owner), ..new });
    let begun = store.begin_turn(&BeginTurn { new, person: Some(owner), ..begin }).await.unwrap();
    let mut limited = new_prompt(scene.conversation, uuid(700));
    let mut public = limited.public.get().clone();
    let words = ["role:cook".to_owned(), "other".to_owned()];
    let approvers = Approvers::from_words(&words).unwrap().unwrap().asked_by(Some(owner));
    public.approvers = Some(approvers.clone());
    limited.public = Clean::new(&Sanitizer::default(), public);
    let mut commit = scene.commit(begun.epoch, begun.next_seq);
    let open = new_prompt(scene.conversation, uuid(701));
    let prompts = [limited, open].map(|new| PromptWrite::Open(Box::new(new))).into();
    commit.step = Step { prompts, ..Step::default() };
    store.commit(&commit).await.unwrap();

    assert_eq!(store.person_of_turn(scene.turn).await.unwrap(), Some(owner));
    let (id, plain) = (PromptId::new(uuid(700)), PromptId::new(uuid(701)));
    let found = store.limited_prompt(&tenant(), id).await.unwrap();
    assert_eq!(found.public.get().approvers, Some(approvers));
    let other = "other".parse().unwrap();
    for (tenant, id) in [(&tenant(), plain), (&other, id)] {
        let unseen = store.limited_prompt(tenant, id).await;
        assert!(matches!(unseen, Err(StorageError::NotFound)), "{tenant} {id}");
    }
    let listed = async |scope: Scope| {
        let prompts = store.unseen_limited_prompts(&scope, 10).await.unwrap();
        prompts.iter().map(|prompt| prompt.id).collect::<Vec<_>>()
    };
    assert_eq!(listed(Scope::of(tenant(), Some(cook))).await, [id]);
    assert_eq!(listed(Scope::of(tenant(), Some(owner))).await, [], "she sees it anyway");
    assert_eq!(listed(Scope::of(other.clone(), None)).await, []);

    let roles = ["cook", "waiter"].map(|role| role.parse::<RoleName>().unwrap());
    store.people().set_roles(&tenant(), cook, &roles).await.unwrap();
    assert_eq!(store.people().find(&tenant(), cook).await.unwrap().roles, roles);
    let elsewhere = store.people().set_roles(&other, cook, &[]).await;
    assert!(matches!(elsewhere, Err(StorageError::NotFound)));
    store.people().set_roles(&tenant(), cook, &[]).await.unwrap();
    assert_eq!(store.people().find(&tenant(), cook).await.unwrap().roles, []);
}

/// An approval with edited arguments that also allows the tool for the rest of the conversation.
pub(crate) fn yes(scene: &Scene, prompt: PromptId, now: i64) -> PromptResolution {
    let now = Timestamp(now);
    PromptResolution {
        closing: PromptClosing {
            id: prompt,
            outcome: PromptOutcome::Answered,
            response: Some(json!(true)),
            decision: None,
            reason: None,
            allowed: None,
            allowed_preview: None,
            answered_by: Some("Ana".into()),
            forced: false,
            now,
        },
        approves: Some((uuid(800), r#"{"id":7}"#.into())),
        allows: Some(Allowance {
            server: "recipes".into(),
            tool: "delete_recipe".into(),
            fingerprint: "f".into(),
            granted_by: "Ana".into(),
            granted_at: now,
        }),
        decision: Decision {
            id: format!("decision-{}", now.0),
            at: now,
            tenant: tenant(),
            project: "recipes".parse().unwrap(),
            conversation_id: scene.conversation,
            prompt_id: prompt,
            origin: "approval".into(),
            outcome: PromptOutcome::Answered,
            session: Some("session-1".into()),
            answered_by: Some("Ana".into()),
            person: None,
            question: "Really?".into(),
            response: Some(json!(true)),
            reason: None,
            server: Some("recipes".into()),
            tool: Some("delete_recipe".into()),
            run_id: Some(uuid(800).to_string()),
            proposed: Some(json!({})),
            arguments: Some(json!({"id": 7})),
            arguments_hash: Some("00".into()),
            edited: true,
            remembered: true,
            sources: None,
        },
    }
}

/// P-5, P-11: one resolution closes a prompt, approves its run, grants its allowance and is in the
/// audit; a second one changes nothing.
#[tokio::test]
async fn a_prompt_is_resolved_once() {
    let scene = Scene::new().await;
    let id = waiting(&scene, 700).await;
    let first = yes(&scene, id, 20);
    assert!(scene.store.resolve_prompt(&first).await.unwrap());
    let mut second = yes(&scene, id, 21);
    second.approves = Some((uuid(800), "{}".into()));
    second.closing.outcome = PromptOutcome::Refused;
    assert!(!scene.store.resolve_prompt(&second).await.unwrap());

    let prompt = scene.store.prompt(&scope(), id).await.unwrap();
    assert_eq!((prompt.outcome, prompt.logged), (Some(PromptOutcome::Answered), false));
    assert_eq!(prompt.clone().view().status, PromptStatus::Answered);
    let run = scene.store.tool_run(scene.turn, "call-1").await.unwrap().unwrap();
    assert_eq!((run.status, run.arguments.as_str()), (RunStatus::Approved, r#"{"id":7}"#));
    let allowed = scene.store.allowances(scene.conversation).await.unwrap();
    assert_eq!(allowed, [first.allows.clone().unwrap()]);
    let decisions = scene.store.decisions(&tenant(), (Timestamp(0), ""), 9).await.unwrap();
    assert_eq!(decisions, std::slice::from_ref(&first.decision));

    assert_eq!(scene.store.unlogged_prompts(scene.turn).await.unwrap(), [prompt]);
    let mut commit = scene.commit(1, 3);
    commit.step = Step { prompts: vec![PromptWrite::Logged(id)], ..Step::default() };
    scene.store.commit(&commit).await.unwrap();
    assert!(scene.store.unlogged_prompts(scene.turn).await.unwrap().is_empty());

    let revoke = async |tool| scene.store.revoke_allowances(scene.conversation, tool).await;
    assert_eq!(revoke(Some("get_recipe")).await.unwrap(), 0);
    assert_eq!(revoke(None).await.unwrap(), 1);
    assert!(scene.store.allowances(scene.conversation).await.unwrap().is_empty());
}

/// P-4: an answer counts only before the deadline, and an expiry only after it, unless the asker is
/// gone.
#[tokio::test]
async fn an_answer_and_the_expiry_keep_to_the_time() {
    let scene = Scene::new().await;
    let id = waiting(&scene, 700).await;
    let resolve = async |outcome, now, forced| {
        let mut resolution = yes(&scene, id, now);
        resolution.closing.outcome = outcome;
        resolution.closing.forced = forced;
        scene.store.resolve_prompt(&resolution).await.unwrap()
    };
    let extend = async |expires_at, now| {
        let expires_at = Some(Timestamp(expires_at));
        scene.store.extend_prompt(id, expires_at, Timestamp(now)).await.unwrap()
    };
    assert!(extend(100, 20).await);
    assert!(!resolve(PromptOutcome::Expired, 99, false).await, "there is time left");
    assert!(!resolve(PromptOutcome::Answered, 100, false).await, "it comes too late");
    assert!(!extend(200, 100).await, "it has expired");
    assert!(resolve(PromptOutcome::Expired, 99, true).await, "nobody waits for it any more");
    let page = scene.store.prompts(&scope(), Some(PromptStatus::Expired), None, 9).await.unwrap();
    assert_eq!(page.prompts.len(), 1);
}

/// P-6: prompts page without gaps or repeats, also within one millisecond, and by status.
#[tokio::test]
async fn prompts_page() {
    let scene = Scene::new().await;
    let begun = scene.store.begin_turn(&scene.begin(scene.turn, true, None)).await.unwrap();
    let mut commit = scene.commit(begun.epoch, 3);
    commit.step.closes_block = None;
    let opens =
        |n: u128| PromptWrite::Open(Box::new(new_prompt(scene.conversation, uuid(700 + n))));
    commit.step.prompts = (0..7).map(opens).collect();
    scene.store.commit(&commit).await.unwrap();
    for n in [701, 704] {
        let answered = yes(&scene, PromptId::new(uuid(n)), 20 + n as i64);
        assert!(scene.store.resolve_prompt(&answered).await.unwrap());
    }
    let all: &[u128] = &[706, 705, 704, 703, 702, 701, 700];
    for (status, expected) in [
        (None, all),
        (Some(PromptStatus::Open), &[706, 705, 703, 702, 700]),
        (Some(PromptStatus::Answered), &[704, 701]),
        (Some(PromptStatus::Refused), &[]),
    ] {
        let (mut seen, mut before) = (Vec::new(), None);
        loop {
            let page = scene.store.prompts(&scope(), status, before.as_ref(), 3).await.unwrap();
            assert!(page.prompts.len() <= 3);
            seen.extend(page.prompts.iter().map(|prompt| prompt.prompt.get().id));
            let Some(next) = page.next_before else { break };
            before = Some(next.to_string().parse::<PageCursor>().unwrap());
        }
        let expected: Vec<_> = expected.iter().map(|n| PromptId::new(uuid(*n))).collect();
        assert_eq!(seen, expected, "{status:?}");
    }
    let other = Scope::of("other".parse().unwrap(), None);
    assert!(scene.store.prompts(&other, None, None, 3).await.unwrap().prompts.is_empty());
}
