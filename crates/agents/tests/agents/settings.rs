//! Which agent the settings ask for, and what they may be.

use parlor_agents::settings::Thinking;
use parlor_agents::{AgentKind, AgentSettings, SettingsError, build_agent};
use serde_json::json;

use crate::harness::{KEY, install_tls, no_programs};

/// The kind and the model of the agent in this environment.
fn agent(
    settings: &AgentSettings,
    env: &[(&str, &str)],
) -> Result<(String, String), SettingsError> {
    install_tls();
    let env =
        |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
    let about = build_agent(settings, env, None, &no_programs())?.describe();
    Ok((about.kind.to_owned(), about.model))
}

fn kind(settings: &AgentSettings, key: Option<&str>) -> Result<String, SettingsError> {
    let env: Vec<(&str, &str)> = key.map(|key| ("ANTHROPIC_API_KEY", key)).into_iter().collect();
    agent(settings, &env).map(|(kind, _)| kind)
}

fn of_kind(kind: AgentKind) -> AgentSettings {
    AgentSettings { kind, ..AgentSettings::default() }
}

#[test]
fn auto_takes_what_there_is_a_key_or_an_address_for() {
    let auto = of_kind(AgentKind::Auto);
    for (env, expected) in [
        (&[][..], "demo"),
        (&[("ANTHROPIC_API_KEY", " "), ("OPENAI_API_KEY", "")], "demo"),
        (&[("ANTHROPIC_API_KEY", KEY)], "anthropic"),
        (&[("ANTHROPIC_API_KEY", "  sk-ant-pasted\n")], "anthropic"),
        (&[("ANTHROPIC_API_KEY", KEY), ("OPENAI_API_KEY", KEY)], "anthropic"),
        (&[("OPENAI_API_KEY", KEY)], "openai"),
        (&[("OPENAI_BASE_URL", "http://localhost:11434/v1")], "openai"),
        (&[("OPENAI_MODEL", "qwen3")], "demo"),
    ] {
        assert_eq!(agent(&auto, env).unwrap().0, expected, "{env:?}");
    }
    assert_eq!(kind(&of_kind(AgentKind::Demo), Some(KEY)), Ok("demo".into()));
}

/// A server of one's own needs no key, but somebody has to say where it is.
#[test]
fn a_kind_without_what_it_needs_says_what_that_is() {
    let error = kind(&of_kind(AgentKind::Anthropic), None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "agent.kind is \"anthropic\", but there is no key: set ANTHROPIC_API_KEY, or base_url to \
         a server that needs none"
    );
    let error = kind(&of_kind(AgentKind::Openai), Some(KEY)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "agent.kind is \"openai\", but there is no key: set OPENAI_API_KEY, or base_url to a \
         server that needs none"
    );
    for (of, name) in [(AgentKind::Openai, "openai"), (AgentKind::Anthropic, "anthropic")] {
        let base_url = Some("http://localhost:11434".into());
        let local = AgentSettings { base_url, ..of_kind(of) };
        assert_eq!(kind(&local, None), Ok(name.into()));
    }
}

#[test]
fn the_model_may_come_from_the_environment() {
    let key = ("OPENAI_API_KEY", KEY);
    let model = ("OPENAI_MODEL", "qwen3");
    let openai = of_kind(AgentKind::Openai);
    assert_eq!(agent(&openai, &[key]).unwrap().1, "gpt-5.4");
    assert_eq!(agent(&openai, &[key, model]).unwrap().1, "qwen3");
    let named = AgentSettings { model: Some("mine".into()), ..openai };
    assert_eq!(agent(&named, &[key, model]).unwrap().1, "mine");
    let claude = agent(&of_kind(AgentKind::Auto), &[("ANTHROPIC_API_KEY", KEY), model]);
    assert_eq!(claude.unwrap().1, "claude-sonnet-5-5");
}

#[test]
fn the_base_url_may_come_from_the_environment() {
    for (key, variable) in
        [("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"), ("OPENAI_API_KEY", "OPENAI_BASE_URL")]
    {
        let auto = |url: &str| agent(&AgentSettings::default(), &[(key, KEY), (variable, url)]);
        for good in ["http://127.0.0.1:1", "https://gateway.example/x/", "https://x.example/v1"] {
            assert!(auto(good).is_ok(), "{good}");
        }
        for bad in ["gateway.example", "ftp://x.example", "file:///etc/passwd", "http://"] {
            assert_eq!(auto(bad), Err(SettingsError::BadBaseUrl { variable }), "{bad}");
        }
    }
}

