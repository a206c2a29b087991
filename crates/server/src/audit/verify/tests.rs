//! What a verifier finds, and what it does not mind.

use parlor_protocol::Timestamp;
use parlor_storage::{AuditKind, PendingRecord};
use proptest::prelude::*;

use super::*;
use crate::audit::entry::seal;
use crate::audit::key::AuditKey;
use crate::secret_key::ServerSecret;

fn key(secret: &str) -> AuditKey {
    AuditKey::of_server(&ServerSecret::new(secret.as_bytes())).unwrap()
}

/// A chain of so many entries, as lines.
fn chain(key: &AuditKey, count: i64) -> Vec<Line> {
    let tenant: TenantId = "home".parse().unwrap();
    let mut head = None;
    (1..=count)
        .map(|number| {
            let record = PendingRecord {
                number,
                tenant: tenant.clone(),
                kind: AuditKind::Decision,
                id: format!("decision-{number}"),
                record: format!("{{\"question\":\"Shall I? {number}\"}}"),
            };
            let (entry, next) = seal(key, head.as_ref(), record, Timestamp(number)).unwrap();
            head = Some(next);
            Line::new(&tenant, entry)
        })
        .collect()
}

fn report(trusted: &AuditKey, lines: &[Line]) -> Report {
    let mut verifier = Verifier::new([trusted.public()]);
    for (at, line) in lines.iter().enumerate() {
        let text = serde_json::to_string(line).unwrap();
        verifier.line(&format!("line {}", at + 1), &text, 1);
    }
    verifier.report
}

/// Signs a changed entry anew, as somebody with another key can.
fn forged(line: &Line, other: &AuditKey) -> Line {
    let mut forged = Line { public_key: other.public().to_string(), ..line.clone() };
    let hash = forged.computed_hash();
    forged.hash = HEX.encode(&hash);
    forged.signature = other.sign(&hash);
    forged
}

/// O-6: what is wrong is found, with its place, and one fault is not found over and over.
#[test]
fn changed_removed_moved_and_forged_lines_are_found() {
    let own = key("one");
    let lines = chain(&own, 6);
    assert!(report(&own, &lines).is_good());
    let found = |change: &dyn Fn(&mut Vec<Line>)| {
        let mut lines = lines.clone();
        change(&mut lines);
        report(&own, &lines).findings
    };
    let changed = found(&|lines| lines[2].record = Some("{\"question\":\"No?\"}".to_owned()));
    assert_eq!(changed, ["line 3: entry 3 of home: its record was changed"]);
    let removed = found(&|lines| drop(lines.drain(1..3)));
    assert_eq!(removed, ["line 2: entry 4 of home: entries 2 to 3 are missing before it"]);
    let first = found(&|lines| drop(lines.remove(0)));
    assert_eq!(first, ["line 1: entry 2 of home: entry 1 is missing before it"]);
    let moved = found(&|lines| lines.swap(1, 2));
    assert!(moved.len() >= 2 && moved[1].contains("out of order"), "{moved:?}");
    let anew = found(&|lines| {
        lines[2].record = Some("{}".to_owned());
        lines[2].digest = digest(lines[2].salt.as_deref().unwrap(), "{}");
        lines[2].hash = HEX.encode(&lines[2].computed_hash());
    });
    assert_eq!(
        anew,
        [
            "line 3: entry 3 of home: its signature is not that of its key",
            "line 4: entry 4 of home: it does not follow the entry before it",
        ]
    );
    let other = key("two");
    let signed = found(&|lines| lines[5] = forged(&lines[5], &other));
    let why =
        format!("line 6: entry 6 of home: it was signed with another key, {}", other.public());
    assert_eq!(signed, [why]);
}

/// O-6: a record that was removed on request leaves a chain that holds; a line that came twice is none
/// too many.
#[test]
fn a_record_may_be_gone_and_a_line_may_repeat() {
    let own = key("one");
    let mut lines = chain(&own, 3);
    (lines[1].record, lines[1].salt) = (None, None);
    lines.insert(2, lines[1].clone());
    let report = report(&own, &lines);
    assert!(report.is_good(), "{report:?}");
    assert_eq!((report.entries, report.without_record, report.repeated), (3, 1, 1));
}

/// O-6: what is no entry is said, whatever it is.
#[test]
fn what_is_no_entry_is_said() {
    let mut verifier = Verifier::new([]);
    for text in ["", "{}", "null", "\u{0}", "{\"tenant\":\"../etc\",\"seq\":1}"] {
        verifier.line("line 1", text, 1);
    }
    assert_eq!(verifier.report.findings.len(), 5);
}

proptest! {
    /// O-6: whichever character of a line changes, it is found, unless the line reads the same.
    #[test]
    fn no_change_goes_unnoticed(at in 0_usize..10_000, to in any::<char>()) {
        let own = key("one");
        let lines = chain(&own, 2);
        let text = serde_json::to_string(&lines[1]).unwrap();
        let mut changed: Vec<char> = text.chars().collect();
        let at = at % changed.len();
        changed[at] = to;
        let changed: String = changed.into_iter().collect();
        let same = serde_json::from_str::<Line>(&changed).is_ok_and(|line| line == lines[1]);
        let mut verifier = Verifier::new([own.public()]);
        verifier.entry("line 1", &lines[0], 1);
        verifier.line("line 2", &changed, 1);
        prop_assert_eq!(verifier.report.is_good(), same, "{}", changed);
    }
}
