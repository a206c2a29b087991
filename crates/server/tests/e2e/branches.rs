//! Branches (U-7): a message is edited, answered once more, and every page follows which version is
//! gone on with.

use parlor_testkit::{Script, ScriptedModel};
use serde_json::{Value, json};

use crate::server_process::Server;
use crate::streams::{Event, Events};
use crate::test_app::{TestApp, json as body_of};
use crate::transcript::Transcript;

/// A conversation on a server in this process.
struct Talk {
    app: TestApp,
    id: Value,
}

impl Talk {
    async fn send(&self, body: Value) -> Vec<Event> {
        let mut body = body;
        body["conversation_id"] = self.id.clone();
        Events::of(self.app.send(&body).await).rest().await
    }

    async fn choose(&self, choice: Value) -> Value {
        let path = format!("/api/conversations/{}/branch", self.id.as_str().unwrap());
        body_of(self.app.admin("PUT", &path).json(&choice).send().await.unwrap()).await
    }

    /// The log from its beginning, as a page that was just opened reads it.
    async fn follow(&self) -> Events {
        let path = format!("/api/conversations/{}/events", self.id.as_str().unwrap());
        Events::of(self.app.admin("GET", &path).send().await.unwrap())
    }

    async fn export(&self, format: &str) -> String {
        let id = self.id.as_str().unwrap();
        let path = format!("/api/conversations/{id}/export?format={format}");
        self.app.admin("GET", &path).send().await.unwrap().text().await.unwrap()
    }
}

fn message_of(events: &[Event]) -> Value {
    events.iter().find(|event| event.name == "message").unwrap().data["id"].clone()
}

/// U-7, K-1, H-5: an edit and another answer are branches. What the client saw, and what the model
/// saw; two pages that follow see the same, and so does one that is opened later.
#[tokio::test]
async fn an_edit_and_another_answer_are_branches() {
    let app = TestApp::start().await;
    for words in ["Soup.", "Leeks.", "Cake.", "Pie.", "Flour."] {
        app.model.push(Script::answer().text(words));
    }
    let first = Events::of(app.send(&json!({"message": "Cook?"})).await).rest().await;
    let talk = Talk { app, id: first[0].data["conversation_id"].clone() };
    let (mut one, mut other) = (talk.follow().await, talk.follow().await);
    let second = talk.send(json!({"message": "With what?"})).await;
    let edited = talk.send(json!({"message": "Bake?", "edit_of": message_of(&first)})).await;
    let again = talk.send(json!({"message": "", "regenerate": message_of(&edited)})).await;
    let chosen = talk.choose(json!({"message_id": message_of(&edited)})).await;
    assert_eq!(chosen["leaf"], edited[0].data["turn_id"]);
    let last = talk.send(json!({"message": "And then?"})).await;
    assert_eq!(last[0].data["branch"]["parent"], chosen["leaf"]);

    let mut logs = Vec::new();
    for page in [&mut one, &mut other, &mut talk.follow().await] {
        let mut log = Vec::new();
        while log.iter().filter(|event: &&Event| event.name == "done").count() < 5 {
            let event = page.next().await.unwrap();
            if matches!(event.name.as_str(), "start" | "branch_chosen" | "done" | "message") {
                log.push(event);
            }
        }
        logs.push(log);
    }
    assert!(logs[0] == logs[1] && logs[1] == logs[2], "every page follows");
    assert_eq!(
        message_of(&second),
        logs[0].iter().filter(|e| e.name == "message").nth(2).unwrap().data["id"]
    );
    assert!(again[0].data["branch"].is_object());
    let markdown = talk.export("markdown").await;
    let all = talk.export("json").await;
    for words in ["Cook?", "Leeks.", "Pie."] {
        assert!(all.contains(words), "the JSON has all: {all}");
    }
    let told = Transcript::default().client(&logs[0]).model(&talk.app.model.requests());
    let told = told.line("markdown:").line(&markdown);
    insta::assert_snapshot!(told.text());
}

/// U-7: what tools did in the version that is left stays done, and the message says so, once; of a
/// tool that only reads it says nothing.
#[tokio::test]
async fn what_tools_did_stays_done() {
    let app = TestApp::with_vault().await;
    let toast = json!({"title": "Toast", "servings": 1, "ingredients": [{"name": "bread"}],
        "steps": [{"instruction": "Toast it."}]});
    app.model.push(Script::answer().tool_use("t1", "list_recipes", &json!({})));
    app.model.push(Script::answer().text("There they are."));
    let first = Events::of(app.send(&json!({"message": "List"})).await).rest().await;
    let talk = Talk { app, id: first[0].data["conversation_id"].clone() };
    let says = |events: &[Event]| {
        let said = events.iter().find(|event| event.name == "message").unwrap();
        said.data["metadata"].get("changes_stay").is_some()
    };
    let edited = talk.send(json!({"message": "List them", "edit_of": message_of(&first)})).await;
    assert!(!says(&edited));
    talk.app.model.push(Script::answer().tool_use("t2", "create_recipe", &toast));
    talk.app.model.push(Script::answer().text("Done."));
    let made = talk.send(json!({"message": "Make toast"})).await;
    let left = talk.send(json!({"message": "Make tea", "edit_of": message_of(&made)})).await;
    assert!(says(&left));
    let next = talk.send(json!({"message": "Make cake", "edit_of": message_of(&left)})).await;
    assert!(!says(&next), "nothing was done in that one");
    let recipes = talk.app.admin("GET", "/api/recipes").send().await.unwrap();
    assert!(recipes.text().await.unwrap().contains("Toast"), "nothing is undone");
}

