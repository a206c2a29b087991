//! Every way in which a configuration can be right or wrong.

use std::time::Duration;

use parlor_agent::tools::ToolAction;
use parlor_mcp::McpServerSettings;
use parlor_oidc::ClaimRules;
use parlor_programs::acp::{AcpSettings, Preset};
use parlor_programs::claude_code::ClaudeCodeSettings;
use parlor_protocol::{Content, Measure, Period};

use super::*;

mod budgets;
mod observed;

const EXAMPLE: &str = include_str!("../../../../parlor.example.toml");

fn load(text: &str, environment: &[(&str, &str)]) -> Result<Config, ConfigError> {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("parlor.toml");
    fs::write(&file, text).unwrap();
    let environment = environment.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    Config::load(&Sources { file: Some(file), environment, ..Sources::default() })
}

fn error(text: &str, environment: &[(&str, &str)]) -> String {
    load(text, environment).unwrap_err().to_string()
}

/// N-2: the example documents the defaults, and they are what it says.
#[test]
fn the_example_says_what_happens_without_a_file() {
    let example = load(EXAMPLE, &[]).unwrap();
    let nothing = load("", &[]).unwrap();
    assert_eq!(format!("{example:#?}"), format!("{nothing:#?}"));
}

/// What the example has commented out is right, too.
#[test]
fn the_example_can_be_switched_on_line_by_line() {
    let all = EXAMPLE.replace("\n#", "\n").replace("\n ", "\n# ");
    let config = load(&all, &[]).unwrap();
    assert_eq!(config.server.public_url.unwrap().as_str(), "https://chat.example.org");
    let tenant = config.tenants.values().next().unwrap();
    let provider = tenant.login.oidc.values().next().unwrap();
    assert_eq!(provider.title, "Work");
    // It says what the defaults are, where there are any.
    let usual = ClaimRules {
        require: provider.claims.require.clone(),
        roles: provider.claims.roles.clone(),
        ..ClaimRules::default()
    };
    assert_eq!(provider.claims, usual);
    assert!(provider.claims.require.is_some() && provider.claims.roles.is_some());
    let budgets = &tenant.budgets;
    assert_eq!(budgets.tenant.most(Period::Month, Measure::CostUsd), Some(50_000_000));
    assert_eq!(budgets.people.anybody.most(Period::Day, Measure::AgentMinutes), Some(3_600_000));
    assert!(budgets.people.named.contains_key(&"Ana Souza".parse().unwrap()));
    assert!(budgets.projects.values().next().unwrap().limits(Measure::Tokens));
    let project = tenant.projects.values().next().unwrap();
    assert_eq!(project.prices.unwrap().cache_write, 3.75);
    let files = &project.mcp["files"];
    let usual = McpServerSettings {
        command: files.command.clone(),
        args: files.args.clone(),
        env: files.env.clone(),
        working_dir: files.working_dir.clone(),
        user: files.user.clone(),
        limits: files.limits,
        prefix: Some("files_".to_owned()),
        content: Some(Content::Others),
        private: Some(true),
        tools: files.tools.clone(),
        ..McpServerSettings::default()
    };
    assert_eq!(*files, usual);
    assert_eq!(files.tools["read_text_file"].rules[0].action, ToolAction::Allow);
    assert!(project.mcp["search"].url.is_some());
    let program = &project.agent.claude_code;
    let usual = ClaudeCodeSettings {
        working_dir: program.working_dir.clone(),
        user: program.user.clone(),
        env: program.env.clone(),
        limits: program.limits,
        ..ClaudeCodeSettings::default()
    };
    assert_eq!(*program, usual);
    let program = &project.agent.acp;
    let usual = AcpSettings {
        preset: program.preset,
        working_dir: program.working_dir.clone(),
        user: program.user.clone(),
        command: program.command.clone(),
        args: program.args.clone(),
        mode: program.mode.clone(),
        plan_mode: program.plan_mode.clone(),
        auth_method: program.auth_method.clone(),
        env: program.env.clone(),
        limits: program.limits,
        ..AcpSettings::default()
    };
    assert_eq!(*program, usual);
    assert_eq!(program.preset, Some(Preset::Codex));
}

