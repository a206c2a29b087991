//! The real binary, killed while it opens prompts and tells browsers of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parlor_testkit::{Script, ScriptedModel};
use reqwest::RequestBuilder;
use serde_json::{Value, json};

use super::push_service::{PushService, status};
use super::{AT_ONCE, Device, QUESTION, eventually, topic};
use crate::seen::Events;
use crate::server_process::Server;

const PROJECT: &str = "[server.limits]\nmessages_per_minute = 100000\n\
    [tenants.home.projects.recipes]\nrecipe_vault = false\n";

/// U-11, FAULTS 1: whatever the server was doing when it was killed, every prompt that was shown is
/// told, and a message is repeated only if nobody knows whether it arrived.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_lose_no_notification() {
    killed(12).await;
}

/// The same over a hundred restarts; `-- push::kills --include-ignored`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "it takes minutes"]
async fn a_hundred_kills_lose_no_notification() {
    killed(100).await;
}

async fn killed(rounds: usize) {
    let (data, model) = (tempfile::tempdir().unwrap(), ScriptedModel::start().await.unwrap());
    model.always(Script::answer().text(QUESTION));
    let more = format!("{PROJECT}{AT_ONCE}");
    // Says that a message is there, and takes its time to answer.
    let (arrives, server_dies) =
        (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let (arrived, dies) = (arrives.clone(), server_dies.clone());
    let service = PushService::start(move |_| {
        arrived.store(true, Ordering::SeqCst);
        let until = Instant::now() + Duration::from_secs(2);
        while dies.load(Ordering::SeqCst) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
        status(201)
    })
    .await;
    let server = Server::start_with(data.path(), &model, &more, &[]).await;
    let cookie = server.log_in("a-family-password").await;
    let put = as_browser(server.put("/api/push/subscription"), &cookie);
    let device = Device::at(service, put).await;
    server.kill();

    let (mut shown, mut got) = (BTreeSet::new(), BTreeMap::<String, usize>::new());
    for round in 0..rounds {
        let while_it_sends = round % 3 == 1;
        arrives.store(false, Ordering::SeqCst);
        server_dies.store(while_it_sends, Ordering::SeqCst);
        let server = Server::start_with(data.path(), &model, &more, &[]).await;
        let said = json!({"message": format!("round {round}")});
        let mut events = Events::of(server.send(&said).await);
        while let Some(event) = events.next().await {
            if event.name == "userPrompt" {
                shown.insert(topic(event.data["messageId"].as_str().unwrap()));
                break;
            }
        }
        if round % 3 != 0 {
            eventually("nothing is sent", async || arrives.load(Ordering::SeqCst).then_some(()))
                .await;
        }
        server.kill();
        server_dies.store(false, Ordering::SeqCst);
        count(&device, &mut got);
    }
    assert_eq!(shown.len(), rounds);
    let server = Server::start_with(data.path(), &model, &more, &[]).await;
    eventually("a notification is lost, or never ends", async || {
        count(&device, &mut got);
        let status = server.get("/api/admin/status").send().await.unwrap().text().await.unwrap();
        let status: Value = serde_json::from_str(&status).unwrap();
        (status["push"]["unsent"] == 0).then_some(())
    })
    .await;
    count(&device, &mut got);
    let told: BTreeSet<String> = got.keys().cloned().collect();
    assert_eq!(told, shown, "every prompt that was shown is told, and nothing else");
    let total: usize = got.values().sum();
    assert!(
        total <= 2 * rounds,
        "{total} messages for {rounds} prompts and as many kills: {got:?}"
    );
    // A browser that is told twice shows it once: what is the same has the same tag and topic.
}

fn count(device: &Device, got: &mut BTreeMap<String, usize>) {
    for message in device.service.take() {
        *got.entry(message.headers["topic"].to_str().unwrap().to_owned()).or_default() += 1;
    }
}

/// The request of a browser: with its cookie alone.
pub(super) fn as_browser(request: RequestBuilder, cookie: &str) -> RequestBuilder {
    let (client, request) = request.build_split();
    let mut request = request.unwrap();
    request.headers_mut().remove("x-api-key");
    request.headers_mut().insert("cookie", cookie.parse().unwrap());
    RequestBuilder::from_parts(client, request)
}
