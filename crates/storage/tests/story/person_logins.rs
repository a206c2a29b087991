//! Logins to MCP servers that each person makes for themselves.

use parlor_protocol::{PersonId, PersonName, Timestamp};
use parlor_storage::*;
use uuid::Uuid;

use crate::scene::{Scene, tenant};

async fn somebody(scene: &Scene, name: &str) -> PersonId {
    let id = PersonId::new(Uuid::now_v7());
    let hash = format!("invitation of {name}");
    let invitation = Invitation {
        tenant: tenant(),
        role: AccessRole::User,
        email: None,
        invited_by: "admin".to_owned(),
        created_at: Timestamp(1),
        expires_at: Timestamp(100),
    };
    scene.store.people().invite(&hash, &invitation).await.unwrap();
    let new = NewPerson {
        id,
        tenant: tenant(),
        name: name.parse::<PersonName>().unwrap(),
        email: None,
        role: AccessRole::User,
        password_hash: None,
        created_at: Timestamp(2),
    };
    scene.store.people().accept_invitation(&hash, &new).await.unwrap();
    id
}

fn at(person: PersonId) -> PersonAtServer {
    let (tenant, project) = (tenant(), "recipes".parse().unwrap());
    PersonAtServer { server: McpServerId { tenant, project, server: "mail".to_owned() }, person }
}

/// I-5: whoever renews, marks or ends a login does it to that one, and not to the one that came
/// after; of several processes one renews it.
#[tokio::test]
async fn each_login_is_its_own() {
    let scene = Scene::new().await;
    let logins = scene.store.person_logins();
    let (ana, bob) = (at(somebody(&scene, "Ana").await), at(somebody(&scene, "Bob").await));
    assert_eq!(logins.read(&ana).await.unwrap(), None);
    assert!(!logins.claim(&ana, 60_000).await.unwrap(), "there is nothing to renew");
    assert!(logins.log_in(&ana, "one", b"a1", Timestamp(3)).await.unwrap());
    assert!(logins.log_in(&bob, "bobs", b"b1", Timestamp(4)).await.unwrap());
    assert!(logins.renew(&ana, "one", b"a2").await.unwrap());
    logins.refused(&ana, "one", Some("write")).await.unwrap();
    assert!(logins.claim(&ana, 60_000).await.unwrap());
    assert!(!logins.claim(&ana, 60_000).await.unwrap(), "another process renews it");
    assert!(logins.claim(&bob, 60_000).await.unwrap(), "Bob's is another");
    logins.release(&ana).await.unwrap();
    let row = logins.read(&ana).await.unwrap().unwrap();
    let refused = Some("write".to_owned());
    let (sealed, logged_in_at) = (b"a2".to_vec(), Timestamp(3));
    assert_eq!(row, PersonLogin { id: "one".to_owned(), sealed, logged_in_at, refused });
    assert!(logins.log_in(&ana, "two", b"a3", Timestamp(5)).await.unwrap());
    assert!(!logins.renew(&ana, "one", b"late").await.unwrap());
    logins.refused(&ana, "one", Some("")).await.unwrap();
    logins.end(&ana, Some("one")).await.unwrap();
    let row = logins.read(&ana).await.unwrap().unwrap();
    assert_eq!((row.sealed.as_slice(), row.refused), (&b"a3"[..], None));
    logins.end(&ana, None).await.unwrap();
    assert!(!logins.renew(&ana, "two", b"late").await.unwrap(), "it does not come back");
    assert_eq!(logins.read(&bob).await.unwrap().unwrap().sealed, b"b1");
}

/// I-5, Y-1: logins and begun ones end with their person; nobody who is shut out logs in.
#[tokio::test]
async fn logins_end_with_their_person() {
    let scene = Scene::new().await;
    let (logins, people) = (scene.store.person_logins(), scene.store.people());
    let (ana, bob) = (at(somebody(&scene, "Ana").await), at(somebody(&scene, "Bob").await));
    for (whose, id) in [(&ana, "one"), (&bob, "two")] {
        assert!(logins.log_in(whose, id, b"sealed", Timestamp(3)).await.unwrap());
    }
    let attempt = McpLoginAttempt {
        server: ana.server.clone(),
        person: Some(ana.person),
        session: "session".to_owned(),
        sealed: b"sealed".to_vec(),
        expires_at: Timestamp(100),
    };
    scene.store.mcp_logins().begin("begun", &attempt, Timestamp(4)).await.unwrap();
    let names = async |person: Option<PersonId>| {
        let listed = logins.list(&tenant(), person).await.unwrap();
        listed.into_iter().map(|login| login.name).collect::<Vec<_>>()
    };
    assert_eq!(names(None).await, ["Ana", "Bob"]);
    assert_eq!(names(Some(bob.person)).await, ["Bob"]);
    let other: parlor_protocol::TenantId = "other".parse().unwrap();
    assert_eq!(logins.list(&other, None).await.unwrap(), []);
    people.set_disabled(&tenant(), ana.person, true, Timestamp(5)).await.unwrap();
    assert_eq!(
        (logins.read(&ana).await.unwrap(), names(None).await),
        (None, vec!["Bob".to_owned()])
    );
    assert!(!logins.log_in(&ana, "three", b"sealed", Timestamp(6)).await.unwrap());
    let taken = scene.store.mcp_logins().take("begun", &tenant(), "session", Timestamp(6)).await;
    assert_eq!(taken.unwrap(), None);
    people.set_disabled(&tenant(), ana.person, false, Timestamp(7)).await.unwrap();
    assert_eq!(logins.read(&ana).await.unwrap(), None, "they log in again");
}
