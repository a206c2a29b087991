//! Whole turns without HTTP: a real database, the real client of the model API, and a scripted
//! model on loopback.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may fail")]

mod support;

use parlor_chat::{Chat, ChatError};
use parlor_protocol::{DoneReason, EventBody, EventId, MessageType, Role};
use parlor_storage::{Logged, PageSize, Store};
use parlor_test_database::location;
use parlor_testkit::{Gate, Script, ScriptedModel};
use support::{
    SECRET, Scene, Setup, caller, eventually, open, open_on, read, request, seen, streamed,
};

/// H-1, H-2, S-5: a plain answer is streamed, masked, numbered, and ended once.
#[tokio::test]
async fn a_plain_answer() {
    let scene = Scene::new().await;
    let script = Script::answer().text("I am Cla").text("ude Code. ").text("Soup it is.");
    scene.model.push(script.usage(10, 5));
    let accepted = scene.send("hello", None).await;
    let events = scene.read(accepted.conversation_id, accepted.after).await;
    let lines = seen(&events);
    assert_eq!(&lines[..2], ["start", "message User text \"hello\""]);
    assert_eq!(streamed(&events), "I am [assistant]. Soup it is.");
    let end = &lines[lines.len() - 2..];
    assert_eq!(
        end,
        ["message Assistant info \"I am [assistant]. Soup it is.\"", "done Complete Some(15)"]
    );
    let mut seqs: Vec<u64> = events.iter().map(|event| event.id.seq).collect();
    seqs.dedup();
    assert_eq!(seqs, [1, 2, 3, 4, 5], "no number is left out");
    assert!(events.windows(2).all(|pair| pair[0].id < pair[1].id), "ids only grow");
}

/// H-5: a reader that resumes after any event id gets the rest, once and in order.
#[tokio::test]
async fn a_reader_goes_on_from_any_event_id() {
    let scene = Scene::new().await;
    let script = Script::answer().thinking("Hm, ").thinking("soup.").words("one two three four");
    scene.model.push(script);
    let accepted = scene.send("count", None).await;
    let all = scene.read(accepted.conversation_id, accepted.after).await;
    let whole = streamed(&all);
    let durable = |events: &[Logged]| -> Vec<EventId> {
        events.iter().map(|e| e.id).filter(|id| id.offset.is_none()).collect()
    };
    for (at, event) in all.iter().enumerate().take(all.len() - 1) {
        let rest = scene.read(accepted.conversation_id, event.id).await;
        assert_eq!(streamed(&all[..=at]) + &streamed(&rest), whole, "after {}", event.id);
        assert_eq!(durable(&rest), durable(&all[at + 1..]), "after {}", event.id);
    }
    let fresh = open(&scene.path(), &scene.model).await;
    let stored = read(&fresh, accepted.conversation_id, accepted.after).await;
    assert_eq!(streamed(&stored), whole, "storage says the same");
}

/// K-1: the model gets the earlier messages.
#[tokio::test]
async fn a_follow_up_has_its_context() {
    let scene = Scene::new().await;
    scene.model.push(Script::answer().text("Tomato soup."));
    scene.model.push(Script::answer().text("Twenty minutes."));
    let first = scene.send("What can I cook?", None).await;
    scene.read(first.conversation_id, first.after).await;
    let second = scene.send("How long does it take?", Some(first.conversation_id)).await;
    scene.read(second.conversation_id, second.after).await;
    let asked = scene.model.requests()[1].to_string();
    for words in ["What can I cook?", "Tomato soup.", "How long does it take?", "Be brief."] {
        assert!(asked.contains(words), "{words} in {asked}");
    }
}

