//! What is shown of a configuration is what holds, and nothing secret.

use super::*;
use crate::config::{Places, Sources};

const EVERYTHING: &str = r#"
[server]
bind = "127.0.0.1:1"
[server.limits]
body = "40MB"
[storage]
url = "postgres://parlor:db-password-1@db.example.org/parlor"
[tenants.home]
admins_read_conversations = true
[tenants.home.login.oidc.work]
issuer = "https://login.example.org"
client_id = "parlor"
client_secret = "oidc-secret-22"
[tenants.home.login.oidc.work.claims]
require = { claim = "groups", values = ["family"] }
[tenants.home.projects.site]
prompt_timeout = "5m"
[tenants.home.projects.site.guard]
off = ["jailbreak.dan_mode"]
add = [{ id = "a.b", pattern = "x" }]
[tenants.home.projects.site.sanitizer]
replace = { claude-code = "[helper]" }
[tenants.home.projects.site.agent]
kind = "acp"
[tenants.home.projects.site.agent.acp]
preset = "codex"
working_dir = "/tmp"
[tenants.home.projects.site.agent.acp.env]
OPENAI_API_KEY = "agent-secret-333"
HOME = { env = "AGENT_HOME" }
[tenants.home.projects.recipes.look]
greeting = { en = "Hello", pt = "Oi" }
[tenants.home.projects.recipes.mcp.search]
url = "https://mcp.example.org/mcp?api_key=query-secret-4444"
[tenants.home.projects.recipes.mcp.search.headers]
Authorization = "Bearer header-secret-55555"
[tenants.home.projects.recipes.mcp.files]
command = "npx"
args = ["--token", "argument-secret-6", "--root", "/srv", "KEY=argument-secret-7"]
[tenants.home.projects.recipes.mcp.files.tools."*"]
action = "ask"
[tenants.home.projects.recipes.mcp.files.tools.env]
timeout_seconds = 1.5
[tenants.other.projects.desk]
system_prompt = "Never say argument-secret-6 or sk-ant-api03-abcdefgh12345678."
"#;
const ENVIRONMENT: [(&str, &str); 5] = [
    ("PARLOR_PASSWORD", "family-secret-8"),
    ("PARLOR_LIMITS_KEEP_ALIVE", "1s"),
    ("PARLOR_DATA_DIR", "/srv/parlor"),
    ("ANTHROPIC_API_KEY", "model-secret-9"),
    ("OPENAI_BASE_URL", "http://ana:gateway-secret-10@gateway.example.org/v1"),
];

fn sources() -> Sources {
    let environment = ENVIRONMENT.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let (bind, environment) = (Some("127.0.0.1:3".to_owned()), environment.into());
    Sources { bind, environment, ..Sources::default() }
}

fn load(text: &str, sources: &Sources) -> Config {
    crate::config::from_text(text, sources).unwrap()
}

/// N-2: what is shown is what holds: loaded again, it is the same configuration.
#[test]
fn the_effective_configuration_is_the_configuration() {
    let example = EXAMPLE.replace("\n#", "\n").replace("\n ", "\n# ");
    for text in ["", EXAMPLE, &example, EVERYTHING] {
        let config = load(text, &Sources::default());
        let set: Table = toml::from_str(text).unwrap();
        let whole = whole(&config, &set);
        let again = Config::merge(whole, &Places::default(), &Sources::default()).unwrap();
        assert_eq!(format!("{again:#?}"), format!("{config:#?}"));
    }
}

/// Y-4: each value says where it comes from.
#[test]
fn each_value_has_its_source() {
    let config = load(EVERYTHING, &sources());
    let values: Vec<EffectiveValue> = config.effective.values().collect();
    let find = |key: &str| {
        let value = values.iter().find(|value| value.key == key);
        let value = value.unwrap_or_else(|| panic!("{key} is not shown"));
        (value.value.to_string(), value.source, value.place.as_deref().unwrap_or_default())
    };
    for (key, value, source, place) in [
        ("server.bind", "\"127.0.0.1:3\"", ValueSource::Flag, "--bind"),
        ("server.data_dir", "\"/srv/parlor\"", ValueSource::Environment, "PARLOR_DATA_DIR"),
        (
            "server.limits.keep_alive",
            "\"1s\"",
            ValueSource::Environment,
            "PARLOR_LIMITS_KEEP_ALIVE",
        ),
        ("server.limits.body", "\"40MB\"", ValueSource::File, "parlor.toml:5"),
        ("server.limits.body_memory", "\"80MB\"", ValueSource::Default, ""),
        ("access.idle_expiry", "\"7d\"", ValueSource::Default, ""),
        ("tenants.home.default_project", "\"recipes\"", ValueSource::Default, ""),
        ("tenants.home.admins_read_conversations", "true", ValueSource::File, "parlor.toml:9"),
        ("tenants.home.projects.recipes.recipe_vault", "true", ValueSource::Default, ""),
        ("tenants.home.projects.site.recipe_vault", "false", ValueSource::Default, ""),
        ("tenants.home.projects.site.flow.policy", "\"watch\"", ValueSource::Default, ""),
        (
            "tenants.home.projects.site.agent.acp.durable_approvals",
            "true",
            ValueSource::Default,
            "",
        ),
        (
            "tenants.home.projects.recipes.mcp.files.tools.\"*\".action",
            "\"ask\"",
            ValueSource::File,
            "parlor.toml:41",
        ),
        ("tenants.home.projects.recipes.mcp.files.parallel_calls", "4", ValueSource::Default, ""),
        ("PARLOR_PASSWORD", "\"[masked]\"", ValueSource::Environment, "PARLOR_PASSWORD"),
    ] {
        assert_eq!(find(key), (value.to_owned(), source, place), "{key}");
    }
    let home = find("tenants.home.projects.site.agent.acp.env.HOME").0;
    assert!(home.contains("AGENT_HOME"), "the name of a variable is no secret: {home}");
    assert_eq!(
        load("", &Sources::default()).effective.values().find(|v| v.source != ValueSource::Default),
        None
    );
}

/// X-3: no secret is shown, wherever it stands.
#[test]
fn no_secret_is_shown() {
    let config = load(EVERYTHING, &sources());
    let shown: Vec<EffectiveValue> = config.effective.values().collect();
    let shown = serde_json::to_string(&shown).unwrap();
    for secret in ["-secret-", "db-password", "sk-ant", "header-", "family-"] {
        assert!(!shown.contains(secret), "{secret} in {shown}");
    }
    for kept in [
        "postgres://parlor:[masked]@db.example.org/parlor",
        "[\"--token\",\"[masked]\",\"--root\",\"/srv\",\"KEY=[masked]\"]",
        "https://mcp.example.org/mcp?api_key=[masked]",
        "http://ana:[masked]@gateway.example.org/v1",
        "Never say [masked] or",
        "jailbreak.dan_mode",
    ] {
        assert!(shown.contains(kept), "{kept} is not in {shown}");
    }
}
