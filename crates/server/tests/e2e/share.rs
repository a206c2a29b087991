//! Links to share (Y-2): what they show, who may open them, and how they end.

use std::time::{Duration, Instant};

use parlor_testkit::{Script, ScriptedModel};
use serde_json::{Value, json};

use crate::nodes::cluster::{Channel, Cluster, begin};
use crate::people::{invite, join};
use crate::seen::Seen;
use crate::server_process::Server;
use crate::streams::Events;
use crate::test_app::{Settings, TestApp, json as body_of, refusal};

const GIF: &str = "R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAkQBADs=";
const ANYONE: &str = "[tenants.home]\nshare_links = \"anyone\"";

async fn app(more: &str) -> TestApp {
    let limits = "messages_per_minute = 1000";
    TestApp::configured(Settings { limits, more, vault: true, ..Settings::default() }).await
}

/// Somebody new; returns a key of theirs.
async fn somebody(app: &TestApp, name: &str) -> String {
    let link = invite(app, "user").await;
    join(app, &link, name, &format!("{name}'s own password")).await;
    app.parlor(&["keys", "create", "--person", name, "--name", "script"], "").await
}

/// Somebody's conversation.
struct Talk<'a> {
    app: &'a TestApp,
    key: String,
    id: String,
}

impl<'a> Talk<'a> {
    async fn begin(app: &'a TestApp, key: &str, body: Value) -> (Self, Vec<crate::streams::Event>) {
        let request = app.request("POST", "/api/chat").header("x-api-key", key).json(&body);
        let events = Events::of(request.send().await.unwrap()).rest().await;
        let id = events[0].data["conversation_id"].as_str().unwrap().to_owned();
        (Self { app, key: key.to_owned(), id }, events)
    }

    async fn say(&self, mut body: Value) {
        body["conversation_id"] = json!(self.id);
        let request = self.ask("POST", "/api/chat").json(&body);
        Events::of(request.send().await.unwrap()).rest().await;
    }

    fn ask(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        self.app.request(method, path).header("x-api-key", &self.key)
    }

    fn links(&self) -> String {
        format!("/api/conversations/{}/links", self.id)
    }

    /// Makes a link; returns its token and its id.
    async fn share(&self, wish: Value) -> (String, String) {
        let made = self.ask("POST", &self.links()).json(&wish).send().await.unwrap();
        assert_eq!(made.status(), 201);
        let made = body_of(made).await;
        let link = made["link"].as_str().unwrap();
        let token = link.rsplit_once("/s/").unwrap().1.to_owned();
        (token, made["id"].as_str().unwrap().to_owned())
    }

    async fn take_back(&self, link: &str) {
        let path = format!("{}/{link}", self.links());
        assert_eq!(self.ask("DELETE", &path).send().await.unwrap().status(), 204);
    }
}

/// What a link shows to somebody without an account.
async fn opened(app: &TestApp, token: &str) -> Value {
    let response = app.request("GET", &format!("/api/shared/{token}")).send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert!(response.headers().get("set-cookie").is_none());
    for (name, value) in [
        ("x-robots-tag", "noindex, nofollow"),
        ("referrer-policy", "no-referrer"),
        ("cache-control", "no-store"),
    ] {
        assert_eq!(response.headers()[name], value, "{name}");
    }
    body_of(response).await
}

/// Every address of a token is the same 404, in words too; what it says.
async fn not_found(app: &TestApp, token: &str) -> String {
    let mut said = Vec::new();
    for rest in ["", "?again=true", "/events", "/images/0198c5a2-7b1e-7cc0-8000-000000000000"] {
        let path = format!("/api/shared/{token}{rest}");
        let response = app.request("GET", &path).send().await.unwrap();
        assert_eq!(response.status(), 404, "{path}");
        said.push(response.text().await.unwrap());
    }
    let page = app.request("GET", &format!("/s/{token}")).header("accept", "text/html");
    let page = page.send().await.unwrap();
    assert_eq!(
        (page.status().as_u16(), &page.headers()["referrer-policy"]),
        (404, &"no-referrer".parse().unwrap())
    );
    said.push(page.text().await.unwrap());
    said.join("\n")
}

