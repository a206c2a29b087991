//! `parlor mcp recipes` as a process of its own: beside the server, beside other such processes,
//! and killed.

use std::path::Path;
use std::process::Stdio;

use futures_util::stream::{FuturesUnordered, StreamExt};
use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, JsonObject, ProtocolVersion, RequestMetaObject,
    RequestParamsMeta,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RunningService, ServiceError};
use serde_json::{Value, json};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::server_process::storage;
use crate::test_app::{PATIENCE, TestApp, json as body_of};

/// A running server process and its client.
struct Vault {
    child: Child,
    client: RunningService<RoleClient, ()>,
}

impl Vault {
    async fn start(data: &Path) -> Self {
        Self::with(data, ClientLifecycleMode::Initialize).await
    }

    async fn with(data: &Path, lifecycle: ClientLifecycleMode) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_parlor"))
            .args(["mcp", "recipes", "--tenant", "home", "--data-dir"])
            .arg(data)
            // It needs no directory but the given one, and of the environment only the URL of
            // a database that is not there.
            .env_clear()
            .envs(storage(data))
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let pipes = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
        let client = timeout(PATIENCE, ().serve_with_lifecycle(pipes, lifecycle)).await;
        Self { child, client: client.unwrap().unwrap() }
    }

    async fn run(
        &self,
        tool: &'static str,
        arguments: Value,
        run: Option<String>,
    ) -> Result<CallToolResult, ServiceError> {
        let Value::Object(arguments) = arguments else { panic!("{arguments}") };
        let mut call = CallToolRequestParams::new(tool).with_arguments(arguments);
        if let Some(run) = run {
            let meta = JsonObject::from_iter([("parlor/run-id".to_owned(), json!(run))]);
            call.set_meta(RequestMetaObject::from(meta));
        }
        timeout(PATIENCE, self.client.call_tool(call)).await.unwrap()
    }

    async fn call(&self, tool: &'static str, arguments: Value) -> Value {
        self.run(tool, arguments, None).await.unwrap().structured_content.unwrap()
    }

    /// Creates dish number n, with a run id of its own.
    async fn run_dish(&self, n: usize) -> Result<CallToolResult, ServiceError> {
        self.run("create_recipe", dish(&format!("Dish {n}")), Some(format!("run-{n}"))).await
    }

    async fn titles(&self) -> Vec<String> {
        let list = self.call("list_recipes", json!({})).await;
        let recipes = list["recipes"].as_array().unwrap().iter();
        recipes.map(|recipe| recipe["title"].as_str().unwrap().to_owned()).collect()
    }
}

async fn run_numbered(vault: &Vault, n: usize) -> (usize, Result<CallToolResult, ServiceError>) {
    (n, vault.run_dish(n).await)
}

fn dish(title: &str) -> Value {
    json!({"title": title, "ingredients": [], "steps": []})
}

/// a client starts it, uses it in either protocol version, and it ends with the client. The
/// server's own database is not touched.
#[tokio::test]
async fn it_serves_both_eras_and_ends_with_its_client() {
    let dir = tempfile::tempdir().unwrap();
    let modern =
        ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
    for (lifecycle, version, title) in [
        (ClientLifecycleMode::Initialize, ProtocolVersion::V_2025_11_25, "Old"),
        (modern, ProtocolVersion::V_2026_07_28, "New"),
    ] {
        let mut vault = Vault::with(dir.path(), lifecycle).await;
        assert_eq!(vault.client.peer_info().unwrap().protocol_version, version);
        let made = vault.call("create_recipe", dish(title)).await;
        let shown = json!({"recipe_id": made["id"]});
        let shown = vault.run("display_recipe", shown, None).await.unwrap();
        let artifact = json!({"kind": "recipe", "id": made["id"]});
        assert_eq!(shown.meta.unwrap().0["parlor/artifact"], artifact);
        assert!(vault.titles().await.contains(&title.to_owned()));
        vault.client.close().await.unwrap();
        let status = timeout(PATIENCE, vault.child.wait()).await.unwrap().unwrap();
        assert!(status.success(), "{status}");
    }
    let files = std::fs::read_dir(dir.path()).unwrap().map(|file| file.unwrap().file_name());
    let expected: &[&str] = if storage(dir.path()).is_some() { &[] } else { &["recipes.db"] };
    assert_eq!(files.collect::<Vec<_>>(), expected, "it leaves nothing else");
}

