//! People: how they get an account, and whose conversations they see.

use parlor_protocol::{ConversationId, PersonId, Timestamp, TurnId, Visibility};
use parlor_storage::*;

use crate::scene::{Scene, scope, tenant, uuid};

fn person(number: u128, name: &str) -> NewPerson {
    NewPerson {
        id: PersonId::new(uuid(number)),
        tenant: tenant(),
        name: name.parse().unwrap(),
        email: None,
        role: AccessRole::User,
        password_hash: Some(format!("hash of {name}")),
        created_at: Timestamp(5),
    }
}

fn invitation(expires_at: i64) -> Invitation {
    Invitation {
        tenant: tenant(),
        role: AccessRole::Admin,
        email: Some("ana@example.org".into()),
        invited_by: "Bob".into(),
        created_at: Timestamp(1),
        expires_at: Timestamp(expires_at),
    }
}

pub(crate) async fn joined(store: &Store, number: u128, name: &str) -> PersonId {
    let (people, hash) = (store.people(), format!("invitation {number}"));
    people.invite(&hash, &invitation(100)).await.unwrap();
    people.accept_invitation(&hash, &person(number, name)).await.unwrap();
    PersonId::new(uuid(number))
}

pub(crate) fn token(
    id: &str,
    kind: TokenKind,
    role: AccessRole,
    person: Option<PersonId>,
) -> NewToken {
    NewToken {
        id: id.into(),
        hash: format!("hash {id}"),
        kind,
        tenant: tenant(),
        role,
        name: id.into(),
        person,
        device: Some("Firefox on Linux".into()),
        created_at: Timestamp(1),
        expires_at: Some(Timestamp(100)),
    }
}

/// Y-1: an invitation is accepted once, in time, and under a name that nobody has.
#[tokio::test]
async fn an_invitation_is_accepted_once() {
    let scene = Scene::new().await;
    let people = scene.store.people();
    assert!(!people.exist().await.unwrap());
    people.invite("h1", &invitation(10)).await.unwrap();
    let found = people.invitation("h1", Timestamp(9)).await.unwrap();
    assert_eq!(found, Some(invitation(10)));
    assert_eq!(people.invitation("h1", Timestamp(10)).await.unwrap(), None, "it lapsed");
    assert_eq!(people.invitation("h2", Timestamp(9)).await.unwrap(), None);
    let late = NewPerson { created_at: Timestamp(10), ..person(1, "Ana") };
    let refused = people.accept_invitation("h1", &late).await;
    assert!(matches!(refused, Err(StorageError::NotFound)), "{refused:?}");

    people.accept_invitation("h1", &person(1, "Ana")).await.unwrap();
    let again = people.accept_invitation("h1", &person(2, "Bob")).await;
    assert!(matches!(again, Err(StorageError::NotFound)), "{again:?}");
    people.invite("h3", &invitation(10)).await.unwrap();
    let taken = people.accept_invitation("h3", &person(2, "ANA")).await;
    assert!(matches!(taken, Err(StorageError::NameTaken)), "{taken:?}");
    people.accept_invitation("h3", &person(2, "Bob")).await.unwrap();
    let names: Vec<String> =
        people.list(&tenant()).await.unwrap().into_iter().map(|person| person.name).collect();
    assert_eq!(names, ["Ana", "Bob"]);
    assert!(people.exist().await.unwrap());
    let (ana, hash) =
        people.credentials(&tenant(), &"ana".parse().unwrap()).await.unwrap().unwrap();
    assert_eq!((ana.name.as_str(), hash.as_str()), ("Ana", "hash of Ana"));
    let other = "other".parse().unwrap();
    assert!(people.credentials(&other, &"ana".parse().unwrap()).await.unwrap().is_none(), "X-3");
}

