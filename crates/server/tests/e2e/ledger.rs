//! The real binary, stopped at each fail point of the ledger of tool runs, for each decision of the
//! person: after the restart there is one outcome, the tool was never started twice, and the model
//! and the audit get what happened.
//!
//! The fail points are in `crates/chat/src/fail_point.rs`. Calls are counted where they run, at the
//! MCP server.

use std::time::Duration;

use data_encoding::HEXLOWER;
use parlor_testkit::{Script, ScriptedModel};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::mcp::faulty_program;
use crate::server_process::{Server, audit};
use crate::test_app::PATIENCE;

const STEPS: [&str; 6] = ["said", "proposed", "answered", "started", "called", "finished"];

/// What the person does about the call.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Person {
    Approves,
    Edits,
    Refuses,
    IsAway,
}

/// P-2, P-9, M-2: an approved call is made once, or its outcome is unknown.
#[tokio::test]
async fn an_approved_call_is_started_once_at_whichever_fail_point_the_server_stops() {
    each_step(Person::Approves).await;
}

/// S-5, P-9: after the crash the edited arguments run.
#[tokio::test]
async fn an_edited_call_is_started_once_at_whichever_fail_point_the_server_stops() {
    each_step(Person::Edits).await;
}

/// P-2, B-4: a refused call is never made.
#[tokio::test]
async fn a_refused_call_is_never_started_at_whichever_fail_point_the_server_stops() {
    each_step(Person::Refuses).await;
}

/// P-4: an expired approval is never consent.
#[tokio::test]
async fn an_expired_call_is_never_started_at_whichever_fail_point_the_server_stops() {
    each_step(Person::IsAway).await;
}

async fn each_step(person: Person) {
    for step in STEPS {
        Story::begin(person, step).await.told().await;
    }
}

/// A turn that was interrupted at a fail point, and continued.
struct Story {
    person: Person,
    step: &'static str,
    dir: tempfile::TempDir,
    model: ScriptedModel,
    server: Server,
    conversation: String,
}

impl Story {
    /// Runs a turn from the message to its end, with a restart in between.
    async fn begin(person: Person, step: &'static str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let marks = dir.path().join("marks");
        let model = ScriptedModel::start().await.unwrap();
        let input = json!({"text": marks, "number": 1});
        model.push(Script::answer().text("I will.").tool_use("t1", "s_mark", &input));
        model.push(Script::answer().text("So it is."));
        let config = configuration(person);
        let cut = [("PARLOR_ABORT_AT", step)];
        let mut server = Server::start_with(dir.path(), &model, &config, &cut).await;
        drop(server.send(&json!({"message": "mark it"})).await);
        let edited = json!({"text": marks, "number": 2});
        let is_cut = goes_on(&mut server, person, &edited).await;
        let never_started = matches!(person, Person::Refuses | Person::IsAway);
        let is_reached = !(never_started && matches!(step, "started" | "called"));
        assert_eq!(is_cut, is_reached, "{person:?} {step}");
        drop(server);

        let mut server = Server::start_with(dir.path(), &model, &config, &[]).await;
        assert!(!goes_on(&mut server, person, &edited).await, "{person:?} {step}: it died again");
        let list = get(&server, "/api/conversations").await.unwrap();
        let conversation = list["conversations"][0]["id"].as_str().unwrap().to_owned();
        Self { person, step, dir, model, server, conversation }
    }

    /// Checks the outcome everywhere that it is recorded.
    async fn told(self) {
        let case = format!("{:?} {}", self.person, self.step);
        let made = self.made();
        let (runs, words) = self.expected();
        assert_eq!(made.len(), runs, "{case}: {made:?}");
        let asked = self.model.requests();
        assert_eq!(asked.len(), 2, "{case}: the model is asked once for each answer");
        let read = asked[1]["messages"].as_array().unwrap().last().unwrap().to_string();
        assert!(read.contains(words), "{case}: {read}");

        let events = self.events().await;
        let count = |name: &str| events.iter().filter(|event| *event == name).count();
        for name in ["userPrompt", "userPromptClosed", "done"] {
            assert_eq!(count(name), 1, "{case}: {events:?}");
        }
        let prompts = get(&self.server, "/api/prompts").await.unwrap();
        let [prompt] = prompts["prompts"].as_array().unwrap().as_slice() else {
            panic!("{case}: {prompts}")
        };
        let (outcome, edited) = match self.person {
            Person::Approves => ("answered", false),
            Person::Edits => ("answered", true),
            Person::Refuses => ("refused", false),
            Person::IsAway => ("expired", false),
        };
        assert_eq!(prompt["status"], outcome, "{case}");
        let audit = audit(self.dir.path());
        let [line] = audit.as_slice() else { panic!("{case}: {audit:?}") };
        assert_eq!(
            (&line["outcome"], &line["edited"]),
            (&json!(outcome), &json!(edited)),
            "{case}"
        );
        assert_eq!(line["arguments_hash"], self.hash(), "{case}");
        for made in &made {
            assert_eq!(made["run"], line["run_id"], "{case}");
            assert_eq!(made["arguments"]["number"], if edited { 2 } else { 1 }, "{case}");
        }
        let late =
            format!("/api/prompts/{}/response", prompt["prompt"]["messageId"].as_str().unwrap());
        let late = self.server.post(&late).json(&json!({"response": "yes"})).send().await.unwrap();
        assert_eq!(late.status(), 409, "{case}");
    }