/// a child process and the server share the same recipes at the same time.
#[tokio::test]
async fn a_child_and_the_server_share_recipes() {
    let app = TestApp::start().await;
    let vault = Vault::start(&app.data_dir).await;
    let made = vault.call("create_recipe", dish("Shared")).await;
    let path = format!("/api/recipes/{}", made["id"].as_str().unwrap());
    let read = app.admin("GET", &path).send().await.unwrap();
    assert_eq!(body_of(read).await, made);
    let renamed = app.admin("PUT", &path).header("content-type", "application/json");
    let renamed = renamed.body(dish("Renamed").to_string()).send().await.unwrap();
    assert_eq!(renamed.status(), 200);
    let read = vault.call("get_recipe", json!({"recipe_id": made["id"]})).await;
    assert_eq!(read, body_of(renamed).await);
    vault.call("delete_recipe", json!({"recipe_id": made["id"]})).await;
    assert_eq!(app.admin("GET", &path).send().await.unwrap().status(), 404);
}

/// DESIGN idea 8: several processes open a new file and get the same runs at the same time: one set
/// of samples, each run once, the same answer for all.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn processes_at_once_do_it_once() {
    const PROCESSES: usize = 4;
    let dir = tempfile::tempdir().unwrap();
    let work = |data: std::path::PathBuf| async move {
        let vault = Vault::start(&data).await;
        let mut ids = Vec::new();
        for n in 0..5 {
            let made = vault.run_dish(n).await.unwrap();
            ids.push(made.structured_content.unwrap()["id"].clone());
        }
        ids
    };
    let mut all = Vec::new();
    let working: Vec<_> =
        (0..PROCESSES).map(|_| tokio::spawn(work(dir.path().to_owned()))).collect();
    for ids in working {
        all.push(ids.await.unwrap());
    }
    assert!(all.iter().all(|ids| *ids == all[0]), "{all:?}");
    let titles = Vault::start(dir.path()).await.titles().await;
    let count = |start: &str| titles.iter().filter(|title| title.starts_with(start)).count();
    assert_eq!((count("Dish"), count("Tomato Soup")), (5, 1), "{titles:?}");
}

/// DESIGN idea 8: after a kill, the same run ids are sent again: completed runs are not repeated,
/// and get the same answers.
#[tokio::test]
async fn a_kill_does_nothing_twice() {
    const RUNS: usize = 12;
    let dir = tempfile::tempdir().unwrap();
    let mut answered: Vec<Option<Value>> = vec![None; RUNS];
    for kill_after in [0, 1, 3, 7] {
        let mut vault = Vault::start(dir.path()).await;
        let mut runs: FuturesUnordered<_> = (0..RUNS).map(|n| run_numbered(&vault, n)).collect();
        for _ in 0..kill_after {
            let (n, made) = runs.next().await.unwrap();
            let made = made.unwrap().structured_content;
            assert!(made.is_some() && (answered[n].is_none() || answered[n] == made), "{made:?}");
            answered[n] = made;
        }
        // The other runs are in progress when it dies; how far they are is unknown.
        drop(runs);
        vault.child.start_kill().unwrap();
        vault.child.wait().await.unwrap();
    }
    let vault = Vault::start(dir.path()).await;
    for (n, first) in answered.iter().enumerate() {
        let made = vault.run_dish(n).await.unwrap().structured_content;
        assert!(made.is_some() && (first.is_none() || *first == made), "{first:?}: {made:?}");
    }
    let titles = vault.titles().await;
    assert_eq!(titles.iter().filter(|title| title.starts_with("Dish")).count(), RUNS, "{titles:?}");
}
