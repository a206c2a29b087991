//! What is masked if the agent is a program: its models, its directories, its CLI sessions, the
//! texts for its model, and values that only the configuration knows.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use parlor_guard::sanitizer::{KnownValues, Sanitizer, SanitizerSettings};

#[track_caller]
fn check(sanitizer: &Sanitizer, table: &[(&str, &str)]) {
    for (text, expected) in table {
        assert_eq!(sanitizer.sanitize(text), *expected, "for {text:?}");
    }
}

/// Without a bridge.
#[track_caller]
fn masks(table: &[(&str, &str)]) {
    check(&Sanitizer::default(), table);
}

#[track_caller]
fn keeps(texts: &[&str]) {
    let table: Vec<_> = texts.iter().map(|text| (*text, *text)).collect();
    masks(&table);
}

fn behind_bridge() -> Sanitizer {
    let settings = SanitizerSettings { behind_bridge: Some(true), ..SanitizerSettings::default() };
    Sanitizer::new(&settings).expect("the settings are valid")
}

/// S-1: the bare name is masked behind a bridge only.
#[test]
fn s_1_bare_claude_behind_a_bridge() {
    check(
        &behind_bridge(),
        &[
            // The number of a list item is not a version.
            ("A page, with Claude\n\n1. Create it", "A page, with [assistant]\n\n1. Create it"),
            ("Ask GPT:\n4 eggs", "Ask GPT:\n4 eggs"),
            ("not by Gemini\n- 2 eggs", "not by [assistant]\n- 2 eggs"),
            ("I'm Claude.", "I'm [assistant]."),
            ("Claude's plan, claude", "[assistant]'s plan, [assistant]"),
            ("CLAUDE.md", "[assistant].md"),
            ("askClaude()", "ask[assistant]()"),
            ("Claude Code", "[assistant]"),
            ("Claudette and Claudel", "Claudette and Claudel"),
            ("Claude Monet painted, Claude Monetary", "Claude Monet painted, [assistant] Monetary"),
        ],
    );
    keeps(&["I'm Claude."]);
}

/// S-1: bare names of models are masked behind a bridge; ordinary words are not.
#[test]
fn s_1_bare_families_behind_a_bridge() {
    check(
        &behind_bridge(),
        &[
            ("switched to Opus, not Sonnet 5.", "switched to [assistant], not [assistant]."),
            ("Haiku's answer", "[assistant]'s answer"),
            ("set model to opus", "set [assistant]"),
            ("run /model sonnet", "run [assistant]"),
            ("haiku", "[assistant]"),
            ("deepseek-v3.1 and Grok 4", "[assistant] and [assistant]"),
            ("a haiku about rain", "a haiku about rain"),
            ("Opus 27 by Beethoven, Sonnet 18", "Opus 27 by Beethoven, Sonnet 18"),
            ("Sonnets and Haikus", "Sonnets and Haikus"),
            ("a llama in 3 colours", "a llama in 3 colours"),
        ],
    );
    keeps(&["Opus 27 by Beethoven", "a haiku about rain", "Write a Haiku.", "sonnet 18"]);
}