fn texts(view: &Value) -> Vec<&str> {
    let messages = view["messages"].as_array().unwrap();
    messages.iter().map(|message| message["content"].as_str().unwrap()).collect()
}

/// Y-2: a link shows what was said up to then, with its picture, and nothing else: no other version, no
/// thoughts, no arguments, no approval, no id of the conversation. What follows is shown by a link for
/// that, and what tools gave back by one that was made so.
#[tokio::test]
async fn a_link_shows_what_was_said_and_nothing_else() {
    let app = app(ANYONE).await;
    let ana = somebody(&app, "Ana").await;
    app.model.push(Script::answer().text("A first answer."));
    let image = json!({"data": GIF, "media_type": "image/gif"});
    let first = json!({"message": "my first try", "image": image});
    let (talk, events) = Talk::begin(&app, &ana, first).await;
    let said = events.iter().find(|event| event.name == "message").unwrap().data.clone();
    let recipes = body_of(talk.ask("GET", "/api/recipes").send().await.unwrap()).await;
    let argument = recipes["recipes"][0]["id"].as_str().unwrap();
    let input = json!({"recipe_id": argument});
    let thought = Script::answer().thinking("a secret thought");
    app.model.push(thought.tool_use("t1", "get_recipe", &input));
    app.model.push(Script::answer().text("There are recipes."));
    talk.say(json!({"message": "my second try", "edit_of": said["id"]})).await;
    let (token, _) = talk.share(json!({"audience": "anyone"})).await;
    let whole = json!({"audience": "anyone", "follows": true, "results": true});
    let (live, _) = talk.share(whole).await;
    app.model.push(Script::answer().text("later words"));
    talk.say(json!({"message": "a later question"})).await;
    let path = format!("/api/conversations/{}", talk.id);
    talk.ask("PATCH", &path).json(&json!({"title": "a later title"})).send().await.unwrap();

    let view = opened(&app, &token).await;
    assert_eq!(texts(&view), ["my second try", "", "There are recipes."]);
    assert_eq!((&view["title"], &view["running"]), (&json!("my first try"), &json!(false)));
    assert_eq!(view["messages"][1]["data"]["name"], "get_recipe");
    assert_eq!(view["messages"][1]["data"]["output"], Value::Null);
    let text = view.to_string();
    for hidden in [&*talk.id, argument, "secret", "A first answer", "later", "Ana", "prompt"] {
        assert!(!text.contains(hidden), "{hidden}: {text}");
    }
    let view = opened(&app, &live).await;
    assert_eq!(texts(&view).last(), Some(&"later words"));
    assert_eq!(view["title"], "a later title");
    let title = recipes["recipes"][0]["title"].as_str().unwrap();
    assert!(view["messages"][1]["content"].as_str().unwrap().contains(title), "{view}");
    assert!(!view.to_string().contains("secret"), "{view}");

    // The picture of the version that is shown, and no other picture.
    let picture = |token: &str, id: &Value| {
        let path = format!("/api/shared/{token}/images/{}", id.as_str().unwrap());
        app.request("GET", &path).send()
    };
    let shown = &view["messages"][0]["metadata"]["image"]["id"];
    let got = picture(&token, shown).await.unwrap();
    assert_eq!(
        (got.status().as_u16(), &got.headers()["content-type"]),
        (200, &"image/gif".parse().unwrap())
    );
    let bare = Talk::begin(&app, &ana, json!({"message": "another"})).await.0;
    let (other, _) = bare.share(json!({"audience": "anyone"})).await;
    assert_eq!(picture(&other, shown).await.unwrap().status(), 404, "of another conversation");

    let page = app.request("GET", &format!("/s/{token}")).send().await.unwrap();
    assert!(page.status() == 200 || page.status() == 303, "the page, if it was built");
    assert_eq!(page.headers()["referrer-policy"], "no-referrer");
    for method in ["POST", "PUT", "PATCH", "DELETE"] {
        let request = app.request(method, &format!("/api/shared/{token}"));
        assert_eq!(request.send().await.unwrap().status(), 405, "{method}");
    }
    let chat = app.request("GET", &path).header("x-api-key", &token).send().await.unwrap();
    assert_eq!(chat.status(), 401, "the token is no key");
}

