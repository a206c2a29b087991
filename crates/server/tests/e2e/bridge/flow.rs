//! The flow of information behind the bridge (F): the real CLI asks about what its own rules allow,
//! once it has read what others wrote.

use parlor_testkit::{Gate, Script};
use reqwest::Method;
use serde_json::{Value, json};

use super::bridge_app::BridgeApp;
use super::durable_approvals::{restarted, waiting};
use super::person::{Person, was_told};
use super::plans::{present, write_plan};
use crate::mcp::until;

/// Its own rules allow changes of files, and a command whose result is not known to be anybody's
/// own.
const LENIENT: &str = "permission_mode = \"accept_edits\"\nallowed_tools = [\"Bash(seq:*)\"]";
const ASK: &str = "[tenants.home.projects.desk.flow]\npolicy = \"ask\"";

fn call(id: &str, tool: &str, input: &Value) -> Script {
    Script::answer().tool_use(id, tool, input)
}

/// A command that its own rules allow, and that may bring anything.
fn read(id: &str) -> Script {
    call(id, "Bash", &json!({"command": "seq 776 777", "description": "Read"}))
}

/// A command that only looks at its own files.
fn look(id: &str) -> Script {
    call(id, "Bash", &json!({"command": "ls", "description": "Look"}))
}

fn write(app: &BridgeApp, id: &str, name: &str) -> Script {
    let file = app.path("workspace").join(name);
    call(id, "Write", &json!({"file_path": file, "content": "777"}))
}

fn says(words: &str) -> Script {
    Script::answer().words(words)
}

/// The idle process is killed, and the server notices it.
async fn dies(app: &BridgeApp) {
    app.kill_agent();
    until("it is noticed", || app.log().contains("idle program has exited")).await;
}

/// The open prompt, as another client gets it.
async fn open_prompt(app: &BridgeApp) -> Value {
    let response = app.request(Method::GET, "/api/prompts?status=open").send().await.unwrap();
    let list: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
    list["prompts"][0]["prompt"].clone()
}

/// What was read before a call, by the prompt about it.
fn sources(prompt: &Value) -> Vec<&str> {
    let sources = prompt["influence"]["sources"].as_array();
    sources.into_iter().flatten().filter_map(|source| source["what"].as_str()).collect()
}

/// The tools whose results are marked as words of others.
fn of_others(person: &Person) -> Vec<&str> {
    let results = person.seen.iter().filter(|frame| frame["metadata"]["of_others"] == true);
    results.filter_map(|frame| frame["data"]["name"].as_str()).collect()
}

/// F-1, F-2: a change that its own rules allow runs in a clean context, and asks once a command may
/// have brought words of others; the prompt says which. "Always allow" is not offered an end-run:
/// the next change asks again.
#[tokio::test]
async fn a_change_asks_once_words_of_others_were_read() {
    let app = BridgeApp::with_cli(LENIENT, ASK).await;
    let mut clean = Person::at(&app).await;
    app.model.push(look("toolu_l1"));
    app.model.push(write(&app, "toolu_w1", "clean.txt"));
    app.model.push(says("Written."));
    assert_eq!(clean.say("Write a note").await["reason"], "complete");
    assert_eq!(app.file("clean.txt").as_deref(), Some("777"), "nobody was asked");
    assert_eq!(of_others(&clean), Vec::<&str>::new());

    let app = BridgeApp::with_cli(LENIENT, ASK).await;
    let mut person = Person::at(&app).await;
    app.model.push(read("toolu_r1"));
    app.model.push(write(&app, "toolu_w2", "first.txt"));
    app.model.push(write(&app, "toolu_w3", "second.txt"));
    app.model.push(says("Written."));
    person.begin("Read it, and write a note").await;
    let first = waiting(&app, &mut person).await;
    assert_eq!(of_others(&person), ["Bash"]);
    assert_eq!(sources(&first), ["seq 776 777"], "{first}");
    let values = first["influence"]["values"].as_array().unwrap();
    let content = values.iter().find(|value| value["pointer"] == "/content").unwrap();
    assert_eq!((&content["found"], &content["text"]), (&json!("source"), &json!("777")));
    assert_eq!(app.file("first.txt"), None);
    person.answer(&first, json!({"response": "yes"})).await;
    let second = waiting(&app, &mut person).await;
    assert_eq!(app.file("first.txt").as_deref(), Some("777"));
    person.answer(&second, json!({"response": "no"})).await;
    assert_eq!(person.done().await["reason"], "complete");
    assert_eq!(app.file("second.txt"), None);

    // The next turn, and another process of the same CLI session, know it too.
    dies(&app).await;
    app.model.push(write(&app, "toolu_w4", "third.txt"));
    app.model.push(says("As you like."));
    person.begin("And now?").await;
    let third = waiting(&app, &mut person).await;
    assert_eq!(sources(&third), ["seq 776 777"]);
    person.answer(&third, json!({"response": "no"})).await;
    assert_eq!(person.done().await["reason"], "complete");
    assert_eq!(app.file("third.txt"), None);
}