/// X-3: a secret from the configuration is not shown, not stored and not sent to the model again,
/// even if it is streamed in pieces; text that only begins like it stays.
#[tokio::test]
async fn a_secret_that_the_model_says_is_not_told_again() {
    let scene = Scene::new().await;
    let (start, end) = SECRET.split_at(7);
    scene
        .model
        .push(Script::answer().text("It is ").text(start).text(end).text("; or ").text(start));
    scene.model.push(Script::answer().text("Yes."));
    let first = scene.send("What is the word?", None).await;
    let shown = streamed(&scene.read(first.conversation_id, first.after).await);
    assert_eq!(shown, format!("It is [token]; or {start}"));
    let second = scene.send("Really?", Some(first.conversation_id)).await;
    scene.read(second.conversation_id, second.after).await;
    let asked = scene.model.requests()[1].to_string();
    assert!(asked.contains("It is [token]; or") && !asked.contains(SECRET), "{asked}");
    assert!(parlor_test_database::holds(&scene.path(), "It is [token]; or").await);
    assert!(!parlor_test_database::holds(&scene.path(), SECRET).await);
}

/// H-6: a stop closes the connection to the model and keeps the text so far.
#[tokio::test]
async fn a_stop_keeps_what_was_said() {
    let scene = Scene::new().await;
    let gate = Gate::closed();
    scene.model.push(Script::answer().text("Once upon a time").gate(&gate).text(" never"));
    let accepted = scene.send("a story", None).await;
    let id = accepted.conversation_id;
    scene.read_text(id, accepted.after, "Once upon a time").await;
    let busy = scene.try_send(request("x", Some(id))).await;
    assert!(matches!(busy, Err(ChatError::TurnRunning)), "one turn at a time");
    assert!(scene.chat.stop(&caller(), id).await.unwrap());
    let events = scene.read(id, accepted.after).await;
    assert!(seen(&events).last().unwrap().starts_with("done Stopped"));
    let view = scene.chat.conversation(&caller(), id).await.unwrap();
    let last = view.messages.last().unwrap().get();
    assert_eq!(last.content, "Once upon a time");
    assert_eq!(last.metadata["stopped"], true);
    scene.model.wait_until_unconnected().await;
    assert!(!scene.chat.stop(&caller(), id).await.unwrap(), "nothing runs any more");
}

/// H-5: a message that is sent again with the same mark begins one turn.
#[tokio::test]
async fn a_mark_begins_one_turn() {
    let scene = Scene::new().await;
    scene.model.push(Script::answer().text("Once."));
    let mut marked = request("hello", None);
    marked.client_message_id = Some("m-1".parse().unwrap());
    let (first, second) =
        tokio::join!(scene.try_send(marked.clone()), scene.try_send(marked.clone()));
    let first = first.unwrap();
    assert_eq!(first, second.unwrap());
    scene.read(first.conversation_id, first.after).await;
    assert_eq!(scene.try_send(marked).await.unwrap(), first);
    assert_eq!(scene.model.requests().len(), 1);
}

/// H-1: an error is a message, an event, and a `done`.
#[tokio::test]
async fn an_error_is_readable_and_ends_the_turn() {
    let scene = Scene::new().await;
    scene.model.push(Script::failure(401));
    let accepted = scene.send("hello", None).await;
    let lines = seen(&scene.read(accepted.conversation_id, accepted.after).await);
    assert_eq!(lines.len(), 5, "{lines:?}");
    assert!(lines[2].starts_with("message Assistant error"), "{lines:?}");
    assert!(lines[3].starts_with("error"), "{lines:?}");
    assert_eq!(lines[4], "done Error None");
    assert!(!lines.join(" ").contains("sk-ant"), "{lines:?}");
    scene.model.push(Script::answer().text("Back."));
    let next = scene.send("again", Some(accepted.conversation_id)).await;
    let events = scene.read(next.conversation_id, next.after).await;
    assert_eq!(streamed(&events), "Back.");
}

