//! Who is admitted, as what, and under which name.

use serde_json::json;

use super::*;

fn claims(value: Value) -> Claims {
    let mut claims = value.as_object().unwrap().clone();
    claims.entry("sub").or_insert(json!("ana-1"));
    claims
}

fn require(claim: &str, values: &[&str]) -> ClaimRules {
    let values = values.iter().map(|value| (*value).to_owned()).collect();
    let rule = RequiredClaim { claim: claim.to_owned(), values };
    ClaimRules { require: Some(rule), ..ClaimRules::default() }
}

fn roles(claim: &str, admin: &[&str], user: Option<&[&str]>) -> RoleRules {
    let owned = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
    RoleRules {
        claim: claim.to_owned(),
        admin: owned(admin),
        user: user.map(owned),
        named: BTreeMap::new(),
    }
}

fn role(rules: &ClaimRules, value: Value) -> Option<Role> {
    rules.identity(&claims(value)).ok().map(|identity| identity.role)
}

/// Y-1: only one of the values admits, exactly as it is written.
#[test]
fn a_required_claim_admits_by_its_values_alone() {
    let rules = require("groups", &["family", "7", "true"]);
    for admitted in [
        json!({"groups": "family"}),
        json!({"groups": ["x", "family"]}),
        json!({"groups": 7}),
        json!({"groups": [true]}),
    ] {
        assert_eq!(role(&rules, admitted.clone()), Some(Role::User), "{admitted}");
    }
    for refused in [
        json!({}),
        json!({"groups": null}),
        json!({"groups": "Family"}),
        json!({"groups": ""}),
        json!({"groups": "family "}),
        json!({"groups": []}),
        json!({"groups": "x,family"}),
        json!({"groups": {"family": true}}),
        json!({"groups": [["family"]]}),
        json!({"groups": 70}),
        json!({"group": "family"}),
        json!({"a": {"groups": "family"}}),
    ] {
        let outcome = rules.identity(&claims(refused.clone()));
        assert_eq!(outcome, Err(OidcError::NotAdmitted), "{refused}");
    }
}

/// Y-1: a path goes into objects; a key that has dots itself is found as well.
#[test]
fn a_claim_is_found_by_its_path() {
    let keycloak = require("realm_access.roles", &["chat"]);
    assert_eq!(role(&keycloak, json!({"realm_access": {"roles": ["chat"]}})), Some(Role::User));
    assert_eq!(role(&keycloak, json!({"realm_access": ["roles", "chat"]})), None);
    assert_eq!(role(&keycloak, json!({"realm_access": "chat", "roles": "chat"})), None);
    let auth0 = require("https://chat.example.org/roles", &["chat"]);
    let namespaced = json!({"https://chat.example.org/roles": ["chat"]});
    assert_eq!(role(&auth0, namespaced), Some(Role::User));
    let client = require("resource_access.my.client.roles", &["chat"]);
    let nested = json!({"resource_access": {"my.client": {"roles": ["chat"]}, "my": {"a": 1}}});
    assert_eq!(role(&client, nested), Some(Role::User));
}

/// Y-1: the role comes from one claim; whoever has no value of it is nobody's administrator.
#[test]
fn values_give_the_role() {
    let listed = ClaimRules {
        roles: Some(roles("groups", &["parents"], Some(&["children"]))),
        ..ClaimRules::default()
    };
    assert_eq!(role(&listed, json!({"groups": ["children", "parents"]})), Some(Role::Admin));
    assert_eq!(role(&listed, json!({"groups": "children"})), Some(Role::User));
    assert_eq!(role(&listed, json!({"groups": "guests"})), None);
    assert_eq!(role(&listed, json!({})), None);
    let others = ClaimRules {
        roles: Some(roles("groups", &["parents"], None)),
        ..require("hd", &["example.org"])
    };
    assert_eq!(role(&others, json!({"hd": "example.org"})), Some(Role::User));
    let admin = json!({"hd": "example.org", "groups": "parents"});
    assert_eq!(role(&others, admin), Some(Role::Admin));
    // The required claim comes first, also for administrators.
    assert_eq!(role(&others, json!({"groups": "parents"})), None);
    let only_admins =
        ClaimRules { roles: Some(roles("groups", &["parents"], None)), ..ClaimRules::default() };
    assert_eq!(role(&only_admins, json!({"groups": "parents"})), Some(Role::Admin));
    assert_eq!(role(&only_admins, json!({"groups": "children"})), None);
    let everyone = ClaimRules { everyone: true, ..only_admins };
    assert_eq!(role(&everyone, json!({"groups": "children"})), Some(Role::User));
    assert_eq!(role(&everyone, json!({})), Some(Role::User));
}

