//! Text of an agent, in which plans, questions and prompts are looked for.

use parlor_guard::segmenter::{Segment, Segmenter};

use crate::cuts::text_cuts;

/// Nothing is lost, and the segments are the same for every cut.
pub fn run(data: &[u8]) {
    check(&String::from_utf8_lossy(data));
}

/// Checks one text; also for targets that wrap their input.
pub(crate) fn check(text: &str) {
    let whole = Segmenter::split(text);
    let together: String = whole.iter().map(source).collect();
    assert_eq!(together, text);
    for pieces in text_cuts(text) {
        assert_eq!(streamed(&pieces), whole);
    }
}

fn streamed(pieces: &[&str]) -> Vec<Segment> {
    let mut segmenter = Segmenter::new();
    let mut out = Vec::new();
    for piece in pieces {
        if segmenter.passes(piece) {
            out.push(Segment::Text((*piece).to_owned()));
        } else {
            segmenter.push(piece, &mut out);
        }
    }
    segmenter.finish(&mut out);
    out.into_iter().fold(Vec::new(), |mut merged, segment| {
        match (merged.last_mut(), segment) {
            (Some(Segment::Text(before)), Segment::Text(after)) => before.push_str(&after),
            (_, segment) => merged.push(segment),
        }
        merged
    })
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