/// Every key that is known stands in the example.
#[test]
fn the_example_documents_every_key() {
    for section in [
        "",
        "server",
        "server.limits",
        "server.openai",
        "server.metrics",
        "access",
        "tenants.home",
        "tenants.home.login",
        "tenants.home.login.oidc.work",
        "tenants.home.login.oidc.work.claims",
        "tenants.home.webhooks.pager",
        "tenants.home.budgets",
        "tenants.home.budgets.roles",
        "tenants.home.budgets.tenant",
        "tenants.home.budgets.tenant.day",
        "tenants.home.projects.recipes",
        "tenants.home.projects.recipes.prices",
        "tenants.home.projects.recipes.guard",
        "tenants.home.projects.recipes.sanitizer",
        "tenants.home.projects.recipes.flow",
        "tenants.home.projects.recipes.agent",
        "tenants.home.projects.recipes.agent.claude_code",
        "tenants.home.projects.recipes.agent.claude_code.limits",
        "tenants.home.projects.recipes.agent.acp",
        "tenants.home.projects.recipes.agent.acp.limits",
        "tenants.home.projects.recipes.mcp.files",
        "tenants.home.projects.recipes.mcp.files.limits",
        "tenants.home.projects.recipes.mcp.files.tools.read_text_file",
    ] {
        let header = if section.is_empty() { String::new() } else { format!("[{section}]\n") };
        let message = error(&format!("{header}no_such_key = 1"), &[]);
        let expected = message.split(", expected ").nth(1).unwrap().lines().next().unwrap();
        for key in expected.split('`').skip(1).step_by(2) {
            let documented = EXAMPLE.lines().map(|line| line.trim_start_matches('#')).any(|line| {
                line.starts_with(&format!("{key} = "))
                    || line.trim_matches(['[', ']']).split('.').any(|part| part == key)
            });
            assert!(documented, "[{section}] {key} is not in parlor.example.toml");
        }
    }
}

/// An unknown key is named, with its line and the nearest known one.
#[test]
fn an_unknown_key_is_refused_with_the_nearest_known_one() {
    let message = error("[server]\nbnid = \"127.0.0.1:1\"", &[]);
    assert!(message.contains("line 2"), "{message}");
    assert!(message.contains("unknown field `bnid`"), "{message}");
    assert!(message.contains("did you mean `bind`?"), "{message}");
    let message = error("[tenants.home.projects.recipes.guard]\npolici = \"strict\"", &[]);
    assert!(message.contains("did you mean `policy`?"), "{message}");
    let message = error("bind = \"127.0.0.1:1\"", &[]);
    assert!(message.contains("did you mean `server.bind`?"), "{message}");
    let message = error("[flavours]\nsweet = \"x\"", &[]);
    assert!(message.contains("unknown field `flavours`"), "{message}");
    assert!(!message.contains("did you mean"), "nothing is like it: {message}");
}

#[test]
fn wrong_values_say_what_would_be_right() {
    for (text, words) in [
        ("[server]\nbind = \"8787\"", "server.bind: '8787' is not an address"),
        ("[server]\nbind = 8787", "expected a string"),
        ("[server]\nbind = \"0.0.0.0:1\"", "server.public_url: 0.0.0.0:1 can be reached"),
        ("[server]\npublic_url = \"chat\"", "is not a URL"),
        ("[server]\ntrusted_proxies = [\"x\"]", "server.trusted_proxies: 'x' is not an address"),
        ("[server.limits]\nbody = 10", "expected a size such as"),
        ("[server.limits]\nkeep_alive = \"soon\"", "expected a time such as"),
        ("[server.limits]\nconnections = 0", "server.limits.connections: it must be more"),
        ("[server.limits]\nbody_memory = \"1MB\"", "at least as large as body"),
        ("[access]\nidle_expiry = \"60d\"", "at most absolute_expiry"),
        ("[tenants.\"../x\"]", "a tenant is 1 to 64"),
        ("[tenants.home]\ndefault_project = \"x\"", "there is no project 'x'"),
        ("[tenants.home.projects.recipes]\non_reload = \"newest\"", "did you mean `new`?"),
        ("[tenants.home.projects.recipes.mcp.a]\ncomand = \"b\"", "did you mean `command`?"),
        (
            "[tenants.home.projects.recipes.mcp.a.env]\nA = 7",
            "a text, { env = \"VARIABLE\", prefix = \"Bearer \" }, or { file = \"/path\" }",
        ),
        ("[tenants.home.projects.recipes.mcp.a.tools.b]\naction = \"alow\"", "`allow`?"),
        (
            "[tenants.home.projects.recipes.mcp.a.tools.b]\napprovers = [\"role:cook\"]",
            "nobody has the role 'cook': add it to roles of the tenant",
        ),
        ("[tenants.home.projects.recipes]\napprovers = [\"cook\"]", "'cook' is none of"),
        ("[tenants.home]\nroles = [\"Cook\"]", "'Cook': a role is 1 to 32"),
        ("[tenants.home]\nshare_links = \"all\"", "unknown variant `all`"),
        ("[server", "line 1"),
    ] {
        let message = error(text, &[]);
        assert!(message.contains(words), "{text}: {message}");
    }
}

