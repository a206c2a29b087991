//! A chat over a WebSocket: turns, reconnecting, several clients.

use parlor_testkit::{Gate, Script};
use serde_json::{Value, json};
use tokio::net::TcpSocket;

use crate::sockets::{HOME, Socket, streamed, types};
use crate::streams::Events;
use crate::test_app::{ADMIN_KEY, TestApp};

fn conversation(frames: &[Value]) -> String {
    frames[0]["conversation_id"].as_str().unwrap().to_owned()
}

/// The content of frames, in order. Pieces of one text may come in one frame.
fn told(frames: &[Value]) -> Vec<(String, String, String)> {
    let mut told: Vec<(String, String, String)> = Vec::new();
    for frame in frames {
        let text = |key: &str| frame[key].as_str().unwrap_or_default().to_owned();
        let is_piece = frame.get("token").or(frame.get("text")).is_some();
        let (kind, about) = (text("type"), text("message_id"));
        match told.last_mut() {
            Some((last, of, words)) if is_piece && (&*last, &*of) == (&kind, &about) => {
                words.push_str(&(text("token") + &text("text")));
            }
            _ if is_piece => told.push((kind, about, text("token") + &text("text"))),
            _ => told.push((kind, about, text("content"))),
        }
    }
    told
}

/// W-1, W-3: a message in, its turn out; the next message continues the conversation.
#[tokio::test]
async fn a_message_is_answered_in_frames() {
    let app = TestApp::start().await;
    let mut socket = Socket::open(&app, "").await;
    let first = socket.say("hello").await;
    let mut kinds = types(&first);
    kinds.dedup();
    assert_eq!(
        kinds,
        ["start", "text", "streamStart", "streamToken", "streamEnd", "info", "done"],
        "{first:?}"
    );
    assert_eq!(streamed(&first), "Hello");
    let (person, answer) = (&first[1], &first[first.len() - 2]);
    assert_eq!((&person["role"], &person["content"]), (&json!("user"), &json!("hello")));
    assert_eq!((&answer["role"], &answer["content"]), (&json!("assistant"), &json!("Hello")));
    assert!(answer["metadata"].is_object());
    let start = first.iter().find(|frame| frame["type"] == "streamStart").unwrap();
    assert_eq!(start["message_id"], answer["message_id"]);
    let second = socket.say("and again").await;
    assert_eq!(conversation(&second), conversation(&first), "the socket stays in it");
    assert_eq!(app.model.requests()[1]["messages"].as_array().unwrap().len(), 3);
    assert!(first.iter().chain(&second).all(|f| f["conversation_id"] == conversation(&first)));
}

/// H-5: a client that resumes after the event id of any frame gets everything after it, in order.
#[tokio::test]
async fn a_client_comes_back_after_any_frame() {
    let app = TestApp::start().await;
    app.model.push(Script::answer().thinking("Hm, ").thinking("well").text("Hel").text("lo"));
    let all = Socket::open(&app, "").await.say("hello").await;
    let id = conversation(&all);
    for place in all.iter().filter(|frame| frame["type"] != "done") {
        let after = place["id"].as_str().unwrap();
        let mut socket = Socket::open(&app, &format!("?conversation_id={id}&after={after}")).await;
        let rest = socket.turn().await;
        // The end of a text block has the event id of its last piece.
        let first = all.iter().position(|frame| frame["id"] == after).unwrap();
        assert_eq!(told(&rest), told(&all[first + 1..]), "after {after}");
    }
    let mut whole = Socket::open(&app, &format!("?conversation_id={id}")).await;
    assert_eq!(told(&whole.turn().await), told(&all), "without a place, from the beginning");
}

/// FAULTS 12: fifty tabs on one conversation see the same order, whichever of them sends, and the
/// same as over server-sent events.
#[tokio::test]
async fn all_tabs_see_the_same_order() {
    let app = TestApp::with("messages_per_minute = 100").await;
    let mut first = Socket::open(&app, "").await;
    let begun = first.say("hello").await;
    let (id, after) = (conversation(&begun), begun.last().unwrap()["id"].as_str().unwrap());
    let query = format!("?conversation_id={id}&after={after}");
    let mut tabs = Vec::new();
    for _ in 0..50 {
        tabs.push(Socket::open(&app, &query).await);
    }
    let events = app.admin("GET", &format!("/api/conversations/{id}/events?after={after}"));
    let mut events = Events::of(events.send().await.unwrap());
    let durable = |frames: &[Value]| -> Vec<String> {
        let ids = frames.iter().map(|frame| frame["id"].as_str().unwrap().to_owned());
        ids.filter(|id| !id.contains('.')).collect()
    };
    for speaker in [0, 25, 49] {
        let expected = tabs[speaker].say("and now?").await;
        let mut told = Vec::new();
        while told.last().is_none_or(|event: &crate::streams::Event| event.name != "done") {
            told.push(events.next().await.unwrap());
        }
        let told: Vec<String> =
            told.into_iter().map(|event| event.id).filter(|id| !id.contains('.')).collect();
        assert_eq!(told, durable(&expected));
        for (number, tab) in tabs.iter_mut().enumerate().filter(|(number, _)| *number != speaker) {
            let seen = tab.turn().await;
            assert_eq!(durable(&seen), durable(&expected), "tab {number}");
            assert_eq!(streamed(&seen), "Hello", "tab {number}");
        }
        assert_eq!(durable(&first.turn().await), durable(&expected));
    }
}