    /// How often the tool must have run, and what the model must read about it.
    fn expected(&self) -> (usize, &'static str) {
        match (self.person, self.step) {
            (Person::Refuses, _) => (0, "The person refused: Not today."),
            (Person::IsAway, _) => (0, "Nobody answered in time, so it was not run."),
            // Recorded as started, but not made yet: the outcome cannot be known.
            (_, "started") => (0, "It is not known whether s_mark took effect"),
            (_, "called") => (1, "It is not known whether s_mark took effect"),
            _ => (1, "marked"),
        }
    }

    /// The calls that arrived at the tool.
    fn made(&self) -> Vec<Value> {
        let marks = std::fs::read_to_string(self.dir.path().join("marks")).unwrap_or_default();
        marks.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The hash of the approved arguments.
    fn hash(&self) -> Value {
        let number = match self.person {
            Person::Approves => 1,
            Person::Edits => 2,
            Person::Refuses | Person::IsAway => return Value::Null,
        };
        let bytes = json!({"text": self.dir.path().join("marks"), "number": number}).to_string();
        json!(HEXLOWER.encode(&Sha256::digest(bytes)))
    }

    /// The names of all events of the conversation.
    async fn events(&self) -> Vec<String> {
        let mut response = self.server.resume(&self.conversation, "0").await;
        let mut text = String::new();
        while !text.contains("event: done") {
            let chunk = tokio::time::timeout(PATIENCE, response.chunk()).await;
            text.push_str(&String::from_utf8_lossy(&chunk.unwrap().unwrap().unwrap()));
        }
        let names = text.lines().filter_map(|line| line.strip_prefix("event: "));
        names.map(str::to_owned).collect()
    }
}

fn configuration(person: Person) -> String {
    let timeout = if person == Person::IsAway { "1s" } else { "0" };
    format!(
        "[tenants.home.projects.recipes]\nrecipe_vault = false\nprompt_timeout = \"{timeout}\"\n\
         [tenants.home.projects.recipes.mcp.s]\ncommand = {:?}\n",
        faulty_program()
    )
}

/// Answers the prompts until the turn is over; returns whether the server died first.
async fn goes_on(server: &mut Server, person: Person, edited: &Value) -> bool {
    let story = async {
        loop {
            if server.is_dead() {
                return true;
            }
            if let Some(open) = get(server, "/api/prompts?status=open").await {
                let id = open["prompts"][0]["prompt"]["messageId"].as_str();
                if let (Some(id), Some(answer)) = (id, answer(person, edited)) {
                    let path = format!("/api/prompts/{id}/response");
                    // The server may stop before it can answer.
                    let _perhaps = server.post(&path).json(&answer).send().await;
                }
            }
            if is_over(server).await {
                return false;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, story).await.expect("the turn neither ends nor dies")
}

fn answer(person: Person, edited: &Value) -> Option<Value> {
    match person {
        Person::Approves => Some(json!({"response": "yes"})),
        Person::Edits => Some(json!({"response": "yes", "input": edited})),
        Person::Refuses => Some(json!({"response": "no", "reason": "Not today."})),
        Person::IsAway => None,
    }
}

async fn is_over(server: &Server) -> bool {
    let Some(list) = get(server, "/api/conversations").await else { return false };
    let Some(id) = list["conversations"][0]["id"].as_str() else { return false };
    let view = get(server, &format!("/api/conversations/{id}")).await;
    view.is_some_and(|view| view["running"] == false)
}

/// The response of a route; `None` if the server is gone.
async fn get(server: &Server, path: &str) -> Option<Value> {
    let text = server.get(path).send().await.ok()?.text().await.ok()?;
    Some(serde_json::from_str(&text).unwrap())
}