/// Y-1: a provider is checked before anybody tries to log in with it.
#[test]
fn a_login_provider_is_checked() {
    const PLACE: &str = "tenants.home.login.oidc.work";
    let with =
        |settings: &str, claims: &str| format!("[{PLACE}]\n{settings}\n[{PLACE}.claims]\n{claims}");
    let right = "issuer = \"https://login.example.org\"\nclient_id = \"parlor\"";
    let config = load(&with(right, "everyone = true"), &[]).unwrap();
    let work = config.tenants.values().next().unwrap().login.oidc.values().next().unwrap();
    assert_eq!((work.title.as_str(), work.log_out_at_provider), ("Work", true));
    assert_eq!(work.scopes, ["openid", "email", "profile"]);
    let local = "issuer = \"http://127.0.0.1:9000\"\nclient_id = \"parlor\"";
    let secret = format!("{right}\nclient_secret = 7");
    for (settings, claims, words) in [
        ("client_id = \"parlor\"", "everyone = true", ".issuer: it is missing"),
        ("issuer = \"https://login.example.org\"", "everyone = true", ".client_id: it is missing"),
        (local, "everyone = true", "allow_private_addresses = true permits it"),
        (right, "", ".claims: say who is admitted"),
        (right, "require = { claim = \"a\", values = [] }", ".claims: require has no values"),
        (right, "require = { clam = \"a\" }", "did you mean `claim`?"),
        (secret.as_str(), "everyone = true", "a text, { env = \"VARIABLE\""),
    ] {
        let message = error(&with(settings, claims), &[]);
        assert!(message.contains(words), "{settings} {claims}: {message}");
    }
    let message = error("[tenants.home.login.oidc.\"a/b\"]", &[]);
    assert!(message.contains("a provider's name is 1 to 32"), "{message}");
}

#[test]
fn the_environment_and_flags_win_over_the_file() {
    let text = "[server]\nbind = \"127.0.0.1:1\"\ntrusted_proxies = [\"10.0.0.1\"]";
    let config = load(
        text,
        &[
            ("PARLOR_BIND", "127.0.0.1:2"),
            ("PARLOR_TRUSTED_PROXIES", "10.0.0.2, 10.1.0.0/16"),
            ("PARLOR_LIMITS_MESSAGES_PER_MINUTE", "7"),
            ("PARLOR_LIMITS_KEEP_ALIVE", "1s"),
            ("PARLOR_LIMITS_BODY", ""),
            ("PARLOR_DATA_DR", "x"),
        ],
    )
    .unwrap();
    assert_eq!(config.server.bind.port(), 2);
    assert_eq!(config.server.trusted_proxies.len(), 2);
    assert_eq!(config.server.limits.messages_per_minute, 7);
    assert_eq!(config.server.limits.keep_alive, Duration::from_secs(1));
    assert_eq!(config.server.limits.body, 24 << 20);
    assert_eq!(config.warnings.len(), 1);
    let flags = Sources { bind: Some("127.0.0.1:3".to_owned()), ..Sources::default() };
    assert_eq!(Config::load(&flags).unwrap().server.bind.port(), 3);
}

#[test]
fn an_error_in_the_environment_names_the_variable() {
    let message = error("", &[("PARLOR_LIMITS_CONNECTIONS", "many")]);
    assert!(message.starts_with("PARLOR_LIMITS_CONNECTIONS: 'many'"), "{message}");
    let message = error("", &[("PARLOR_LIMITS_BODY", "10")]);
    assert!(message.starts_with("PARLOR_LIMITS_BODY: "), "{message}");
    let message = error("", &[("PARLOR_PASSWORD", " ")]);
    assert!(message.contains("blank"), "{message}");
    let message = error("", &[("PARLOR_PASSWORD", "same"), ("PARLOR_ADMIN_PASSWORD", "same")]);
    assert!(message.contains("must differ"), "{message}");
}

/// nothing that is secret prints.
#[test]
fn secrets_do_not_print() {
    let config = load("", &[("PARLOR_PASSWORD", "hunter2"), ("PARLOR_API_KEY", "hunter2k")]);
    let printed = format!("{:?}", config.unwrap());
    assert!(!printed.contains("hunter2"), "{printed}");
    assert!(printed.contains("api_key"), "{printed}");
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let sources = Sources { file: Some("/nowhere/parlor.toml".into()), ..Sources::default() };
    let message = Config::load(&sources).unwrap_err().to_string();
    assert!(message.contains("/nowhere/parlor.toml"), "{message}");
}

