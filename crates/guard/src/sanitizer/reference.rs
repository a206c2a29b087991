//! Tests the shortcuts of the stream against a plain search at every position: the
//! filter, the early decisions and the swallowing must give the same.

use proptest::prelude::*;

use super::{
    Sanitizer, SanitizerSettings,
    automaton::Automaton,
    outlook::{NO_MATCH, SPARE},
    table::DEAD,
};

/// The longest match that begins at `start`: its outcome and its end.
fn longest(automaton: &Automaton, text: &[u8], start: usize, before: u8) -> Option<(u16, usize)> {
    let mut state = automaton.start(before);
    let mut best = None;
    for (position, byte) in text.iter().enumerate().skip(start) {
        state = automaton.step(state, *byte);
        let matched = automaton.facts(state).matched;
        if matched != NO_MATCH {
            best = Some((matched, position));
        }
        if state == DEAD {
            return best;
        }
    }
    match automaton.facts(state).at_end {
        NO_MATCH => best,
        outcome => Some((outcome, text.len())),
    }
}

fn plain_search(automaton: &Automaton, text: &[u8]) -> Vec<u8> {
    let (mut out, mut before, mut position) = (Vec::new(), b'\n', 0);
    while position < text.len() {
        match longest(automaton, text, position, before) {
            Some((outcome, end)) if outcome != SPARE => {
                out.extend_from_slice(automaton.replacement(outcome).as_bytes());
                position = end;
            }
            _ => {
                out.push(text[position]);
                position += 1;
            }
        }
        before = out.last().copied().unwrap_or(before);
    }
    out
}

/// Text in which every rule's material occurs, whole and broken.
fn text() -> impl Strategy<Value = String> {
    let words = "claude Claude code Code opus 4.1 gpt -4o chatgpt 12 codex -cli gemini Gemini ds 2.5 \
        pro copilot anthropic my Anthropic openai /gsd: plan mcp MCP server s tool_use_id : = \" \
        --output-format --allowedTools --yolo json Bash(git:*), sk- ant- a1 ghp_ eyJ Bearer toolu_ \
        msg_ abcdefghijklmnopqrst -----BEGIN PRIVATE KEY ----- -----END ~ / /root .claude . , - _ \
        /h/p /h/p/ws é 日 \u{2011}";
    let words: Vec<String> =
        words.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect();
    let piece = prop_oneof![
        6 => prop::sample::select(words),
        2 => Just(" ".to_owned()),
        1 => "[ -~\n]{0,3}",
    ];
    prop::collection::vec(piece, 0..20)
        .prop_map(|pieces| pieces.concat())
        .prop_filter("longer runs are given up", |text| text.len() < super::stream::RUN_LIMIT)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

    /// S-4
    #[test]
    fn shortcuts_change_nothing(text in text()) {
        static SANITIZER: std::sync::LazyLock<Sanitizer> = std::sync::LazyLock::new(|| {
            let settings = SanitizerSettings {
                behind_bridge: Some(true),
                home: Some("/h/p".to_owned()),
                workspace: Some("/h/p/ws".to_owned()),
                ..SanitizerSettings::default()
            };
            Sanitizer::new(&settings).expect("the settings are valid")
        });
        let expected = plain_search(&SANITIZER.automaton, text.as_bytes());
        prop_assert_eq!(SANITIZER.sanitize(&text).into_bytes(), expected);
    }
}

/// No built-in rule can begin inside a character, so that strings are never cut.
#[test]
fn matches_begin_at_characters() {
    let automaton = &Sanitizer::default().automaton;
    for byte in 0x80..0xC0 {
        assert_eq!(automaton.candidate(&[byte], 0), None, "{byte:#x}");
    }
}

/// The tables stay small enough to live in the cache. Behind a bridge there are more
/// rules, and a program beside each conversation that takes far more.
#[test]
fn the_automaton_is_small() {
    let (states, bytes) = Sanitizer::default().size();
    assert!(states < 4_000 && bytes < 1 << 20, "{states} states, {bytes} bytes");
    let bridge = SanitizerSettings { behind_bridge: Some(true), ..SanitizerSettings::default() };
    let (states, bytes) = Sanitizer::new(&bridge).expect("the settings are valid").size();
    assert!(states < 11_000 && bytes < 3 << 20, "behind a bridge: {states} states, {bytes} bytes");
}
