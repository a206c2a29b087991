//! The list of blocked inputs.

use parlor_protocol::Timestamp;
use parlor_storage::*;

use crate::scene::{Scene, scope, tenant, uuid};

/// G-7: blocked inputs page without gaps or repeats, also within one millisecond.
#[tokio::test]
async fn blocked_inputs_page_within_one_millisecond() {
    let scene = Scene::new().await;
    for n in 0..7_u128 {
        let input = BlockedInput {
            id: uuid(n).to_string(),
            at: Timestamp(if n < 5 { 5 } else { 6 }),
            tenant: tenant(),
            project: "recipes".parse().unwrap(),
            session: "session-1".into(),
            person: None,
            rule: "jailbreak.dan_mode".into(),
            category: "jailbreak".into(),
            action: "block".into(),
            view: "plain".into(),
            hash: "00".into(),
            excerpt: "DAN mode".into(),
        };
        scene.store.add_blocked_input(&input).await.unwrap();
    }
    let mut seen = Vec::new();
    let mut before = None;
    loop {
        let page = scene.store.blocked_inputs(&scope(), before.as_ref(), 2).await.unwrap();
        seen.extend(page.blocked_inputs.into_iter().map(|input| input.id));
        before = page.next_before.map(|cursor| cursor.to_string().parse::<PageCursor>().unwrap());
        if before.is_none() {
            break;
        }
    }
    let newest_first: Vec<String> = (0..7).rev().map(|n| uuid(n).to_string()).collect();
    assert_eq!(seen, newest_first);
    assert!("yesterday".parse::<PageCursor>().is_err());
}
