//! More conversations than processes: all are served, and the limit holds (B-2, FAULTS 4).

use serde_json::json;

use super::abuses::{errors, said};
use super::bridge_app::BridgeApp;
use super::person::Person;
use crate::mcp::until;

const THREE: &str = "max_processes = 3";

/// Whether a person was told that the turn is queued.
fn waited(person: &Person) -> bool {
    person.seen.iter().any(|frame| frame["type"] == "queued")
}

/// B-2: many messages at once: the number of processes never exceeds the limit, and everyone is
/// answered. Those who were queued were told so.
#[tokio::test]
async fn everyone_is_answered_by_a_few_processes() {
    let app = BridgeApp::with_fake(THREE, "").await;
    let mut people = Vec::new();
    for _ in 0..24 {
        let mut person = Person::at(&app).await;
        person.begin("steady 3 20").await;
        people.push(person);
    }
    let mut most = 0;
    for person in &mut people {
        let answered = async { assert_eq!(person.done().await["reason"], "complete") };
        tokio::pin!(answered);
        // Counts the processes as often as possible while the messages are answered.
        while !tokio::select! {
            biased;
            () = &mut answered => true,
            () = tokio::task::yield_now() => false,
        } {
            most = most.max(app.agents().len());
        }
    }
    assert!((1..=3).contains(&most), "{most} processes at once");
    assert!(people.iter().filter(|person| waited(person)).count() >= 24 - 3);
    assert!(people.iter().all(|person| errors(person).is_empty()));
    until("idle ones stay", || app.agents().len() <= 3).await;
}

/// B-2: the limit of the whole server. An idle process is ended for another conversation, and its
/// own continues in a new one.
#[tokio::test]
async fn an_idle_process_makes_room() {
    let limit = "[server.limits]\nmessages_per_minute = 1000\nagent_processes = 1";
    let app = BridgeApp::limited(limit).await;
    let (mut one, mut other) = (Person::at(&app).await, Person::at(&app).await);
    for person in [&mut one, &mut other] {
        for _ in 0..2 {
            assert_eq!(person.say("hello").await["reason"], "complete");
            assert_eq!(said(person).last(), Some(&"You said: hello"));
            assert_eq!(app.agents().len(), 1);
        }
    }
    assert_eq!(one.say("hello again").await["reason"], "complete");
    assert_eq!(app.log().matches("program started").count(), 3);
    assert!(app.log().contains("resumes=true"));
}

/// H-6, B-2: a stop and the deletion of a conversation remove it from the queue; no process is
/// started for it, and the next in the queue is served.
#[tokio::test]
async fn a_stop_leaves_the_queue() {
    let app = BridgeApp::with_fake("max_processes = 1", "").await;
    let mut first = Person::at(&app).await;
    first.begin("interruptible").await;
    first.find("streamToken").await;
    let mut waiting = Vec::new();
    for _ in 0..3 {
        let mut person = Person::at(&app).await;
        person.begin("hello").await;
        let queued = person.find("queued").await;
        waiting.push((person, queued["conversation_id"].as_str().unwrap().to_owned()));
    }
    waiting[0].0.send(&json!({"type": "stop"})).await;
    assert_eq!(waiting[0].0.done().await["reason"], "stopped");
    assert_eq!(app.delete(&waiting[1].1).await, 204);
    first.send(&json!({"type": "stop"})).await;
    assert_eq!(first.done().await["reason"], "stopped");
    assert_eq!(waiting[2].0.done().await["reason"], "complete");
    assert_eq!(app.log().matches("program started").count(), 2);
}

/// P-9, B-2: a turn that waits for a person has no process, so it delays nobody; once it is
/// answered, it waits for a process of its own.
#[tokio::test]
async fn who_waits_for_a_person_keeps_no_process() {
    let app = BridgeApp::with_fake("max_processes = 1", "").await;
    let mut asked = Person::at(&app).await;
    asked.begin("defer").await;
    let prompt = asked.prompt().await;
    let mut other = Person::at(&app).await;
    other.begin("interruptible").await;
    other.find("streamToken").await;
    asked.answer(&prompt, json!({"response": "yes"})).await;
    asked.find("queued").await;
    assert_eq!(app.file("made.txt"), None);
    other.send(&json!({"type": "stop"})).await;
    assert_eq!(other.done().await["reason"], "stopped");
    assert_eq!(asked.done().await["reason"], "complete");
    assert_eq!(app.file("made.txt").as_deref(), Some("made\n"));
}

/// FAULTS 3: a stopping server does not wait for queued turns.
#[tokio::test]
async fn a_server_stops_with_a_queue() {
    let mut app = BridgeApp::with_fake("max_processes = 1", "").await;
    let mut first = Person::at(&app).await;
    first.begin("interruptible").await;
    first.find("streamToken").await;
    let mut second = Person::at(&app).await;
    second.begin("hello").await;
    let queued = second.find("queued").await;
    app.stop_server();
    app.start_server();
    second = second.back(&app).await;
    assert_eq!(second.done().await["reason"], "interrupted");
    assert_eq!(second.say("hello").await["reason"], "complete");
    assert_eq!(queued["turn_id"].as_str().map(str::len), Some(36));
    assert!(!app.log().contains("ERROR"), "{}", app.log());
}
