//! Rules of the project that the compiler does not check. Every rule is a test.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may fail")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The allowed dependencies of each crate. The direction matters: no crate knows those above it,
/// and the lowest ones know neither IO nor time.
const ALLOWED_DEPENDENCIES: &[(&str, &[&str])] = &[
    ("crates/protocol", &["serde", "serde_json", "thiserror", "ts-rs", "uuid"]),
    (
        "crates/guard",
        &[
            "parlor-protocol", "data-encoding", "regex", "regex-automata", "regex-syntax", "serde",
            "serde_json", "strsim", "thiserror", "unicode-normalization", "unicode-security",
        ],
    ),
    (
        "crates/agent",
        &[
            "parlor-protocol", "futures-core", "regex", "serde", "serde_json", "similar",
            "thiserror", "tokio", "uuid",
        ],
    ),
    ("crates/imports", &["chrono", "serde", "serde_json", "thiserror", "zip"]),
    ("crates/files", &["parlor-picture", "hayro-interpret", "serde", "serde_json", "thiserror"]),
    ("crates/picture", &["gif", "image-webp", "imagesize", "png", "thiserror", "zune-jpeg"]),
    ("crates/http_client", &["reqwest", "rustls", "rustls-platform-verifier", "tokio"]),
    (
        "crates/web_push",
        &[
            "parlor-http-client", "data-encoding", "reqwest", "ring", "secrecy", "serde",
            "serde_json", "thiserror",
        ],
    ),
    (
        "crates/oidc",
        &[
            "parlor-http-client", "data-encoding", "reqwest", "ring", "secrecy", "serde",
            "serde_json", "thiserror", "tokio", "url",
        ],
    ),
    ("crates/process", &["rustix", "secrecy", "serde", "thiserror", "tokio", "tracing"]),
    (
        "crates/models",
        &[
            "parlor-agent", "parlor-http-client", "parlor-protocol", "bytes", "futures-core",
            "futures-util", "reqwest", "rustls", "secrecy", "serde", "serde_json", "thiserror",
            "tokio", "tracing", "uuid",
        ],
    ),
    (
        "crates/mcp",
        &[
            "parlor-agent", "parlor-http-client", "parlor-picture", "parlor-process",
            "parlor-protocol", "async-trait", "bytes", "data-encoding", "futures-core",
            "futures-util", "http", "regex", "reqwest", "rmcp", "secrecy", "serde", "serde_json",
            "sha2", "sse-stream", "thiserror", "tokio", "tokio-util", "tracing", "uuid",
        ],
    ),
    (
        "crates/programs",
        &[
            "parlor-agent", "parlor-process", "parlor-protocol", "agent-client-protocol-schema",
            "futures-core", "rustix", "secrecy", "serde", "serde_json", "tokio", "tokio-util",
            "tracing", "uuid",
        ],
    ),
    (
        "crates/database",
        &[
            "parlor-metrics", "deadpool-postgres", "futures-util", "rustls",
            "rustls-platform-verifier", "secrecy", "sha2", "sqlx", "thiserror", "tokio",
            "tokio-postgres", "tokio-postgres-rustls", "tokio-util", "tracing",
        ],
    ),
    (
        "crates/storage",
        &[
            "parlor-database", "parlor-guard", "parlor-metrics", "parlor-protocol", "serde",
            "serde_json", "thiserror", "tokio", "unicode-normalization", "uuid",
        ],
    ),
    (
        "crates/fanout",
        &[
            "parlor-database", "parlor-metrics", "parlor-protocol", "redis", "rustls",
            "rustls-platform-verifier", "thiserror", "tokio", "tokio-rustls", "tracing", "uuid",
        ],
    ),
    (
        "crates/chat",
        &[
            "parlor-agent", "parlor-fanout", "parlor-files", "parlor-guard", "parlor-imports",
            "parlor-metrics", "parlor-picture", "parlor-protocol", "parlor-storage",
            "data-encoding", "futures-util", "jiff", "jsonschema", "serde", "serde_json", "sha2",
            "thiserror", "tokio", "tracing", "uuid",
        ],
    ),
    (
        "crates/recipes",
        &[
            "parlor-database", "parlor-metrics", "parlor-protocol", "axum", "rmcp", "serde",
            "serde_json", "serde_path_to_error", "thiserror", "tracing", "unicode-normalization",
            "uuid",
        ],
    ),
    (
        "crates/server",
        &[
            "parlor-agent", "parlor-chat", "parlor-database", "parlor-fanout", "parlor-files",
            "parlor-guard", "parlor-http-client", "parlor-imports", "parlor-malloc", "parlor-mcp",
            "parlor-metrics", "parlor-models", "parlor-oidc", "parlor-process", "parlor-programs",
            "parlor-protocol", "parlor-recipes", "parlor-storage", "parlor-web-push",
            "agent-client-protocol-schema", "anyhow", "argon2", "axum", "bytes", "clap",
            "data-encoding", "futures-util", "getrandom", "http-body-util", "httpdate", "hyper",
            "hyper-util", "reqwest", "ring", "rust-embed", "rustix", "rustls", "secrecy", "serde",
            "serde_json", "serde_path_to_error", "sha1", "sha2", "socket2", "strsim", "thiserror",
            "tokio", "tokio-util", "toml", "tower", "tracing", "tracing-subscriber", "url", "uuid",
        ],
    ),
    ("crates/malloc", &[]),
    ("crates/metrics", &[]),
    (
        "crates/test_database",
        &["parlor-database", "parlor-testkit", "sha2", "tokio", "tokio-postgres", "uuid"],
    ),
    ("crates/testkit", &["serde_json", "tokio"]),
    (
        "crates/bench",
        &[
            "parlor-testkit", "anyhow", "axum", "futures-util", "reqwest", "rustls", "serde_json",
            "tempfile", "tokio", "tokio-postgres", "tokio-tungstenite", "tokio-util",
        ],
    ),
    (
        "crates/soak",
        &[
            "parlor-testkit", "anyhow", "clap", "fastrand", "futures-util", "reqwest", "rustix",
            "rustls", "serde_json", "tokio", "tokio-tungstenite",
        ],
    ),
    (
        "crates/flow_eval",
        &[
            "parlor-testkit", "anyhow", "clap", "fastrand", "futures-util", "reqwest", "rustls",
            "serde", "serde_json", "tempfile", "tokio", "toml",
        ],
    ),
    (
        "crates/fuzz-targets",
        &[
            "parlor-agent", "parlor-chat", "parlor-fanout", "parlor-files", "parlor-guard",
            "parlor-imports", "parlor-models", "parlor-oidc", "parlor-picture", "parlor-programs",
            "parlor-protocol", "parlor-recipes", "parlor-server", "serde_json", "uuid",
        ],
    ),
    ("xtask", &[]),
];

