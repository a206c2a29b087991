//! A provider on loopback. A test changes what it says of itself, its keys, its tokens and its
//! answers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Response, Uri};
use reqwest::Url;
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use url::form_urlencoded;

use crate::CLIENT_ID;
use crate::signing::{TestKey, encode};

pub(crate) const DISCOVERY: &str = "/.well-known/openid-configuration";
pub(crate) const KEYS: &str = "/keys";
pub(crate) const TOKEN: &str = "/token";
pub(crate) const USER_INFO: &str = "/userinfo";

/// Answers a path instead of the usual answer.
type Answer = Arc<dyn Fn() -> Response<Body> + Send + Sync>;
/// Makes an ID token of claims.
type Maker = Box<dyn Fn(&Value) -> String + Send>;

/// A running provider; it ends when it is dropped.
pub(crate) struct FakeProvider {
    pub(crate) issuer: String,
    state: Arc<Mutex<Behaviour>>,
    task: JoinHandle<()>,
}

/// What it does.
pub(crate) struct Behaviour {
    pub(crate) discovery: Value,
    pub(crate) keys: Value,
    /// Claims of everybody, over the usual ones; null removes one.
    pub(crate) claims: Value,
    pub(crate) id_token: Maker,
    pub(crate) user_info: Value,
    /// Answers other than the usual ones, by path.
    pub(crate) answers: BTreeMap<&'static str, Answer>,
    /// Every request, by path.
    pub(crate) requests: Vec<String>,
    /// The last request for a token.
    pub(crate) token_request: Option<(HeaderMap, String)>,
    /// Codes that were handed out, with the nonce and the challenge.
    codes: BTreeMap<String, (String, String)>,
}

impl FakeProvider {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let issuer = format!("http://{}", listener.local_addr().unwrap());
        let key = TestKey::p256();
        let behaviour = Behaviour {
            discovery: json!({
                "issuer": issuer,
                "authorization_endpoint": format!("{issuer}/authorize?theme=dark"),
                "token_endpoint": format!("{issuer}{TOKEN}"),
                "jwks_uri": format!("{issuer}{KEYS}"),
                "userinfo_endpoint": format!("{issuer}{USER_INFO}"),
                "end_session_endpoint": format!("{issuer}/end"),
                "authorization_response_iss_parameter_supported": true,
            }),
            keys: json!({"keys": [key.jwk("1")]}),
            claims: json!({}),
            id_token: Box::new(move |claims| key.token("1", claims)),
            user_info: json!({"sub": "ana-1"}),
            answers: BTreeMap::new(),
            requests: Vec::new(),
            token_request: None,
            codes: BTreeMap::new(),
        };
        let state = Arc::new(Mutex::new(behaviour));
        let app = Router::new().fallback(answer).with_state(Arc::clone(&state));
        let task = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { issuer, state, task }
    }

    pub(crate) fn behaviour(&self) -> MutexGuard<'_, Behaviour> {
        self.state.lock().unwrap()
    }

    /// Has it sign with a key, and nothing else.
    pub(crate) fn sign_with(&self, id: &'static str, key: TestKey) {
        let mut behaviour = self.behaviour();
        behaviour.keys = json!({"keys": [key.jwk(id)]});
        behaviour.id_token = Box::new(move |claims| key.token(id, claims));
    }

    /// Answers a path in another way.
    pub(crate) fn answer_with(
        &self,
        path: &'static str,
        answer: impl Fn() -> Response<Body> + Send + Sync + 'static,
    ) {
        self.behaviour().answers.insert(path, Arc::new(answer));
    }

    pub(crate) fn count(&self, path: &str) -> usize {
        self.behaviour().requests.iter().filter(|asked| *asked == path).count()
    }

    /// A person logs in: the query with which the browser is sent back.
    pub(crate) fn authorize(&self, address: &str) -> String {
        let asked = asked(address);
        let mut behaviour = self.behaviour();
        let code = format!("code-number-{}", behaviour.codes.len());
        let kept = (asked["nonce"].clone(), asked["code_challenge"].clone());
        behaviour.codes.insert(code.clone(), kept);
        let mut query = form_urlencoded::Serializer::new(String::new());
        let query = query.append_pair("code", &code).append_pair("state", &asked["state"]);
        query.append_pair("iss", &self.issuer).finish()
    }
}

impl Drop for FakeProvider {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What an address asks for.
pub(crate) fn asked(address: &str) -> BTreeMap<String, String> {
    Url::parse(address).unwrap().query_pairs().into_owned().collect()
}

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

pub(crate) fn status(code: u16, body: &str) -> Response<Body> {
    Response::builder().status(code).body(Body::from(body.to_owned())).unwrap()
}

async fn answer(
    State(state): State<Arc<Mutex<Behaviour>>>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let mut behaviour = state.lock().unwrap();
    behaviour.requests.push(uri.path().to_owned());
    let form = String::from_utf8(body.to_vec()).unwrap();
    if uri.path() == TOKEN {
        behaviour.token_request = Some((headers.clone(), form.clone()));
    }
    if let Some(other) = behaviour.answers.get(uri.path()).cloned() {
        drop(behaviour);
        return other();
    }
    match uri.path() {
        DISCOVERY => status(200, &behaviour.discovery.to_string()),
        KEYS => status(200, &behaviour.keys.to_string()),
        TOKEN => behaviour.exchange(&form),
        USER_INFO if headers["authorization"] == "Bearer access-token-of-ana" => {
            status(200, &behaviour.user_info.to_string())
        }
        _ => status(404, ""),
    }
}

impl Behaviour {
    /// A code works once, for whoever knows what the challenge was made of.
    fn exchange(&mut self, form: &str) -> Response<Body> {
        let form: BTreeMap<String, String> =
            form_urlencoded::parse(form.as_bytes()).into_owned().collect();
        let verifier = form["code_verifier"].as_bytes();
        let challenge = encode(digest(&SHA256, verifier).as_ref());
        let nonce = match self.codes.get(&form["code"]) {
            Some((nonce, wanted)) if *wanted == challenge => nonce.clone(),
            _ => return status(400, r#"{"error": "invalid_grant"}"#),
        };
        self.codes.insert(form["code"].clone(), (String::new(), String::new()));
        let token = (self.id_token)(&self.claims_with(&nonce));
        let access = "access-token-of-ana";
        let tokens = json!({"access_token": access, "token_type": "Bearer", "id_token": token});
        status(200, &tokens.to_string())
    }

    fn claims_with(&self, nonce: &str) -> Value {
        let mut claims = json!({
            "iss": self.discovery["issuer"], "sub": "ana-1", "aud": CLIENT_ID, "nonce": nonce,
            "iat": now(), "exp": now() + 300, "name": "Ana", "preferred_username": "ana",
            "email": "ana@example.org", "email_verified": true,
        });
        for (name, value) in self.claims.as_object().unwrap() {
            match value {
                Value::Null => drop(claims.as_object_mut().unwrap().remove(name)),
                value => claims[name] = value.clone(),
            }
        }
        claims
    }
}
