//! The database of a running server fails: another program locks it, or it is not writable. New
//! messages are refused with the reason, a running turn waits, nothing is lost, and the server
//! recovers without a restart (FAULTS 6).

use std::os::unix::fs::FileExt;
use std::path::Path;

use parlor_testkit::{Gate, Script, ScriptedModel};
use rustix::process::{Resource, Rlimit, getrlimit, prlimit};
use serde_json::{Value, json};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection, Row, SqliteConnection};

use crate::server_process::Server;
use crate::streams::{Events, text};
use crate::test_app::{json as body_of, refusal};

struct Scene {
    server: Server,
    model: ScriptedModel,
    gate: Gate,
    data: tempfile::TempDir,
}

/// A turn that has streamed some text, and will stream more.
struct Running {
    events: Events,
    conversation: String,
}

impl Scene {
    async fn new() -> Self {
        let data = tempfile::tempdir().unwrap();
        let model = ScriptedModel::start().await.unwrap();
        let server = Server::start(data.path(), &model).await;
        Self { server, model, gate: Gate::closed(), data }
    }

    async fn run(&self) -> Running {
        let script = Script::answer().text("before ").gate(&self.gate).text("meanwhile ");
        self.model.push(script.gate(&self.gate).text("after"));
        let mut events = Events::of(self.server.send(&json!({"message": "hello"})).await);
        let start = events.find("start").await;
        events.find("chunk").await;
        let conversation = start.data["conversation_id"].as_str().unwrap().to_owned();
        Running { events, conversation }
    }

    /// While the database is broken: reading works, new messages are refused, and the text of the
    /// running turn is still shown.
    async fn broken(&self, running: &mut Running) -> Value {
        self.gate.release(1);
        assert_eq!(running.events.find("chunk").await.data["text"], "meanwhile ");
        let view = self.server.conversation(&running.conversation).await;
        assert_eq!(view["messages"][0]["content"], "hello");
        let refused = self.server.send(&json!({"message": "while it is broken"})).await;
        assert_eq!(refused.status(), 503);
        assert!(refused.headers().contains_key("retry-after"));
        let error = body_of(refused).await["error"].take();
        assert_eq!(error["code"], "unavailable");
        error["message"].clone()
    }

    /// Once the database works again: the turn ends normally, and a new one begins.
    async fn mended(&self, mut running: Running) {
        self.gate.release(1);
        let rest = running.events.rest().await;
        assert_eq!(rest.last().unwrap().data["reason"], "complete");
        let said = &rest[rest.len() - 2].data;
        assert_eq!(said["content"], "before meanwhile after");
        self.model.push(Script::answer().text("Back again."));
        let body = json!({"message": "again", "conversation_id": running.conversation});
        let events = Events::of(self.server.send(&body).await).rest().await;
        assert_eq!(text(&events), "Back again.");
    }
}

/// Holds the write lock from another process: the test.
async fn lock(data: &Path) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(data.join("parlor.db"));
    let mut connection = SqliteConnection::connect_with(&options).await.unwrap();
    sqlx::query("BEGIN EXCLUSIVE").execute(&mut connection).await.unwrap();
    connection
}

/// Prevents all file writes, as a read-only file system would; returns the previous limit.
fn forbid_writing(server: &Server) -> Option<u64> {
    limit_files(server, Some(0))
}

fn limit_files(server: &Server, current: Option<u64>) -> Option<u64> {
    let maximum = getrlimit(Resource::Fsize).maximum;
    prlimit(Some(server.pid()), Resource::Fsize, Rlimit { current, maximum }).unwrap().current
}

async fn ready(server: &Server) -> u16 {
    server.get("/readyz").send().await.unwrap().status().as_u16()
}

/// FAULTS 6, R-2: recipes recover as conversations do, and readiness reports both.
#[tokio::test]
async fn recipes_heal_when_they_can_be_written_again() {
    let scene = Scene::new().await;
    let create = |title: &str| {
        let recipe = json!({"title": title, "ingredients": [{"name": "bread"}],
            "steps": [{"instruction": "Toast it."}]});
        let request = scene.server.post("/api/recipes").header("content-type", "application/json");
        request.body(recipe.to_string()).send()
    };
    assert_eq!(create("Before").await.unwrap().status(), 201);
    assert_eq!(ready(&scene.server).await, 200);
    let before = forbid_writing(&scene.server);
    // More than once: the first failure must not cause the others.
    for title in ["Meanwhile", "Still", "And still"] {
        let refused = create(title).await.unwrap();
        assert_eq!(refusal(refused).await, (503, "unavailable".to_owned()), "{title}");
    }
    assert_eq!(ready(&scene.server).await, 503);
    limit_files(&scene.server, before);
    assert_eq!(create("After").await.unwrap().status(), 201);
    assert_eq!(ready(&scene.server).await, 200);
    let list = body_of(scene.server.get("/api/recipes").send().await.unwrap()).await;
    let titles: Vec<&str> =
        list["recipes"].as_array().unwrap().iter().map(|r| r["title"].as_str().unwrap()).collect();
    assert!(titles.contains(&"Before") && titles.contains(&"After"), "{titles:?}");
    assert!(!titles.contains(&"Meanwhile"), "{titles:?}");
}