/// Crates without IO and without a clock.
const PURE: &[&str] = &["crates/protocol/src", "crates/guard/src"];
const IMPURE: &[&str] = &[
    "std::fs", "std::net", "std::io", "std::env", "std::process", "std::thread", "std::time",
    "async fn", "println!", "eprintln!", "dbg!",
];

/// The only crate with `unsafe` code, and the number of its uses.
const UNSAFE: &str = "crates/malloc";
const UNSAFE_BLOCKS: usize = 1;

/// The crates that may use the MCP library: the client, and Recipe Vault, which is a server.
const MCP_LIBRARY: &[&str] = &["crates/mcp/", "crates/recipes/"];

/// Names that say nothing about the content.
const FORBIDDEN_NAMES: &[&str] =
    &["core", "common", "util", "utils", "shared", "services", "helpers", "misc"];

/// A longer file must be split.
const MOST_LINES: usize = 400;

#[test]
fn crates_depend_only_on_what_they_may() {
    let mut members: Vec<PathBuf> =
        fs::read_dir(root().join("crates")).unwrap().map(|e| e.unwrap().path()).collect();
    members.push(root().join("xtask"));
    for member in members {
        let name = relative(&member);
        let allowed = ALLOWED_DEPENDENCIES
            .iter()
            .find(|(crate_name, _)| *crate_name == name)
            .unwrap_or_else(|| panic!("{name} is new: say in tidy.rs what it may depend on"));
        let allowed: BTreeSet<String> = allowed.1.iter().map(|d| (*d).to_owned()).collect();
        let manifest = fs::read_to_string(member.join("Cargo.toml")).unwrap();
        let used = section(&manifest, "dependencies");
        let extra: Vec<_> = used.difference(&allowed).collect();
        assert!(extra.is_empty(), "{name} may not depend on {extra:?}");
        let unused: Vec<_> = allowed.difference(&used).collect();
        assert!(unused.is_empty(), "{name} no longer depends on {unused:?}: take it off the list");
        assert!(
            manifest.contains("[lints]\nworkspace = true") || name == UNSAFE,
            "{name} must use the workspace's lints"
        );
    }
}

