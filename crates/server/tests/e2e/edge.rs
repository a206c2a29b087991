//! What is refused before a handler runs, and the headers of every response.

use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::raw::{exchange, read_to_end, request};
use crate::test_app::{ADMIN_KEY, Settings, TestApp, refusal};

/// FAULTS 21: a foreign `Host` is refused on every route.
#[tokio::test]
async fn a_foreign_host_is_refused() {
    let app = TestApp::start().await;
    let own = format!("Host: {}", app.address);
    let local = format!("Host: localhost:{}", app.address.port());
    for host in [&own, &local] {
        assert!(request(&app, "GET /login", &[host]).await.starts_with("HTTP/1.1 200"), "{host}");
    }
    let suffix = format!("Host: {}.evil.example", app.address);
    for hosts in [
        vec!["Host: evil.example"],
        vec!["Host: 127.0.0.1"],
        vec![suffix.as_str()],
        vec!["X-Forwarded-Host: 127.0.0.1"],
        vec![own.as_str(), "Host: evil.example"],
    ] {
        for path in ["/login", "/api/me", "/nowhere"] {
            let answer = request(&app, &format!("GET {path}"), &hosts).await;
            let refused = answer.starts_with("HTTP/1.1 403") || answer.starts_with("HTTP/1.1 400");
            assert!(refused, "{hosts:?} {path}: {answer}");
        }
    }
    let answer = request(&app, "GET http://evil.example/login", &[&own]).await;
    assert!(answer.starts_with("HTTP/1.1 403") && answer.contains("\"forbidden\""), "{answer}");
}

/// A load balancer may use the server's address as `Host`, or none. The health routes reveal
/// nothing, so everybody may use them.
#[tokio::test]
async fn health_is_answered_whatever_the_server_is_called() {
    let app = TestApp::configured(Settings {
        more: "[server]\npublic_url = \"https://chat.example.org\"",
        ..Settings::default()
    })
    .await;
    let address = format!("Host: {}", app.address);
    let hosts: [&[&str]; 4] =
        [&[&address], &["Host: chat.example.org"], &["Host: 10.0.0.7:8787"], &[]];
    for host in hosts {
        for path in ["/healthz", "/readyz"] {
            let answer = request(&app, &format!("GET {path}"), host).await;
            assert!(answer.starts_with("HTTP/1.1 200"), "{host:?} {path}: {answer}");
            assert!(answer.ends_with("\r\n\r\nok\n"), "nothing else is told: {answer}");
            assert!(!answer.contains(env!("CARGO_PKG_VERSION")), "{answer}");
            assert!(!answer.to_lowercase().contains("parlor"), "{answer}");
        }
        let answer = request(&app, "POST /healthz", host).await;
        assert!(answer.starts_with("HTTP/1.1 405"), "{answer}");
    }
    let answer = request(&app, "GET /login", &[&address]).await;
    assert!(answer.starts_with("HTTP/1.1 403"), "other routes need the name: {answer}");
}

/// FAULTS 21, X-2: other sites cannot change anything, and cannot log in.
#[tokio::test]
async fn a_foreign_origin_is_refused() {
    let app = TestApp::start().await;
    let own = format!("http://{}", app.address);
    for (name, value) in [
        ("origin", "https://evil.example"),
        ("origin", "null"),
        ("origin", &format!("{own}.evil.example")),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
    ] {
        for path in ["/login", "/logout", "/api/chat"] {
            let response = app.admin("POST", path).header(name, value).send().await.unwrap();
            let answer = refusal(response).await;
            assert_eq!(answer, (403, "forbidden".to_owned()), "{path} {name}: {value}");
        }
    }
    let response = app.request("POST", "/logout").header("origin", own).send().await.unwrap();
    assert_eq!(response.status(), 303);
    let page = app.request("GET", "/login").header("origin", "https://evil.example").send().await;
    assert_eq!(page.unwrap().status(), 200, "reading changes nothing");
}

/// FAULTS 26: pages, API responses and errors carry the security headers.
#[tokio::test]
async fn every_answer_carries_the_rules_for_browsers() {
    let app = TestApp::start().await;
    for path in ["/login", "/healthz", "/api/me", "/nowhere", "/assets/chat.js"] {
        let response = app.request("GET", path).send().await.unwrap();
        let headers = response.headers();
        let policy = headers["content-security-policy"].to_str().unwrap();
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
        assert_eq!(headers["x-content-type-options"], "nosniff", "{path}");
        assert_eq!(headers["referrer-policy"], "same-origin", "{path}: else forms send no origin");
        assert!(headers.contains_key("permissions-policy"), "{path}");
        assert!(headers.contains_key("x-request-id"), "{path}");
        assert!(headers.contains_key("cache-control"), "{path}");
        assert!(!headers.contains_key("strict-transport-security"), "there is no TLS here");
        assert!(!headers.contains_key("access-control-allow-origin"), "{path}");
    }
    let page = app.request("GET", "/login").send().await.unwrap().text().await.unwrap();
    assert!(!page.contains("<script>") && !page.contains("style="), "nothing inline");
}

