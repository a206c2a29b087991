//! Words of others, and branches (U-7, F-1): what counts is what the path holds.

use super::*;

/// A message in the place of another one, and what the model does about it.
async fn edit(
    scene: &Scene,
    server: &Server,
    (conversation, message): (&str, &Value),
    words: &str,
    does: impl IntoIterator<Item = Script>,
) -> Said {
    does.into_iter().for_each(|script| scene.model.push(script));
    let body = json!({"message": words, "conversation_id": conversation, "edit_of": message});
    scene.send(server, &body).await
}

fn message_of(said: &Said) -> Value {
    let message = said.0.iter().find(|event| event.name == "message").unwrap();
    message.data["id"].clone()
}

async fn choose(server: &Server, conversation: &str, message: &Value) {
    let path = format!("/api/conversations/{conversation}/branch");
    let chosen = server.put(&path).json(&json!({"message_id": message})).send().await.unwrap();
    assert_eq!(chosen.status(), 200, "{}", chosen.text().await.unwrap());
}

/// U-7, F-1, F-4: a branch that begins before the mail was read is clean, and its payment runs; the
/// other one stays tainted, over switches and a kill. A branch that begins after it asks.
#[tokio::test]
async fn a_branch_holds_what_was_read_on_its_path() {
    let scene = Scene::new().await;
    let server = scene.start("ask", "").await;
    let done = || Script::answer().text("Done.");
    let first = scene.say(&server, None, "Hello", [done()]).await;
    let id = first.conversation();
    let id = id.as_str();
    let tainted = scene.say(&server, Some(id), "Read my mail", [read_mail(), done()]).await;
    let later = scene.say(&server, Some(id), "Thanks", [done()]).await;

    let clean = edit(&scene, &server, (id, &message_of(&tainted)), "Pay", [pay(), done()]).await;
    assert_eq!(clean.prompt(), None, "nothing was read on this path");
    assert_eq!(scene.office.calls("send_money"), 1);
    let read = scene.last_request().to_string();
    assert!(read.contains("Hello") && !read.contains("invoice") && !read.contains("Thanks"));

    let after = edit(&scene, &server, (id, &message_of(&later)), "Pay it", [pay()]).await;
    let prompt = after.prompt().unwrap();
    assert_eq!(prompt["influence"]["sources"][0]["what"], "Invoice 7");
    scene.model.push(done());
    server.answer(prompt, &json!("no")).await;
    server.until_idle(id).await;

    choose(&server, id, &message_of(&clean)).await;
    server.kill();
    let server = scene.start("ask", "").await;
    let paid = scene.say(&server, Some(id), "Once more", [pay(), done()]).await;
    assert_eq!(paid.prompt(), None, "the path is clean after a restart too");
    choose(&server, id, &message_of(&later)).await;
    let asked = scene.say(&server, Some(id), "Once more", [pay()]).await;
    assert!(asked.prompt().is_some(), "the other one is not");
    assert_eq!(scene.office.calls("send_money"), 2);
}

/// U-7, F-1: who goes on without what was read does so on one path; on the other one it counts.
#[tokio::test]
async fn a_clearing_holds_on_its_path() {
    let scene = Scene::new().await;
    let server = scene.start("ask", "").await;
    let done = || Script::answer().text("Done.");
    let read = scene.say(&server, None, "Read my mail", [read_mail(), done()]).await;
    let id = read.conversation();
    let id = id.as_str();
    let before = scene.say(&server, Some(id), "Thanks", [done()]).await;
    scene.model.push(done());
    let clears = json!({"message": "Go on.", "conversation_id": id, "clear_context": true});
    let cleared = scene.send(&server, &clears).await;
    let paid = scene.say(&server, Some(id), "Pay", [pay(), done()]).await;
    assert_eq!(paid.prompt(), None);

    let asked = edit(&scene, &server, (id, &message_of(&before)), "Pay", [pay()]).await;
    assert!(asked.prompt().is_some(), "nothing was cleared on this path");
    scene.model.push(done());
    server.answer(asked.prompt().unwrap(), &json!("no")).await;
    server.until_idle(id).await;
    // The same message again clears again.
    let again = edit(&scene, &server, (id, &message_of(&cleared)), "Go on!", [pay(), done()]).await;
    assert_eq!(again.prompt(), None);
    assert!(!scene.last_request().to_string().contains("invoice"));
    assert_eq!(scene.office.calls("send_money"), 2);
}