/// U-7: a question that ends its turn waits in its branch: its answer goes on there, whatever
/// branch was chosen since.
#[tokio::test]
async fn an_answer_goes_on_where_the_question_is() {
    let app = TestApp::start().await;
    app.model.push(Script::answer().text("Hello."));
    let first = Events::of(app.send(&json!({"message": "Hi"})).await).rest().await;
    let talk = Talk { app, id: first[0].data["conversation_id"].clone() };
    talk.app.model.push(Script::answer().text("Aye."));
    let other = talk.send(json!({"message": "Ahoy", "edit_of": message_of(&first)})).await;
    let question = r#"{"question": "Soup or cake?", "options": ["soup", "cake"]}"#;
    talk.app.model.push(Script::answer().text(question));
    let asked = talk.send(json!({"message": "What?"})).await;
    let prompt = &asked.iter().find(|event| event.name == "userPrompt").unwrap().data;
    talk.choose(json!({"message_id": message_of(&first)})).await;
    talk.app.model.push(Script::answer().text("Soup it is."));
    let path = format!("/api/prompts/{}/response", prompt["messageId"].as_str().unwrap());
    let answer = talk.app.admin("POST", &path).json(&json!({"response": "soup"}));
    let answered = body_of(answer.send().await.unwrap()).await;
    let mut log = talk.follow().await;
    let mut start = log.find("start").await;
    while start.data["turn_id"] != answered["turn_id"] {
        start = log.find("start").await;
    }
    assert_eq!(start.data["branch"], Value::Null, "it follows the question, the turn before it");
    log.find("done").await;
    let read = talk.app.model.requests().pop().unwrap()["messages"].to_string();
    assert!(read.contains("Ahoy") && read.contains("soup") && !read.contains("Hello."), "{read}");
    assert_eq!(other.last().unwrap().name, "done");
}

/// U-7, H-5: the real binary, killed as soon as an edit or a choice is stored: after the restart
/// both are there, once, and the model reads the path.
#[tokio::test]
async fn a_kill_loses_neither_an_edit_nor_a_choice() {
    for step in ["begun", "chosen"] {
        let dir = tempfile::tempdir().unwrap();
        let model = ScriptedModel::start().await.unwrap();
        model.always(Script::answer().text("Soup."));
        let server = Server::start_with(dir.path(), &model, "", &[]).await;
        let first = Events::of(server.send(&json!({"message": "one"})).await).rest().await;
        let id = first[0].data["conversation_id"].as_str().unwrap().to_owned();
        let edit = |words: &str, client: &str| {
            json!({"message": words, "conversation_id": id, "edit_of": message_of(&first),
                "client_message_id": client})
        };
        let second = Events::of(server.send(&edit("two", "tab:2")).await).rest().await;
        server.kill();

        let cut = [("PARLOR_ABORT_AT", step)];
        let mut server = Server::start_with(dir.path(), &model, "", &cut).await;
        let path = format!("/api/conversations/{id}/branch");
        let choice = json!({"message_id": message_of(&first)});
        let sent = match step {
            "begun" => server.post("/api/chat").json(&edit("three", "tab:3")).send().await.is_ok(),
            _ => server.put(&path).json(&choice).send().await.is_ok(),
        };
        assert!(!sent, "{step}: nobody was told");
        while !server.is_dead() {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }

        let server = Server::start_with(dir.path(), &model, "", &[]).await;
        server.until_idle(&id).await;
        let view = server.conversation(&id).await;
        let said = view["messages"].to_string();
        match step {
            "begun" => {
                assert_eq!(view["leaf"], view["turns"][2]["turn_id"]);
                // Sent again, it is the same.
                let again = server.send(&edit("three", "tab:3")).await;
                Events::of(again).rest().await;
                assert_eq!(said.matches("three").count(), 1);
                assert_eq!(server.conversation(&id).await["turns"], view["turns"]);
            }
            _ => assert_eq!(view["leaf"], first[0].data["turn_id"]),
        }
        let more = json!({"message": "more", "conversation_id": id});
        Events::of(server.send(&more).await).rest().await;
        let read = model.requests().pop().unwrap()["messages"].to_string();
        let (on, off) = if step == "begun" { ("three", "one") } else { ("one", "two") };
        assert!(read.contains(on) && !read.contains(off), "{step}: {read}");
        assert!(!read.contains("two"), "{step}: {read}");
        assert_eq!(second.last().unwrap().name, "done");
    }
}