/// Y-1: an address that the provider did not verify admits nobody, and is nobody's.
#[test]
fn an_address_counts_if_it_is_verified() {
    let rules = require("email", &["ana@example.org"]);
    let with = |verified: Value| json!({"email": "ana@example.org", "email_verified": verified});
    for verified in [json!(true), json!("true")] {
        assert_eq!(role(&rules, with(verified)), Some(Role::User));
    }
    for not in [json!(false), json!("false"), json!(null), json!(1), json!("yes")] {
        assert_eq!(role(&rules, with(not.clone())), None, "{not}");
    }
    assert_eq!(role(&rules, json!({"email": "ana@example.org"})), None);
    let everyone = ClaimRules { everyone: true, ..ClaimRules::default() };
    let email = |value: Value| everyone.identity(&claims(value)).unwrap().email;
    assert_eq!(email(with(json!(true))).as_deref(), Some("ana@example.org"));
    assert_eq!(email(with(json!(false))), None);
    // Some providers say nothing of it: the address is shown, and proves nothing.
    let silent = everyone.identity(&claims(json!({"email": "ana@example.org"}))).unwrap();
    assert_eq!((silent.email.as_deref(), silent.email_verified), (Some("ana@example.org"), false));
}

/// Y-1: names are texts of one line; anything else is no name.
#[test]
fn names_are_plain_texts() {
    let rules =
        ClaimRules { name: "profile.nick".to_owned(), everyone: true, ..ClaimRules::default() };
    let person = json!({
        "profile": {"nick": " Ana\u{7}\n "}, "preferred_username": "ana", "email": "nobody",
    });
    let identity = rules.identity(&claims(person)).unwrap();
    assert_eq!(identity.name.as_deref(), Some("Ana"));
    assert_eq!(identity.login.as_deref(), Some("ana"));
    assert_eq!(identity.email, None, "this is no address");
    let long = "a".repeat(101);
    for no_name in [json!(""), json!("\n"), json!(7), json!(["Ana"]), json!(long)] {
        let identity = rules.identity(&claims(json!({"profile": {"nick": no_name}}))).unwrap();
        assert_eq!(identity.name, None);
    }
}

/// Y-1: without a subject there is nobody.
#[test]
fn a_subject_is_needed() {
    let rules = ClaimRules { everyone: true, ..ClaimRules::default() };
    let long = "a".repeat(256);
    for sub in [json!(null), json!(""), json!(7), json!("a\nb"), json!(["ana"]), json!(long)] {
        let outcome = rules.identity(&claims(json!({"sub": sub})));
        assert!(matches!(outcome, Err(OidcError::Untrusted(_))), "{sub}");
    }
}

/// Y-2: claims give roles of the tenant, all that somebody has; without a rule they say nothing of them.
#[test]
fn claims_give_named_roles() {
    let mut rule = roles("groups", &["parents"], Some(&["family"]));
    let rules =
        |rule: &RoleRules| ClaimRules { roles: Some(rule.clone()), ..ClaimRules::default() };
    let named = |rules: &ClaimRules, groups: Value| {
        rules.identity(&claims(json!({"groups": groups}))).unwrap().named_roles
    };
    assert_eq!(named(&rules(&rule), json!(["family", "kitchen"])), None);
    rule.named.insert("cook".to_owned(), vec!["kitchen".to_owned(), "chefs".to_owned()]);
    rule.named.insert("driver".to_owned(), vec!["cars".to_owned()]);
    let rules = rules(&rule);
    assert_eq!(named(&rules, json!(["family", "kitchen"])), Some(vec!["cook".to_owned()]));
    assert_eq!(named(&rules, json!(["family", "chefs", "cars"])).unwrap(), ["cook", "driver"]);
    assert_eq!(named(&rules, json!(["family", "Kitchen"])), Some(Vec::new()));
}

/// The provider is asked for more only if something is missing.
#[test]
fn missing_claims_are_noticed() {
    let rules = require("groups", &["family"]);
    let some = json!({"name": "Ana", "email": "a@b", "preferred_username": "ana"});
    assert!(!rules.are_answered_by(&claims(some.clone())));
    let mut all = claims(some);
    all.insert("groups".to_owned(), json!([]));
    assert!(rules.are_answered_by(&all));
}

/// Y-1: settings that admit nobody, or everybody by accident, are refused.
#[test]
fn settings_say_who_is_admitted() {
    let good = [
        require("groups", &["family"]),
        ClaimRules { everyone: true, ..ClaimRules::default() },
        ClaimRules { roles: Some(roles("g", &["a"], None)), ..ClaimRules::default() },
        ClaimRules { roles: Some(roles("g", &[], Some(&["u"]))), ..ClaimRules::default() },
    ];
    for rules in good {
        assert_eq!(rules.check(), Ok(()), "{rules:?}");
    }
    let bad = [
        ClaimRules::default(),
        require("groups", &[]),
        require(" ", &["family"]),
        ClaimRules { everyone: true, ..require("groups", &["family"]) },
        ClaimRules { roles: Some(roles("g", &[], None)), ..ClaimRules::default() },
        ClaimRules { roles: Some(roles("g", &[], Some(&[]))), ..ClaimRules::default() },
        ClaimRules { everyone: true, name: String::new(), ..ClaimRules::default() },
    ];
    for rules in bad {
        assert_eq!(rules.check().unwrap_err().setting, "claims", "{rules:?}");
    }
}
