//! Several nodes, restarts, and a configuration that changes.

use parlor_testkit::ScriptedModel;
use reqwest::Response;
use serde_json::{Value, json};

use super::{EMBED, SHOP};
use crate::nodes::cluster::{Channel, Cluster};
use crate::server_process::{KEY, Server};
use crate::test_app::json as body_of;

async fn token(server: &Server, key: &str) -> Response {
    let body = json!({"project": "recipes", "origin": SHOP, "person": {"id": "42"}});
    server
        .request("POST", "/api/embed/tokens")
        .header("x-api-key", key)
        .json(&body)
        .send()
        .await
        .unwrap()
}

async fn exchange(server: &Server, token: &Value) -> Response {
    let body = json!({"token": token, "origin": SHOP});
    server.request("POST", "/api/embed/sessions").json(&body).send().await.unwrap()
}

async fn me(server: &Server, session: &Value) -> u16 {
    let bearer = format!("Bearer {}", session.as_str().unwrap());
    let request = server.request("GET", "/api/me").header("authorization", bearer);
    request.send().await.unwrap().status().as_u16()
}

/// U-12, E-2: a token that one node made is taken once, on any node; the session holds on all of them,
/// and ends on all of them with its key.
#[tokio::test]
async fn a_token_is_taken_once_on_any_node() {
    let embed = "[tenants.home.projects.recipes.embed]\norigins = [\"https://shop.example\"]";
    let Some(cluster) = Cluster::with(Channel::Postgres, embed).await else { return };
    let (a, b) = (cluster.node("a").await, cluster.node("b").await);
    let made = a.request("POST", "/api/admin/keys").header("x-api-key", KEY);
    let made = body_of(made.json(&json!({"name": "shop"})).send().await.unwrap()).await;
    let given = body_of(token(&a, made["key"].as_str().unwrap()).await).await["token"].take();
    let (at_a, at_b) = tokio::join!(exchange(&a, &given), exchange(&b, &given));
    let mut statuses = [at_a.status().as_u16(), at_b.status().as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 401]);
    let taken = if at_a.status() == 201 { at_a } else { at_b };
    let session = body_of(taken).await["session"].take();
    assert_eq!((me(&a, &session).await, me(&b, &session).await), (200, 200));
    let path = format!("/api/admin/keys/{}", made["id"].as_str().unwrap());
    let revoked = b.request("DELETE", &path).header("x-api-key", KEY).send().await.unwrap();
    assert_eq!(revoked.status(), 204);
    let gone = async {
        while me(&a, &session).await != 401 {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(crate::test_app::PATIENCE, gone).await.expect("the other node is told");
    assert_eq!(me(&b, &session).await, 401);
}

/// U-12: a session survives a restart, and does not survive that its site is removed from the
/// configuration, nor that the key of the environment is another one.
#[tokio::test]
async fn a_session_ends_with_its_site_and_with_the_key_of_the_environment() {
    let (dir, model) = (tempfile::tempdir().unwrap(), ScriptedModel::start().await.unwrap());
    let start = async |embed: &str, key: &str| {
        Server::start_with(dir.path(), &model, embed, &[("PARLOR_API_KEY", key)]).await
    };
    let sites = EMBED.split("[tenants.other").next().unwrap();
    let server = start(sites, KEY).await;
    let given = body_of(token(&server, KEY).await).await["token"].take();
    let session = body_of(exchange(&server, &given).await).await["session"].take();
    let unused = body_of(token(&server, KEY).await).await["token"].take();
    server.kill();
    let server = start(sites, KEY).await;
    assert_eq!(me(&server, &session).await, 200);
    server.kill();
    let other = "[tenants.home.projects.recipes.embed]\norigins = [\"https://forum.example\"]";
    let server = start(other, KEY).await;
    assert_eq!(me(&server, &session).await, 401, "its site is gone");
    assert_eq!(exchange(&server, &unused).await.status(), 401);
    server.kill();
    let server = start(sites, "another-0123456789abcdef0123456789").await;
    assert_eq!(me(&server, &session).await, 401, "its key is another one");
    assert_eq!(exchange(&server, &unused).await.status(), 401);
}
