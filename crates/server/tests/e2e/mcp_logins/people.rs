//! Logins that each person makes for themselves (I-5, Y-1): a call carries the token of the person
//! whose message is answered, and of nobody else.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use super::household::{Household, LOGINS, MAIL, Member, OWN, body, join, needs_login};
use super::{assert_no_token, until};
use crate::server_process::Server;
use crate::test_app::{PATIENCE, refusal};

async fn three(household: &Household) -> (Server, Member, Member, Member) {
    let server = household.start().await;
    let mut members = Vec::new();
    for name in ["Ana", "Bob", "Carl"] {
        members.push(join(&server, name).await);
    }
    let [ana, bob, carl] = <[Member; 3]>::try_from(members).ok().unwrap();
    (server, ana, bob, carl)
}

/// I-5: two people with accounts of their own, whose calls are made at the same time; renewing the
/// tokens of one leaves those of the other alone; both survive `kill -9`, and no token stands in the
/// database.
#[tokio::test]
async fn everybody_calls_with_their_own_login() {
    let household = Household::new().await;
    let (server, ana, bob, carl) = three(&household).await;
    household.mail.seen(|seen| seen.lifetime = 1);
    ana.log_in(&server).await;
    household.mail.seen(|seen| seen.lifetime = 3600);
    bob.log_in(&server).await;
    household.mail.seen(|seen| seen.together = 2);
    let (_of_ana, _of_bob) =
        tokio::join!(ana.say(&server, "use read"), bob.say(&server, "use read"));
    let accounts: BTreeSet<String> = household.calls().into_iter().map(|call| call.0).collect();
    assert_eq!(accounts, BTreeSet::from(["ana".to_owned(), "bob".to_owned()]));
    for _ in 0..3 {
        assert_eq!(ana.reads(&household, &server).await, "ana");
        assert_eq!(bob.reads(&household, &server).await, "bob");
    }
    let renewed = household.mail.seen(|seen| seen.renewed.clone());
    assert!(!renewed.is_empty() && renewed.iter().all(|account| account == "ana"), "{renewed:?}");
    assert!(needs_login(&carl.say(&server, "use read").await));
    server.kill();
    let server = household.start().await;
    assert_eq!(bob.reads(&household, &server).await, "bob");
    assert_eq!(ana.reads(&household, &server).await, "ana");
    household.assert_nothing_broken();
    let tokens = household.mail.seen(|seen| seen.tokens.clone());
    for name in ["parlor.db", "parlor.db-wal"] {
        assert_no_token(&household.data.path().join(name), &tokens);
    }
}

/// I-5: without a login nothing is called; model and person are told what to do; after the login the
/// same message works. The shared account and keys of the tenant have no login.
#[tokio::test]
async fn whoever_is_not_logged_in_is_told_what_to_do() {
    let household = Household::new().await;
    let (server, ana, bob, _) = three(&household).await;
    let waiting = until(&server, |mail| mail["login"] == "per_person").await;
    assert_eq!((&waiting["state"], &waiting["problem"]), (&json!("ready"), &Value::Null));
    // Somebody's login is what makes the tools known to those who have none.
    ana.log_in(&server).await;
    assert_eq!(ana.reads(&household, &server).await, "ana");
    assert_eq!(bob.state(&server).await, "needed");
    let refused = bob.say(&server, "use read").await;
    assert!(needs_login(&refused), "{refused}");
    assert!(refused["data"]["output"].as_str().unwrap().contains("settings page"), "{refused}");
    let told = household.told.lock().unwrap().pop().unwrap();
    assert!(told.contains("is not logged in to the server"), "{told}");
    assert_eq!(household.calls().len(), 1, "nothing of Bob's was sent with Ana's login");
    bob.log_in(&server).await;
    assert_eq!(bob.state(&server).await, "logged_in");
    let asked = refused["conversation_id"].as_str().unwrap();
    let view = bob.get(&server, &format!("/api/conversations/{asked}")).send().await.unwrap();
    let first = body(view).await["messages"][0]["id"].clone();
    let again = json!({"message": "", "conversation_id": asked, "regenerate": first});
    bob.send(&server, &again).await.rest().await;
    assert_eq!(household.calls().pop().unwrap().0, "bob", "trying again works");
    // The family password opens an account that is nobody's.
    let family = Member { cookie: server.log_in("a-family-password").await, ..ana.clone() };
    let shared = family.say(&server, "use read").await;
    assert!(needs_login(&shared), "{shared}");
    assert!(shared["data"]["output"].as_str().unwrap().contains("shared account"), "{shared}");
    assert_eq!(family.state(&server).await, "no_account");
    let begun = family.post(&server, MAIL).send().await.unwrap();
    assert_eq!(refusal(begun).await, (403, "forbidden".to_owned()));
    assert_eq!(household.calls().len(), 2);
    household.assert_nothing_broken();
}

