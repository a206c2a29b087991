//! S-4: the sanitizer's output does not depend on how the text is split.
//!
//! Texts are composed of fragments that the rules look for, of ordinary text and of noise, so that
//! matches begin, break off and touch each other.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use std::sync::LazyLock;

use parlor_guard::sanitizer::{
    AddedRule, KnownValues, Sanitizer, SanitizerSettings, StreamSanitizer,
};
use proptest::prelude::*;

/// The most bytes that the built-in rules may hold back.
const HELD_LIMIT: usize = 64;

const PIECES: &[&str] = &[
    "claude", "Claude", "CLAUDE", "-code", " Code", "_code", "\n", " ", "  ", "\t", "-", "--",
    "---", "-----BEGIN ", "RSA ", "PRIVATE KEY", "-----", "-----END ", "MIIE", "\u{a0}",
    "\u{2011}", "’s", "code", "x", "codex", "Codex", "-cli", "chat", "gpt", "GPT", "-4", "4", "4o",
    ".", "..", ",", ".5", "gemini", "Gemini", "ds", "google ", "github", "copilot", "o",
    "anthropic", "phil", "my", "Anthropic", "open", "AI", "Open AI", "/gsd:", "plan", "mcp", "MCP",
    "server", "s", "less", "tool_use_id", ":", "=", "\"", "'", "\\", "\\\"", "--output-format",
    "--allowedTools", "--yolo", " json", "Bash(git:*)", "(", ")", "sk-", "sk-ant-", "task",
    "learn", "a1", "0", "9", "ghp_", "abcdefghijklmnop", "ABCDEFGHIJKLMNOP", "AIza", "xoxb-",
    "AKIA", "Bearer", "eyJ", "toolu_", "msg_", "req_", "call_", "_", "~", "/", "/root", "/home/",
    "ana", ".claude", ".json", "é", "日本", "🦀", "/work/home", "/work/home/ws", "sonnet", "opus",
    " 3.5", "\\Users\\", "acme", "ação", "aa", "b", "https://", "www.", "docs.", "anthropic.com",
    "openai.com", "/v1", "/tmp/", "claude-0", "-work-home-ws", "[1m]", "qwen", "Opus", "Haiku",
    "<system-reminder>", "</system-reminder>", "<tool_use_error>", "</", "<", ">", " (", "[",
    "current in your context", "session_id", SESSION, "Do NOT Read", "gateway (", "127.0.0.1:8801",
    "known secret value", "known ",
];

/// The id of a CLI session.
const SESSION: &str = "6bac0974-1a96-4424-92a8-69eaa8bbcd0d";

fn settings() -> SanitizerSettings {
    let added = |id: &str, pattern: &str| AddedRule {
        id: id.to_owned(),
        pattern: pattern.to_owned(),
        replacement: format!("<{id}>"),
        case_sensitive: false,
    };
    SanitizerSettings {
        behind_bridge: Some(true),
        home: Some("/work/home".to_owned()),
        workspace: Some("/work/home/ws".to_owned()),
        known: KnownValues {
            secrets: vec!["known secret value".to_owned()],
            models: vec!["mock-7b".to_owned()],
            addresses: vec!["http://127.0.0.1:8801".to_owned()],
        },
        add: vec![added("acme", r"\bacme\b"), added("as", "a+b+"), added("word", r"aç\w+$")],
        ..SanitizerSettings::default()
    }
}

/// The built-in rules; all rules with added ones, in a conversation with a CLI session; and secrets
/// only.
static SANITIZERS: LazyLock<[Sanitizer; 3]> = LazyLock::new(|| {
    let secrets = SanitizerSettings { mask_provider: false, ..SanitizerSettings::default() };
    let [built_in, all, secrets] = [&SanitizerSettings::default(), &settings(), &secrets]
        .map(|settings| Sanitizer::new(settings).expect("the settings are valid"));
    [built_in, all.with_sessions(&[SESSION.to_owned()]), secrets]
});

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        12 => prop::sample::select(PIECES).prop_map(str::to_owned),
        1 => "[ -~]{0,6}",
        1 => "\\PC{0,3}",
        1 => "[a-zA-Z0-9_-]{10,30}",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Splits a text after the given numbers of bytes, repeatedly.