/// H-6: a turn is stopped over the socket; a message while it runs is refused, with its mark.
#[tokio::test]
async fn a_running_turn_can_be_stopped() {
    let app = TestApp::start().await;
    let gate = Gate::closed();
    app.model.push(Script::answer().text("so far").gate(&gate).text("never"));
    let mut socket = Socket::open(&app, "").await;
    socket.send(&json!({"type": "stop"})).await;
    socket.send(&json!({"message": "hello"})).await;
    socket.find("streamToken").await;
    socket.send(&json!({"message": "again", "client_message_id": "mark-2"})).await;
    let (code, frame) = socket.refusal().await;
    assert_eq!((code.as_str(), &frame["recoverable"]), ("turn_running", &json!(true)));
    assert_eq!(frame["client_message_id"], "mark-2");
    socket.send(&json!({"type": "stop"})).await;
    let rest = socket.turn().await;
    assert_eq!(types(&rest), ["streamEnd", "info", "done"]);
    assert_eq!(rest[2]["reason"], "stopped");
}

/// P-1, P-5: a question is answered over the socket; an invalid answer is refused with the reason
/// and leaves it open, a second answer is too late.
#[tokio::test]
async fn a_prompt_is_answered_over_the_socket() {
    let app = TestApp::start().await;
    let prompt = json!({"promptType": "select", "question": "Which?", "options": ["Soup", "Cake"]});
    let marked = format!("<!-- userPrompt:start -->{prompt}<!-- userPrompt:end -->");
    app.model.push(Script::answer().text(&marked));
    let mut socket = Socket::open(&app, "").await;
    let asked = socket.say("cook something").await;
    let prompt = asked.iter().find(|frame| frame["type"] == "userPrompt").unwrap();
    assert_eq!((&prompt["promptType"], &prompt["question"]), (&json!("select"), &json!("Which?")));
    let id = prompt["messageId"].clone();
    let answer = |response: &str| json!({"type": "userPromptResponse", "messageId": id, "response": response});
    socket.send(&answer("Bread")).await;
    let (code, refusal) = socket.refusal().await;
    assert_eq!((code.as_str(), &refusal["messageId"]), ("answer_invalid", &id));
    socket.send(&json!({"type": "userPromptExtend", "messageId": id, "seconds": 60})).await;
    socket.send(&answer("Soup")).await;
    let answered = socket.turn().await;
    let closed = answered.iter().find(|frame| frame["type"] == "userPromptClosed").unwrap();
    assert_eq!((&closed["messageId"], &closed["outcome"]), (&id, &json!("answered")));
    assert_eq!(streamed(&answered), "Hello");
    for late in [answer("Cake"), json!({"type": "userPromptExtend", "messageId": id})] {
        socket.send(&late).await;
        assert_eq!(socket.refusal().await.0, "prompt_closed");
    }
}

