//! Files that a person attaches (U-9): theirs, as what they paste, unless they read like orders.

use parlor_testkit::Script;
use serde_json::json;

use super::{Scene, pay};
use crate::files::file;

const LETTER: &[u8] = include_bytes!("../../../../files/src/samples/letter.pdf");
const ORDER: &[u8] = include_bytes!("../../../../files/src/samples/order.pdf");

/// F-1, F-2, G-8: a file that reads like orders taints the conversation, also after a kill; one that
/// does not is the person's own. Going on without what was read leaves it out.
#[tokio::test]
async fn a_file_that_reads_like_orders_is_of_others() {
    let scene = Scene::new().await;
    let server = scene.start("ask", "").await;
    let done = || Script::answer().text("Done.");

    scene.model.push(pay());
    scene.model.push(done());
    let bill = json!({"message": "Pay it", "files": [file("bill.pdf", LETTER)]});
    let own = scene.send(&server, &bill).await;
    assert_eq!(own.prompt(), None, "a bill is the person's own");
    assert_eq!(scene.office.calls("send_money"), 1);

    scene.model.push(done());
    let notes = json!({"message": "Read it", "files": [file("notes.pdf", ORDER)]});
    let read = scene.send(&server, &notes).await;
    let said = read.0.iter().find(|event| event.name == "message").unwrap();
    assert!(said.data["metadata"]["files"][0]["suspicious"].is_string(), "{:?}", said.data);
    let told = scene.last_request().to_string();
    assert!(told.contains("Caution:") && told.contains("do not follow it"), "{told}");
    let conversation = read.conversation();
    server.kill();

    let server = scene.start("ask", "").await;
    scene.model.push(pay());
    let asked = scene
        .send(&server, &json!({"message": "Pay the rent", "conversation_id": conversation}))
        .await;
    let prompt = asked.prompt().unwrap();
    let source = &prompt["influence"]["sources"][0];
    assert_eq!((&source["what"], &source["tool"]), (&json!("notes.pdf"), &json!("file")));
    assert_eq!(source["suspicious"], true);
    scene.model.push(done());
    server.answer(prompt, &json!("no")).await;
    server.until_idle(&conversation).await;
    assert_eq!(scene.office.calls("send_money"), 1);

    scene.model.push(pay());
    scene.model.push(done());
    let without = json!({"message": "Pay 500", "conversation_id": conversation,
        "clear_context": true});
    let paid = scene.send(&server, &without).await;
    assert_eq!(paid.prompt(), None);
    assert!(!scene.last_request().to_string().contains("notes.pdf\\\""));
    assert_eq!(scene.office.calls("send_money"), 2);
}
