//! Questions of a server to the person of a call (M-3).

use parlor_agent::tools::{ElicitationReply, ToolEvent, ToolStream, Tools};
use serde_json::{Value, json};

use super::{begin, faulty, host, next, ready, text, words};

/// The question that a call asks.
async fn question(
    stream: &mut ToolStream,
) -> (String, Value, tokio::sync::oneshot::Sender<ElicitationReply>) {
    match next(stream).await {
        ToolEvent::Elicitation { message, schema, reply } => (message, schema, reply),
        other => panic!("{other:?}"),
    }
}

/// The tool's result after the answer.
async fn end(stream: &mut ToolStream) -> Value {
    match next(stream).await {
        ToolEvent::Done(outcome) => {
            let words = words(&outcome).unwrap_or_else(|| panic!("{outcome:?}"));
            serde_json::from_str(&words).unwrap()
        }
        other => panic!("{other:?}"),
    }
}

/// M-3: the answer reaches the server; no answer is a cancellation; web pages are not opened.
#[tokio::test]
async fn a_question_reaches_the_person_and_the_answer_the_server() {
    let mut settings = faulty(&[]);
    // The timeout is paused while the person is asked.
    settings["call_timeout_seconds"] = json!(5);
    let host = host(&[("s", settings)]);
    ready(&host, "s").await;
    for (reply, result) in [
        (
            Some(ElicitationReply::Accept(json!({"size": "large"}))),
            json!({"action": "accept", "content": {"size": "large"}}),
        ),
        (Some(ElicitationReply::Decline), json!({"action": "decline"})),
        (Some(ElicitationReply::Cancel), json!({"action": "cancel"})),
        (None, json!({"action": "cancel"})),
    ] {
        let mut stream = begin(&host, "s_ask", json!({"text": "Which size?"}));
        let (message, schema, answer) = question(&mut stream).await;
        assert_eq!(message, "Which size?");
        assert_eq!(schema["properties"]["size"]["type"], "string");
        match reply {
            Some(reply) => answer.send(reply).unwrap(),
            None => drop(answer),
        }
        assert_eq!(end(&mut stream).await, result);
    }
    let mut stream = begin(&host, "s_ask_url", json!({"text": "Log in"}));
    assert_eq!(end(&mut stream).await, json!({"action": "decline"}));
}

/// M-3: a question never reaches the person of another call. If several calls run, it is cancelled;
/// from then on calls run one at a time, and a question reaches its own person.
#[tokio::test]
async fn a_question_among_several_calls_is_nobodys_until_they_go_one_by_one() {
    let host = host(&[("s", faulty(&[]))]);
    ready(&host, "s").await;
    let dir = tempfile::tempdir().unwrap();
    let (asked, order) = (dir.path().join("asked"), dir.path().join("order"));

    // The other call runs until the question was cancelled.
    let mut other = begin(&host, "s_slow", json!({"text": asked}));
    let mut asking = begin(&host, "s_ask", json!({"text": "Which?"}));
    let (first, second) = tokio::join!(next(&mut other), async {
        let taken_back = end(&mut asking).await;
        std::fs::write(&asked, "").unwrap();
        taken_back
    });
    assert!(matches!(first, ToolEvent::Done(_)), "{first:?}");
    assert_eq!(second, json!({"action": "cancel"}));

    // The server records the other call when it arrives, and the answer when it has it.
    let mut asking = begin(&host, "s_ask", json!({"text": "And now?", "file": order}));
    let mut other = begin(&host, "s_mark", json!({"text": order}));
    let (declined, marked) = tokio::join!(
        async {
            let (_, _, answer) = question(&mut asking).await;
            answer.send(ElicitationReply::Decline).unwrap();
            end(&mut asking).await
        },
        next(&mut other)
    );
    assert_eq!(declined, json!({"action": "decline"}));
    assert!(matches!(marked, ToolEvent::Done(_)), "{marked:?}");
    let order = std::fs::read_to_string(&order).unwrap();
    let [first, second] = order.lines().collect::<Vec<_>>()[..] else { panic!("{order}") };
    assert!(first == "answered" && second.contains("arguments"), "one at a time: {order}");
    assert!(host.health()[0].problem.is_none());
    assert!(text(&host, "s_echo", json!({"text": "fine"})).await.contains("fine"));
}