/// An unknown route is a 404 in JSON.
#[tokio::test]
async fn unknown_routes_are_answered_in_json() {
    let app = TestApp::start().await;
    for path in ["/nowhere", "/api", "/api/nowhere", "/api/conversations/x/y/z", "/.env", "//"] {
        let response = app.admin("GET", path).send().await.unwrap();
        assert_eq!(refusal(response).await, (404, "not_found".to_owned()), "{path}");
    }
}

/// FAULTS 18: an invalid id is a 404, and nothing changes.
#[tokio::test]
async fn strange_ids_name_nothing() {
    let app = TestApp::start().await;
    let long = "a".repeat(300);
    let ids = [
        "..%2f..%2fetc%2fpasswd", "%2e%2e", "%00", "a%00b", "-rf", "$(id)", ";ls", "%ff%fe", "'",
        "0", "0198C5A2-7B1E-7CC0-8000-0000000000AB%20", "{0198c5a2-7b1e-7cc0-8000-000000000001}",
        &long,
    ];
    let host = format!("Host: {}", app.address);
    let key = format!("X-API-Key: {ADMIN_KEY}");
    for id in ids {
        for path in ["/api/conversations/ID", "/api/conversations/ID/events", "/api/images/ID"] {
            let line = format!("GET {}", path.replace("ID", id));
            let answer = request(&app, &line, &[&host, &key]).await;
            let refused = answer.starts_with("HTTP/1.1 404") && answer.contains("\"not_found\"");
            // Braces are invalid in a request line.
            assert!(refused || answer.starts_with("HTTP/1.1 400"), "{line}: {answer}");
        }
    }
}