/// P-2, P-5, P-7: over the socket, calls of the built-in agent wait for approval; a refusal reaches
/// the model with its reason, an approved call is made once.
#[tokio::test]
async fn an_approval_is_given_and_refused_over_the_socket() {
    let app = TestApp::with_vault().await;
    let list = app.admin("GET", "/api/recipes").send().await.unwrap();
    let soup = crate::test_app::json(list).await["recipes"][0]["id"].clone();
    let path = format!("/api/recipes/{}", soup.as_str().unwrap());
    let mut socket = Socket::open(&app, "").await;
    for (number, response, outcome, left) in
        [(0, "no", "refused", 200), (1, "yes", "answered", 404)]
    {
        let id = format!("t{number}");
        app.model.push(Script::answer().tool_use(
            &id,
            "delete_recipe",
            &json!({"recipe_id": soup}),
        ));
        app.model.push(Script::answer().text("All right."));
        socket.send(&json!({"message": "delete it"})).await;
        let prompt = socket.find("userPrompt").await;
        assert_eq!(prompt["toolCall"]["input"], json!({"recipe_id": soup}));
        let answer = json!({"type": "userPromptResponse", "messageId": prompt["messageId"],
            "response": response, "reason": "Ana still cooks it."});
        socket.send(&answer).await;
        let rest = socket.turn().await;
        let closed = rest.iter().find(|frame| frame["type"] == "userPromptClosed").unwrap();
        assert_eq!(
            (&closed["messageId"], &closed["outcome"]),
            (&prompt["messageId"], &json!(outcome))
        );
        assert_eq!(streamed(&rest), "All right.");
        socket.send(&answer).await;
        assert_eq!(socket.refusal().await.0, "prompt_closed");
        let saw = app.model.requests().pop().unwrap()["messages"].to_string();
        assert!(saw.contains("Ana still cooks it."), "{saw}");
        assert_eq!(app.admin("GET", &path).send().await.unwrap().status(), left);
    }
}

/// H-5: a message that is sent again, over another socket, starts one turn.
#[tokio::test]
async fn a_repeated_message_starts_one_turn() {
    let app = TestApp::start().await;
    let message = json!({"message": "hello", "client_message_id": "mark-1"});
    let mut turns = Vec::new();
    for _ in 0..2 {
        let mut socket = Socket::open(&app, "").await;
        socket.send(&message).await;
        turns.push(socket.turn().await);
    }
    assert_eq!(turns[0][0], turns[1][0]);
    assert_eq!(turns[0].last(), turns[1].last());
    assert_eq!(app.model.requests().len(), 1);
}

/// A message moves its socket to the conversation that it names.
#[tokio::test]
async fn a_socket_follows_its_messages() {
    let app = TestApp::start().await;
    let (mut one, mut other) = (Socket::open(&app, "").await, Socket::open(&app, "").await);
    let (first, second) = (one.say("one").await, other.say("other").await);
    assert_ne!(conversation(&first), conversation(&second));
    one.send(&json!({"message": "over there", "conversation_id": conversation(&second)})).await;
    let turn = one.turn().await;
    assert_eq!(
        (turn[0]["type"].as_str(), conversation(&turn)),
        (Some("start"), conversation(&second))
    );
    assert_eq!(other.turn().await.last(), turn.last());
    let path = format!("/api/conversations/{}", conversation(&second));
    assert_eq!(app.admin("DELETE", &path).send().await.unwrap().status(), 204);
    assert_eq!((one.end().await, other.end().await), (Some(1000), Some(1000)));
}

/// A failed turn is a stored error, and ends the stream.
#[tokio::test]
async fn a_failed_turn_says_so_once_for_each_kind_of_reader() {
    let app = TestApp::start().await;
    app.model.push(Script::failure(400));
    let turn = Socket::open(&app, "").await.say("hello").await;
    assert_eq!(types(&turn), ["start", "text", "error", "streamError", "done"], "{turn:?}");
    let (error, stream_error) = (&turn[2], &turn[3]);
    assert_eq!((&error["code"], &error["message"]), (&json!("agent_failed"), &error["content"]));
    assert_eq!(stream_error["error"], error["message"]);
    assert_eq!(turn[4]["reason"], "error");
}

/// FAULTS 8: a client that does not read delays nobody, and misses nothing.
#[tokio::test]
async fn a_slow_reader_holds_nobody_up() {
    let app = TestApp::start().await;
    let piece = "0123456789abcdef".repeat(4_096);
    let answer = (0..32).fold(Script::answer(), |answer, _| answer.text(&piece));
    app.model.push(answer);
    let tcp = TcpSocket::new_v4().unwrap();
    tcp.set_recv_buffer_size(64 << 10).unwrap();
    let tcp = tcp.connect(app.address).await.unwrap();
    let mut slow = Socket::over(tcp, HOME, &[("x-api-key", ADMIN_KEY)]).await.unwrap();
    slow.send(&json!({"message": "tell me everything"})).await;
    let start = slow.find("start").await;
    let id = start["conversation_id"].as_str().unwrap();
    let mut quick = Socket::open(&app, &format!("?conversation_id={id}")).await;
    let expected = quick.turn().await;
    assert_eq!(streamed(&expected), piece.repeat(32));
    let seen = slow.turn().await;
    assert_eq!(streamed(&seen), streamed(&expected));
    assert_eq!(seen.last(), expected.last());
}
