//! S-5, B-2: what a person gets of the recordings of the real agents contains no name of an agent,
//! provider or model, and no home, session or key.
//!
//! The recordings were made with `/workspace/home` and `/workspace/demo`. The check looks for
//! classes of words, independently of the sanitizer's rules and of these recordings.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use parlor_guard::sanitizer::{Sanitizer, SanitizerSettings};
use parlor_guard::{CleanStream, process_output};
use regex::Regex;
use serde_json::Value;

/// Names, directories and ids, and the texts that a CLI writes for its model.
const TELLING: &str = r"(?ix) claude | codex | anthropic | openai | chatgpt | gemini | \bgpt | qwen | opencode
    | \bopus\b | \bsonnet\b | \bhaiku\b | \bfable\b | workspace[/-](?:home|demo) | /tmp/ | 127\.0\.0\.1
    | toolu_ | \bmsg_[0-9] | \bsk- | tool_use_error | untrusted_context | system-reminder | your\ context | agentId
    | do\ not\ mention | never\ quote | model\ metadata | [0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-";

#[test]
fn nothing_telling_passes() {
    let telling = Regex::new(TELLING).unwrap();
    let sanitizer = sanitizer();
    let mut found = Vec::new();
    for recording in recordings() {
        let lines = lines_of_agent(&recording);
        let sanitizer = sanitizer.with_sessions(&sessions(&lines));
        for (number, line) in lines.iter().enumerate() {
            let message = serde_json::to_string(&process_output(&sanitizer, line)).unwrap();
            if let Some(word) = telling.find(&message) {
                let name = recording.file_name().unwrap().to_string_lossy();
                found.push(format!("{name}:{number}: {} in {message:.600}", word.as_str()));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n\n"));
}

/// The same for streamed text.
#[test]
fn nothing_telling_streams() {
    let telling = Regex::new(TELLING).unwrap();
    let sanitizer = sanitizer();
    for recording in recordings() {
        let lines = lines_of_agent(&recording);
        let mut stream = CleanStream::new(&sanitizer.with_sessions(&sessions(&lines)));
        let mut shown = String::new();
        for line in &lines {
            let pieces =
                ["/event/delta/text", "/event/delta/thinking", "/params/update/content/text"];
            for piece in pieces.iter().filter_map(|place| line.pointer(place)?.as_str()) {
                stream.push(piece, &mut shown);
            }
        }
        stream.finish(&mut shown);
        assert_eq!(telling.find(&shown).map(|word| word.as_str()), None, "{}", recording.display());
    }
}

fn sanitizer() -> Sanitizer {
    let settings = SanitizerSettings {
        behind_bridge: Some(true),
        home: Some("/workspace/home".to_owned()),
        workspace: Some("/workspace/demo".to_owned()),
        ..SanitizerSettings::default()
    };
    Sanitizer::new(&settings).unwrap()
}

fn recordings() -> Vec<PathBuf> {
    let agents = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/agents");
    let folders = fs::read_dir(agents).unwrap().map(|entry| entry.unwrap().path());
    let files =
        folders.filter(|path| path.is_dir()).flat_map(|folder| fs::read_dir(folder).unwrap());
    let mut files: Vec<PathBuf> = files.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 80, "only {} recordings", files.len());
    files
}

fn lines_of_agent(recording: &Path) -> Vec<Value> {
    let text = fs::read_to_string(recording).unwrap();
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter_map(|line| match line["from"].as_str() {
            None => Some(line),
            Some("cli" | "server" | "agent") => Some(line["msg"].clone()),
            Some(_) => None,
        })
        .collect()
}

/// The ids of the agent's CLI sessions, as a bridge learns them.
fn sessions(lines: &[Value]) -> Vec<String> {
    let places = [
        "/session_id", "/params/sessionId", "/result/sessionId", "/thread_id", "/params/threadId",
        "/params/thread/id",
    ];
    let ids = lines.iter().flat_map(|line| places.map(|place| line.pointer(place)?.as_str()));
    let ids: BTreeSet<&str> = ids.flatten().collect();
    ids.into_iter().map(str::to_owned).collect()
}
