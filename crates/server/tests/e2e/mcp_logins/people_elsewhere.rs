//! Whose login a call carries when it is made later, elsewhere, or with the yes of somebody else
//! (I-5, E-2); and how many connections of people there are.

use std::any::Any;
use std::collections::HashMap;
use std::future::ready;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use parlor_agent::tools::{ToolCall, ToolFuture, ToolOutcome, Tools};
use parlor_mcp::{Login, LoginStanding, LoginStore, McpHost, McpServerSettings, PersonLimits};
use parlor_protocol::PersonId;
use secrecy::SecretString;
use serde_json::{Value, json};
use uuid::Uuid;

use super::household::{Household, LOGINS, Member, join, needs_login, obedient};
use super::{GuardedServer, sent_back};
use crate::mcp::{outcome, until as until_so};
use crate::nodes::cluster::{Channel, Cluster};
use crate::server_process::Server;
use crate::test_app::{PATIENCE, supervisor};

/// Ana begins a turn in a conversation that she shares, which waits for a yes; returns the prompt.
async fn asked(server: &Server, ana: &Member) -> (Value, String) {
    let mut events = ana.send(server, &json!({"message": "use read"})).await;
    let start = events.find("start").await;
    let conversation = start.data["conversation_id"].as_str().unwrap().to_owned();
    let prompt = events.find("userPrompt").await.data;
    let path = format!("/api/conversations/{conversation}");
    let shared = server.patch_as(&path, &ana.cookie).json(&json!({"visibility": "tenant"}));
    assert_eq!(shared.send().await.unwrap().status(), 200);
    (prompt, conversation)
}

/// Somebody says yes; returns once the turn is over.
async fn says_yes(server: &Server, who: &Member, prompt: &Value, conversation: &str) {
    let path = format!("/api/prompts/{}/response", prompt["messageId"].as_str().unwrap());
    let answer = who.post(server, &path).json(&json!({"response": "yes"})).send().await.unwrap();
    assert_eq!(answer.status(), 200, "{}", answer.text().await.unwrap());
    server.until_idle(conversation).await;
}

/// I-5, P-9: Ana's call waits for a yes, the server is killed, and Bob says yes after the restart: the
/// call carries Ana's login.
#[tokio::test]
async fn whoever_answers_lends_no_login() {
    let household = Household::that_asks().await;
    let server = household.start().await;
    let (ana, bob) = (join(&server, "Ana").await, join(&server, "Bob").await);
    ana.log_in(&server).await;
    bob.log_in(&server).await;
    let (prompt, conversation) = asked(&server, &ana).await;
    server.kill();
    let server = household.start().await;
    says_yes(&server, &bob, &prompt, &conversation).await;
    assert_eq!(household.calls(), [("ana".to_owned(), "read".to_owned())]);
    // Nor does it when the person has none any more.
    let (prompt, conversation) = asked(&server, &ana).await;
    let ended = server.delete(&format!("{LOGINS}/{}", ana.id)).send().await.unwrap();
    assert_eq!(ended.status(), 204);
    says_yes(&server, &bob, &prompt, &conversation).await;
    assert_eq!(household.calls().len(), 1, "Bob's login was not used in its place");
    household.assert_nothing_broken();
}

/// I-5, E-2: of several nodes each uses the logins that were made at another; a turn that is taken
/// over keeps its person; a login that ends at one node is not used by another.
#[tokio::test]
async fn nodes_share_the_logins_of_people() {
    let mail = GuardedServer::start().await;
    let section = mail.section_of_people().replace("action = \"allow\"", "action = \"ask\"");
    let Some(mut cluster) = Cluster::with(Channel::Postgres, &section).await else { return };
    cluster.model = obedient(&Default::default()).await;
    let secret = [("PARLOR_SECRET_KEY", "the-same-on-each-node-0123456789abcdef")];
    let (a, b) = (cluster.node_with("a", &secret).await, cluster.node_with("b", &secret).await);
    let (ana, bob) = (join(&a, "Ana").await, join(&a, "Bob").await);
    ana.log_in(&a).await;
    bob.log_in(&b).await;
    assert_eq!([ana.state(&b).await, bob.state(&a).await], ["logged_in", "logged_in"]);
    let calls = || mail.seen(|seen| seen.calls.clone());
    let (prompt, conversation) = asked(&b, &ana).await;
    says_yes(&a, &bob, &prompt, &conversation).await;
    assert_eq!(calls().pop().unwrap().0, "ana");
    let (prompt, conversation) = asked(&a, &ana).await;
    a.kill();
    says_yes(&b, &bob, &prompt, &conversation).await;
    assert_eq!((calls().len(), calls().pop().unwrap().0), (2, "ana".to_owned()));
    let a = cluster.node_with("a", &secret).await;
    let (prompt, conversation) = asked(&a, &ana).await;
    assert_eq!(b.delete(&format!("{LOGINS}/{}", ana.id)).send().await.unwrap().status(), 204);
    says_yes(&a, &ana, &prompt, &conversation).await;
    let view = ana.get(&a, &format!("/api/conversations/{conversation}")).send().await.unwrap();
    let view: Value = serde_json::from_str(&view.text().await.unwrap()).unwrap();
    assert!(view["messages"].as_array().unwrap().iter().any(needs_login), "{view}");
    assert_eq!(calls().len(), 2, "a node does not go on with what it had");
    assert_eq!(mail.seen(|seen| seen.broken.clone()), Vec::<String>::new());
}