/// I-5, X-4: a login is finished by the session of the person who began it, with the code that was
/// made for it, once.
#[tokio::test]
async fn nobody_finishes_the_login_of_another() {
    let household = Household::new().await;
    let (server, ana, bob, carl) = three(&household).await;
    let query = ana.at_login_page(&server).await;
    let lapsed = (404, "not_found".to_owned());
    assert_eq!(refusal(bob.finish(&server, &query).await).await, lapsed);
    let admin = server.post(OWN).json(&json!({ "query": query })).send().await.unwrap();
    assert_eq!(refusal(admin).await, lapsed, "administrators neither");
    // A page of another site has the cookie at the most.
    let foreign = ana.post(&server, OWN).header("origin", "https://evil.example");
    let foreign = foreign.json(&json!({ "query": query })).send().await.unwrap();
    assert_eq!(foreign.status(), 403);
    // Ana's state with the code that was made for Carl.
    let of_carl = carl.at_login_page(&server).await;
    let part = |query: &str, name: &str| {
        let mut parts = url::form_urlencoded::parse(query.as_bytes());
        parts.find(|(key, _)| key == name).unwrap().1.into_owned()
    };
    let (code, state) = (part(&of_carl, "code"), part(&query, "state"));
    let issuer = part(&query, "iss");
    let swapped = format!("code={code}&state={state}&iss={issuer}");
    let refused = ana.finish(&server, &swapped).await;
    assert_eq!(refused.status(), 502);
    let broken = household.mail.seen(|seen| std::mem::take(&mut seen.broken));
    assert_eq!(broken, ["a code of somebody else"]);
    assert_eq!(refusal(ana.finish(&server, &query).await).await, lapsed, "it was used");
    for member in [&ana, &bob, &carl] {
        assert_eq!(member.state(&server).await, "needed");
    }
    for query in ["", "code=1", "state=", "state=unknown&code=1"] {
        let status = ana.finish(&server, query).await.status().as_u16();
        assert!(matches!(status, 400 | 404), "{query}: {status}");
    }
    for path in ["recipes/none", "none/mail", "UP/mail", "recipes/recipes"] {
        let path = format!("{OWN}/{path}");
        let begun = ana.post(&server, &path).send().await.unwrap();
        assert_eq!(refusal(begun).await, lapsed, "{path}");
    }
    // Of such a server there is no login of the project.
    let project = server.post("/api/admin/mcp/recipes/mail/login").send().await.unwrap();
    assert_eq!(refusal(project).await, lapsed);
}

