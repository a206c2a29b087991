//! Hand-written HTTP servers that misbehave (FAULTS 4, 27).

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use parlor_agent::tools::ToolOutcome;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::http::{at, call, host, ready, until, words};

/// How a call is answered.
#[derive(Debug, Clone, Copy)]
enum Answer {
    /// With these bytes, then the connection is closed.
    Bytes(&'static str),
    /// With a body that never ends.
    Endless(&'static str),
}

/// The requests: the method of the protocol, and the headers.
type Log = Arc<Mutex<Vec<(String, String)>>>;

/// A server that behaves until a tool is called.
async fn serve(answer: Answer) -> (SocketAddr, Log) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let log = Log::default();
    let asked = log.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(take(stream, answer, asked.clone()));
        }
    });
    (address, log)
}

/// Handles one request on one connection.
async fn take(stream: TcpStream, answer: Answer, log: Log) -> Option<()> {
    let mut stream = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let begin = head.len();
        stream.read_line(&mut head).await.ok()?;
        let line = head[begin..].to_ascii_lowercase();
        if let Some(number) = line.strip_prefix("content-length:") {
            length = number.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    let message: Value = serde_json::from_slice(&body).unwrap_or_default();
    let method = message["method"].as_str().unwrap_or("none").to_owned();
    log.lock().unwrap().push((method.clone(), head));
    let result = match method.as_str() {
        "initialize" => json!({
            "protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
            "serverInfo": {"name": "raw", "version": "1"},
        }),
        "tools/list" => json!({"tools": [{"name": "t", "inputSchema": {"type": "object"}}]}),
        "ping" => json!({}),
        "tools/call" => return misbehave(&mut stream, answer).await,
        _ => {
            stream.write_all(b"HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n").await.ok()?;
            return None;
        }
    };
    let body = json!({"jsonrpc": "2.0", "id": message["id"], "result": result}).to_string();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).await.ok()
}

async fn misbehave(stream: &mut BufReader<TcpStream>, answer: Answer) -> Option<()> {
    match answer {
        Answer::Bytes(bytes) => stream.write_all(bytes.as_bytes()).await.ok(),
        Answer::Endless(head) => {
            stream.write_all(head.as_bytes()).await.ok()?;
            let piece = [b'x'; 64 << 10];
            while stream.write_all(&piece).await.is_ok() {}
            None
        }
    }
}

/// FAULTS 4: whatever the server answers, the outcome is no more than what is known, and the next
/// call works.
#[tokio::test]
async fn broken_answers_are_told_as_what_they_are() {
    /// A JSON response with the given content length and body.
    macro_rules! answer {
        ($length:literal, $body:literal) => {
            concat!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ",
                $length,
                "\r\nconnection: close\r\n\r\n",
                $body
            )
        };
    }
    let endless_events = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: ";
    let another = answer!("49", r#"{"jsonrpc":"2.0","id":99,"result":{"content":[]}}"#);
    let refused = "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\nconnection: close\
                   \r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32602,\"message\":\"No.\"}}";
    for (answer, wanted) in [
        (Answer::Bytes(answer!("500", "{\"jsonrpc\":")), "unknown"),
        (Answer::Bytes(""), "unknown"),
        (Answer::Bytes("HTTP/1.1 500 Oops\r\ncontent-length: 0\r\n\r\n"), "unknown"),
        (Answer::Bytes("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<p>Hi"), "unknown"),
        (Answer::Bytes("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"), "unknown"),
        (Answer::Endless(answer!("200000000", "{\"jsonrpc\":\"")), "unknown"),
        (Answer::Endless(endless_events), "unknown"),
        (Answer::Bytes("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n"), "not run"),
        (Answer::Bytes("HTTP/1.1 429 Slow down\r\ncontent-length: 0\r\n\r\n"), "not run"),
        (Answer::Bytes(another), "unknown"),
        (Answer::Bytes(refused), "No."),
    ] {
        let (address, log) = serve(answer).await;
        let host = host(at(address));
        ready(&host).await;
        for _ in 0..2 {
            let outcome = call(&host, "s_t", json!({})).await;
            let seen = match &outcome {
                ToolOutcome::Unknown(_) => "unknown",
                ToolOutcome::NotRun(_) | ToolOutcome::LoginNeeded(_) => "not run",
                ToolOutcome::Answered { is_error, .. } => {
                    assert!(is_error, "{answer:?}");
                    words(&outcome)
                }
            };
            assert_eq!(seen, wanted, "{answer:?}: {outcome:?}");
        }
        let calls = log.lock().unwrap().iter().filter(|(m, _)| m == "tools/call").count();
        assert_eq!(calls, 2, "a call is made once: {answer:?}");
    }
}

/// FAULTS 27: a redirect does not carry secrets to another origin.
#[tokio::test]
async fn a_redirect_to_another_origin_is_not_followed() {
    let (elsewhere, log) = serve(Answer::Bytes("")).await;
    let redirecting = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = redirecting.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = redirecting.accept().await {
            let answer = format!(
                "HTTP/1.1 307 Temporary Redirect\r\nlocation: http://{elsewhere}/mcp\r\n\
                 content-length: 0\r\nconnection: close\r\n\r\n"
            );
            let _sent = stream.write_all(answer.as_bytes()).await;
            let mut rest = Vec::new();
            let _read = stream.read_to_end(&mut rest).await;
        }
    });
    let mut settings = at(address);
    settings["headers"] = json!({"authorization": {"env": "TOKEN"}});
    let host = host(settings);
    use parlor_agent::tools::Tools as _;
    until("it gives up", || host.health()[0].problem.is_some()).await;
    assert_eq!(host.health()[0].problem.as_deref(), Some("HTTP 307"));
    assert!(log.lock().unwrap().is_empty(), "nobody came here");
}
