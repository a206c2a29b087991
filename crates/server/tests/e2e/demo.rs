//! The demo model with the real Recipe Vault behind it, over HTTP, in both languages: what a person
//! sees who tries everything that it offers.

use std::collections::VecDeque;

use serde_json::{Value, json};

use crate::streams::{Event, Events};
use crate::test_app::{Settings, TestApp, json as body_of};

/// A person at a page, and what the page showed.
struct Talk<'a> {
    app: &'a TestApp,
    conversation: Option<String>,
    last: String,
    seen: String,
}

impl<'a> Talk<'a> {
    fn with(app: &'a TestApp) -> Self {
        Self { app, conversation: None, last: "0".to_owned(), seen: String::new() }
    }

    /// Begins a new conversation, as after a reload.
    fn afresh(&mut self) {
        self.conversation = None;
        self.seen.push_str("(a new conversation)\n");
    }

    async fn says(&mut self, text: &str) {
        self.says_and_answers(text, []).await;
    }

    /// Sends a message, and answers the prompts of its turn.
    async fn says_and_answers<const N: usize>(&mut self, text: &str, answers: [Value; N]) {
        let body = json!({"message": text, "conversation_id": self.conversation});
        let events = Events::of(self.app.send(&body).await);
        self.follow(events, answers.into()).await;
    }

    /// Changes the conversation's mode, as the switch on the page does.
    async fn switches_to(&mut self, mode: &str) {
        let path = format!("/api/conversations/{}", self.conversation.as_ref().unwrap());
        let changed = self.app.admin("PATCH", &path).json(&json!({"mode": mode})).send().await;
        assert_eq!(changed.unwrap().status(), 200);
        self.seen.push_str(&format!("(mode: {mode})\n"));
    }

    /// Answers the prompt that ended the turn, and reads the next turn.
    async fn decides(&mut self, answer: Value) {
        let list = self.app.admin("GET", "/api/prompts?status=open").send().await.unwrap();
        let id = body_of(list).await["prompts"][0]["prompt"]["messageId"].take();
        self.answers(id.as_str().unwrap(), &answer).await;
        let path = format!("/api/conversations/{}/events", self.conversation.as_ref().unwrap());
        let events = self.app.admin("GET", &path).header("last-event-id", &self.last);
        self.follow(Events::of(events.send().await.unwrap()), VecDeque::new()).await;
    }

    async fn answers(&mut self, prompt: &str, answer: &Value) {
        let path = format!("/api/prompts/{prompt}/response");
        let taken = self.app.admin("POST", &path).json(answer).send().await.unwrap();
        assert_eq!(taken.status(), 200, "{answer}: {}", taken.text().await.unwrap());
    }

    async fn follow(&mut self, mut events: Events, mut answers: VecDeque<Value>) {
        loop {
            let event = events.next().await.expect("a turn ends with done");
            self.last.clone_from(&event.id);
            if let Some(id) = event.data["conversation_id"].as_str() {
                self.conversation = Some(id.to_owned());
            }
            if let Some(line) = line(&event) {
                self.seen.push_str(&line);
                self.seen.push('\n');
            }
            if event.name == "done" {
                assert!(answers.is_empty(), "nobody asked: {answers:?}");
                return;
            }
            if event.name == "userPrompt"
                && let Some(answer) = answers.pop_front()
            {
                let id = event.data["messageId"].as_str().unwrap().to_owned();
                self.answers(&id, &answer).await;
            }
        }
    }
}

/// What a person sees of an event.
fn line(event: &Event) -> Option<String> {
    let data = &event.data;
    let text = |field: &str| data[field].as_str().unwrap_or_default().to_owned();
    Some(match event.name.as_str() {
        "message" if data["role"] == "user" => format!("\n> {}", text("content")),
        "message" if data["role"] == "assistant" && data["message_type"] != "tool_call" => {
            format!("{}: {}", text("message_type"), text("content"))
        }
        "tool_use" if data["status"] != "running" => {
            format!("  [{} {}]", text("tool"), text("status"))
        }
        "recipe_artifact" => "  [the panel opens]".to_owned(),
        "userPrompt" => {
            let labels = |list: &Value| -> String {
                let labels = list.as_array().into_iter().flatten();
                labels.map(|one| format!(" ({})", one["label"].as_str().unwrap())).collect()
            };
            let mut line = format!(
                "  ? {} {}{}",
                text("promptType"),
                text("question"),
                labels(&data["options"])
            );
            for step in data["steps"].as_array().into_iter().flatten() {
                let question = step["question"].as_str().unwrap();
                line.push_str(&format!("\n    - {question}{}", labels(&step["options"])));
            }
            if let Some(preview) = data.get("preview") {
                let (old, new) = (&preview["old"]["title"], &preview["new"]["title"]);
                line.push_str(&format!("\n    {}: {old} becomes {new}", preview["kind"]));
            }
            line
        }
        "userPromptClosed" => format!("  ! {}", text("outcome")),
        _ => return None,
    })
}

