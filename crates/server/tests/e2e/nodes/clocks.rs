//! Nodes whose clocks are a minute apart.
//!
//! The clock of a process is shifted by a small library that is loaded before the C library. It
//! is built here with the C compiler that the project needs anyway.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use parlor_testkit::Script;
use serde_json::{Value, json};

use super::cluster::{Channel, Cluster, answer, begin, open_prompt, read, reason};
use crate::server_process::Server;

/// Shifts the time of day by so many seconds as the variable says; other clocks stay.
const SHIFTED_CLOCK: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(clock, now);
    const char *by = getenv("SHIFT_SECONDS");
    if (clock == CLOCK_REALTIME && by) now->tv_sec += atoi(by);
    return result;
}
"#;

const SECONDS: i64 = 20;

/// E-2: a node follows the database's clock. A prompt that it gives more time expires at the same
/// moment for all, and can be answered elsewhere until then; and no node takes another one for
/// dead.
#[tokio::test]
async fn nodes_whose_clocks_differ_agree_on_the_time() {
    let Some(cluster) = Cluster::new(Channel::Postgres).await else { return };
    let library = shifted_clock(cluster.dir.path());
    let library = library.to_str().unwrap();
    let shifted = |by: &'static str| [("LD_PRELOAD", library), ("SHIFT_SECONDS", by)];
    let exact = cluster.node("exact").await;
    let ahead = cluster.node_with("ahead", &shifted("60")).await;
    let behind = cluster.node_with("behind", &shifted("-60")).await;
    assert!(clock_of(&ahead).await - seconds_now() > 50, "the clock of this node is shifted");
    for (asked, extended) in [(&ahead, &behind), (&behind, &ahead)] {
        cluster.model.push(Script::answer().tool_use("t1", "s_mark", &cluster.mark()));
        cluster.model.push(Script::answer().text("So it is."));
        let (conversation, _own) = begin(asked, "Mark it").await;
        let prompt = open_prompt(&exact).await;
        let more = extended.post(&format!("/api/prompts/{prompt}/extend"));
        let more = more.json(&json!({"seconds": SECONDS})).send().await.unwrap();
        assert_eq!(more.status(), 200);
        for node in [&exact, &ahead, &behind] {
            let left = expiry(node, &prompt).await - seconds_now();
            assert!((SECONDS - 10..=SECONDS + 1).contains(&left), "it expires in {left} s");
        }
        assert_eq!(answer(&exact, &prompt, &json!({"response": "yes"})).await, 200);
        assert_eq!(reason(&read(&exact, &conversation).await), "complete");
    }
    assert_eq!(cluster.marks().len(), 2);
}

fn shifted_clock(dir: &Path) -> PathBuf {
    let (source, library) = (dir.join("clock.c"), dir.join("clock.so"));
    std::fs::write(&source, SHIFTED_CLOCK).unwrap();
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).arg("-ldl");
    assert!(cc.status().unwrap().success(), "the library is built");
    library
}

/// The time of day in the answer of a node, which comes from its own clock.
async fn clock_of(node: &Server) -> i64 {
    let response = node.get("/healthz").send().await.unwrap();
    let date = response.headers()["date"].to_str().unwrap();
    let date = Command::new("date").args(["-u", "+%s", "-d", date]).output().unwrap();
    String::from_utf8(date.stdout).unwrap().trim().parse().unwrap()
}

async fn expiry(node: &Server, prompt: &str) -> i64 {
    let shown = node.get(&format!("/api/prompts/{prompt}")).send().await.unwrap();
    let shown: Value = serde_json::from_str(&shown.text().await.unwrap()).unwrap();
    let at = shown["prompt"]["expires_at"].as_i64();
    at.unwrap_or_else(|| panic!("{shown}")) / 1_000
}

fn seconds_now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(now.as_secs()).unwrap()
}
