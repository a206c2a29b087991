//! Prompts that name who answers them (Y-2).

use parlor_testkit::Script;
use serde_json::{Value, json};

use crate::nodes::cluster::{Channel, Cluster, answer, begin, open_prompt};
use crate::people::{invite, join};
use crate::seen::Seen;
use crate::server_process::Server;
use crate::sockets::{HOME, Socket};
use crate::streams::Events;
use crate::test_app::{Settings, TestApp, json as body_of, refusal};

const ROLES: &str = "[tenants.home]\nroles = [\"cook\", \"waiter\"]\n";

fn delete_needs(approvers: &str) -> String {
    format!(
        "{ROLES}[tenants.home.projects.recipes.mcp.recipes.tools.delete_recipe]\n\
         approvers = {approvers}\n"
    )
}

async fn app(more: &str) -> TestApp {
    let limits = "messages_per_minute = 1000";
    let project = "prompt_timeout = \"0\"";
    let settings = Settings { limits, project, more, vault: true, ..Settings::default() };
    TestApp::configured(settings).await
}

/// Somebody with these roles.
struct Person<'a> {
    app: &'a TestApp,
    key: String,
    id: String,
}

impl<'a> Person<'a> {
    async fn new(app: &'a TestApp, name: &str, roles: &[&str]) -> Self {
        let link = invite(app, "user").await;
        join(app, &link, name, &format!("{name}'s own password")).await;
        let key = app.parlor(&["keys", "create", "--person", name, "--name", "script"], "").await;
        let me =
            body_of(app.request("GET", "/api/me").header("x-api-key", &key).send().await.unwrap());
        let id = me.await["person"]["id"].as_str().unwrap().to_owned();
        let person = Self { app, key, id };
        person.set_roles(roles).await;
        person
    }

    async fn set_roles(&self, roles: &[&str]) {
        let path = format!("/api/people/{}", self.id);
        let set = self.app.admin("PATCH", &path).json(&json!({"roles": roles})).send().await;
        let set = set.unwrap();
        assert_eq!(set.status(), 200);
        assert_eq!(body_of(set).await["roles"], json!(roles));
    }

    fn ask(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        self.app.request(method, path).header("x-api-key", &self.key)
    }

    /// Asks for a recipe to be deleted; returns the events and the prompt.
    async fn delete(&self) -> (Events, Value) {
        let body = json!({"message": "Delete it"});
        let request = self.ask("POST", "/api/chat").json(&body);
        let mut events = Events::of(request.send().await.unwrap());
        let prompt = events.find("userPrompt").await.data;
        (events, prompt)
    }

    async fn answer(&self, prompt: &Value, answer: Value) -> reqwest::Response {
        let path = format!("/api/prompts/{}/response", id_of(prompt));
        self.ask("POST", &path).json(&answer).send().await.unwrap()
    }

    async fn refused(&self, prompt: &Value, answer: Value) -> (u16, String) {
        refusal(self.answer(prompt, answer).await).await
    }

    /// The prompts that wait for them.
    async fn waiting(&self) -> Vec<Value> {
        let list = self.ask("GET", "/api/prompts?status=open").send().await.unwrap();
        body_of(list).await["prompts"].as_array().unwrap().clone()
    }
}

fn id_of(prompt: &Value) -> &str {
    prompt["messageId"].as_str().unwrap()
}

fn yes() -> Value {
    json!({"response": "yes"})
}

/// The model deletes the first recipe of the vault, then says so; returns the recipe.
async fn script(app: &TestApp) -> String {
    let recipes = body_of(app.admin("GET", "/api/recipes").send().await.unwrap()).await;
    let recipe = recipes["recipes"][0]["id"].as_str().unwrap().to_owned();
    let input = json!({"recipe_id": recipe});
    app.model.push(Script::answer().tool_use("t1", "delete_recipe", &input));
    app.model.push(Script::answer().text("It is gone."));
    recipe
}