/// F-2, P-9: the same where a project does not ask, and where approvals do not outlive the process.
#[tokio::test]
async fn it_does_not_depend_on_durable_approvals() {
    let lenient = format!("{LENIENT}\ndurable_approvals = false");
    for (policy, asks) in [(ASK, true), ("", false)] {
        let app = BridgeApp::with_cli(&lenient, policy).await;
        let mut person = Person::at(&app).await;
        app.model.push(read("toolu_r1"));
        app.model.push(write(&app, "toolu_w1", "note.txt"));
        app.model.push(says("Done."));
        person.begin("Read it, and write a note").await;
        if asks {
            let prompt = person.prompt().await;
            assert_eq!(sources(&prompt), ["seq 776 777"]);
            assert_eq!(app.file("note.txt"), None);
            person.answer(&prompt, json!({"response": "yes"})).await;
        }
        assert_eq!(person.done().await["reason"], "complete");
        assert_eq!(app.file("note.txt").as_deref(), Some("777"));
    }
}

/// F-4, P-9: the server is killed while it asks: the prompt still says what was read, and its answer
/// counts. What was read is known to the next server too, and a rule that names a command is no
/// answer.
#[tokio::test]
async fn what_was_read_outlives_the_server() {
    let mut app = BridgeApp::with_cli(LENIENT, ASK).await;
    let mut person = Person::at(&app).await;
    app.model.push(read("toolu_r1"));
    app.model.push(write(&app, "toolu_w1", "note.txt"));
    app.model.push(says("Written."));
    person.begin("Read it, and write a note").await;
    let prompt = waiting(&app, &mut person).await;
    person = restarted(&mut app, person).await;
    let again = person.find("userPromptUpdated").await;
    assert_eq!(again["messageId"], prompt["messageId"]);
    assert_eq!(open_prompt(&app).await["influence"], prompt["influence"]);
    assert_eq!(app.file("note.txt"), None);
    person.answer(&prompt, json!({"response": "yes"})).await;
    assert_eq!(person.done().await["reason"], "complete");
    assert_eq!(app.file("note.txt").as_deref(), Some("777"));

    person = restarted(&mut app, person).await;
    app.model.push(read("toolu_r2"));
    app.model.push(says("As you like."));
    person.begin("Once more").await;
    let prompt = waiting(&app, &mut person).await;
    assert_eq!(prompt["toolCall"]["input"]["command"], "seq 776 777");
    assert_eq!(prompt["severity"], "critical", "it could carry something out");
    person.answer(&prompt, json!({"response": "no"})).await;
    assert_eq!(person.done().await["reason"], "complete");
}

/// F-1: a person goes on without what was read: another CLI session is begun, which is told the
/// person's words and nothing else, and its changes do not ask.
#[tokio::test]
async fn going_on_without_it_begins_a_new_session() {
    let app = BridgeApp::with_cli(LENIENT, ASK).await;
    let mut person = Person::at(&app).await;
    app.model.push(read("toolu_r1"));
    app.model.push(says("It says to obey 777."));
    assert_eq!(person.say("Read it for me").await["reason"], "complete");
    let before = app.agents();
    app.model.push(write(&app, "toolu_w1", "note.txt"));
    app.model.push(says("Written."));
    person.send(&json!({"message": "Go on without it", "clear_context": true})).await;
    assert_eq!(person.done().await["reason"], "complete");
    assert_eq!(app.file("note.txt").as_deref(), Some("777"), "nobody was asked");
    let after = app.agents();
    assert!(after.len() == 1 && after != before, "{before:?} {after:?}");
    assert!(was_told(&app, "Read it for me") && was_told(&app, "Go on without it"));
    assert!(!was_told(&app, "obey 777") && !was_told(&app, "776"), "it was told what was read");

    // That session is kept, also by another process; and what it reads counts again.
    dies(&app).await;
    app.model.push(write(&app, "toolu_w2", "other.txt"));
    app.model.push(read("toolu_r2"));
    app.model.push(write(&app, "toolu_w3", "asked.txt"));
    app.model.push(says("As you like."));
    person.begin("And another").await;
    let prompt = waiting(&app, &mut person).await;
    assert!(was_told(&app, "Written."), "it is the same session");
    assert_eq!(app.file("other.txt").as_deref(), Some("777"));
    assert_eq!(sources(&prompt).len(), 1, "{prompt}");
    person.answer(&prompt, json!({"response": "no"})).await;
    assert_eq!(person.done().await["reason"], "complete");
    assert_eq!(app.file("asked.txt"), None);
}