fn pieces<'a>(text: &'a [u8], cuts: &'a [usize]) -> impl Iterator<Item = &'a [u8]> {
    let mut rest = text;
    cuts.iter().cycle().map_while(move |cut| {
        let (piece, after) = rest.split_at((*cut).min(rest.len()));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

fn streamed(mut stream: StreamSanitizer, text: &[u8], cuts: &[usize]) -> (Vec<u8>, usize) {
    let (mut out, mut held) = (Vec::new(), 0);
    for piece in pieces(text, cuts) {
        stream.push_bytes(piece, &mut out);
        held = held.max(stream.held());
    }
    stream.finish_bytes(&mut out);
    (out, held)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

    /// S-4: the concatenation of the masked chunks is the masked whole, for every
    /// chunking, and little is held back.
    #[test]
    fn s_4_every_chunking_gives_the_same(
        text in text(),
        cuts in prop::collection::vec(1_usize..40, 1..8),
    ) {
        for (index, sanitizer) in SANITIZERS.iter().enumerate() {
            let whole = sanitizer.sanitize(&text);
            for cuts in [&cuts[..], &[1], &[2, 1, 3]] {
                let (out, held) = streamed(sanitizer.stream(), text.as_bytes(), cuts);
                prop_assert_eq!(String::from_utf8(out).expect("valid UTF-8"), whole.as_str());
                prop_assert!(index == 1 || held <= HELD_LIMIT, "{} bytes held", held);
            }
        }
    }

    /// S-4: the same for strings that are split between characters.
    #[test]
    fn s_4_strings_stream_like_bytes(text in text()) {
        for sanitizer in &*SANITIZERS {
            let (mut stream, mut out) = (sanitizer.stream(), String::new());
            for character in text.chars() {
                stream.push(character.encode_utf8(&mut [0; 4]), &mut out);
            }
            stream.finish(&mut out);
            prop_assert_eq!(out, sanitizer.sanitize(&text));
        }
    }

    /// S-4: invalid UTF-8 passes, independently of the chunks.
    #[test]
    fn s_4_invalid_bytes_pass(
        text in text(),
        noise in prop::collection::vec(any::<u8>(), 0..40),
        at in any::<prop::sample::Index>(),
        cut in 1_usize..9,
    ) {
        let mut bytes = text.into_bytes();
        let at = at.index(bytes.len() + 1);
        bytes.splice(at..at, noise);
        for sanitizer in &*SANITIZERS {
            let (whole, _) = streamed(sanitizer.stream(), &bytes, &[bytes.len().max(1)]);
            let (out, _) = streamed(sanitizer.stream(), &bytes, &[cut]);
            prop_assert_eq!(out, whole);
        }
    }

    /// Masking twice finds no further secrets, whatever is beside them.
    #[test]
    fn secrets_are_masked_at_once(text in text()) {
        let secrets = &SANITIZERS[2];
        let once = secrets.sanitize(&text);
        prop_assert_eq!(secrets.sanitize(&once), once);
    }

    /// Masking twice finds no further names, if they are separate words and nothing was removed
    /// between two of them.
    #[test]
    fn words_are_masked_at_once(words in prop::collection::vec(prop::sample::select(PIECES), 0..24)) {
        let text = words.iter().filter(|word| !word.starts_with("--")).copied().collect::<Vec<_>>();
        let text = text.join(" . ").replace(['=', ':'], "");
        let once = SANITIZERS[0].sanitize(&text);
        prop_assert_eq!(SANITIZERS[0].sanitize(&once), once);
    }

    /// Text without a match is borrowed, not copied.
    #[test]
    fn plain_text_is_borrowed(text in "[A-Zbdf ]{0,80}") {
        let plain = text.to_uppercase().replace(['A', 'C', 'G', 'M', 'O'], "x");
        let cow = Sanitizer::default();
        prop_assert!(matches!(cow.sanitize_cow(&plain), std::borrow::Cow::Borrowed(_)));
    }
}

/// Bytes that match no rule, valid UTF-8 or not, are passed on unchanged.
#[test]
fn s_4_lone_bytes_are_unchanged() {
    let bytes: Vec<u8> = (0..=255).chain((0..=255).rev()).collect();
    let (out, _) = streamed(Sanitizer::default().stream(), &bytes, &[7]);
    assert_eq!(out, bytes);
}

/// A certain match is sent at once, without waiting for more text.
#[test]
fn certain_matches_are_not_held() {
    for (text, expected) in [
        ("by Anthropic", "by [provider]"),
        ("gpt-4", "[assistant]"),
        ("claude-opus-4-1", "[assistant]"),
        ("sk-ant-api03-abc", "[token]"),
        ("/gsd:plan", "[workflow]"),
        ("-----BEGIN PRIVATE KEY-----\nMIIE", "[token]"),
    ] {
        let (mut stream, mut out) = (Sanitizer::default().stream(), String::new());
        stream.push(text, &mut out);
        assert_eq!((out.as_str(), stream.held()), (expected, 0), "for {text:?}");
    }
}