async fn app() -> TestApp {
    TestApp::configured(Settings {
        limits: "messages_per_minute = 1000",
        project: "prompt_timeout = \"0\"",
        agent: "kind = \"demo\"\ndemo_delay_ms = 0",
        vault: true,
        ..Settings::default()
    })
    .await
}

/// Issues 4.7 and 5.9, R-1, P-2, P-7, P-8, T-2, T-3, T-4: everything that the demo offers.
#[tokio::test]
async fn the_demo_in_english() {
    let app = app().await;
    let mut talk = Talk::with(&app);
    talk.says("What recipes do I have?").await;
    talk.says("Show me the tomato soup").await;
    talk.says("How long does it take?").await;
    talk.says("Create a recipe called Grandma's Apple Pie").await;
    talk.says("How long does it take?").await;
    talk.says("Create a recipe called Feijoada").await;
    talk.afresh();
    talk.says("How long does it take?").await;
    let no = json!({"response": "no", "reason": "I like it."});
    talk.says_and_answers("delete the tomato soup", [no]).await;
    talk.says_and_answers("delete the tomato soup", [json!({"response": "yes"})]).await;
    // The recipe is gone: the demo must not delete another one instead.
    talk.says("delete the tomato soup").await;
    talk.afresh();
    talk.says("plan a dinner for four").await;
    talk.decides(json!({"response": "refine", "reason": "Add a salad"})).await;
    talk.decides(json!({"response": "execute"})).await;
    talk.afresh();
    talk.says("what should I cook?").await;
    talk.decides(json!({"response": "Feijoada"})).await;
    let stew = json!({"response": {"title": "Lentil Stew", "servings": "6"}});
    talk.says_and_answers("add a recipe", [stew]).await;
    talk.says_and_answers("add a recipe", [json!({"response": "", "cancelled": true})]).await;
    let name = json!({"response": "Crunchy Cookies"});
    let yes = json!({"response": "yes"});
    talk.says_and_answers("rename the cookies", [name.clone(), yes]).await;
    let no = json!({"response": "no"});
    talk.says_and_answers("rename the cookies", [name, no]).await;
    talk.switches_to("plan").await;
    talk.says("delete the feijoada").await;
    insta::assert_snapshot!(talk.seen);
}

/// The same in Portuguese, including every text.
#[tokio::test]
async fn the_demo_in_portuguese() {
    let app = app().await;
    let mut talk = Talk::with(&app);
    talk.says("Quais receitas eu tenho?").await;
    talk.says("Mostre a sopa de tomate").await;
    talk.says("Quanto tempo leva?").await;
    talk.says("Crie uma receita chamada Bolo de Cenoura").await;
    talk.says("Quanto tempo leva?").await;
    talk.says("Crie uma receita chamada Feijoada").await;
    talk.afresh();
    talk.says("Quanto tempo leva?").await;
    talk.says_and_answers("Apague a sopa de tomate", [json!({"response": "no"})]).await;
    talk.says_and_answers("Apague a sopa de tomate", [json!({"response": "yes"})]).await;
    talk.says("Apague a sopa de tomate").await;
    talk.afresh();
    talk.says("Planeje um jantar para quatro").await;
    talk.decides(json!({"response": "refine", "reason": "Inclua uma salada"})).await;
    talk.decides(json!({"response": "execute"})).await;
    talk.afresh();
    talk.says("O que devo cozinhar?").await;
    talk.decides(json!({"response": "Feijoada"})).await;
    let caldo = json!({"response": {"title": "Caldo Verde", "servings": "6"}});
    talk.says_and_answers("Adicione uma receita", [caldo]).await;
    talk.says_and_answers("Adicione uma receita", [json!({"response": "", "cancelled": true})])
        .await;
    let name = json!({"response": "Cookies crocantes"});
    talk.says_and_answers("Renomeie os cookies", [name.clone(), json!({"response": "yes"})]).await;
    talk.says_and_answers("Renomeie os cookies", [name, json!({"response": "no"})]).await;
    talk.switches_to("plan").await;
    talk.says("Apague a feijoada").await;
    insta::assert_snapshot!(talk.seen);
}
