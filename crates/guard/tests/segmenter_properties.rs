//! Invariants of the segmenter, for any text and any chunks.

#![allow(clippy::unwrap_used)]

use parlor_guard::segmenter::{Segment, Segmenter};
use proptest::prelude::*;

const MEGABYTE: usize = 1 << 20;

/// Texts composed of fragments that the state machine looks for.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "{",
            "}",
            "[",
            "]",
            "\"",
            "\\",
            ":",
            ",",
            " ",
            "\n",
            "`",
            "```",
            "```json\n",
            "````",
            "<",
            "<!--",
            "<!-- userPrompt:start -->",
            "<!-- userPrompt:end -->",
            "\"goal\"",
            "\"steps\"",
            "\"question\":",
            "\"options\":",
            "null",
            "12",
            "- ",
            "> ",
            "é",
            "🦀",
            r#"{"goal":"g","steps":[{"step_number":1,"action":"a","reason":"r"}]}"#,
            r#"{"question":"q","options":["a","b"]}"#,
            r#"{"type":"confirm","question":"q"}"#,
        ])
        .prop_map(str::to_owned),
        "[a-z é🦀]{1,40}",
        Just("x".repeat(300)),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn in_chunks(text: &str, cuts: &[usize]) -> Vec<Segment> {
    let mut segmenter = Segmenter::new();
    let mut out = Vec::new();
    let mut rest = text;
    for cut in cuts.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let at = (1 + cut..).find(|at| *at >= rest.len() || rest.is_char_boundary(*at)).unwrap();
        let (chunk, after) = rest.split_at(at.min(rest.len()));
        // The fast path, where there is one, has the same result.
        if segmenter.passes(chunk) {
            out.push(Segment::Text(chunk.to_owned()));
        } else {
            segmenter.push(chunk, &mut out);
        }
        rest = after;
    }
    segmenter.finish(&mut out);
    merged(out)
}

fn merged(segments: Vec<Segment>) -> Vec<Segment> {
    let mut merged: Vec<Segment> = Vec::new();
    for segment in segments {
        match (merged.last_mut(), segment) {
            (Some(Segment::Text(before)), Segment::Text(after)) => before.push_str(&after),
            (_, segment) => merged.push(segment),
        }
    }
    merged
}

fn source(segment: &Segment) -> &str {
    match segment {
        Segment::Text(source)
        | Segment::Plan { source, .. }
        | Segment::Question { source, .. }
        | Segment::Prompt { source, .. }
        | Segment::Invalid { source } => source,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 1024, ..ProptestConfig::default() })]

    /// T-8, S-4: the segments do not depend on how the text is split.
    #[test]
    fn chunks_do_not_matter(text in texts(), cuts in prop::collection::vec(0_usize..60, 1..8)) {
        let whole = Segmenter::split(&text);
        prop_assert_eq!(&in_chunks(&text, &cuts), &whole);
        prop_assert_eq!(&in_chunks(&text, &[0]), &whole);
    }

    /// Nothing is lost and nothing is added.
    #[test]
    fn segments_are_the_input(text in prop_oneof![texts(), any::<String>()]) {
        let together: String = Segmenter::split(&text).iter().map(source).collect();
        prop_assert_eq!(together, text);
    }
}

/// Hostile text is passed on completely. Its cost is printed by `cargo xtask bench-guard`.
#[test]
fn hostile_text_is_not_lost() {
    for pattern in [
        "{", "\"", "`", "<", "{\"", "{\"goal\"", "{\"goal\":", "{\"goal\":{", "{\"a\":1}",
        "{\"goal\":1}", "```json\n{", "```\n", "<!--", "<!-- userPrompt:start -->",
        "<!-- userPrompt:start --><", "\n`", "- ", "{\"goal\":\"x\\", "{ ",
        r#"{"question":"q","options":["a","b"]}"#,
    ] {
        let text = pattern.repeat(MEGABYTE / pattern.len());
        let mut segmenter = Segmenter::new();
        let mut out = Vec::new();
        for chunk in text.as_bytes().chunks(50) {
            segmenter.push(std::str::from_utf8(chunk).unwrap(), &mut out);
        }
        segmenter.finish(&mut out);
        let together: String = out.iter().map(source).collect();
        assert!(together == text, "{pattern:?}");
    }
}
