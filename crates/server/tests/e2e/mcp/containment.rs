//! The isolation of child processes, and that none outlives the server (B-2).

use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};

use parlor_agent::tools::Tools;
use rustix::process::getuid;
use serde_json::{Value, json};

use super::served::{SECRETS, Served, configuration};
use super::{family, faulty, faulty_program, gone, host, ready, runs, text, until};
use crate::test_app::PATIENCE;

/// A user without privileges, which exists on every machine.
const NOBODY: u32 = 65_534;

fn parlor() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_parlor"))
}

/// A server with a child, a grandchild in its own process group, and an orphan.
async fn with_family(dir: &Path) -> (Served, Vec<u32>) {
    let file = dir.join("pids");
    let arguments = ["--family", file.to_str().unwrap()];
    let config = configuration(&[("s", faulty_program(), &arguments)]);
    let served = Served::start(parlor(), dir, &config, |_| {});
    until("the family is complete", || family(&file).len() == 3).await;
    let processes = family(&file);
    assert!(processes.iter().all(|pid| runs(*pid)));
    (served, processes)
}

/// B-2: `kill -9` of the server leaves no child and no grandchild.
#[tokio::test]
async fn nothing_outlives_a_server_that_was_killed() {
    let dir = tempfile::tempdir().unwrap();
    let (served, processes) = with_family(dir.path()).await;
    served.kill();
    gone(&processes).await;
}

/// FAULTS 3: a server that is asked to stop exits with 0, and then no child is left.
#[tokio::test]
async fn a_server_that_stops_takes_its_children_along() {
    let dir = tempfile::tempdir().unwrap();
    let (served, processes) = with_family(dir.path()).await;
    assert_eq!(served.terminate(), Some(0));
    assert!(!processes.iter().any(|pid| runs(*pid)));
}

/// B-2: a child ends with its supervisor, even if that is killed.
#[tokio::test]
async fn a_child_dies_with_its_supervisor() {
    let dir = tempfile::tempdir().unwrap();
    let (_served, processes) = with_family(dir.path()).await;
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", processes[0])).unwrap();
    let supervisor = stat.rsplit_once(')').unwrap().1.split_ascii_whitespace().nth(1).unwrap();
    let supervisor = rustix::process::Pid::from_raw(supervisor.parse().unwrap()).unwrap();
    rustix::process::kill_process(supervisor, rustix::process::Signal::KILL).unwrap();
    gone(&processes[..1]).await;
}

/// B-2: a child's environment has the configured variables, and nothing else.
#[tokio::test]
async fn a_child_sees_what_is_listed_and_nothing_else() {
    let mut settings = faulty(&[]);
    settings["env"] = json!({"FIXED": "value", "PASSED": {"env": "CARGO_MANIFEST_DIR"}});
    let host = host(&[("s", settings)]);
    ready(&host, "s").await;
    let seen: Value = serde_json::from_str(&text(&host, "s_environment", json!({})).await).unwrap();
    let names = |value: &Value| -> Vec<String> {
        let all = value.as_array().unwrap().iter();
        let mut names: Vec<_> =
            all.map(|v| v.as_str().unwrap().split('=').next().unwrap().to_owned()).collect();
        names.sort();
        names
    };
    let may = ["FIXED", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "PASSED", "PATH", "TZ"];
    assert!(names(&seen["own"]).iter().all(|name| may.contains(&name.as_str())), "{seen}");
    assert!(seen["own"].as_array().unwrap().contains(&json!("FIXED=value")));
    let passed = format!("PASSED={}", env!("CARGO_MANIFEST_DIR"));
    assert!(seen["own"].as_array().unwrap().contains(&json!(passed)));
    host.close(PATIENCE).await;
}

/// B-2, X-3: a child of the same user cannot read the server's environment.
#[tokio::test]
async fn a_child_of_the_same_user_cannot_read_the_servers_secrets() {
    // Root may read everything, so the server drops its privileges.
    let user = getuid().is_root().then_some(NOBODY);
    let (dir, [parlor, faulty]) = programs_for(user);
    let seen = report(&dir, &parlor, &faulty, "", |command| {
        if let Some(user) = user {
            command.uid(user).gid(user);
        }
    });
    assert_secrets_are_kept(&seen.await);
}

/// B-2: a child may run as a user of its own.
#[tokio::test]
async fn a_child_with_a_user_of_its_own_cannot_read_the_servers_secrets() {
    if !getuid().is_root() {
        return;
    }
    let (dir, [parlor, faulty]) = programs_for(Some(NOBODY));
    let user = format!("user = \"{NOBODY}:{NOBODY}\"\n");
    assert_secrets_are_kept(&report(&dir, &parlor, &faulty, &user, |_| {}).await);
}

/// The programs, and a directory in which another user can run and write.
fn programs_for(user: Option<u32>) -> (tempfile::TempDir, [PathBuf; 2]) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let programs = [parlor(), faulty_program()].map(|program| {
        let copy = dir.path().join(program.file_name().unwrap());
        std::fs::copy(program, &copy).unwrap();
        copy
    });
    if let Some(user) = user {
        chown(dir.path(), Some(user), Some(user)).unwrap();
    }
    (dir, programs)
}

/// What a child of a real server could see.
async fn report(
    dir: &tempfile::TempDir,
    parlor: &Path,
    faulty: &Path,
    settings: &str,
    change: impl FnOnce(&mut std::process::Command),
) -> Value {
    let file = dir.path().join("report");
    let arguments = ["--report", file.to_str().unwrap()];
    let config = configuration(&[("s", faulty, &arguments)]) + settings;
    let served = Served::start(parlor, dir.path(), &config, change);
    let read = || std::fs::read_to_string(&file).unwrap_or_default();
    until("the child reports", || read().ends_with('\n')).await;
    let seen: Value = serde_json::from_str(read().lines().next().unwrap()).unwrap();
    assert_eq!(seen["pid"], served.id(), "it looked at the right process");
    assert_eq!(served.terminate(), Some(0));
    seen
}

fn assert_secrets_are_kept(seen: &Value) {
    assert_eq!(seen["server"], "unreadable: permission denied", "{seen}");
    let everything = seen.to_string();
    for (name, secret) in SECRETS {
        assert!(!everything.contains(name) && !everything.contains(secret), "{name}: {seen}");
    }
    assert!(everything.contains("PATH="), "{seen}");
}
