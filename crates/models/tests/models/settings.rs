//! Which agent the settings select, and which settings are valid.

use parlor_models::{ModelKind, ModelSettings, SettingsError, Thinking, build_agent};
use serde_json::json;

use crate::harness::{KEY, install_tls};

/// The kind and the model of the agent in this environment.
fn agent(
    settings: &ModelSettings,
    env: &[(&str, &str)],
) -> Result<(String, String), SettingsError> {
    install_tls();
    let env =
        |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
    let about = build_agent(settings, env, None)?.describe();
    Ok((about.kind.to_owned(), about.model))
}

fn kind(settings: &ModelSettings, key: Option<&str>) -> Result<String, SettingsError> {
    let env: Vec<(&str, &str)> = key.map(|key| ("ANTHROPIC_API_KEY", key)).into_iter().collect();
    agent(settings, &env).map(|(kind, _)| kind)
}

fn of_kind(kind: ModelKind) -> ModelSettings {
    ModelSettings { kind, ..ModelSettings::default() }
}

#[test]
fn auto_takes_what_there_is_a_key_or_an_address_for() {
    let auto = of_kind(ModelKind::Auto);
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
    assert_eq!(kind(&of_kind(ModelKind::Demo), Some(KEY)), Ok("demo".into()));
}

/// A local model server needs no key, but an address.
#[test]
fn a_kind_without_what_it_needs_says_what_that_is() {
    let error = kind(&of_kind(ModelKind::Anthropic), None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "agent.kind is \"anthropic\", but there is no key: set ANTHROPIC_API_KEY, or base_url to \
         a server that needs none"
    );
    let error = kind(&of_kind(ModelKind::Openai), Some(KEY)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "agent.kind is \"openai\", but there is no key: set OPENAI_API_KEY, or base_url to a \
         server that needs none"
    );
    for (of, name) in [(ModelKind::Openai, "openai"), (ModelKind::Anthropic, "anthropic")] {
        let base_url = Some("http://localhost:11434".into());
        let local = ModelSettings { base_url, ..of_kind(of) };
        assert_eq!(kind(&local, None), Ok(name.into()));
    }
}

#[test]
fn the_model_may_come_from_the_environment() {
    let key = ("OPENAI_API_KEY", KEY);
    let model = ("OPENAI_MODEL", "qwen3");
    let openai = of_kind(ModelKind::Openai);
    assert_eq!(agent(&openai, &[key]).unwrap().1, "gpt-5.4");
    assert_eq!(agent(&openai, &[key, model]).unwrap().1, "qwen3");
    let named = ModelSettings { model: Some("mine".into()), ..openai };
    assert_eq!(agent(&named, &[key, model]).unwrap().1, "mine");
    let claude = agent(&of_kind(ModelKind::Auto), &[("ANTHROPIC_API_KEY", KEY), model]);
    assert_eq!(claude.unwrap().1, "claude-sonnet-5-5");
}

#[test]
fn the_base_url_may_come_from_the_environment() {
    for (key, variable) in
        [("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"), ("OPENAI_API_KEY", "OPENAI_BASE_URL")]
    {
        let auto = |url: &str| agent(&ModelSettings::default(), &[(key, KEY), (variable, url)]);
        for good in ["http://127.0.0.1:1", "https://gateway.example/x/", "https://x.example/v1"] {
            assert!(auto(good).is_ok(), "{good}");
        }
        for bad in ["gateway.example", "ftp://x.example", "file:///etc/passwd", "http://"] {
            assert_eq!(auto(bad), Err(SettingsError::BadBaseUrl { variable }), "{bad}");
        }
    }
}

/// Only Anthropic accepts a number of tokens for reasoning.
#[test]
fn a_budget_for_thinking_is_refused_where_there_is_none() {
    let openai = ModelSettings { thinking: Thinking::Budget(2_000), ..of_kind(ModelKind::Openai) };
    let error = agent(&openai, &[("OPENAI_API_KEY", KEY)]).unwrap_err();
    assert!(error.to_string().starts_with("agent.thinking must be \"default\", "), "{error}");
}

#[test]
fn a_setting_that_cannot_be_is_named() {
    type Change = fn(&mut ModelSettings);
    let cases: [(&str, Change); 9] = [
        ("model", |settings| settings.model = Some(" ".into())),
        ("max_tokens", |settings| settings.max_tokens = Some(0)),
        ("context_tokens", |settings| settings.context_tokens = 10),
        ("thinking", |settings| settings.thinking = Thinking::Budget(100)),
        ("idle_timeout_seconds", |settings| settings.idle_timeout_seconds = 0.0),
        ("connect_timeout_seconds", |settings| settings.connect_timeout_seconds = -1.0),
        ("max_event_bytes", |settings| settings.max_event_bytes = 10),
        ("max_attempts", |settings| settings.max_attempts = 0),
        ("retry_delay_seconds", |settings| settings.retry_delay_seconds = 1e300),
    ];
    for (name, change) in cases {
        let mut settings = ModelSettings::default();
        change(&mut settings);
        let error = kind(&settings, None).unwrap_err().to_string();
        assert!(error.starts_with(&format!("agent.{name} must be")), "{error}");
    }
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
    let error = kind(&ModelSettings::default(), Some("sk-\u{1}bad")).unwrap_err();
    assert_eq!(error.to_string(), "ANTHROPIC_API_KEY holds characters that a key cannot have");
}