/// Only Anthropic takes a number of tokens to think with.
#[test]
fn a_budget_for_thinking_is_refused_where_there_is_none() {
    let openai = AgentSettings { thinking: Thinking::Budget(2_000), ..of_kind(AgentKind::Openai) };
    let error = agent(&openai, &[("OPENAI_API_KEY", KEY)]).unwrap_err();
    assert!(error.to_string().starts_with("agent.thinking must be \"default\", "), "{error}");
}

#[test]
fn a_setting_that_cannot_be_is_named() {
    let cases: [(&str, serde_json::Value); 9] = [
        ("model", json!(" ")),
        ("max_tokens", json!(0)),
        ("context_tokens", json!(10)),
        ("thinking", json!(100)),
        ("idle_timeout_seconds", json!(0)),
        ("connect_timeout_seconds", json!(-1.0)),
        ("max_event_bytes", json!(10)),
        ("max_attempts", json!(0)),
        ("retry_delay_seconds", json!(1e300)),
    ];
    for (name, value) in cases {
        let settings: AgentSettings = serde_json::from_value(json!({(name): value}))
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        let error = kind(&settings, None).unwrap_err().to_string();
        assert!(error.starts_with(&format!("agent.{name} must be")), "{error}");
    }
    let unknown = serde_json::from_value::<AgentSettings>(json!({"modle": "x"})).unwrap_err();
    assert!(unknown.to_string().contains("modle"));
}

#[test]
fn thinking_is_a_word_or_a_number() {
    for (written, meant) in [
        (json!("default"), Thinking::Default),
        (json!("off"), Thinking::Off),
        (json!("adaptive"), Thinking::Adaptive),
        (json!(4_000), Thinking::Budget(4_000)),
    ] {
        assert_eq!(serde_json::from_value::<Thinking>(written).unwrap(), meant);
    }
    assert!(serde_json::from_value::<Thinking>(json!("much")).is_err());
}

#[test]
fn a_key_that_is_no_key_is_refused_without_being_shown() {
    let error = kind(&AgentSettings::default(), Some("sk-\u{1}bad")).unwrap_err();
    assert_eq!(error.to_string(), "ANTHROPIC_API_KEY holds characters that a key cannot have");
}

/// B-2: whatever is wrong about a program is said before anything is started.
#[tokio::test]
async fn a_program_that_cannot_run_is_an_error_that_names_the_setting() {
    let dir = std::env::temp_dir();
    let claude_code = |more: serde_json::Value| {
        let mut program = json!({"command": "/bin/sh", "working_dir": dir});
        program.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
        let settings = json!({"kind": "claude_code", "claude_code": program});
        agent(&serde_json::from_value(settings).unwrap(), &[("PATH", "/bin")])
    };
    assert_eq!(claude_code(json!({})).unwrap().0, "claude_code");
    assert_eq!(claude_code(json!({"command": "sh"})).unwrap().0, "claude_code");
    for (more, words) in [
        (json!({"command": "no-such-program"}), "claude_code.command: there is no program"),
        (json!({"command": "/no/such"}), "claude_code.command: there is no program"),
        (json!({"command": " "}), "claude_code.command: it must be"),
        (json!({"working_dir": null}), "claude_code.working_dir: set it to"),
        (json!({"working_dir": "/no/such"}), "claude_code.working_dir: /no/such"),
        (json!({"working_dir": "/bin/sh"}), "is not a directory"),
        (json!({"env": {"A": {"env": "NOT_SET"}}}), "env.A: the variable NOT_SET is not set"),
        (json!({"allowed_tools": ["-x"]}), "claude_code.allowed_tools: '-x'"),
        (json!({"turn_timeout_seconds": 0}), "claude_code.turn_timeout_seconds: it must be"),
        (json!({"idle_timeout_seconds": 1e9}), "claude_code.idle_timeout_seconds: it must be"),
        (json!({"max_line_bytes": 1}), "claude_code.max_line_bytes: it must be"),
        (json!({"user": "no such user"}), "claude_code.user: "),
    ] {
        let message = claude_code(more.clone()).unwrap_err().to_string();
        assert!(message.contains(words), "{more}: {message}");
    }
}
