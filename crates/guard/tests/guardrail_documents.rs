//! Documents: orders that are in them, and what only looks like one.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may fail")]

use std::sync::LazyLock;

use parlor_guard::guardrail::{GuardSettings, Guardrail, Policy};

/// A text in which an order is the only thing that does not belong there.
const BEFORE: &str = "The council met on Tuesday to discuss the new bridge over the river. Several \
    members had asked for a second opinion on the costs, which have risen since last year. ";
const AFTER: &str = " Construction will begin in spring and take two years. The ferry, which many \
    commuters use today, will remain in service until the bridge is open to traffic.";

static GUARDRAIL: LazyLock<Guardrail> = LazyLock::new(|| {
    let policy = Policy::Balanced;
    Guardrail::new(&GuardSettings { policy, ..GuardSettings::default() }).unwrap()
});

fn is_flagged(document: &str) -> bool {
    GUARDRAIL.check_document(document).1.is_some()
}

/// G-8: half of the orders of a list are found in the middle of a text. The list was written
/// before anything was measured with it, and nothing was changed after it for its sake.
#[test]
fn half_of_the_orders_in_a_text_are_found() {
    let orders: Vec<&str> = include_str!("fixtures/orders_inside.txt").lines().collect();
    let is_missed = |order: &&&str| !is_flagged(&format!("{BEFORE}{order}{AFTER}"));
    let missed: Vec<&&str> = orders.iter().filter(is_missed).collect();
    assert!(!is_flagged(&format!("{BEFORE}{AFTER}")));
    assert!(orders.len() >= 40);
    assert!(missed.len() * 2 <= orders.len(), "{} missed: {missed:#?}", missed.len());
}

/// G-8: plans and files for an agent, mails, manuals, code: they hold imperatives, and order the
/// assistant of their reader nothing.
#[test]
fn innocent_documents_have_no_label() {
    let documents = include_str!("fixtures/innocent_documents.txt").split("\n---\n").skip(1);
    let flagged: Vec<&str> = documents.filter(|document| is_flagged(document)).collect();
    assert!(flagged.is_empty(), "{flagged:#?}");
}
