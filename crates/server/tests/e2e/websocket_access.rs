//! Who may open a WebSocket, and what closes it.

use std::time::Duration;

use serde_json::json;
use tokio::net::TcpStream;

use crate::raw::{read_to_end, request};
use crate::sockets::{HOME, Socket, streamed};
use crate::test_app::{ADMIN_KEY, PASSWORD, TestApp, refusal};

fn refused(status: u16, code: &str) -> Option<(u16, String)> {
    Some((status, code.to_owned()))
}

/// W-1, FAULTS 21: a page of another site cannot open one, whatever credentials it sends.
#[tokio::test]
async fn a_foreign_origin_is_refused_before_the_upgrade() {
    let app = TestApp::start().await;
    let cookie = app.log_in(PASSWORD).await;
    let own = format!("http://{}", app.address);
    let port = app.address.port();
    let foreign = [
        "null".to_owned(),
        "https://evil.example".to_owned(),
        format!("https://{}", app.address),
        format!("{own}.evil.example"),
        format!("http://evil.example/{}", app.address),
        format!("http://127.0.0.1:{}", port ^ 1),
        "http://127.0.0.1".to_owned(),
        format!("{own}/"),
        String::new(),
    ];
    for origin in &foreign {
        for credentials in [("cookie", cookie.as_str()), ("x-api-key", ADMIN_KEY)] {
            let opened = Socket::with(&app, HOME, &[credentials, ("origin", origin)]).await;
            assert_eq!(opened.err(), refused(403, "forbidden"), "{origin} {credentials:?}");
        }
    }
    for site in ["cross-site", "same-site"] {
        let headers = [("cookie", cookie.as_str()), ("origin", &own), ("sec-fetch-site", site)];
        assert_eq!(Socket::with(&app, HOME, &headers).await.err(), refused(403, "forbidden"));
    }
    let headers = [("x-api-key", ADMIN_KEY), ("host", "evil.example")];
    assert_eq!(Socket::with(&app, HOME, &headers).await.err(), refused(403, "forbidden"));
    for origin in [own, format!("http://localhost:{port}")] {
        let headers = [("cookie", cookie.as_str()), ("origin", origin.as_str())];
        let mut socket = Socket::with(&app, HOME, &headers).await.unwrap();
        assert_eq!(streamed(&socket.say("hello").await), "Hello");
    }
}

/// W-1, X-1: a session needs an `Origin`, a key does not; a session does not make up for a wrong
/// key, and a key in the URL is ignored.
#[tokio::test]
async fn a_session_or_a_key_is_needed() {
    let app = TestApp::start().await;
    let cookie = app.log_in(PASSWORD).await;
    let own = format!("http://{}", app.address);
    let token = cookie.split_once('=').unwrap().1;
    let origin = ("origin", own.as_str());
    let by_query = format!("{HOME}?api_key={ADMIN_KEY}&token={token}");
    let cookie = ("cookie", cookie.as_str());
    for (path, headers, status) in [
        (HOME, &[][..], 401),
        (HOME, &[origin], 401),
        (HOME, &[cookie], 403),
        (HOME, &[("x-api-key", token)], 401),
        (HOME, &[("x-api-key", "wrong"), cookie, origin], 401),
        (by_query.as_str(), &[origin], 401),
    ] {
        let opened = Socket::with(&app, path, headers).await;
        assert_eq!(opened.err().map(|refusal| refusal.0), Some(status), "{path} {headers:?}");
    }
    for headers in [&[("x-api-key", ADMIN_KEY)][..], &[cookie, origin]] {
        assert!(Socket::with(&app, HOME, headers).await.is_ok(), "{headers:?}");
    }
}

/// X-3, FAULTS 18, 24: an invalid or unknown id, or one of another tenant, is a 404.
#[tokio::test]
async fn what_is_not_ones_own_does_not_exist() {
    let app = TestApp::start().await;
    let mut socket = Socket::open(&app, "").await;
    let turn = socket.say("secret").await;
    let id = turn[0]["conversation_id"].as_str().unwrap();
    let others = app.other_tenants_key("user").await;
    let open = |path: String, key: &str| {
        let key = key.to_owned();
        let app = &app;
        async move { Socket::with(app, &path, &[("x-api-key", &key)]).await }
    };
    for path in [
        "/ws/chat/HOME/recipes",
        "/ws/chat/..%2fhome/recipes",
        "/ws/chat/home/%00",
        "/ws/chat/-home/recipes",
        "/ws/chat/home/$(id)",
        "/ws/chat/home/unknown",
        "/ws/chat/unknown/recipes",
        "/ws/chat/other/recipes",
        "/ws/chat/home",
        "/ws/chat/home/recipes?conversation_id=nonsense",
        "/ws/chat/home/recipes?conversation_id=0198c5a2-7b1e-7cc0-8000-000000000001",
    ] {
        let opened = open(path.to_owned(), ADMIN_KEY).await;
        assert_eq!(opened.err(), refused(404, "not_found"), "{path}");
    }
    for path in [HOME.to_owned(), format!("/ws/chat/other/recipes?conversation_id={id}&after=1")] {
        assert_eq!(open(path.clone(), &others).await.err(), refused(404, "not_found"), "{path}");
    }
    let mut theirs = open("/ws/chat/other/recipes".to_owned(), &others).await.unwrap();
    theirs.send(&json!({"message": "mine", "conversation_id": id})).await;
    assert_eq!(theirs.refusal().await.0, "not_found");
    let sauces = format!("/ws/chat/home/sauces?conversation_id={id}");
    assert_eq!(open(sauces, ADMIN_KEY).await.err(), refused(404, "not_found"), "another project");
    let mut sauces = open("/ws/chat/home/sauces".to_owned(), ADMIN_KEY).await.unwrap();
    sauces.send(&json!({"message": "mine", "conversation_id": id})).await;
    assert_eq!(sauces.refusal().await.0, "not_found");
    for query in ["?after=1", &format!("?conversation_id={id}&after=x")] {
        let opened = open(format!("{HOME}{query}"), ADMIN_KEY).await;
        assert_eq!(opened.err(), refused(400, "malformed"), "{query}");
    }
}