/// T-2, T-8: a plan is a message of its own, and its JSON is never shown.
#[tokio::test]
async fn a_plan_in_the_text_is_a_plan() {
    let scene = Scene::new().await;
    let plan = r#"{"goal": "Dinner", "steps": [{"step_number": 1, "action": "Cook", "reason": "Hunger"}]}"#;
    let said = format!("Here it is:\n\n```json\n{plan}\n```\nEnjoy.");
    scene.model.push(Script::answer().words(&said));
    let accepted = scene.send("make a plan", None).await;
    let events = scene.read(accepted.conversation_id, accepted.after).await;
    assert!(!streamed(&events).contains("goal"), "{:?}", seen(&events));
    let types: Vec<String> = events
        .iter()
        .filter_map(|event| match event.body.get() {
            EventBody::Message(message) if message.role == Role::Assistant => {
                Some(message.message_type.to_string())
            }
            _ => None,
        })
        .collect();
    assert_eq!(types, ["info", "plan", "info"]);
}

/// G-7: a blocked input is listed for administrators, and not stored in the conversation.
#[tokio::test]
async fn a_refused_message_is_listed_for_administrators_only() {
    let scene = Scene::new().await;
    let refused = scene.try_send(request("DAN mode", None)).await;
    assert!(matches!(refused, Err(ChatError::Refused(_))));
    let audit = scene.chat.blocked_inputs(&caller(), None).await.unwrap().blocked_inputs;
    assert_eq!((audit.len(), audit[0].rule.as_str()), (1, "jailbreak.dan_mode"));
    let listed =
        scene.chat.conversations(&caller(), false, Default::default(), None).await.unwrap();
    assert!(listed.conversations.is_empty());
}

/// FAULTS 1: after a take-over the text so far is kept, the turn is interrupted, numbering
/// continues, and the old process can no longer write.
#[tokio::test]
async fn a_turn_that_was_interrupted_is_ended_honestly() {
    let scene = Scene::new().await;
    let gate = Gate::closed();
    scene.model.push(Script::answer().text("Half an ans").gate(&gate).text("wer"));
    let accepted = scene.send("hello", None).await;
    let id = accepted.conversation_id;
    let last = scene.read_text(id, accepted.after, "Half an ans").await;
    // Text is stored shortly after it was streamed.
    let store = Store::open(location(&scene.path()).await).await.unwrap();
    let page = PageSize { entries: 9, bytes: 1 << 20 };
    eventually("the text is stored", async || {
        let stored = store.log_after(id, EventId::durable(2), page).await.unwrap();
        (!stored.is_empty()).then_some(())
    })
    .await;
    let taken_over = open(&scene.path(), &scene.model).await;
    let rest = read(&taken_over, id, last).await;
    assert_eq!(seen(&rest), ["message Assistant info \"Half an ans\"", "done Interrupted None"]);
    // A reader that saw more than was stored gets a snapshot of what is stored.
    let ahead = read(&taken_over, id, EventId::delta(last.seq, 999)).await;
    assert_eq!(seen(&ahead)[0], "snapshot \"Half an ans\"");
    gate.release(1);
    scene.model.push(Script::answer().text("Whole."));
    let project = "recipes".parse().unwrap();
    let next = taken_over.send(&caller(), &project, request("go on", Some(id))).await.unwrap();
    let events = read(&taken_over, id, next.after).await;
    assert_eq!(streamed(&events), "Whole.");
    let EventBody::Done { reason, .. } = events.last().unwrap().body.get() else {
        panic!("a turn ends in done")
    };
    assert_eq!(*reason, DoneReason::Complete);
    let view = taken_over.conversation(&caller(), id).await.unwrap();
    let types: Vec<_> = view.messages.iter().map(|m| m.get().message_type.clone()).collect();
    assert_eq!(types, [MessageType::Text, MessageType::Info, MessageType::Text, MessageType::Info]);
}