/// FAULTS 6: readiness reports a damaged file of either database.
#[tokio::test]
async fn a_damaged_file_is_not_ready() {
    for name in ["parlor.db", "recipes.db"] {
        let scene = Scene::new().await;
        assert_eq!(ready(&scene.server).await, 200);
        damage(&scene.data.path().join(name)).await;
        assert_eq!(ready(&scene.server).await, 503, "{name}");
        assert_eq!(scene.server.get("/healthz").send().await.unwrap().status(), 200);
    }
}

/// FAULTS 6, H-1: a turn that can no longer be stored ends with an error and `done` for every
/// reader; new messages are refused.
#[tokio::test]
async fn a_turn_on_a_damaged_file_ends_with_an_error() {
    let scene = Scene::new().await;
    let mut running = scene.run().await;
    let resumed = scene.server.resume(&running.conversation, "0").await;
    let mut follower = Events::of(resumed);
    follower.find("chunk").await;
    damage(&scene.data.path().join("parlor.db")).await;
    scene.gate.release(2);
    let error = running.events.find("error").await;
    assert_eq!(
        (&error.data["code"], &error.data["recoverable"]),
        (&json!("internal"), &json!(false))
    );
    let rest = running.events.rest().await;
    assert_eq!(rest.last().unwrap().data["reason"], "error", "the stream ends with its turn");
    assert_eq!(follower.find("done").await.data["reason"], "error");
    let refused = scene.server.send(&json!({"message": "and now?"})).await;
    assert_eq!(refused.status(), 500);
}

/// Checkpoints the write-ahead log, and overwrites the whole file.
async fn damage(path: &Path) {
    let options = SqliteConnectOptions::new().filename(path);
    let mut connection = SqliteConnection::connect_with(&options).await.unwrap();
    let moved = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").fetch_one(&mut connection).await;
    assert_eq!(moved.unwrap().get::<i64, _>(0), 0, "nobody was in the way");
    connection.close().await.unwrap();
    let length = std::fs::metadata(path).unwrap().len();
    let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    file.write_all_at(&vec![0xA5; usize::try_from(length).unwrap()], 0).unwrap();
}

/// FAULTS 6, issue "Bad input": the database is locked, then not writable, then works again.
#[tokio::test]
async fn a_broken_database_is_waited_for() {
    let scene = Scene::new().await;

    let mut running = scene.run().await;
    let first = running.conversation.clone();
    let lock = lock(scene.data.path()).await;
    let why = scene.broken(&mut running).await;
    assert_eq!(why, "The database is busy; please try again in a moment.");
    lock.close().await.unwrap();
    scene.mended(running).await;

    let mut running = scene.run().await;
    let second = running.conversation.clone();
    let before = forbid_writing(&scene.server);
    let why = scene.broken(&mut running).await;
    let words = "The server cannot save anything right now. Please tell its administrator.";
    assert_eq!(why, words);
    let ready = scene.server.get("/readyz").send().await.unwrap();
    assert_eq!(refusal(ready).await, (503, "unavailable".to_owned()));
    assert_eq!(scene.server.get("/healthz").send().await.unwrap().status(), 200);
    limit_files(&scene.server, before);
    scene.mended(running).await;
    assert_eq!(scene.server.get("/readyz").send().await.unwrap().status(), 200);

    let stored =
        [scene.server.conversation(&first).await, scene.server.conversation(&second).await];
    scene.server.kill();
    let server = Server::start(scene.data.path(), &scene.model).await;
    for (view, id) in stored.iter().zip([first, second]) {
        assert_eq!(view["messages"].as_array().unwrap().len(), 4);
        assert_eq!(*view, server.conversation(&id).await, "all of it is on the disk");
    }
    let list = body_of(server.get("/api/conversations").send().await.unwrap()).await;
    let refused = list.to_string().contains("while it is broken");
    assert!(!refused, "what was refused is not there: {list}");
}
