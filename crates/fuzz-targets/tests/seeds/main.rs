//! Runs every target with its seeds, and with reproducible mutations of them.
//!
//! An input that fails is written to `fuzz/artifacts/TARGET`. Copy it to `fuzz/seeds/TARGET` to
//! make it a regression test.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may fail")]

mod mutation;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use parlor_fuzz_targets::{TARGETS, Target};

use mutation::Mutations;

/// How many mutations of its seeds each target gets.
const MUTATIONS: usize = 3_000;

macro_rules! replay {
    ($($name:ident),* $(,)?) => {
        $(#[test] fn $name() { replay(stringify!($name)); })*

        #[test]
        fn every_target_is_replayed() {
            let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
            assert_eq!(names, [$(stringify!($name)),*]);
        }
    };
}

replay!(
    acp_lines, agent_lines, anthropic_answer, attached_file, chat_export, classifier, config,
    cookie, editor_lines, event_id, fanout_payload, guardrail, inline_marker, live_frames,
    login_provider, openai_answer, picture, recipe_import, sanitizer, segmenter, sse, websocket,
);

fn replay(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let seeds = seeds(name);
    for (file, seed) in &seeds {
        run(target, seed, file);
    }
    let seeds: Vec<Vec<u8>> = seeds.into_iter().map(|(_, seed)| seed).collect();
    for (number, input) in Mutations::of(&seeds).take(MUTATIONS).enumerate() {
        run(target, &input, &format!("mutation-{number}"));
    }
}

/// Runs a target, and stores the input if it fails.
fn run(target: &Target, input: &[u8], name: &str) {
    if catch_unwind(AssertUnwindSafe(|| (target.run)(input))).is_ok() {
        return;
    }
    let folder = root().join("fuzz/artifacts").join(target.name);
    let file = folder.join(name);
    fs::create_dir_all(&folder).and_then(|()| fs::write(&file, input)).unwrap();
    panic!("{} failed; its input is in {}", target.name, file.display());
}

/// The seeds of a target, by file name.
fn seeds(name: &str) -> Vec<(String, Vec<u8>)> {
    let folder = root().join("fuzz/seeds").join(name);
    let files = fs::read_dir(&folder).unwrap_or_else(|_| panic!("{} is missing", folder.display()));
    let mut seeds: Vec<_> = files
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(&path)))
        .map(|(name, seed)| (name, seed.unwrap()))
        .collect();
    assert!(!seeds.is_empty(), "{} has no seeds", folder.display());
    seeds.sort();
    seeds
}

/// The libFuzzer workspace is built by hand only, so this test checks that it has every target.
#[test]
fn libfuzzer_knows_every_target() {
    let manifest = fs::read_to_string(root().join("fuzz/Cargo.toml")).unwrap();
    for Target { name, .. } in TARGETS {
        let bin = format!("name = \"{name}\"\npath = \"targets/{name}.rs\"");
        assert!(manifest.contains(&bin), "fuzz/Cargo.toml has no [[bin]] {name}");
        let file = root().join(format!("fuzz/targets/{name}.rs"));
        let call = format!("parlor_fuzz_targets::{name}::run(data)");
        let text = fs::read_to_string(&file).unwrap_or_default();
        assert!(text.contains(&call), "{} must call {call}", file.display());
    }
    assert_eq!(manifest.matches("[[bin]]").count(), TARGETS.len());
    assert_eq!(fs::read_dir(root().join("fuzz/seeds")).unwrap().count(), TARGETS.len());
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}
