//! Bad input of administrators, of people, and of visitors of other sites.

use super::*;

pub(super) async fn administration(all: &mut Answers) {
    all.heading("administration");
    let keys = "/api/admin/keys";
    for (what, body) in [
        ("a key without a name", r#"{"name": " "}"#),
        ("a key with lines in its name", r#"{"name": "a\nb"}"#),
        ("a key of an unknown role", r#"{"name": "a", "role": "owner"}"#),
        ("a key of one's own, for nobody", r#"{"name": "a", "own": true}"#),
    ] {
        let request = all.app.admin("POST", keys).header("content-type", "application/json");
        all.add(what, request.body(body)).await;
    }
    all.add("no key", all.app.admin("DELETE", "/api/admin/keys/x")).await;
    all.add("the key of the environment", all.app.admin("DELETE", "/api/admin/keys/environment"))
        .await;
    all.get("an unknown outcome", "/api/admin/decisions?outcome=maybe").await;
    all.get("a time that is none", "/api/admin/decisions?from=yesterday").await;
    let long = "x".repeat(201);
    all.get("a long search", &format!("/api/admin/decisions?q={long}")).await;
    all.get("an unknown format", "/api/admin/decisions/export?format=xls").await;
    all.get("a page that is none", "/api/admin/acts?before=yesterday").await;
    all.get("too many days", "/api/admin/usage?days=365").await;
    all.get("no time zone", "/api/admin/usage?utc_offset_minutes=10000").await;
    let own = "/api/me/mcp-logins";
    let sent = |body: &'static str| {
        let request = all.app.admin("POST", own).header("content-type", "application/json");
        request.body(body)
    };
    let (no_state, unknown) = (sent(r#"{"query": "code=1"}"#), sent(r#"{"query": "state=x"}"#));
    let of_none = all.app.admin("POST", "/api/me/mcp-logins/recipes/nothing");
    all.add("a login page that names no login", no_state).await;
    all.add("a login that nobody began", unknown).await;
    all.add("a login to no server", of_none).await;
    let restart = "/api/admin/mcp/recipes/nothing/restart";
    all.add("no server", all.app.admin("POST", restart)).await;
    let user = all.app.log_in(PASSWORD).await;
    for (method, path) in [
        ("POST", keys),
        ("DELETE", "/api/admin/keys/environment"),
        ("GET", "/api/admin/prompts"),
        ("GET", "/api/admin/decisions"),
        ("GET", "/api/admin/decisions/export"),
        ("GET", "/api/admin/acts"),
        ("GET", "/api/admin/usage"),
        ("GET", "/api/admin/configuration"),
        ("POST", restart),
        ("GET", "/api/admin/mcp/recipes/nothing/output"),
        ("GET", "/api/admin/mcp/recipes/nothing/logins"),
    ] {
        let request = all.app.request(method, path).header("cookie", &user);
        let request = request.header("content-type", "application/json").body(r#"{"name": "a"}"#);
        all.add(&format!("no admin: {method} {path}"), request).await;
    }
}

pub(super) async fn visits(all: &mut Answers) {
    all.heading("visitors of other sites");
    let (tokens, sessions) = ("/api/embed/tokens", "/api/embed/sessions");
    for (what, path, body) in [
        ("a token for nothing", tokens, "{}"),
        ("no origin", tokens, r#"{"project": "recipes", "origin": "shop"}"#),
        ("a page, not an origin", tokens, r#"{"project": "recipes", "origin": "https://a.b/c"}"#),
        (
            "a site that embeds nothing", tokens,
            r#"{"project": "recipes", "origin": "https://a.b"}"#,
        ),
        (
            "a visitor without an id",
            tokens,
            r#"{"project": "recipes", "origin": "https://a.b", "person": {"id": ""}}"#,
        ),
        (
            "a visitor's name on two lines",
            tokens,
            r#"{"project": "recipes", "origin": "https://a.b", "person": {"id": "1", "name": "A\nB"}}"#,
        ),
        ("an unknown token", sessions, r#"{"token": "x", "origin": "https://a.b"}"#),
        ("no colour", sessions, r#"{"token": "x", "origin": "https://a.b", "accent": "red"}"#),
    ] {
        let request = all.app.admin("POST", path).header("content-type", "application/json");
        all.add(what, request.body(body)).await;
    }
    all.add("no visitor", all.app.admin("DELETE", sessions)).await;
}

pub(super) async fn people(all: &mut Answers) {
    all.heading("people");
    let nobodys = uuid::Uuid::from_u128(1);
    let with = |all: &Answers, method: &str, path: &str, body: &str| {
        let request = all.app.admin(method, path).header("content-type", "application/json");
        request.body(body.to_owned())
    };
    let invitations = "/api/people/invitations";
    all.add("an unknown role", with(all, "POST", invitations, r#"{"role": "owner"}"#)).await;
    all.add("no address", with(all, "POST", invitations, r#"{"email": "ana at home"}"#)).await;
    all.add("an unknown field", with(all, "POST", invitations, r#"{"name": "Ana"}"#)).await;
    let person = format!("/api/people/{nobodys}");
    all.add("nobody", with(all, "PATCH", &person, r#"{"disabled": true}"#)).await;
    all.add("no change", with(all, "PATCH", &person, "{}")).await;
    all.get("usage of nobody", "/api/admin/budgets?scope=galaxy").await;
    all.get("usage too long ago", "/api/admin/budgets?period=day&back=401").await;
    all.add("no person", with(all, "PATCH", "/api/people/ana", r#"{"disabled": true}"#)).await;
    all.add("no session", all.app.admin("DELETE", "/api/sessions/x")).await;
    let password = r#"{"current": "a", "new": "another one"}"#;
    all.add("the password of a key", with(all, "POST", "/api/me/password", password)).await;
    let user = all.app.log_in(PASSWORD).await;
    let list = all.app.request("GET", "/api/people").header("cookie", user);
    all.add("people, for no admin", list).await;
    let events = Events::of(all.app.send(&json!({"message": "hello"})).await).rest().await;
    let path =
        format!("/api/conversations/{}", events[0].data["conversation_id"].as_str().unwrap());
    let body = r#"{"visibility": "everybody"}"#;
    all.add("an unknown visibility", with(all, "PATCH", &path, body)).await;
    let body = r#"{"visibility": "private"}"#;
    all.add("the shared account's own", with(all, "PATCH", &path, body)).await;
    all.get("everybody: no yes or no", "/api/conversations?everybody=all").await;
}