/// FAULTS 9: a client that does not finish the head of a request is disconnected, also between
/// requests.
#[tokio::test]
async fn slow_heads_are_dropped() {
    let app = TestApp::with("header_timeout = \"200ms\"").await;
    let mut silent = TcpStream::connect(app.address).await.unwrap();
    read_to_end(&mut silent).await;
    let half = format!("GET /healthz HTTP/1.1\r\nHost: {}\r\nX-Slow: ", app.address);
    let answer = exchange(&app, half.as_bytes()).await;
    assert!(!answer.contains("200 OK"), "{answer}");
    let whole = format!("GET /healthz HTTP/1.1\r\nHost: {}\r\n\r\n", app.address);
    let answer = exchange(&app, whole.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

/// FAULTS 9: a client that does not finish a body gets an error, and is disconnected.
#[tokio::test]
async fn slow_bodies_are_dropped() {
    let app = TestApp::with("request_timeout = \"300ms\"").await;
    let head = format!(
        "POST /api/chat HTTP/1.1\r\nHost: {}\r\nX-API-Key: {ADMIN_KEY}\r\n\
         Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{{",
        app.address
    );
    let answer = exchange(&app, head.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    assert!(answer.to_lowercase().contains("connection: close"), "{answer}");
}

/// FAULTS 15: heads over the limit are refused, and the server continues.
#[tokio::test]
async fn huge_heads_are_refused() {
    let app = TestApp::start().await;
    let long = format!("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", "a".repeat(200_000));
    let mut stream = TcpStream::connect(app.address).await.unwrap();
    let _refused = stream.write_all(long.as_bytes()).await;
    let answer = read_to_end(&mut stream).await;
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer}");
    assert_eq!(app.request("GET", "/healthz").send().await.unwrap().status(), 200);
}

/// FAULTS 15: one header of 100 KB is refused, and so are many small ones.
#[tokio::test]
async fn large_headers_are_refused() {
    let app = TestApp::start().await;
    let host = format!("Host: {}", app.address);
    let (one, some) = (format!("X-A: {}", "a".repeat(20_000)), "a".repeat(9_000));
    let four = ["X-A", "X-B", "X-C", "X-D"].map(|name| format!("{name}: {some}"));
    let four: Vec<&str> = four.iter().map(String::as_str).collect();
    for headers in [vec![host.as_str(), &one], [&[host.as_str()], &four[..]].concat()] {
        let answer = request(&app, "GET /healthz", &headers).await;
        assert!(answer.starts_with("HTTP/1.1 431"), "{answer}");
    }
    let huge = format!("GET / HTTP/1.1\r\n{host}\r\nX-A: {}\r\n\r\n", "a".repeat(100_000));
    let mut stream = TcpStream::connect(app.address).await.unwrap();
    let _refused = stream.write_all(huge.as_bytes()).await;
    let answer = read_to_end(&mut stream).await;
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431"), "{answer}");
    let long = format!("GET /{}", "a".repeat(10_000));
    assert!(request(&app, &long, &[&host]).await.starts_with("HTTP/1.1 414"));
}

/// FAULTS 9, 15: the memory for request bodies is limited in total; small bodies are always
/// accepted.
#[tokio::test]
async fn bodies_are_bounded_in_all() {
    // The test sends requests until the slow body has used the memory; no other limit may apply.
    let app = TestApp::with(
        "body = \"1MB\"\nbody_memory = \"1MB\"\nmessages_per_minute = 100000\n\
         address_messages_per_minute = 100000\nproject_messages_per_minute = 100000\n\
         tenant_messages_per_minute = 100000",
    )
    .await;
    let mut slow = TcpStream::connect(app.address).await.unwrap();
    let head = format!(
        "POST /api/chat HTTP/1.1\r\nHost: {}\r\nX-API-Key: {ADMIN_KEY}\r\n\
         Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n",
        app.address
    );
    slow.write_all(head.as_bytes()).await.unwrap();
    slow.write_all(&[b' '; 700_000]).await.unwrap();
    let large = serde_json::json!({"message": "a".repeat(700_000)});
    // The body is too long for a message, which is only known once it was read.
    let until = async |status: u16| loop {
        let response = app.send(&large).await;
        if response.status() == status {
            return response;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    let full = tokio::time::timeout(crate::test_app::PATIENCE, until(503)).await.unwrap();
    assert_eq!(full.headers()["retry-after"], "5");
    assert_eq!(refusal(full).await, (503, "unavailable".to_owned()));
    assert_eq!(app.send(&serde_json::json!({"message": "hello"})).await.status(), 200);
    drop(slow);
    tokio::time::timeout(crate::test_app::PATIENCE, until(422)).await.unwrap();
}

/// FAULTS 9: connections are limited by address, behind a trusted proxy by the forwarded one; other
/// addresses are not affected.
#[tokio::test]
async fn an_address_has_its_share() {
    let app = TestApp::configured(Settings {
        limits: "address_connections = 1",
        more: "[server]\ntrusted_proxies = [\"127.0.0.1\"]",
        ..Settings::default()
    })
    .await;
    let mut slow = Vec::new();
    let head = format!(
        "POST /login HTTP/1.1\r\nHost: {}\r\nX-Forwarded-For: 9.9.9.9\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\n",
        app.address
    );
    let from = async |address: &str| {
        app.request("GET", "/login").header("x-forwarded-for", address).send().await.unwrap()
    };
    let refused = async {
        loop {
            // This request itself is refused if it arrives while another one is being answered.
            let mut stream = TcpStream::connect(app.address).await.unwrap();
            stream.write_all(head.as_bytes()).await.unwrap();
            slow.push(stream);
            let response = from("9.9.9.9").await;
            if response.status() == 503 {
                return response;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let refused = tokio::time::timeout(crate::test_app::PATIENCE, refused).await.unwrap();
    assert_eq!(refused.headers()["retry-after"], "5");
    assert_eq!(from("8.8.8.8").await.status(), 200);
    assert_eq!(app.request("GET", "/login").send().await.unwrap().status(), 200);
}

/// FAULTS 10: the reserve of connections serves only people who sign in.
#[tokio::test]
async fn there_is_room_for_people_who_sign_in() {
    let app = TestApp::with("connections = 8").await;
    let mut strangers = Vec::new();
    for _ in 0..6 {
        strangers.push(TcpStream::connect(app.address).await.unwrap());
    }
    let (host, key) = (format!("Host: {}", app.address), format!("X-API-Key: {ADMIN_KEY}"));
    let answer = request(&app, "GET /login", &[&host]).await;
    assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("retry-after: 5"), "{answer}");
    let answer = request(&app, "GET /api/me", &[&host, &key]).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let answer = request(&app, "GET /healthz", &[&host]).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    drop(strangers);
}

/// FAULTS 10: above the limit a client is told to retry later; then connections are accepted again.
#[tokio::test]
async fn connections_are_capped() {
    let app = TestApp::with("connections = 2").await;
    let first = TcpStream::connect(app.address).await.unwrap();
    let _second = TcpStream::connect(app.address).await.unwrap();
    let mut third = TcpStream::connect(app.address).await.unwrap();
    let answer = read_to_end(&mut third).await;
    assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("Retry-After"), "{answer}");
    drop(first);
    let answered = async {
        loop {
            match app.request("GET", "/healthz").send().await {
                Ok(response) if response.status() == 200 => break,
                _ => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    };
    tokio::time::timeout(crate::test_app::PATIENCE, answered).await.unwrap();
}
