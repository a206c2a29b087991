//! What the answers of a push service mean.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use axum::http::Response;
use futures_util::stream;
use parlor_web_push::PushError;
use tokio::net::TcpListener;
use tokio::time::timeout;

use crate::browser::Browser;
use crate::push_service::{PushService, Received, status};
use crate::{local_sender, options};

type Answer = fn(&Received) -> Response<Body>;

/// Sends one message to a push service that answers in one way.
async fn outcome(
    answer: impl Fn(&Received) -> Response<Body> + Send + Sync + 'static,
) -> Result<(), PushError> {
    let service = PushService::start(answer).await;
    let subscription = Browser::new().subscription(&service.endpoint());
    let outcome = local_sender().send(&subscription, b"hello", &options()).await;
    assert_eq!(service.take().len(), 1, "a message is sent once");
    outcome
}

fn refused(status: u16, reason: Option<&str>) -> Result<(), PushError> {
    let (host, reason) = ("127.0.0.1".to_owned(), reason.map(str::to_owned));
    Err(PushError::Refused { host, status, reason })
}

fn wait(seconds: u64) -> Result<(), PushError> {
    Err(PushError::RetryAfter(Duration::from_secs(seconds)))
}

fn with_body(code: u16, body: &'static str) -> Response<Body> {
    Response::builder().status(code).body(Body::from(body)).unwrap()
}

fn retry_after(code: u16, value: &str) -> Response<Body> {
    Response::builder().status(code).header("retry-after", value).body(Body::empty()).unwrap()
}

/// U-11: each status says what to do next.
#[tokio::test]
async fn a_status_says_what_to_do() {
    let cases: [(Answer, Result<(), PushError>); 17] = [
        (|_| status(200), Ok(())),
        (|_| status(201), Ok(())),
        (|_| status(202), Ok(())),
        (|_| status(404), Err(PushError::Gone)),
        (|_| status(410), Err(PushError::Gone)),
        (|_| status(413), Err(PushError::TooLarge)),
        (|_| status(429), wait(60)),
        (|_| status(500), wait(60)),
        (|_| status(503), wait(60)),
        (|_| status(204), refused(204, None)),
        (|_| status(304), refused(304, None)),
        (|_| status(400), refused(400, None)),
        (|_| status(401), refused(401, None)),
        (|_| with_body(403, r#"{"reason":"BadJwtToken"}"#), refused(403, Some("BadJwtToken"))),
        (|_| with_body(401, "no such sender\n"), refused(401, Some("no such sender"))),
        (|_| with_body(400, "unknown id 7f3"), refused(400, Some("unknown id"))),
        (|_| with_body(400, "<html>\0"), refused(400, None)),
    ];
    for (number, (answer, expected)) in cases.into_iter().enumerate() {
        assert_eq!(outcome(answer).await, expected, "case {number}");
    }
}

/// U-11: a push service says how long to wait, within bounds.
#[tokio::test]
async fn the_time_to_wait_is_bounded() {
    let cases: [(Answer, Result<(), PushError>); 6] = [
        (|_| retry_after(429, "7"), wait(7)),
        (|_| retry_after(503, " 120 "), wait(120)),
        (|_| retry_after(503, "0"), wait(1)),
        (|_| retry_after(429, "99999999999"), wait(3600)),
        (|_| retry_after(429, "-1"), wait(60)),
        (|_| retry_after(429, "Wed, 21 Oct 2026 07:28:00 GMT"), wait(60)),
    ];
    for (answer, expected) in cases {
        assert_eq!(outcome(answer).await, expected);
    }
}

/// FAULTS 27: a redirect is not followed.
#[tokio::test]
async fn a_redirect_is_a_refusal() {
    for code in [301, 302, 303, 307, 308] {
        let elsewhere = PushService::start(|_| status(201)).await;
        let to = elsewhere.endpoint();
        let answer = move |_: &Received| {
            Response::builder().status(code).header("location", &to).body(Body::empty()).unwrap()
        };
        assert_eq!(outcome(answer).await, refused(code, None));
        assert!(elsewhere.take().is_empty(), "nothing arrives elsewhere");
    }
}

/// A refusal may be as long as it likes: its beginning is read, and less of it is told.
#[tokio::test]
async fn an_endless_refusal_is_cut() {
    let endless = |_: &Received| {
        let pieces = stream::repeat_with(|| Ok::<_, Infallible>("no ".repeat(1000)));
        Response::builder().status(400).body(Body::from_stream(pieces)).unwrap()
    };
    // Sooner than the request would time out.
    let outcome = timeout(Duration::from_secs(10), outcome(endless)).await.expect("it is cut");
    assert_eq!(outcome, refused(400, Some("no ".repeat(40).trim_end())));
}

/// A push service that does not answer is not waited for without end.
#[tokio::test(start_paused = true)]
async fn silence_has_an_end() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}/push/a", listener.local_addr().unwrap());
    let subscription = Browser::new().subscription(&endpoint);
    let sender = local_sender();
    let options = options();
    let sending = sender.send(&subscription, b"hello", &options);
    let outcome = timeout(Duration::from_secs(60), sending).await.expect("it ends by itself");
    let Err(PushError::Unreachable { host, why }) = outcome else { panic!("{outcome:?}") };
    assert_eq!(host, "127.0.0.1");
    assert!(why.contains("timed out"), "{why}");
}
