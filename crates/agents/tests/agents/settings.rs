//! Which agent the settings ask for, and what they may be.

use parlor_agents::settings::Thinking;
use parlor_agents::{AgentKind, AgentSettings, SettingsError, build_agent};
use serde_json::json;

use crate::harness::{KEY, install_tls};

fn kind(settings: &AgentSettings, key: Option<&str>) -> Result<&'static str, SettingsError> {
    install_tls();
    let env = |name: &str| key.filter(|_| name == "ANTHROPIC_API_KEY").map(str::to_owned);
    build_agent(settings, env, None).map(|agent| agent.describe().kind)
}

#[test]
fn auto_takes_what_there_is_a_key_for() {
    let auto = AgentSettings::default();
    assert_eq!(kind(&auto, Some(KEY)), Ok("anthropic"));
    assert_eq!(kind(&auto, Some("  sk-ant-pasted\n")), Ok("anthropic"));
    assert_eq!(kind(&auto, None), Ok("demo"));
    assert_eq!(kind(&auto, Some(" ")), Ok("demo"));
    let demo = AgentSettings { kind: AgentKind::Demo, ..auto.clone() };
    assert_eq!(kind(&demo, Some(KEY)), Ok("demo"));
    let anthropic = AgentSettings { kind: AgentKind::Anthropic, ..auto };
    let error = kind(&anthropic, None).unwrap_err();
    assert!(error.to_string().contains("set ANTHROPIC_API_KEY"), "{error}");
}

#[test]
fn the_base_url_may_come_from_the_environment() {
    install_tls();
    let env = |url: &'static str| {
        move |name: &str| match name {
            "ANTHROPIC_API_KEY" => Some(KEY.to_owned()),
            "ANTHROPIC_BASE_URL" => Some(url.to_owned()),
            _ => None,
        }
    };
    for good in ["http://127.0.0.1:1", "https://gateway.example/anthropic/", "https://x.example/v1"]
    {
        assert!(build_agent(&AgentSettings::default(), env(good), None).is_ok(), "{good}");
    }
    for bad in ["gateway.example", "ftp://x.example", "file:///etc/passwd", "http://"] {
        let error = build_agent(&AgentSettings::default(), env(bad), None).err();
        assert_eq!(error, Some(SettingsError::BadBaseUrl), "{bad}");
    }
}

#[test]
fn a_setting_that_cannot_be_is_named() {
    let cases: [(&str, serde_json::Value); 8] = [
        ("model", json!(" ")),
        ("max_tokens", json!(0)),
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