/// A request without a handshake, or for another version, is refused with the reason.
#[tokio::test]
async fn the_handshake_must_be_one() {
    let app = TestApp::start().await;
    let plain = app.admin("GET", HOME).send().await.unwrap();
    assert_eq!(refusal(plain).await, (400, "malformed".to_owned()));
    let (host, key) = (format!("Host: {}", app.address), format!("X-API-Key: {ADMIN_KEY}"));
    let nonce = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
    let upgrade = ["Upgrade: websocket", "Connection: Upgrade"];
    for wrong in [
        vec!["Sec-WebSocket-Version: 13"],
        vec!["Sec-WebSocket-Version: 13", nonce, nonce],
        vec!["Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: short"],
    ] {
        let headers = [&[host.as_str(), &key][..], &upgrade, &wrong].concat();
        let answer = request(&app, &format!("GET {HOME}"), &headers).await;
        assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("\"malformed\""), "{answer}");
    }
    let versions = ["12", "13, 8", "8, 13", "0", ""];
    for version in versions.map(|version| format!("Sec-WebSocket-Version: {version}")) {
        let headers = [&[host.as_str(), &key][..], &upgrade, &[version.as_str(), nonce]].concat();
        let answer = request(&app, &format!("GET {HOME}"), &headers).await.to_lowercase();
        assert!(answer.starts_with("http/1.1 426"), "{version}: {answer}");
        for line in ["sec-websocket-version: 13\r\n", "upgrade: websocket\r\n"] {
            assert!(answer.contains(line), "{version}: {answer}");
        }
    }
}

/// X-2, FAULTS 22: logging out closes the sockets of the session, and no others.
#[tokio::test]
async fn logging_out_ends_open_sockets() {
    let app = TestApp::start().await;
    let (cookie, other) = (app.log_in(PASSWORD).await, app.log_in(PASSWORD).await);
    let own = format!("http://{}", app.address);
    let headers = |cookie| [("cookie", cookie), ("origin", own.as_str())];
    let mut idle = Socket::with(&app, HOME, &headers(cookie.as_str())).await.unwrap();
    let mut busy = Socket::with(&app, HOME, &headers(cookie.as_str())).await.unwrap();
    let mut others = Socket::with(&app, HOME, &headers(other.as_str())).await.unwrap();
    busy.say("hello").await;
    app.request("POST", "/logout").header("cookie", &cookie).send().await.unwrap();
    assert_eq!((idle.end().await, busy.end().await), (Some(1008), Some(1008)));
    assert_eq!(streamed(&others.say("hello").await), "Hello");
}

/// FAULTS 22: messages over a socket keep its session alive; an unused session expires.
#[tokio::test]
async fn a_session_lives_by_what_is_said_over_it() {
    let app = TestApp::start().await;
    let cookie = app.log_in(PASSWORD).await;
    let own = format!("http://{}", app.address);
    let headers = [("cookie", cookie.as_str()), ("origin", own.as_str())];
    let mut socket = Socket::with(&app, HOME, &headers).await.unwrap();
    for _ in 0..3 {
        app.clock.advance(Duration::from_secs(5 * 86_400));
        assert_eq!(streamed(&socket.say("hello").await), "Hello");
    }
    let me = app.request("GET", "/api/me").header("cookie", &cookie).send().await.unwrap();
    assert_eq!(me.status(), 200);
    app.clock.advance(Duration::from_secs(8 * 86_400));
    assert_eq!(socket.end().await, Some(1008));
}

/// FAULTS 3: a stopping server closes its sockets with a code that tells clients to reconnect.
#[tokio::test]
async fn a_stopping_server_closes_its_sockets() {
    let mut app = TestApp::start().await;
    let mut idle = Socket::open(&app, "").await;
    let mut followed = Socket::open(&app, "").await;
    followed.say("hello").await;
    // A client that never sends its close frame does not delay the shutdown.
    let silent = Socket::open(&app, "").await;
    app.stop();
    assert_eq!((idle.end().await, followed.end().await), (Some(1012), Some(1012)));
    app.stopped().await;
    drop(silent);
}

/// FAULTS 10: a socket counts as a connection as long as it is open.
#[tokio::test]
async fn sockets_count_as_connections() {
    let app = TestApp::with("connections = 2").await;
    let mut first = Socket::open(&app, "").await;
    let second = Socket::open(&app, "").await;
    let mut third = TcpStream::connect(app.address).await.unwrap();
    assert!(read_to_end(&mut third).await.starts_with("HTTP/1.1 503"));
    drop(second);
    let room = async {
        while app.request("GET", "/healthz").send().await.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(crate::test_app::PATIENCE, room).await.unwrap();
    assert_eq!(streamed(&first.say("hello").await), "Hello");
}
