//! What arrives: the payload, the token and the headers.

use std::process::Stdio;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use data_encoding::BASE64URL_NOPAD;
use parlor_web_push::{
    AllowedServices, LARGEST_PAYLOAD, PushError, PushOptions, Subscription, Topic, Urgency, encrypt,
};
use proptest::prelude::*;
use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use crate::browser::Browser;
use crate::push_service::{PushService, status};
use crate::{CONTACT, local_sender, npm};

const LENGTHS: [usize; 3] = [0, 16, LARGEST_PAYLOAD];
const TWELVE_HOURS: u64 = 12 * 60 * 60;
const PATIENCE: Duration = Duration::from_secs(60);

fn payload(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at % 251) as u8).collect()
}

fn urgent() -> PushOptions {
    PushOptions {
        ttl: Duration::from_secs(u64::MAX),
        urgency: Urgency::High,
        topic: Some(Topic::of("prompt 1")),
    }
}

/// U-11: a push service gets everything that it needs, and the browser the payload.
#[tokio::test]
async fn a_browser_gets_the_payload() {
    let service = PushService::start(|_| status(201)).await;
    let sender = local_sender();
    for length in LENGTHS {
        let browser = Browser::new();
        let subscription = browser.subscription(&service.endpoint());
        sender.send(&subscription, &payload(length), &urgent()).await.unwrap();
        let received = service.take().remove(0);
        let header = |name: &str| received.headers[name].to_str().unwrap();
        assert_eq!(header("content-encoding"), "aes128gcm");
        assert_eq!(header("ttl"), "2419200", "four weeks at most");
        assert_eq!(header("urgency"), "high");
        assert_eq!(header("topic").len(), 32);
        let token = header("authorization");
        check_claims(&verified_claims(token, &sender.public_key()), &service.origin);
        assert_eq!(browser.read(&received.body), payload(length));
    }
}

/// U-11: `http_ece`, which npm's `web-push` encrypts with, reads messages, and `jws` verifies their
/// tokens.
#[tokio::test]
async fn libraries_of_others_read_the_payload() {
    let mut receiver = NpmReceiver::start().await;
    let subscription = receiver.next().await;
    let origin = subscription["endpoint"].as_str().unwrap().replace("/push/from-npm", "");
    let json = subscription.to_string();
    let subscription =
        Subscription::parse(json.as_bytes(), AllowedServices::PublicOrLoopback).unwrap();
    let sender = local_sender();
    for length in LENGTHS {
        sender.send(&subscription, &payload(length), &urgent()).await.unwrap();
        let received = receiver.next().await;
        assert_eq!(received["payload"], BASE64URL_NOPAD.encode(&payload(length)), "{received}");
        let token = &received["token"];
        assert_eq!(token["verified"], true);
        assert_eq!(token["header"], json!({"typ": "JWT", "alg": "ES256"}));
        assert_eq!(token["key"], sender.public_key());
        check_claims(&token["claims"], &origin);
    }
}

/// U-11: one byte more than the limit is refused before anything is sent.
#[tokio::test]
async fn a_payload_over_the_limit_is_not_sent() {
    let service = PushService::start(|_| status(201)).await;
    let subscription = Browser::new().subscription(&service.endpoint());
    let sent = local_sender().send(&subscription, &payload(LARGEST_PAYLOAD + 1), &urgent()).await;
    assert_eq!(sent, Err(PushError::TooLarge));
    assert!(service.take().is_empty());
}

/// The same payload twice has nothing in common, and topics of different things differ.
#[test]
fn nothing_repeats() {
    let subscription = Browser::new().subscription("https://push.example.org/a");
    let [one, two] = [(); 2].map(|()| encrypt(&subscription, b"the same").unwrap());
    assert_ne!(one[..16], two[..16], "the salt");
    assert_ne!(one[21..86], two[21..86], "the key");
    assert_ne!(one[86..], two[86..], "the record");
    assert_eq!(Topic::of("a"), Topic::of("a"));
    assert_ne!(Topic::of("a"), Topic::of("b"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// U-11: any payload is read as it was, and its body tells its class of length alone.
    #[test]
    fn any_payload_round_trips(payload in prop::collection::vec(any::<u8>(), 0..=LARGEST_PAYLOAD)) {
        let browser = Browser::new();
        let subscription = browser.subscription("https://push.example.org/a");
        let body = encrypt(&subscription, &payload).unwrap();
        let classes = [128, 256, 512, 1024, 2048, LARGEST_PAYLOAD];
        let class = classes.into_iter().find(|class| payload.len() <= *class).unwrap();
        prop_assert_eq!(body.len(), 86 + class + 1 + 16);
        prop_assert!(body.len() <= 4096);
        prop_assert_eq!(browser.read(&body), payload);
    }
}

/// Verifies a token with the key beside it, as a push service does.
fn verified_claims(authorization: &str, public_key: &str) -> Value {
    let (token, key) = authorization.strip_prefix("vapid t=").unwrap().split_once(", k=").unwrap();
    assert_eq!(key, public_key);
    let decode = |text: &str| BASE64URL_NOPAD.decode(text.as_bytes()).unwrap();
    let (signed, signature) = token.rsplit_once('.').unwrap();
    UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, decode(key))
        .verify(signed.as_bytes(), &decode(signature))
        .unwrap();
    serde_json::from_slice(&decode(signed.split_once('.').unwrap().1)).unwrap()
}

fn check_claims(claims: &Value, origin: &str) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let expires = claims["exp"].as_u64().unwrap();
    assert!(expires <= now + TWELVE_HOURS && expires > now + TWELVE_HOURS - 60, "{claims}");
    assert_eq!(*claims, json!({"aud": origin, "exp": expires, "sub": CONTACT}));
}

/// The receiver from npm. It ends with this value.
struct NpmReceiver {
    _process: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl NpmReceiver {
    async fn start() -> Self {
        let place = npm::install("npm_receiver").await;
        let mut node = Command::new("node");
        node.arg("receive.mjs").current_dir(place).kill_on_drop(true);
        let mut process = node.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        Self { _process: process, lines }
    }

    async fn next(&mut self) -> Value {
        let line = tokio::time::timeout(PATIENCE, self.lines.next_line()).await.expect("it hangs");
        serde_json::from_str(&line.unwrap().expect("the receiver ended")).unwrap()
    }
}