/// The workspace's lints forbid `unsafe` in all other crates.
#[test]
fn unsafe_is_said_once() {
    let of = |file: &PathBuf| fs::read_to_string(file).unwrap().matches("unsafe ").count();
    let said: usize = rust_files(&root().join(UNSAFE)).iter().map(of).sum();
    assert_eq!(said, UNSAFE_BLOCKS, "{UNSAFE} is for one call");
}

#[test]
fn pure_crates_have_no_io_and_no_clock() {
    for file in PURE.iter().flat_map(|dir| rust_files(&root().join(dir))) {
        let text = fs::read_to_string(&file).unwrap();
        for (number, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            if let Some(word) = IMPURE.iter().find(|word| code.contains(*word)) {
                panic!("{}:{}: {word} has no place in a pure crate", relative(&file), number + 1);
            }
        }
    }
}

#[test]
fn two_crates_know_the_mcp_library() {
    for file in rust_files(&root().join("crates")) {
        let name = relative(&file);
        let is_source = name.contains("/src/") && !name.contains("/src/bin/");
        let text = fs::read_to_string(&file).unwrap();
        let names = text.contains("rmcp::") || text.contains("use rmcp");
        let may = MCP_LIBRARY.iter().any(|place| name.starts_with(place));
        assert!(!is_source || !names || may, "{name}: only {MCP_LIBRARY:?} name rmcp");
    }
}

#[test]
fn every_module_says_what_it_is() {
    for file in rust_files(&root()) {
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("//!"), "{} must begin with a //! module doc", relative(&file));
    }
}

#[test]
fn no_file_holds_two_ideas() {
    for file in rust_files(&root()) {
        let lines = fs::read_to_string(&file).unwrap().lines().count();
        assert!(lines <= MOST_LINES, "{} has {lines} lines; split it by noun", relative(&file));
    }
}

#[test]
fn no_folder_or_module_has_a_name_that_says_nothing() {
    for file in rust_files(&root()) {
        for part in Path::new(&relative(&file)).with_extension("").iter() {
            let part = part.to_str().unwrap();
            assert!(!FORBIDDEN_NAMES.contains(&part), "{}: no '{part}'", relative(&file));
        }
    }
}

#[test]
fn paths_in_the_documents_exist() {
    for document in ["ARCHITECTURE.md", "README.md", "CONTRIBUTING.md"] {
        let text = fs::read_to_string(root().join(document)).unwrap();
        let tops = ["crates/", "xtask/", "web/", "fuzz/", "docs/", "evals/", ".ci/", ".cargo/"];
        let named = text
            .split('`')
            .skip(1)
            .step_by(2)
            .filter(|code| tops.iter().any(|top| code.starts_with(top)));
        let mut count = 0;
        for path in named {
            count += 1;
            assert!(root().join(path).exists(), "{document} names {path}, which does not exist");
        }
        assert!(document != "ARCHITECTURE.md" || count > 20, "the map must name its places");
    }
}

#[test]
fn every_crate_is_on_the_map() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    for (name, _) in ALLOWED_DEPENDENCIES {
        assert!(map.contains(&format!("`{name}")), "ARCHITECTURE.md does not mention {name}");
    }
}

/// The keys of one table of a manifest.
fn section(manifest: &str, name: &str) -> BTreeSet<String> {
    manifest
        .lines()
        .skip_while(|line| line.trim() != format!("[{name}]"))
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split(['.', ' ', '=']).next())
        .filter(|name| !name.is_empty() && !name.starts_with('#'))
        .map(str::to_owned)
        .collect()
}

fn rust_files(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            if !name.starts_with('.') && !["target", "node_modules", "parlor-data"].contains(&name)
            {
                files.extend(rust_files(&path));
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn relative(path: &Path) -> String {
    path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned()
}