/// Y-2: a call that waits for an answer is not shown, and cannot be answered with a link.
#[tokio::test]
async fn what_waits_is_not_shown() {
    let app = app(ANYONE).await;
    let ana = somebody(&app, "Ana").await;
    let input = json!({"recipe_id": "0198c5a2-7b1e-7cc0-8000-000000000000"});
    let call = Script::answer().text("One moment.").tool_use("t1", "delete_recipe", &input);
    app.model.push(call);
    let body = json!({"message": "Delete it"});
    let request = app.request("POST", "/api/chat").header("x-api-key", &ana).json(&body);
    let mut events = Events::of(request.send().await.unwrap());
    let prompt = events.find("userPrompt").await.data;
    let id = prompt["conversation_id"].as_str().unwrap().to_owned();
    let talk = Talk { app: &app, key: ana, id };
    let (token, _) =
        talk.share(json!({"audience": "anyone", "follows": true, "results": true})).await;
    let view = opened(&app, &token).await;
    assert_eq!(texts(&view), ["Delete it", "One moment."]);
    assert_eq!(view["running"], true);
    let text = view.to_string();
    for hidden in ["delete_recipe", "0198c5a2", prompt["messageId"].as_str().unwrap()] {
        assert!(!text.contains(hidden), "{hidden}: {text}");
    }
    let path = format!("/api/prompts/{}/response", prompt["messageId"].as_str().unwrap());
    let answer = app.request("POST", &path).header("x-api-key", &token);
    let answer = answer.json(&json!({"response": "yes"})).send().await.unwrap();
    assert_eq!(refusal(answer).await, (401, "unauthorized".to_owned()));
}

/// Y-2: links that were never made, expired, were taken back, or whose conversation or maker is gone are
/// the same 404. Who made and who took back one is on record, without the token or the title.
#[tokio::test]
async fn a_link_ends_and_says_nothing() {
    let app = app(ANYONE).await;
    let (ana, bob) = (somebody(&app, "Ana").await, somebody(&app, "Bob").await);
    let (hers, _) = Talk::begin(&app, &ana, json!({"message": "her soup"})).await;
    let (his, _) = Talk::begin(&app, &bob, json!({"message": "his cake"})).await;
    let anyone = || json!({"audience": "anyone"});
    let (taken, id) = hers.share(anyone()).await;
    let (deleted, _) = hers.share(anyone()).await;
    let (disabled, _) = his.share(anyone()).await;
    let unknown = not_found(&app, "share_nothing").await;
    for token in [&taken, &deleted, &disabled] {
        opened(&app, token).await;
    }
    let again = format!("/api/shared/{taken}?again=true");
    assert_eq!(app.request("GET", &again).send().await.unwrap().status(), 200);
    let listed = body_of(hers.ask("GET", &hers.links()).send().await.unwrap()).await;
    let listed = listed["links"].as_array().unwrap();
    let first = listed.iter().find(|link| link["id"] == *id).unwrap();
    assert_eq!((&first["made_by"], &first["opened"]), (&json!("Ana"), &json!(1)));
    assert!(first["last_opened_at"].as_i64().unwrap() >= first["created_at"].as_i64().unwrap());
    assert!(!json!(listed).to_string().contains("share_"), "the address is shown once");

    hers.take_back(&id).await;
    hers.ask("DELETE", &format!("/api/conversations/{}", hers.id)).send().await.unwrap();
    let people = body_of(app.admin("GET", "/api/people").send().await.unwrap()).await;
    let people = people["people"].as_array().unwrap().clone();
    let person = people.iter().find(|person| person["name"] == "Bob").unwrap();
    let path = format!("/api/people/{}", person["id"].as_str().unwrap());
    let out = app.admin("PATCH", &path).json(&json!({"disabled": true})).send().await.unwrap();
    assert_eq!(out.status(), 200);
    let long = "x".repeat(3000);
    for token in [&*taken, &*deleted, &*disabled, "share_", "%00", "\u{e9}", &*long] {
        assert_eq!(not_found(&app, token).await, unknown, "{token}");
    }
    let acts = body_of(app.admin("GET", "/api/admin/acts").send().await.unwrap()).await.to_string();
    for (said, times) in [("link_made", 3), ("link_taken_back", 1), ("her soup", 0), ("share_", 0)]
    {
        assert_eq!(acts.matches(said).count(), times, "{said}: {acts}");
    }
}