/// Logins in memory.
#[derive(Debug, Default, Clone)]
struct Memory {
    logins: Arc<Mutex<HashMap<PersonId, (String, SecretString)>>>,
    person: Option<PersonId>,
}

impl Memory {
    fn own(&self) -> Option<(String, SecretString)> {
        self.logins.lock().unwrap().get(&self.person?).cloned()
    }

    fn keep(&self, id: Option<String>, login: SecretString) {
        let mut logins = self.logins.lock().unwrap();
        let id = id.unwrap_or_else(|| Uuid::new_v4().to_string());
        logins.insert(self.person.unwrap(), (id, login));
    }
}

impl LoginStore for Memory {
    fn load(&self, _: &str) -> ToolFuture<Result<Option<SecretString>, String>> {
        Box::pin(ready(Ok(self.own().map(|own| own.1))))
    }

    fn save(&self, _: &str, login: SecretString) -> ToolFuture<Result<(), String>> {
        self.keep(None, login);
        Box::pin(ready(Ok(())))
    }

    fn renew(&self, _: &str, login: SecretString) -> ToolFuture<Result<(), String>> {
        self.keep(self.own().map(|own| own.0), login);
        Box::pin(ready(Ok(())))
    }

    fn clear(&self, _: &str) -> ToolFuture<Result<(), String>> {
        self.logins.lock().unwrap().remove(&self.person.unwrap());
        Box::pin(ready(Ok(())))
    }

    fn renewing(&self, _: &str) -> ToolFuture<Result<Box<dyn Any + Send + Sync>, String>> {
        Box::pin(ready(Ok(Box::new(()) as Box<dyn Any + Send + Sync>)))
    }

    fn standing(&self, _: &str) -> ToolFuture<Result<Option<LoginStanding>, String>> {
        let own = self.own().map(|(id, _)| LoginStanding { id, refused: None });
        Box::pin(ready(Ok(own)))
    }

    fn refused(&self, _: &str, _: Option<String>) -> ToolFuture<Result<(), String>> {
        Box::pin(ready(Ok(())))
    }

    fn of_person(&self, person: PersonId) -> Arc<dyn LoginStore> {
        Arc::new(Self { person: Some(person), ..self.clone() })
    }
}

/// I-5: there are so many connections of people to a server at most: whoever has not used theirs for
/// longest gives way. One that is not used is closed, and one of an earlier login is never used.
#[tokio::test]
async fn connections_of_people_are_few_and_end() {
    let _installed = rustls::crypto::ring::default_provider().install_default();
    let mail = GuardedServer::start().await;
    let settings: McpServerSettings = serde_json::from_value(json!({
        "url": format!("{}/mcp", mail.base), "allow_private_addresses": true, "login": "person",
    }))
    .unwrap();
    let login = Login::Later {
        redirect_uri: "http://127.0.0.1/back".to_owned(),
        client_metadata_url: None,
        store: Arc::new(Memory::default()),
    };
    let servers = [("mail", &settings)];
    let host =
        McpHost::with_login("test", servers, &supervisor(), &|_| None, Some(&login)).unwrap();
    let (idle, look) = (Duration::from_secs(3600), Duration::from_millis(20));
    host.limit_people(PersonLimits { most: 2, idle, look });
    host.start();
    let people = ["ana", "bob", "carl"].map(|name| (name, PersonId::new(Uuid::new_v4())));
    let log_in = async |name: &str, person: PersonId| {
        let begun = host.begin_login("mail", Some(person)).await.unwrap();
        let back = sent_back(&format!("{}&account={name}", begun.address)).await;
        host.finish_login("mail", Some(person), &begun.attempt, &back).await.unwrap();
    };
    let read = async |person: PersonId| {
        let tools = host.of_person(Some(person)).unwrap();
        tools.settle().await;
        let call = ToolCall {
            tool: "mail_read".to_owned(),
            arguments: serde_json::Map::new(),
            run: Uuid::new_v4(),
        };
        let ended = outcome(tools.call(call)).await;
        assert!(matches!(ended, ToolOutcome::Answered { .. }), "{ended:?}");
        mail.seen(|seen| seen.calls.last().unwrap().0.clone())
    };
    for (name, person) in people {
        log_in(name, person).await;
        assert_eq!(read(person).await, name);
    }
    assert_eq!(host.person_servers(), [("mail".to_owned(), 2)], "the first gave way");
    let ended = || mail.seen(|seen| seen.ended_sessions.clone());
    until_so("the session of whoever gave way ends", || ended() == ["ana"]).await;
    // Bob logs in once more, with another account: nothing of the old connection is used.
    log_in("bobby", people[1].1).await;
    assert_eq!(read(people[1].1).await, "bobby");
    host.limit_people(PersonLimits { most: 2, idle: Duration::from_millis(50), look });
    assert_eq!(read(people[0].1).await, "ana");
    until_so("an idle session ends", || ended().iter().filter(|who| *who == "ana").count() == 2)
        .await;
    assert_eq!(read(people[0].1).await, "ana", "and is begun again");
    let shared = host.of_person(None).unwrap();
    let call = ToolCall {
        tool: "mail_read".to_owned(),
        arguments: serde_json::Map::new(),
        run: Uuid::new_v4(),
    };
    let refused = outcome(shared.call(call)).await;
    assert!(matches!(refused, ToolOutcome::LoginNeeded(_)), "{refused:?}");
    assert_eq!(mail.seen(|seen| seen.broken.clone()), Vec::<String>::new());
    host.close(PATIENCE).await;
    assert_eq!(host.person_servers(), [("mail".to_owned(), 0)]);
}