/// I-5, Y-4: administrators see who is logged in and since when, never a token, and can end a login;
/// people see their own alone.
#[tokio::test]
async fn administrators_see_logins_and_end_them() {
    let household = Household::new().await;
    let (server, ana, bob, _) = three(&household).await;
    ana.log_in(&server).await;
    bob.log_in(&server).await;
    assert_eq!(bob.reads(&household, &server).await, "bob");
    let listed = server.get(LOGINS).send().await.unwrap().text().await.unwrap();
    for token in household.mail.seen(|seen| seen.tokens.clone()) {
        assert!(!listed.contains(&token));
    }
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let names: Vec<&str> =
        listed["logins"].as_array().unwrap().iter().map(|l| l["name"].as_str().unwrap()).collect();
    assert_eq!((names, &listed["connected"]), (vec!["Ana", "Bob"], &json!(1)), "{listed}");
    assert!(listed["logins"][0]["since"].as_i64().is_some(), "{listed}");
    let curious = ana.get(&server, LOGINS).send().await.unwrap();
    assert_eq!(refusal(curious).await, (403, "forbidden".to_owned()));
    let of_bob = format!("{LOGINS}/{}", bob.id);
    assert_eq!(server.delete(&of_bob).send().await.unwrap().status(), 204);
    assert_eq!(bob.state(&server).await, "needed");
    assert!(needs_login(&bob.say(&server, "use read").await));
    assert_eq!(ana.reads(&household, &server).await, "ana");
    for path in [format!("{LOGINS}/{}", uuid::Uuid::nil()), format!("{LOGINS}/nobody")] {
        assert_eq!(server.delete(&path).send().await.unwrap().status(), 404, "{path}");
    }
    let acts = server.get("/api/admin/acts").send().await.unwrap().text().await.unwrap();
    assert!(acts.contains("server_logout") && acts.contains("mail: Bob"), "{acts}");
    household.assert_nothing_broken();
}

/// I-5, Y-1: whoever is shut out is logged out everywhere, and stays so when they are let in again.
#[tokio::test]
async fn a_login_ends_with_its_person() {
    let household = Household::new().await;
    let (server, ana, bob, _) = three(&household).await;
    ana.log_in(&server).await;
    bob.log_in(&server).await;
    assert_eq!(ana.reads(&household, &server).await, "ana");
    let begun = ana.at_login_page(&server).await;
    let change = |disabled: bool| {
        let path = format!("/api/people/{}", ana.id);
        server.patch(&path).json(&json!({ "disabled": disabled })).send()
    };
    assert_eq!(change(true).await.unwrap().status(), 200);
    let connected = async {
        while body(server.get(LOGINS).send().await.unwrap()).await["connected"] != 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, connected).await.expect("the connection stays");
    assert_eq!(change(false).await.unwrap().status(), 200);
    let form = "tenant=home&name=ana&password=a-password-of-their-own";
    let form = server.anonymous_post("/login").body(form);
    let form = form.header("content-type", "application/x-www-form-urlencoded");
    let cookie = form.send().await.unwrap().headers()["set-cookie"].to_str().unwrap().to_owned();
    let ana = Member { cookie: cookie.split(';').next().unwrap().to_owned(), ..ana };
    assert_eq!(ana.state(&server).await, "needed");
    assert!(needs_login(&ana.say(&server, "use read").await));
    assert_eq!(ana.finish(&server, &begun).await.status(), 404, "nor does what was begun");
    assert_eq!(bob.reads(&household, &server).await, "bob");
    ana.log_in(&server).await;
    assert_eq!(ana.reads(&household, &server).await, "ana");
    assert_eq!(ana.post(&server, MAIL).send().await.unwrap().status(), 200);
    household.assert_nothing_broken();
}

/// I-5: what a login lacks, and that it ended at the server, is about one person.
#[tokio::test]
async fn each_login_is_widened_and_ends_alone() {
    let household = Household::new().await;
    let (server, ana, bob, _) = three(&household).await;
    ana.log_in(&server).await;
    bob.log_in(&server).await;
    let refused = ana.say(&server, "use publish").await;
    assert!(needs_login(&refused), "{refused}");
    assert_eq!([ana.state(&server).await, bob.state(&server).await], ["more_needed", "logged_in"]);
    server.kill();
    let server = household.start().await;
    assert_eq!(ana.state(&server).await, "more_needed", "it is known after a restart too");
    ana.log_in(&server).await;
    let published = ana.say(&server, "use publish").await;
    assert!(published["content"].as_str().unwrap().contains("publish is done"), "{published}");
    assert!(needs_login(&bob.say(&server, "use publish").await), "Bob's does not cover it");
    household.mail.forget("ana");
    let refused = ana.say(&server, "use read").await;
    assert!(needs_login(&refused), "{refused}");
    assert_eq!(ana.state(&server).await, "needed");
    assert_eq!(bob.reads(&household, &server).await, "bob");
    ana.log_in(&server).await;
    assert_eq!(ana.reads(&household, &server).await, "ana");
    household.assert_nothing_broken();
}