/// Y-2: a call that needs somebody else with a role. Who asked is refused, who has not the role does not
/// even see it; who has it reads the prompt and nothing else of the conversation, and answers.
#[tokio::test]
async fn somebody_else_with_the_role_answers() {
    let app = app(&delete_needs(r#"["role:cook", "other"]"#)).await;
    let ana = Person::new(&app, "Ana", &["cook"]).await;
    let bob = Person::new(&app, "Bob", &["waiter"]).await;
    let cleo = Person::new(&app, "Cleo", &["cook"]).await;
    let recipe = script(&app).await;
    let (mut events, prompt) = ana.delete().await;
    let wanted = json!({"roles": ["cook"], "other": true, "asked_by": ana.id});
    assert_eq!(prompt["approvers"], wanted);
    let not_approver = (403, "not_approver".to_owned());
    let not_found = (404, "not_found".to_owned());
    assert_eq!(ana.refused(&prompt, yes()).await, not_approver);
    assert_eq!(bob.refused(&prompt, yes()).await, not_found);
    let query = format!("{HOME}?conversation_id={}", prompt["conversation_id"].as_str().unwrap());
    let mut socket = Socket::with(&app, &query, &[("x-api-key", &ana.key)]).await.unwrap();
    let said =
        json!({"type": "userPromptResponse", "messageId": prompt["messageId"], "response": "yes"});
    socket.send(&said).await;
    assert_eq!(socket.find("error").await["code"], "not_approver");

    assert!(bob.waiting().await.is_empty());
    let hers = ana.waiting().await;
    assert_eq!((hers.len(), &hers[0]["unseen"]), (1, &Value::Null));
    let [shown] = &cleo.waiting().await[..] else { panic!("the prompt waits for Cleo") };
    assert_eq!((&shown["unseen"], &shown["prompt"]), (&json!(true), &prompt));
    let conversation =
        format!("/api/conversations/{}", prompt["conversation_id"].as_str().unwrap());
    for path in [conversation.clone(), format!("{conversation}/events")] {
        let seen = cleo.ask("GET", &path).send().await.unwrap();
        assert_eq!(refusal(seen).await, not_found, "{path}");
    }
    let one = format!("/api/prompts/{}", id_of(&prompt));
    let read = body_of(cleo.ask("GET", &one).send().await.unwrap()).await;
    assert_eq!(&read["prompt"], &prompt);
    let input = json!({"input": {"recipe_id": recipe}});
    let preview = cleo.ask("POST", &format!("{one}/preview")).json(&input).send().await.unwrap();
    assert_eq!(preview.status(), 200);
    let longer = cleo.ask("POST", &format!("{one}/extend")).json(&json!({})).send().await.unwrap();
    assert_eq!(refusal(longer).await, not_found, "only those who see it keep it waiting");
    let other = app.other_tenants_key("admin").await;
    let theirs = app.request("GET", &one).header("x-api-key", &other).send().await.unwrap();
    assert_eq!(refusal(theirs).await, not_found);

    let always = json!({"response": "yes", "remember": "conversation"});
    assert_eq!(cleo.refused(&prompt, always).await, (422, "answer_invalid".to_owned()));
    cleo.set_roles(&["waiter"]).await;
    assert_eq!(cleo.refused(&prompt, yes()).await, not_found, "a role holds as long as it is hers");
    cleo.set_roles(&["cook", "waiter"]).await;
    assert_eq!(cleo.answer(&prompt, yes()).await.status(), 200);
    let rest = events.rest().await;
    let closed = rest.iter().find(|event| event.name == "userPromptClosed").unwrap();
    assert_eq!(closed.data["answered_by"], "Cleo");
    assert!(rest.iter().any(|event| event.name == "done"));
    let gone = app.admin("GET", &format!("/api/recipes/{recipe}")).send().await.unwrap();
    assert_eq!(gone.status(), 404);
    let decisions = app.admin("GET", "/api/admin/decisions").send().await.unwrap();
    assert_eq!(body_of(decisions).await["decisions"][0]["answered_by"], "Cleo");
    let again = Person::refused(&cleo, &prompt, yes()).await;
    assert_eq!(again, (409, "prompt_closed".to_owned()));
}

/// Y-2: what was asked from the shared login is nobody's in particular, so that nobody is somebody else;
/// what names administrators is answered by them, also where they only read.
#[tokio::test]
async fn the_shared_login_is_nobody_in_particular() {
    let app = app(&delete_needs(r#"["other"]"#)).await;
    let ana = Person::new(&app, "Ana", &[]).await;
    script(&app).await;
    let response = app.send(&json!({"message": "Delete it"})).await;
    let prompt = Events::of(response).find("userPrompt").await.data;
    assert_eq!(prompt["approvers"], json!({"other": true}));
    assert_eq!(ana.refused(&prompt, yes()).await.1, "not_approver");
    let path = format!("/api/prompts/{}/response", id_of(&prompt));
    let answer = app.admin("POST", &path).json(&yes()).send().await.unwrap();
    assert_eq!(refusal(answer).await, (403, "not_approver".to_owned()));
}

/// Y-2: a project names approvers for all of its tools; an administrator answers in a conversation that
/// they do not see, and may allow it for the rest of it.
#[tokio::test]
async fn a_project_names_approvers_for_all_tools() {
    let project = "prompt_timeout = \"0\"\napprovers = [\"admin\"]";
    let limits = "messages_per_minute = 1000";
    let settings = Settings { limits, project, vault: true, ..Settings::default() };
    let app = TestApp::configured(settings).await;
    let ana = Person::new(&app, "Ana", &[]).await;
    script(&app).await;
    let (mut events, prompt) = ana.delete().await;
    assert_eq!(prompt["approvers"]["admin"], true);
    let always = json!({"response": "yes", "remember": "conversation"});
    assert_eq!(ana.refused(&prompt, always.clone()).await.1, "not_approver");
    let path = format!("/api/prompts/{}/response", id_of(&prompt));
    let answer = app.admin("POST", &path).json(&always).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    events.rest().await;
    let conversation = prompt["conversation_id"].as_str().unwrap();
    let path = format!("/api/conversations/{conversation}/allowances");
    let allowed = body_of(ana.ask("GET", &path).send().await.unwrap()).await;
    assert_eq!(allowed["allowances"][0]["tool"], "delete_recipe");
}

/// Y-2: roles that are not of the tenant are refused, in the configuration and for people.
#[tokio::test]
async fn unknown_roles_are_refused() {
    let app = app(ROLES).await;
    let ana = Person::new(&app, "Ana", &[]).await;
    let path = format!("/api/people/{}", ana.id);
    for (change, status) in [
        (json!({"roles": ["driver"]}), 400),
        (json!({"roles": ["Cook"]}), 400),
        (json!({"roles": "cook"}), 400),
        (json!({}), 400),
    ] {
        let refused = app.admin("PATCH", &path).json(&change).send().await.unwrap();
        assert_eq!(refusal(refused).await.0, status, "{change}");
    }
    let own = ana.ask("PATCH", &path).json(&json!({"roles": ["cook"]})).send().await.unwrap();
    assert_eq!(refusal(own).await, (403, "forbidden".to_owned()));
}

/// Y-2, N-1: a prompt that names who answers it waits through a kill, and is answered by them after it.
#[tokio::test]
async fn it_waits_through_a_kill() {
    let dir = tempfile::tempdir().unwrap();
    let model = parlor_testkit::ScriptedModel::start().await.unwrap();
    model.always(Script::answer().text("It is done."));
    let more = "[tenants.home.projects.recipes]\nprompt_timeout = \"0\"\napprovers = [\"admin\"]\n";
    let server = Server::start_with(dir.path(), &model, more, &[]).await;
    let recipes = body_of(server.get("/api/recipes").send().await.unwrap()).await;
    let input = json!({"recipe_id": recipes["recipes"][0]["id"]});
    model.push(Script::answer().tool_use("t1", "delete_recipe", &input));
    let mut events =
        crate::streams::Events::of(server.send(&json!({"message": "Delete it"})).await);
    let prompt = events.find("userPrompt").await.data;
    server.kill();
    let server = Server::start_with(dir.path(), &model, more, &[]).await;
    let path = format!("/api/prompts/{}", id_of(&prompt));
    let kept = body_of(server.get(&path).send().await.unwrap()).await;
    assert_eq!(kept["prompt"]["approvers"], json!({"admin": true}));
    let answered = server.post(&format!("{path}/response")).json(&yes()).send().await.unwrap();
    assert_eq!(answered.status(), 200);
    server.kill();
}

/// Y-2, E-2: a prompt of one node is listed and answered on another.
#[tokio::test]
async fn it_is_answered_on_another_node() {
    let more = "[tenants.home.projects.recipes.mcp.s.tools.\"*\"]\napprovers = [\"admin\"]\n";
    let Some(cluster) = Cluster::with(Channel::Postgres, more).await else { return };
    let (a, b) = (cluster.node("a").await, cluster.node("b").await);
    cluster.model.push(Script::answer().tool_use("t1", "s_mark", &cluster.mark()));
    cluster.model.push(Script::answer().text("Done."));
    let (_, mut events) = begin(&a, "Mark it").await;
    let prompt = open_prompt(&b).await;
    let read = body_of(b.get(&format!("/api/prompts/{prompt}")).send().await.unwrap()).await;
    assert_eq!(read["prompt"]["approvers"], json!({"admin": true}));
    let cookie = a.log_in("a-family-password").await;
    let path = format!("/api/prompts/{prompt}/response");
    let refused = b.anonymous_post(&path).header("cookie", &cookie).json(&yes()).send().await;
    assert_eq!(refusal(refused.unwrap()).await, (403, "not_approver".to_owned()));
    assert_eq!(answer(&b, &prompt, &yes()).await, 200);
    events.until_done(&mut Seen::default()).await;
    assert_eq!(cluster.marks().len(), 1);
}