/// Y-1: whoever is disabled has no session, no key and no password; others have theirs.
#[tokio::test]
async fn nothing_of_a_disabled_person_lets_in() {
    let scene = Scene::new().await;
    let (people, access) = (scene.store.people(), scene.store.access());
    let (ana, bob) = (joined(&scene.store, 1, "Ana").await, joined(&scene.store, 2, "Bob").await);
    let user = AccessRole::User;
    for (id, kind, whose) in [
        ("session", TokenKind::Session, Some(ana)),
        ("key", TokenKind::Key, Some(ana)),
        ("bob", TokenKind::Session, Some(bob)),
        ("shared", TokenKind::Session, None),
    ] {
        access.add_token(&token(id, kind, user, whose)).await.unwrap();
    }
    let valid = async |id: &str| {
        let token = access.token_by_hash(&format!("hash {id}")).await.unwrap().unwrap();
        token.revoked_at.is_none()
    };
    let listed = async |of| {
        let sessions = access.sessions(&tenant(), of, Timestamp(50)).await.unwrap();
        let mut ids: Vec<String> = sessions.into_iter().map(|session| session.id).collect();
        ids.sort();
        ids
    };
    assert_eq!(listed(SessionsOf::Tenant).await, ["bob", "session", "shared"]);
    assert_eq!(listed(SessionsOf::Person(ana)).await, ["session"]);
    assert_eq!(listed(SessionsOf::One("shared")).await, ["shared"]);
    assert!(
        access.sessions(&tenant(), SessionsOf::Tenant, Timestamp(100)).await.unwrap().is_empty()
    );

    people.set_disabled(&tenant(), ana, true, Timestamp(7)).await.unwrap();
    for (id, is_valid) in [("session", false), ("key", false), ("bob", true), ("shared", true)] {
        assert_eq!(valid(id).await, is_valid, "{id}");
    }
    assert!(people.credentials(&tenant(), &"ana".parse().unwrap()).await.unwrap().is_none());
    // One that was being added at the same moment.
    access.add_token(&token("late", TokenKind::Session, user, Some(ana))).await.unwrap();
    assert!(!valid("late").await);
    assert_eq!(listed(SessionsOf::Tenant).await, ["bob", "shared"]);
    people.set_disabled(&tenant(), ana, false, Timestamp(8)).await.unwrap();
    assert!(!valid("session").await, "what was revoked stays so");
    let elsewhere = people.set_disabled(&"other".parse().unwrap(), ana, true, Timestamp(9)).await;
    assert!(matches!(elsewhere, Err(StorageError::NotFound)), "X-3");

    access.add_token(&token("first", TokenKind::Session, user, Some(ana))).await.unwrap();
    access.add_token(&token("second", TokenKind::Session, user, Some(ana))).await.unwrap();
    people.set_password(ana, "new", Some("second"), Timestamp(9)).await.unwrap();
    assert_eq!((valid("first").await, valid("second").await), (false, true));
    access.set_password(&tenant(), user, "family", Timestamp(10)).await.unwrap();
    assert_eq!((valid("second").await, valid("shared").await), (true, false));
}

/// Y-1: an identity of a login provider is one person, whose role is what the provider says now.
#[tokio::test]
async fn an_identity_is_one_person() {
    let scene = Scene::new().await;
    let (people, access) = (scene.store.people(), scene.store.access());
    joined(&scene.store, 1, "Ana").await;
    let identity = Identity { provider: "work", subject: "77" };
    let new = NewPerson { password_hash: None, ..person(2, "Ana") };
    let (first, ended) = people.identified(identity, &new).await.unwrap();
    assert_eq!((first.id, first.login.as_str(), ended), (new.id, "ana 2", false));
    let again = NewPerson { id: PersonId::new(uuid(3)), ..new.clone() };
    assert_eq!(people.identified(identity, &again).await.unwrap(), (first.clone(), false));
    let other = people.identified(Identity { provider: "play", ..identity }, &again).await.unwrap();
    assert_eq!(other.0.login.as_str(), "ana 3");

    for (id, kind) in [("session", TokenKind::Session), ("key", TokenKind::Key)] {
        access.add_token(&token(id, kind, AccessRole::User, Some(first.id))).await.unwrap();
    }
    let raised = NewPerson { role: AccessRole::Admin, ..again };
    let (raised, ended) = people.identified(identity, &raised).await.unwrap();
    assert_eq!((raised.id, raised.role, ended), (first.id, AccessRole::Admin, true));
    let revoked = async |id| access.token_by_hash(id).await.unwrap().unwrap().revoked_at.is_some();
    assert!(revoked("hash session").await, "it has the old role");
    assert!(!revoked("hash key").await, "it lets nobody do more");
}

