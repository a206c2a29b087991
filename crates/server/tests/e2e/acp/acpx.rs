//! The real `acpx` from npm against `parlor acp`.

use std::path::Path;
use std::process::Stdio;

use parlor_testkit::{Script, ScriptedModel};
use serde_json::{Value, json};
use tokio::process::Command;
use tokio::time::timeout;

use super::editor::{in_process, tools};
use crate::npm::install;
use crate::test_app::PATIENCE;

const ACPX: &str = "node_modules/acpx/dist/cli.js";
/// Its exit code if a permission was refused.
const REFUSED: i32 = 5;

/// Runs `acpx … exec TEXT`; returns its exit code and the JSON lines that it printed.
async fn exec(dir: &Path, model: &ScriptedModel, policy: &str, text: &str) -> (i32, Vec<Value>) {
    let acpx = install("acp/acpx").await.join(ACPX);
    let agent = in_process(dir, model, &tools());
    let agent = agent.as_std();
    let words = std::iter::once(agent.get_program()).chain(agent.get_args());
    let words: Vec<&str> = words.map(|word| word.to_str().unwrap()).collect();
    let mut node = Command::new("node");
    node.arg(acpx).args(["--agent", &words.join(" "), policy, "--format", "json", "exec", text]);
    // What it keeps for itself goes below its home.
    node.env("HOME", dir).current_dir(dir).stdin(Stdio::null()).kill_on_drop(true);
    node.envs(agent.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let ended = timeout(PATIENCE, node.output()).await.expect("acpx hangs").unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    let code = ended.status.code().unwrap_or_else(|| panic!("acpx was killed: {said}"));
    let printed = String::from_utf8(ended.stdout).unwrap();
    (code, printed.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

/// A model that calls a tool which needs approval.
async fn marking(dir: &Path) -> ScriptedModel {
    let model = ScriptedModel::start().await.unwrap();
    let input = json!({"text": dir.join("marks"), "number": 1});
    model.push(Script::answer().text("I will.").tool_use("t1", "s_mark", &input));
    model.push(Script::answer().text("So it is."));
    model
}

/// B-5: a person who allows everything: the tool runs once, and the answer is read.
#[tokio::test]
async fn acpx_allows() {
    let dir = tempfile::tempdir().unwrap();
    let model = marking(dir.path()).await;
    let (code, lines) = exec(dir.path(), &model, "--approve-all", "mark it").await;
    assert_eq!(std::fs::read_to_string(dir.path().join("marks")).unwrap().lines().count(), 1);
    let all = json!(lines).to_string();
    assert_eq!(code, 0, "{all}");
    assert!(all.contains("So it is.") && all.contains("end_turn"), "{all}");
}

/// B-4: a person who refuses everything: nothing runs, and the agent is told.
#[tokio::test]
async fn acpx_refuses() {
    let dir = tempfile::tempdir().unwrap();
    let model = marking(dir.path()).await;
    let (code, lines) = exec(dir.path(), &model, "--deny-all", "mark it").await;
    assert!(!dir.path().join("marks").exists());
    let all = json!(lines).to_string();
    assert_eq!(code, REFUSED, "{all}");
    assert!(all.contains("So it is."), "{all}");
    let told = model.requests()[1]["messages"].to_string();
    assert!(told.contains("tool_result") && told.contains("is_error"), "{told}");
}