/// U-10: a project may have a look of its own; what cannot be shown is refused with its place.
#[test]
fn a_project_has_a_look() {
    let with = |look: &str| load(&format!("[tenants.home.projects.desk.look]\n{look}"), &[]);
    let config = with(
        "greeting = \"Hello\"\nintro = { en = \"Ask\", pt = \"Pergunte\" }\nlogo = \"/x.png\"\n\
         accent = \"#FFEE00\"\nsuggestions = [{ text = \"Plan it\", mode = \"plan\" }]",
    );
    let config = config.unwrap();
    let look = &config.tenants.values().next().unwrap().projects.values().next().unwrap().look;
    let greeting = look.greeting.as_ref().unwrap();
    assert_eq!((greeting.en.as_str(), greeting.pt.as_str()), ("Hello", "Hello"));
    assert_eq!(look.intro.as_ref().unwrap().pt, "Pergunte");
    assert_eq!(look.suggestions.as_ref().unwrap()[0].mode, Some(SuggestionMode::Plan));
    assert_ne!(look.accent.unwrap().light, look.accent.unwrap().dark);
    let place = "tenants.home.projects.desk.look";
    for (text, key, why) in [
        ("accent = \"red\"", "accent", "write it like"),
        ("greeting = \" \"", "greeting", "leave it out"),
        ("intro = \"a\\nb\"", "intro", "on one line"),
        ("suggestions = [{ text = \"\" }]", "suggestions", "leave it out"),
    ] {
        let error = with(text).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{place}.{key}: ")) && error.contains(why), "{error}");
    }
    let many = "{ text = \"x\" },".repeat(7);
    let error = with(&format!("suggestions = [{many}]")).unwrap_err().to_string();
    assert!(error.contains("6 at most"), "{error}");
    assert!(with("greeting = 7").unwrap_err().to_string().contains("{ en ="));
    assert!(with("acent = \"#000000\"").unwrap_err().to_string().contains("accent"));
}

/// U-12, I-7: origins are written as browsers send them; anything else is refused with its place.
#[test]
fn origins_of_a_project_are_checked() {
    let place = "tenants.home.projects.shop";
    let config = load(
        &format!(
            "[{place}]\nallowed_origins = [\"https://A.example/\"]\n[{place}.embed]\n\
             origins = [\"https://shop.example:443\", \"http://127.0.0.1:5180\"]"
        ),
        &[],
    );
    let config = config.unwrap();
    let project = config.tenants.values().next().unwrap().projects.values().next().unwrap();
    assert_eq!(project.allowed_origins, ["https://a.example"]);
    assert_eq!(project.embed.origins, ["https://shop.example", "http://127.0.0.1:5180"]);
    for wrong in ["*", "shop.example", "https://shop.example/chat", "ftp://shop.example"] {
        let text = format!("[{place}.embed]\norigins = [\"{wrong}\"]");
        let why = error(&text, &[]);
        assert!(why.contains(&format!("{place}.embed.origins")), "{why}");
        assert!(why.contains("such as https://chat.example.org"), "{why}");
    }
}

/// N-2: a check finds all that is wrong, each with its place, and not only the first.
#[test]
fn a_check_finds_everything_that_is_wrong() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("parlor.toml");
    fs::write(
        &file,
        "[server]\nbnid = \"127.0.0.1:1\"\nbind = \"8787\"\n[server.limits]\nbody = 10\n\
         [acess]\nidle_expiry = \"1d\"\n[access]\nidle_expiry = \"60d\"\n\
         [tenants.home]\ndefault_project = \"x\"\n[tenants.home.projects.a.look]\naccent = \"red\"\n\
         [tenants.other.projects.b]\non_reload = \"newest\"\n",
    )
    .unwrap();
    let environment = [("PARLOR_LIMITS_CONNECTIONS", "many"), ("PARLOR_PASSWORD", " ")];
    let environment = environment.map(|(k, v)| (k.to_owned(), v.to_owned())).into();
    let sources = Sources { file: Some(file.clone()), environment, ..Sources::default() };
    let found = Config::check(&sources).unwrap_err();
    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
    let name = file.display();
    for (place, words) in [
        (format!("{name}:2: server.bnid: "), "did you mean `bind`?"),
        (format!("{name}:5: server.limits.body: "), "a size such as"),
        (format!("{name}:6: acess: "), "did you mean `access`?"),
        (format!("{name}:15: tenants.other.projects.b.on_reload: "), "did you mean `new`?"),
        ("server.bind: ".to_owned(), "is not an address with a port"),
        ("access.idle_expiry: ".to_owned(), "at most absolute_expiry"),
        ("tenants.home.default_project: ".to_owned(), "there is no project 'x'"),
        ("tenants.home.projects.a.look.accent: ".to_owned(), "write it like"),
        ("PARLOR_LIMITS_CONNECTIONS: ".to_owned(), "is not a whole number"),
        ("PARLOR_PASSWORD: ".to_owned(), "blank"),
    ] {
        assert!(
            found.iter().any(|e| e.starts_with(&place) && e.contains(words)),
            "{place} {found:#?}"
        );
    }
    assert_eq!(found.len(), 10, "{found:#?}");
    fs::write(&file, "[server").unwrap();
    let sources = Sources { file: Some(file), ..Sources::default() };
    assert_eq!(Config::check(&sources).unwrap_err().len(), 1, "no TOML is one problem");
}