/// Y-2: without a setting a link is for people who are logged in, and for nobody of another tenant.
#[tokio::test]
async fn by_default_nothing_leaves_the_tenant() {
    let app = app("").await;
    let (ana, bob) = (somebody(&app, "Ana").await, somebody(&app, "Bob").await);
    let (talk, _) = Talk::begin(&app, &ana, json!({"message": "her soup"})).await;
    let make = |key: &str, wish: Value| {
        let request = app.request("POST", &talk.links()).header("x-api-key", key);
        request.json(&wish).send()
    };
    let answer = refusal(make(&ana, json!({"audience": "anyone"})).await.unwrap()).await;
    assert_eq!(answer, (403, "forbidden".to_owned()));
    let (token, _) = talk.share(json!({})).await;
    let path = format!("/api/shared/{token}");
    let read = |key: &str| app.request("GET", &path).header("x-api-key", key).send();
    let stranger = app.request("GET", &path).send().await.unwrap();
    assert_eq!(refusal(stranger).await, (401, "unauthorized".to_owned()));
    assert_eq!(texts(&body_of(read(&bob).await.unwrap()).await), ["her soup", "Hello"]);
    let other = app.other_tenants_key("admin").await;
    assert_eq!(refusal(read(&other).await.unwrap()).await, (404, "not_found".to_owned()));

    // Others of the tenant cannot share it: while it is private they do not see it, and then it is hers.
    assert_eq!(refusal(make(&bob, json!({})).await.unwrap()).await.0, 404);
    let path = format!("/api/conversations/{}", talk.id);
    talk.ask("PATCH", &path).json(&json!({"visibility": "tenant"})).send().await.unwrap();
    assert_eq!(refusal(make(&bob, json!({})).await.unwrap()).await, (403, "forbidden".to_owned()));
    let listed = app.request("GET", &talk.links()).header("x-api-key", &bob).send().await.unwrap();
    assert_eq!(refusal(listed).await, (403, "forbidden".to_owned()));
    for (wish, status) in [
        (json!({"audience": "world"}), 400),
        (json!({"expires_in_days": 0}), 400),
        (json!({"expires_in_days": 4000}), 400),
        (json!({"forever": true}), 400),
    ] {
        assert_eq!(refusal(make(&ana, wish.clone()).await.unwrap()).await.0, status, "{wish}");
    }
    for _ in 1..20 {
        talk.share(json!({})).await;
    }
    let more = refusal(make(&ana, json!({})).await.unwrap()).await;
    assert_eq!(more, (400, "malformed".to_owned()), "twenty are enough");
}

/// Y-2: where links are switched off none is made, and none works.
#[tokio::test]
async fn links_can_be_switched_off() {
    let app = app("[tenants.home]\nshare_links = \"off\"").await;
    let ana = somebody(&app, "Ana").await;
    let (talk, _) = Talk::begin(&app, &ana, json!({"message": "her soup"})).await;
    let made = talk.ask("POST", &talk.links()).json(&json!({})).send().await.unwrap();
    assert_eq!(refusal(made).await, (403, "forbidden".to_owned()));
    let me = body_of(talk.ask("GET", "/api/me").send().await.unwrap()).await;
    assert_eq!(me["share_links"], "off");
}

/// Y-2: a page that follows hears that there is more, reads it, and is cut off within a second when the
/// link is taken back. A snapshot cannot be followed.
#[tokio::test]
async fn taking_a_link_back_ends_its_streams() {
    let app = app(ANYONE).await;
    let ana = somebody(&app, "Ana").await;
    let (talk, _) = Talk::begin(&app, &ana, json!({"message": "her soup"})).await;
    let (fixed, _) = talk.share(json!({"audience": "anyone"})).await;
    let refused = app.request("GET", &format!("/api/shared/{fixed}/events")).send().await.unwrap();
    assert_eq!(refusal(refused).await, (400, "malformed".to_owned()));
    let (token, id) = talk.share(json!({"audience": "anyone", "follows": true})).await;
    let cursor = opened(&app, &token).await["cursor"].as_str().unwrap().to_owned();
    let path = format!("/api/shared/{token}/events?after={cursor}");
    let mut stream = Events::of(app.request("GET", &path).send().await.unwrap());
    talk.say(json!({"message": "with leeks"})).await;
    let more = stream.find("more").await;
    assert_eq!(more.data, json!({}), "it says nothing");
    assert_eq!(texts(&opened(&app, &token).await)[2], "with leeks");
    let began = Instant::now();
    talk.take_back(&id).await;
    stream.find("gone").await;
    assert!(stream.rest().await.is_empty());
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    not_found(&app, &token).await;
}