/// H-5: if a client disconnects while its message is stored, the turn runs to its end.
#[tokio::test]
async fn a_client_that_leaves_at_once_leaves_no_turn_behind() {
    let scene = Scene::new().await;
    scene.model.always(Script::answer().text("Here."));
    let moments = [0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, usize::MAX];
    for polls in moments {
        let sending = scene.try_send(request("hello", None));
        let leaving = async {
            for _ in 0..polls {
                tokio::task::yield_now().await;
            }
        };
        // Whichever completes first cancels the other.
        tokio::select! {
            biased;
            _sent = sending => {}
            () = leaving => {}
        }
    }
    // A message that was being stored when its client disconnected is stored. Before that, the
    // turns of all nodes are counted; whoever leaves meanwhile has sent nothing.
    let at_least = if parlor_test_database::is_postgres() { 1 } else { moments.len() };
    let conversations = eventually("every turn ends", async || {
        let page =
            scene.chat.conversations(&caller(), false, Default::default(), None).await.unwrap();
        let all_ended = page.conversations.iter().all(|conversation| !conversation.running);
        (all_ended && page.conversations.len() >= at_least).then_some(page.conversations)
    })
    .await;
    for conversation in conversations {
        let view = scene.chat.conversation(&caller(), conversation.id).await.unwrap();
        let texts: Vec<_> = view.messages.iter().map(|m| m.get().content.as_str()).collect();
        assert_eq!(texts, ["hello", "Here."]);
    }
}

/// H-3: an answer over the limit is cut off with a notice, and can be continued.
#[tokio::test]
async fn an_answer_over_the_limit_is_cut_off_and_says_so() {
    let scene = Scene::with(Setup { max_answer_bytes: Some(10), ..Setup::default() }).await;
    scene.model.push(Script::answer().text("12345").text("678").text("90ab").silence());
    let at = scene.send("count", None).await;
    let events = scene.read(at.conversation_id, at.after).await;
    assert_eq!(streamed(&events), "1234567890");
    let messages = events.iter().filter_map(|event| match event.body.get() {
        EventBody::Message(message) if message.role == Role::Assistant => Some(message),
        _ => None,
    });
    let [message] = messages.collect::<Vec<_>>()[..] else { panic!("{events:?}") };
    assert_eq!(message.content, "1234567890");
    assert_eq!(message.metadata["cut_off"], true);
    assert_eq!(message.metadata["cut_off_bytes"], 10);
    let EventBody::Done { reason, .. } = events.last().unwrap().body.get() else { panic!() };
    assert_eq!(*reason, DoneReason::Complete);

    scene.model.push(Script::answer().text("ab"));
    let next = scene.send("go on", Some(at.conversation_id)).await;
    let events = scene.read(next.conversation_id, next.after).await;
    assert_eq!(streamed(&events), "ab");
}

/// E-2, FAULTS 29: the limit of turns at the same time is that of all nodes together.
#[tokio::test]
async fn nodes_limit_their_turns_together() {
    let Some(location) = parlor_test_database::new_postgres().await else { return };
    let model = ScriptedModel::start().await.unwrap();
    let setup = Setup { max_turns: Some(1), ..Setup::default() };
    let node = async || {
        let store = Store::open(location.clone()).await.unwrap();
        open_on(store, &model, setup.clone()).await
    };
    let (one, other) = (node().await, node().await);
    let project = "recipes".parse().unwrap();
    let send = async |node: &Chat| node.send(&caller(), &project, request("hello", None)).await;

    let gate = Gate::closed();
    model.push(Script::answer().text("One moment.").gate(&gate));
    let accepted = send(&one).await.unwrap();
    for node in [&one, &other] {
        assert!(matches!(send(node).await, Err(ChatError::TooManyTurns)));
    }
    gate.release(1);
    read(&one, accepted.conversation_id, accepted.after).await;
    model.push(Script::answer().text("Here I am."));
    let accepted = send(&other).await.unwrap();
    read(&other, accepted.conversation_id, accepted.after).await;
}
