//! Logins to MCP servers.

use parlor_protocol::Timestamp;
use parlor_storage::*;

use crate::scene::{Scene, tenant};

fn server(name: &str) -> McpServerId {
    McpServerId { tenant: tenant(), project: "recipes".parse().unwrap(), server: name.to_owned() }
}

/// I-5: a login is replaced and forgotten; of several processes one renews it.
#[tokio::test]
async fn a_login_is_renewed_by_one_process() {
    let scene = Scene::new().await;
    let (logins, mail) = (scene.store.mcp_logins(), server("mail"));
    assert!(!logins.claim(&mail, 60_000).await.unwrap(), "there is nothing to renew");
    logins.save(&mail, b"one", Timestamp(1)).await.unwrap();
    logins.save(&mail, b"two", Timestamp(2)).await.unwrap();
    assert_eq!(logins.read(&mail).await.unwrap().as_deref(), Some(&b"two"[..]));
    assert_eq!(logins.read(&server("calendar")).await.unwrap(), None);
    let mut claims = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (store, mail) = (scene.store.clone(), mail.clone());
        claims.spawn(async move { store.mcp_logins().claim(&mail, 60_000).await.unwrap() });
    }
    let claimed = claims.join_all().await;
    assert_eq!(claimed.into_iter().filter(|claimed| *claimed).count(), 1);
    logins.release(&mail).await.unwrap();
    assert!(logins.claim(&mail, -1).await.unwrap());
    assert!(logins.claim(&mail, 60_000).await.unwrap(), "the time of the other is over");
    logins.delete(&mail).await.unwrap();
    assert_eq!(logins.read(&mail).await.unwrap(), None);
}

/// I-5: a login that was begun is taken once, by the session that began it, while it lasts.
#[tokio::test]
async fn a_begun_login_is_taken_once() {
    let scene = Scene::new().await;
    let logins = scene.store.mcp_logins();
    let attempt = McpLoginAttempt {
        server: server("mail"),
        person: None,
        session: "ana".to_owned(),
        sealed: b"sealed".to_vec(),
        expires_at: Timestamp(10),
    };
    logins.begin("a", &attempt, Timestamp(1)).await.unwrap();
    let other: parlor_protocol::TenantId = "other".parse().unwrap();
    for (tenant, session, now) in
        [(&tenant(), "bob", 5), (&other, "ana", 5), (&tenant(), "ana", 11)]
    {
        assert_eq!(logins.take("a", tenant, session, Timestamp(now)).await.unwrap(), None);
    }
    let taken = logins.take("a", &tenant(), "ana", Timestamp(10)).await.unwrap();
    assert_eq!(taken.as_ref(), Some(&attempt));
    assert_eq!(logins.take("a", &tenant(), "ana", Timestamp(10)).await.unwrap(), None);
    logins.begin("b", &attempt, Timestamp(1)).await.unwrap();
    logins.begin("c", &attempt, Timestamp(11)).await.unwrap();
    let forgotten = logins.take("b", &tenant(), "ana", Timestamp(5)).await.unwrap();
    assert_eq!(forgotten, None, "one that lapsed is forgotten");
}