/// S-5: behind a bridge, texts that a CLI writes for its model are masked.
#[test]
fn s_5_harness() {
    check(
        &behind_bridge(),
        &[
            ("<tool_use_error>File not found</tool_use_error>", "File not found"),
            ("<local-command-stdout>ok</local-command-stdout>", "ok"),
            ("<bash-stderr>x</bash-stderr>", "x"),
            (
                "a\n<system-reminder>\nBe <b>brief</b>.\n\nNow.\n</system-reminder>\nb",
                "a\n[note]\nb",
            ),
            ("a <system_warning>never closed", "a [note]"),
            (
                "File created at: a.md (file state is current in your context — no need to Read it back)",
                "File created at: a.md",
            ),
            ("Done. (This tool result is internal metadata — never quote it.)\nok", "Done.\nok"),
            (
                "Started.\nagentId: a8d4e423 (internal ID - do not mention to user.)\nok",
                "Started.\n\nok",
            ),
            ("It runs. You will be notified automatically when it completes.\nok", "It runs. \nok"),
            ("Model metadata for `mock-7` not found. Defaulting to x.\nok", "\nok"),
            (
                "{\"session_id\":\"6bac0974-1a96-4424-92a8-69eaa8bbcd0d\",\"a\":1}",
                "{[session],\"a\":1}",
            ),
            ("Session not found: 6bac0974-1a96-4424-92a8-69eaa8bbcd0d", "[session]"),
            ("cli --resume 6bac0974-1a96-4424-92a8-69eaa8bbcd0d now", "cli [session] now"),
            ("set ANTHROPIC_BASE_URL, then", "set [config], then"),
            ("check your inference gateway (127.0.0.1:8801).", "check your inference [service]."),
            ("using gateway http://10.0.0.7:4000/v1.", "using [service]."),
            // Similar text that belongs to a person.
            (
                "<div class=\"a\"> <task-item> <my-button>",
                "<div class=\"a\"> <task-item> <my-button>",
            ),
            ("(this depends on your context)", "(this depends on your context)"),
            ("(you need to read it first)", "(you need to read it first)"),
            ("Ensure that you have Node 20.", "Ensure that you have Node 20."),
            ("You will be notified by mail.", "You will be notified by mail."),
            ("task_id: 5\noutput_file: a.txt", "task_id: 5\noutput_file: a.txt"),
            ("base_url = https://api.acme.dev", "base_url = https://api.acme.dev"),
            ("API gateway (api.acme.dev)", "API gateway (api.acme.dev)"),
            ("session_id: str", "session_id: str"),
            ("an API gateway (Kong)", "an API gateway (Kong)"),
        ],
    );
    keeps(&["<system-reminder>x</system-reminder>", "<tool_use_error>", "Do NOT Read this"]);
}

/// S-3, B-2: the temporary files of a CLI, for any user and CLI session.
#[test]
fn s_3_temporary_directories() {
    masks(&[
        (
            "in /tmp/claude-0/-workspace-demo/6bac0974-1a96-4424-92a8-69eaa8bbcd0d/tasks/b.output.",
            "in [config].",
        ),
        ("/private/tmp/claude-501/-Users-ana-site/x", "[config]"),
        ("/var/folders/ab/c0123456789/T/codex-1000", "[config]"),
        ("$TMPDIR/gemini-cli/a /run/user/1000/opencode.sock", "[config] [config]"),
        ("/tmp/cc-socks/1000.sock", "[config]"),
    ]);
    keeps(&["/tmp/cloud-0/x", "/tmp/notes/claudette"]);
}

/// S-3, B-2: directories that are named after the home or the workspace.
#[test]
fn s_3_slugs() {
    let settings = SanitizerSettings {
        home: Some("/root".to_owned()),
        workspace: Some("/workspace/demo".to_owned()),
        ..SanitizerSettings::default()
    };
    let sanitizer = Sanitizer::new(&settings).expect("the settings are valid");
    check(
        &sanitizer,
        &[
            ("/var/x/-workspace-demo/a.jsonl", "/var/x/[config]"),
            ("the project -workspace-demo-sub.", "the project [config]."),
            ("/var/x/-root/a b", "/var/x/[config] b"),
            ("--no-root -root -workspace-demos", "--no-root -root -workspace-demos"),
            ("my-workspace-demo", "my-workspace-demo"),
        ],
    );
}

