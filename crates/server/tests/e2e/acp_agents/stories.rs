//! What each agent is seen doing.

use parlor_testkit::Script;
use serde_json::{Value, json};

use super::agents::RealAgent;
use super::app::start;
use super::unnamed::nothing_is_named;
use super::workspace::{TRACE, lay_traps};
use crate::bridge::bridge_app::BridgeApp;
use crate::bridge::person::Person;
use crate::mcp::gone;

/// A command that appends a line to a file, which shows how often it ran.
const COMMAND: &str = "echo made >> made.txt";
const REASON: &str = "Ana needs the folder as it is.";

/// A turn, one that follows it in the same process, a command and a file that are allowed. The
/// model has read what came before.
pub(crate) async fn takes_turns_and_asks(agent: &RealAgent) {
    let app = start(agent).await;
    let mut person = Person::at(&app).await;
    app.model.push(Script::answer().words("The number is 42."));
    assert_eq!(person.say("Remember a number").await["reason"], "complete");
    assert!(streamed(&person).contains("The number is 42."), "{:#?}", person.seen);
    let agents = app.agents();
    assert_eq!(agents.len(), 1);

    app.model.push(Script::answer().words("It was 42."));
    assert_eq!(person.say("Which one was it?").await["reason"], "complete");
    assert_eq!(app.agents(), agents, "the process goes on");
    saw(&app, "Remember a number");
    saw(&app, "The number is 42.");

    app.model.push(Script::answer().words("May I? ").shell("toolu_shell1", COMMAND));
    app.model.push(Script::answer().words("Made."));
    person.begin("Make a line").await;
    let prompt = person.prompt().await;
    assert!(prompt.to_string().contains(COMMAND), "the command is shown: {prompt}");
    assert_eq!(app.file("made.txt"), None, "nothing happens before the answer");
    person.answer(&prompt, json!({"response": "yes"})).await;
    assert_eq!(person.done().await["reason"], "complete");
    assert_eq!(app.file("made.txt").as_deref(), Some("made\n"));

    let note = app.path("workspace").join("note.txt");
    let write = Script::answer().write_file("toolu_write1", note.to_str().unwrap(), "one\ntwo\n");
    app.model.push(write);
    app.model.push(Script::answer().words("Written."));
    person.begin("Write me a note").await;
    let prompt = person.prompt().await;
    assert!(prompt.to_string().contains("two"), "the content is shown: {prompt}");
    assert_eq!(app.file("note.txt"), None, "nothing happens before the answer");
    person.answer(&prompt, json!({"response": "yes"})).await;
    assert_eq!(person.done().await["reason"], "complete");
    assert_eq!(app.file("note.txt").as_deref(), Some("one\ntwo\n"));
    nothing_is_named(&app, &person).await;
}

/// A refused command does not run, and the model reads the person's reason.
pub(crate) async fn reads_why_it_was_refused(agent: &RealAgent) {
    let app = start(agent).await;
    let mut person = Person::at(&app).await;
    app.model.push(Script::answer().words("May I? ").shell("toolu_shell1", COMMAND));
    // Whether the agent asks its model after a refusal is its own decision.
    app.model.always(Script::answer().words("I left it alone."));
    person.begin("Make a line").await;
    let prompt = person.prompt().await;
    person.answer(&prompt, json!({"response": "no", "reason": REASON})).await;
    assert_eq!(person.done().await["reason"], "complete");
    saw(&app, REASON);
    assert_eq!(person.say("Thank you").await["reason"], "complete");
    assert_eq!(app.file("made.txt"), None);
    nothing_is_named(&app, &person).await;
}

/// A turn is stopped while it waits for a permission; the next message is answered.
pub(crate) async fn is_stopped_while_it_asks(agent: &RealAgent) {
    let app = start(agent).await;
    let mut person = Person::at(&app).await;
    app.model.push(Script::answer().words("May I? ").shell("toolu_shell1", COMMAND));
    app.model.always(Script::answer().words("As you like."));
    person.begin("Make a line").await;
    person.prompt().await;
    person.send(&json!({"type": "stop"})).await;
    assert_eq!(person.done().await["reason"], "stopped");
    assert_eq!(person.say("Never mind").await["reason"], "complete");
    saw(&app, "Never mind");
    assert!(streamed(&person).contains("As you like."), "{:#?}", person.seen);
    assert_eq!(app.file("made.txt"), None);
    nothing_is_named(&app, &person).await;
}