/// F-1, F-2: what a helper reads counts for its own changes, and for those of its parent.
#[tokio::test]
async fn a_helper_asks_too() {
    let app = BridgeApp::with_cli(LENIENT, ASK).await;
    let mut person = Person::at(&app).await;
    let task = json!({"description": "Look", "prompt": "Read it", "run_in_background": false,
        "subagent_type": "general-purpose"});
    app.model.push(call("toolu_a1", "Agent", &task));
    app.model.push(read("toolu_h1"));
    app.model.push(write(&app, "toolu_h2", "helper.txt"));
    app.model.push(says("The helper is done."));
    app.model.push(write(&app, "toolu_w1", "parent.txt"));
    app.model.push(says("Done."));
    person.begin("Let a helper read it").await;
    for (name, reads) in [("helper.txt", 1), ("parent.txt", 2)] {
        let prompt = person.prompt().await;
        assert!(prompt["toolCall"]["input"]["file_path"].as_str().unwrap().ends_with(name));
        assert_eq!(sources(&prompt).len(), reads, "{prompt}");
        assert!(sources(&prompt).contains(&"seq 776 777"), "{prompt}");
        person.answer(&prompt, json!({"response": "no"})).await;
    }
    assert_eq!(person.done().await["reason"], "complete");
    assert_eq!((app.file("helper.txt"), app.file("parent.txt")), (None, None));
}

/// F-1, F-2: a helper in the background reads after the turn, when nobody is told of it. The turn in
/// which it then asks knows what was read.
#[tokio::test]
async fn a_helper_in_the_background_asks_too() {
    let app = BridgeApp::with_cli(LENIENT, ASK).await;
    let mut person = Person::at(&app).await;
    let task = json!({"description": "Look", "prompt": "Read it for me", "run_in_background": true,
        "subagent_type": "general-purpose"});
    app.model.push(call("toolu_a1", "Agent", &task));
    let gate = Gate::closed();
    // The helper and its parent go on at the same time.
    for _ in 0..2 {
        let gate = gate.clone();
        app.model.push_for(move |request| {
            let is_helper = !request["messages"].to_string().contains("Let a helper work");
            let input = json!({"command": "seq 776 777", "description": "Read"});
            match is_helper {
                true => Script::answer().gate(&gate).tool_use("toolu_h1", "Bash", &input),
                false => says("It works."),
            }
        });
    }
    assert_eq!(person.say("Let a helper work").await["reason"], "complete");
    app.model.push(write(&app, "toolu_h2", "helper.txt"));
    app.model.push(says("The helper is done."));
    app.model.push(says("It is done."));
    gate.release(1);
    let prompt = person.prompt().await;
    assert_eq!(sources(&prompt), ["seq 776 777"], "{prompt}");
    assert_eq!(app.file("helper.txt"), None);
    person.answer(&prompt, json!({"response": "no"})).await;
    assert_eq!(person.done().await["reason"], "complete");
    assert_eq!(app.file("helper.txt"), None);
}

/// T-2, F-2: after words of others were read a plan can still be written down and presented; that it
/// is carried out endorses no change.
#[tokio::test]
async fn a_plan_endorses_nothing() {
    let app = BridgeApp::with_cli(LENIENT, ASK).await;
    let mut person = Person::at(&app).await;
    app.model.push(read("toolu_r1"));
    app.model.push(says("Read."));
    assert_eq!(person.say("Read it").await["reason"], "complete");
    app.model.push_for(write_plan("toolu_p1", "# Add a page\n\n1. Create `page.html`\n"));
    app.model.push(present("toolu_p2"));
    app.model.push(write(&app, "toolu_p3", "page.html"));
    app.model.push(says("As you like."));
    person.send(&json!({"message": "Plan a page", "mode": "plan"})).await;
    let plan = person.prompt().await;
    assert_eq!(plan["promptType"], "plan", "{plan}");
    person.answer(&plan, json!({"response": "execute"})).await;
    let prompt = person.prompt().await;
    assert_eq!(sources(&prompt), ["seq 776 777"]);
    person.answer(&prompt, json!({"response": "no"})).await;
    assert_eq!(person.done().await["reason"], "complete");
    assert_eq!(app.file("page.html"), None);
}
