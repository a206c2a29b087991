//! A push service on loopback that keeps what it is sent and answers as it is told to.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Response};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A path that must not be printed.
pub(crate) const SECRET_PATH: &str = "/push/onlyTheBrowserKnowsThisPath";

/// A message as it arrived.
#[derive(Debug)]
pub(crate) struct Received {
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// How a push service answers a message.
type Answer = Arc<dyn Fn(&Received) -> Response<Body> + Send + Sync>;

/// A running push service; it ends when it is dropped.
pub(crate) struct PushService {
    pub(crate) origin: String,
    received: Arc<Mutex<Vec<Received>>>,
    task: JoinHandle<()>,
}

impl PushService {
    pub(crate) async fn start(
        answer: impl Fn(&Received) -> Response<Body> + Send + Sync + 'static,
    ) -> Self {
        let answer: Answer = Arc::new(answer);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let received: Arc<Mutex<Vec<Received>>> = Arc::default();
        let app = Router::new().fallback(take).with_state((Arc::clone(&received), answer));
        let task = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { origin, received, task }
    }

    pub(crate) fn endpoint(&self) -> String {
        format!("{}{SECRET_PATH}", self.origin)
    }

    /// Takes what arrived until now.
    pub(crate) fn take(&self) -> Vec<Received> {
        std::mem::take(&mut self.received.lock().unwrap())
    }
}

impl Drop for PushService {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// An answer without a body.
pub(crate) fn status(code: u16) -> Response<Body> {
    Response::builder().status(code).body(Body::empty()).unwrap()
}

async fn take(
    State((all, answer)): State<(Arc<Mutex<Vec<Received>>>, Answer)>,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let received = Received { headers, body };
    let response = answer(&received);
    all.lock().unwrap().push(received);
    response
}