/// Y-2: who sees, takes part in and may delete which conversation.
#[tokio::test]
async fn conversations_are_seen_by_whose_they_are() {
    let scene = Scene::new().await;
    let store = &scene.store;
    let (ana, bob) = (joined(store, 1, "Ana").await, joined(store, 2, "Bob").await);
    let mut conversations = Vec::new();
    for (number, whose, visibility) in [
        (100, None, None),
        (110, Some(ana), None),
        (120, Some(ana), Some(Visibility::Tenant)),
        (130, Some(bob), None),
    ] {
        let mut begin = scene.begin(TurnId::new(uuid(number)), true, Some("m"));
        let id = ConversationId::new(uuid(1_000 + number));
        (begin.conversation, begin.started_by) = (id, format!("somebody {number}"));
        begin.new.as_mut().unwrap().person = whose;
        let picture = StoredFile::picture(uuid(number), "image/png", vec![1]);
        begin.files = vec![picture];
        store.begin_turn(&begin).await.unwrap();
        let changes = ConversationChanges { visibility, ..Default::default() };
        let own = Scope::of(tenant(), whose);
        store.update_conversation(&own, id, changes).await.unwrap();
        conversations.push((id, number, format!("somebody {number}")));
    }
    let (ana, bob) = (Scope::of(tenant(), Some(ana)), Scope::of(tenant(), Some(bob)));
    let message = "m".parse().unwrap();
    let (admin, server) = (scope().reading_all(), Scope::of_server(tenant()));
    for (who, seen, part, charge) in [
        (
            &scope(),
            [true, false, true, false],
            [true, false, true, false],
            [true, false, false, false],
        ),
        (&ana, [true, true, true, false], [true, true, true, false], [true, true, true, false]),
        (&bob, [true, false, true, true], [true, false, true, true], [true, false, false, true]),
        (&admin, [true; 4], [true, false, true, false], [true, false, false, false]),
        (&server, [true; 4], [true; 4], [true; 4]),
    ] {
        let listed = store.conversations(who, Default::default(), None, 9).await.unwrap();
        for (at, (id, number, started_by)) in conversations.iter().enumerate() {
            let what = format!("{who:?} {at}");
            let found = store.conversation(who, *id).await;
            assert_eq!(found.is_ok(), seen[at], "{what}");
            assert_eq!(listed.conversations.iter().any(|one| one.id == *id), seen[at], "{what}");
            assert_eq!(store.conversation_view(who, *id).await.is_ok(), seen[at], "{what}");
            assert_eq!(store.file(who, uuid(*number)).await.is_ok(), seen[at], "{what}");
            assert_eq!(
                store.turn(who, TurnId::new(uuid(*number))).await.is_ok(),
                seen[at],
                "{what}"
            );
            let repeated = store.turn_by_client_message(who, started_by, &message).await.unwrap();
            assert_eq!(repeated.is_some(), seen[at], "{what}");
            let taking_part = who.taking_part();
            let renamed = store.update_conversation(&taking_part, *id, Default::default()).await;
            assert_eq!(renamed.is_ok(), part[at], "{what}");
            if let Ok(found) = found {
                assert_eq!(who.takes_part(found.person, found.visibility), part[at], "{what}");
                assert_eq!(who.is_in_charge(found.person), charge[at], "{what}");
            }
        }
    }
    let other = Scope::of("other".parse().unwrap(), None).reading_all();
    assert!(store.conversation(&other, conversations[0].0).await.is_err(), "X-3");
}

/// Y-4, G-7: what a person wrote is not shown to an administrator who may not read it.
#[tokio::test]
async fn blocked_words_of_a_person_are_theirs() {
    let scene = Scene::new().await;
    let ana = joined(&scene.store, 1, "Ana").await;
    for (id, person) in [("1", None), ("2", Some(ana))] {
        let input = BlockedInput {
            id: id.into(),
            at: Timestamp(5),
            tenant: tenant(),
            project: "recipes".parse().unwrap(),
            session: "session-1".into(),
            person,
            rule: "jailbreak.dan_mode".into(),
            category: "jailbreak".into(),
            action: "block".into(),
            view: "plain".into(),
            hash: "00".into(),
            excerpt: format!("words {id}"),
        };
        scene.store.add_blocked_input(&input).await.unwrap();
    }
    for (who, shown) in [
        (scope(), ["", "words 1"]),
        (scope().reading_all(), ["words 2", "words 1"]),
        (Scope::of(tenant(), Some(ana)), ["words 2", "words 1"]),
    ] {
        let page = scene.store.blocked_inputs(&who, None, 9).await.unwrap().blocked_inputs;
        let excerpts: Vec<&str> = page.iter().map(|input| input.excerpt.as_str()).collect();
        assert_eq!(excerpts, shown, "{who:?}");
    }
}