/// Y-2, E-2: a link works on every node, and taking it back on one ends it at once on the others.
#[tokio::test]
async fn a_link_ends_on_every_node() {
    for channel in [Channel::Postgres, Channel::Redis] {
        let Some(cluster) = Cluster::with(channel, ANYONE).await else { return };
        let (a, b) = (cluster.node("a").await, cluster.node("b").await);
        cluster.model.always(Script::answer().text("Soup."));
        let (id, mut events) = begin(&a, "Cook?").await;
        events.until_done(&mut Seen::default()).await;
        let links = format!("/api/conversations/{id}/links");
        let wish = json!({"audience": "anyone", "follows": true});
        let made = body_of(a.post(&links).json(&wish).send().await.unwrap()).await;
        let token = made["link"].as_str().unwrap().rsplit_once("/s/").unwrap().1.to_owned();
        let shared = format!("/api/shared/{token}");
        let view = body_of(b.get(&shared).send().await.unwrap()).await;
        assert_eq!(texts(&view), ["Cook?", "Soup."]);
        let after = format!("{shared}/events?after={}", view["cursor"].as_str().unwrap());
        let mut stream = Events::of(b.get(&after).send().await.unwrap());
        let body = json!({"message": "And then?", "conversation_id": id});
        let mut next = crate::seen::Events::of(a.send(&body).await);
        next.until_done(&mut Seen::default()).await;
        stream.find("more").await;
        let began = Instant::now();
        let one = format!("{links}/{}", made["id"].as_str().unwrap());
        assert_eq!(a.delete(&one).send().await.unwrap().status(), 204);
        stream.find("gone").await;
        assert!(began.elapsed() < Duration::from_secs(2), "{channel:?}: {:?}", began.elapsed());
        assert_eq!(b.get(&shared).send().await.unwrap().status(), 404);
    }
}

/// X-1, Y-2: the token of a link is in no line of the log, and not in the database.
#[tokio::test]
async fn the_token_is_in_no_log() {
    let dir = tempfile::tempdir().unwrap();
    let model = ScriptedModel::start().await.unwrap();
    model.always(Script::answer().text("Soup."));
    let variables = [("RUST_LOG", "debug")];
    let server = Server::start_with(dir.path(), &model, ANYONE, &variables).await;
    let mut events = Events::of(server.send(&json!({"message": "Cook?"})).await);
    let id = events.find("start").await.data["conversation_id"].clone();
    events.rest().await;
    let links = format!("/api/conversations/{}/links", id.as_str().unwrap());
    let wish = json!({"audience": "anyone", "follows": true});
    let made = body_of(server.post(&links).json(&wish).send().await.unwrap()).await;
    let token = made["link"].as_str().unwrap().rsplit_once("/s/").unwrap().1.to_owned();
    let stream = server.anonymous(&format!("/api/shared/{token}/events")).send().await.unwrap();
    for rest in ["", "/events?after=x", "/images/x", "/nothing"] {
        server.anonymous(&format!("/api/shared/{token}{rest}")).send().await.unwrap();
    }
    server.anonymous(&format!("/s/{token}")).send().await.unwrap();
    let one = format!("{links}/{}", made["id"].as_str().unwrap());
    assert_eq!(server.delete(&one).send().await.unwrap().status(), 204);
    Events::of(stream).find("gone").await;
    let log = server.log();
    server.kill();
    assert!(log.contains("/api/shared/{token}/events"), "requests are logged: {log}");
    let secret = token.trim_start_matches("share_");
    assert!(!log.contains(secret), "{log}");
    for name in ["parlor.db", "parlor.db-wal"] {
        let bytes = std::fs::read(dir.path().join(name)).unwrap_or_default();
        assert!(!bytes.windows(secret.len()).any(|part| part == secret.as_bytes()), "{name}");
    }
}