/// The server is killed while a permission waits. If the agent's sessions can be resumed, the
/// prompt is still open and the approved command runs once; if not, it has expired and says why.
/// Either way the conversation goes on.
pub(crate) async fn asks_across_a_kill_of_the_server(agent: &RealAgent) {
    let mut app = start(agent).await;
    let mut person = Person::at(&app).await;
    app.model.push(Script::answer().words("May I? ").shell("toolu_shell1", COMMAND));
    person.begin("Make a line").await;
    let prompt = person.prompt().await;
    let agents = app.agents();
    app.kill_server();
    gone(&agents).await;
    app.start_server();
    person = person.back(&app).await;
    if agent.resumes {
        // The agent is told to make the call again.
        app.model.push(Script::answer().words("Again. ").shell("toolu_shell2", COMMAND));
        app.model.always(Script::answer().words("Made."));
        approved_late(&mut person, &prompt).await;
    } else {
        app.model.always(Script::answer().words("Nothing was made."));
        expired(&mut person, &prompt).await;
    }
    let made = agent.resumes.then_some("made\n");
    assert_eq!(app.file("made.txt").as_deref(), made);
    assert_eq!(person.say("What happened?").await["reason"], "complete");
    saw(&app, "What happened?");
    assert_eq!(app.file("made.txt").as_deref(), made, "it does not run again");
    nothing_is_named(&app, &person).await;
}

/// Files in the working directory that allow everything allow nothing, and nothing in them runs.
pub(crate) async fn obeys_no_file_of_its_workspace(agent: &RealAgent) {
    let app = start(agent).await;
    lay_traps(&app);
    let mut person = Person::at(&app).await;
    app.model.push(Script::answer().words("May I? ").shell("toolu_shell1", COMMAND));
    app.model.always(Script::answer().words("I left it alone."));
    person.begin("Make a line").await;
    let prompt = person.prompt().await;
    person.answer(&prompt, json!({"response": "no"})).await;
    assert_eq!(person.done().await["reason"], "complete");
    assert_eq!(app.file("made.txt"), None);
    assert_eq!(app.file(TRACE), None, "something in the files ran");
}

/// The prompt is still open; its answer counts, and nobody is asked once more.
async fn approved_late(person: &mut Person, prompt: &Value) {
    assert_eq!(person.find("userPromptUpdated").await["messageId"], prompt["messageId"]);
    person.answer(prompt, json!({"response": "yes"})).await;
    assert_eq!(person.done().await["reason"], "complete");
    let prompts = person.seen.iter().filter(|frame| frame["type"] == "userPrompt").count();
    assert_eq!(prompts, 1, "the person is asked once: {:#?}", person.seen);
}

/// The prompt is closed. Its card said before that it ends with the agent, and the turn says that
/// it was interrupted.
async fn expired(person: &mut Person, prompt: &Value) {
    assert_eq!(prompt["ends_with_agent"], true, "{prompt}");
    let closed = person.find("userPromptClosed").await;
    assert_eq!(closed["messageId"], prompt["messageId"]);
    assert_eq!(closed["outcome"], "expired");
    assert!(closed["at"].as_i64() < prompt["expires_at"].as_i64(), "{closed} {prompt}");
    assert_eq!(person.done().await["reason"], "interrupted");
}

/// Asserts that the model read these words in its last request.
pub(crate) fn saw(app: &BridgeApp, words: &str) {
    let requests = app.model.recorded();
    let lines = requests.last().expect("the model was not asked").transcript();
    assert!(lines.iter().any(|line| line.contains(words)), "no '{words}': {lines:#?}");
}

/// The text that was streamed to the person.
fn streamed(person: &Person) -> String {
    person.seen.iter().filter_map(|frame| frame["token"].as_str()).collect()
}