/// S-5, X-3: values that only the configuration knows.
#[test]
fn s_5_known_values() {
    let long = "Zz9".repeat(60);
    let known = KnownValues {
        secrets: vec!["correct horse battery".to_owned(), long.clone(), "short".to_owned()],
        models: vec!["mock-7b".to_owned(), "llama".to_owned()],
        addresses: vec!["http://127.0.0.1:8801/v1".to_owned(), "http://localhost".to_owned()],
    };
    let settings = SanitizerSettings { known, ..SanitizerSettings::default() };
    let sanitizer = Sanitizer::new(&settings).expect("the settings are valid");
    check(
        &sanitizer,
        &[
            ("xcorrect horse batteryx", "x[token]x"),
            (&format!("key={long}."), "key=[token]."),
            ("a short llama on localhost", "a short llama on localhost"),
            ("Mock-7B, not mock-7b2", "[assistant], not mock-7b2"),
            ("at http://127.0.0.1:8801/v1/messages, 127.0.0.1:8801.", "at [service], [service]."),
            ("http://127.0.0.1:8802", "http://127.0.0.1:8802"),
        ],
    );
    let secrets_only = SanitizerSettings { mask_provider: false, ..settings.clone() };
    let sanitizer = Sanitizer::new(&secrets_only).expect("the settings are valid");
    check(&sanitizer, &[("correct horse battery, mock-7b", "[token], mock-7b")]);
    assert!(!format!("{settings:?}").contains("horse"));
}

/// S-3, B-1: the id of a CLI session is masked in its conversation, even on its own.
#[test]
fn s_3_sessions() {
    let id = "6bac0974-1a96-4424-92a8-69eaa8bbcd0d".to_owned();
    let sanitizer = Sanitizer::default().with_sessions(std::slice::from_ref(&id));
    let text = format!("{id}, Codex: {id}x 6bac0974-1a96-4424-92a8-69eaa8bbcd0e");
    let expected = "[session], [assistant]: [session]x 6bac0974-1a96-4424-92a8-69eaa8bbcd0e";
    check(&sanitizer, &[(&text, expected)]);
    assert_eq!(Sanitizer::default().sanitize(&id), id);
}

/// S-3: the project's own directories.
#[test]
fn s_3_home_and_workspace() {
    let settings = SanitizerSettings {
        home: Some("/workspace/home/".to_owned()),
        workspace: Some("/workspace/demo".to_owned()),
        ..SanitizerSettings::default()
    };
    let sanitizer = Sanitizer::new(&settings).expect("the settings are valid");
    check(
        &sanitizer,
        &[
            ("/workspace/home/.claude/projects/-workspace-demo/memory/", "[config]"),
            ("see /workspace/home.", "see [config]."),
            ("edit /workspace/demo/src/a.rs.", "edit src/a.rs."),
            ("cd /workspace/demo && ls", "cd . && ls"),
            ("cd /workspace/demo/", "cd ./"),
            ("in /workspace/demo.", "in .."),
            ("/workspace/demo/.gitignore", "./.gitignore"),
            ("/workspace/demo/.claude/x", "./[config]"),
            ("\"/workspace/demo\"", "\".\""),
            (
                "/workspace/demo2 /workspace/demo-old /workspace/demo.bak",
                "/workspace/demo2 /workspace/demo-old /workspace/demo.bak",
            ),
            (
                "/workspace/homes /Workspace/demo /mnt/workspace/demo",
                "/workspace/homes /Workspace/demo /mnt/workspace/demo",
            ),
        ],
    );
}

/// S-3: of nested directories, the inner one decides.
#[test]
fn s_3_nested_directories() {
    let sanitizer = |home: &str, workspace: &str| {
        let settings = SanitizerSettings {
            home: Some(home.to_owned()),
            workspace: Some(workspace.to_owned()),
            ..SanitizerSettings::default()
        };
        Sanitizer::new(&settings).expect("the settings are valid")
    };
    check(
        &sanitizer("/h/p", "/h/p/ws/x"),
        &[
            ("/h/p/ws/x/src/a.rs", "src/a.rs"),
            ("/h/p/ws/x", "."),
            ("/h/p/ws/xy/a", "[config]"),
            ("/h/p/ws/y /h/p/ws /h/p/w /h/p /h/p/", "[config] [config] [config] [config] [config]"),
            ("/h/p/ws/x.bak /h/p/.netrc", "[config] [config]"),
            ("/h/pq", "/h/pq"),
        ],
    );
    check(
        &sanitizer("/ws/.home", "/ws"),
        &[("/ws/.home/a", "[config]"), ("/ws/a", "a"), ("/ws/.home", "[config]"), ("/ws", ".")],
    );
}
