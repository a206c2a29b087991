//! What each built-in rule masks, and similar text that it does not.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use parlor_guard::sanitizer::{Sanitizer, SanitizerSettings, builtin_rules};

#[track_caller]
fn check(sanitizer: &Sanitizer, table: &[(&str, &str)]) {
    for (text, expected) in table {
        assert_eq!(sanitizer.sanitize(text), *expected, "for {text:?}");
    }
}

#[track_caller]
fn masks(table: &[(&str, &str)]) {
    check(&Sanitizer::default(), table);
}

#[track_caller]
fn keeps(texts: &[&str]) {
    let table: Vec<_> = texts.iter().map(|text| (*text, *text)).collect();
    masks(&table);
}

/// S-1, seed scenario "Sanitizar referência a Claude Code".
#[test]
fn s_1_claude_code() {
    masks(&[
        ("I am claude-code.", "I am [assistant]."),
        ("I am Claude Code.", "I am [assistant]."),
        ("claudecode", "[assistant]"),
        ("CLAUDE CODE", "[assistant]"),
        ("claude_code", "[assistant]"),
        ("CLAUDE_CODE_MAX_RETRIES=2", "[assistant]_MAX_RETRIES=2"),
        ("Claude\n  Code", "[assistant]"),
        ("Claude\u{a0}Code and Claude\u{2011}Code", "[assistant] and [assistant]"),
        ("run Claude CLI now", "run [assistant] now"),
        ("the Claude Agent SDK", "the [assistant]"),
        ("claude-agent-sdk", "[assistant]"),
        ("see claude.ai", "see [assistant]"),
        ("npm i @anthropic-ai/claude-code", "npm i [provider]"),
    ]);
    keeps(&["Claude", "my friend Claude clients", "a claude-based thing", "Claudette codes"]);
}

/// S-1, seed scenario "Sanitizar referência a outras CLIs".
#[test]
fn s_1_other_assistants() {
    masks(&[
        ("Codex", "[assistant]"),
        ("codex-cli 0.166.0", "[assistant] 0.166.0"),
        ("codex_cli", "[assistant]"),
        ("CODEX_HOME", "[assistant]_HOME"),
        ("ChatGPT, chat-gpt", "[assistant], [assistant]"),
        ("ChatGPT 5 says", "[assistant] says"),
        ("uses GPT-4.", "uses [assistant]."),
        ("gpt4, GPT 4, GPT\u{2011}4", "[assistant], [assistant], [assistant]"),
        ("GPT-4o's", "[assistant]'s"),
        ("gpt-3.5-turbo", "[assistant]"),
        ("gpt-oss-120b", "[assistant]"),
        ("gpt-4.1-mini-2025-04-14.", "[assistant]."),
        ("with o3-mini", "with [assistant]"),
        ("Gemini", "[assistant]"),
        ("gemini-2.5-pro!", "[assistant]!"),
        ("Google Gemini 2.5 Pro", "[assistant]"),
        ("Gemini CLI", "[assistant]"),
        ("GEMINI_API_KEY", "[assistant]_API_KEY"),
        ("GitHub Copilot", "[assistant]"),
        ("Copilot's", "[assistant]'s"),
    ]);
    keeps(&[
        "the Geminids fall in December", "geminiano", "o copiloto", "a GPT partition table",
        "GPT 128 entries", "the code of the co-pilot", "foo3-mini",
    ]);
}

/// S-1: models.
#[test]
fn s_1_claude_models() {
    masks(&[
        ("claude-3-5-sonnet-20241022", "[assistant]"),
        ("claude-opus-4-1, claude-opus-5-5", "[assistant], [assistant]"),
        ("claude-sonnet-4-20250514.", "[assistant]."),
        ("claude-3-haiku@20240307", "[assistant]"),
        ("claude-next-9", "[assistant]"),
        ("Claude Sonnet 4.5.", "[assistant]."),
        ("Claude 3.5 Sonnet", "[assistant]"),
        ("Claude Opus", "[assistant]"),
        ("as Sonnet 4.5", "as [assistant]"),
        ("anthropic.claude-3-5-sonnet-20241022-v2:0", "[provider].[assistant]:0"),
        ("anthropic/claude-3.5-sonnet", "[provider]/[assistant]"),
    ]);
    keeps(&["Sonnet 18", "the Opus 4 quartet", "claude-based"]);
}

/// S-2, seed scenario "Sanitizar referência a providers".
#[test]
fn s_2_providers() {
    masks(&[
        ("made by Anthropic, not OpenAI.", "made by [provider], not [provider]."),
        ("ANTHROPIC_API_KEY", "[provider]_API_KEY"),
        ("AzureOpenAI myAnthropicClient", "Azure[provider] my[provider]Client"),
        ("Open AI", "[provider]"),
    ]);
    keeps(&["philanthropic", "Misanthropic", "anthropology", "open AI models"]);
}

/// S-2: a link is masked as a whole: a part of it would reveal as much.
#[test]
fn s_2_links() {
    masks(&[
        ("see https://www.anthropic.com/legal/aup.", "see [provider]."),
        ("(https://docs.claude.com/en/docs?x=1#y)", "([provider])"),
        ("www.anthropic.com/news, api.anthropic.com:443", "[provider], [provider]"),
        ("anthropic.com/x and noreply@anthropic.com", "[provider] and noreply@[provider]"),
        ("https://api.openai.com/v1/responses", "[provider]"),
        ("https://platform.openai.com/account/api-keys.", "[provider]."),
        ("http://generativelanguage.googleapis.com/v1beta/models", "[provider]"),
        ("https://github.com/anthropics/claude-code/issues", "[provider]"),
        ("https://opencode.ai/docs claude.ai/chat/x", "[provider] [provider]"),
    ]);
    keeps(&[
        "https://example.org/a?b=c", "https://google.com", "github.com/rust-lang/rust",
        "https://x.airline.example", "docs.rs/regex",
    ]);
}

/// S-1: other agents and their models.
#[test]
fn s_1_other_families() {
    masks(&[
        ("OpenCode and opencode/ling-3.0-flash-free", "[assistant] and [assistant]"),
        ("Qwen Code, qwen3-coder-plus, qwen-max", "[assistant], [assistant], [assistant]"),
        ("opus[1m] or claude-opus-4-8[1m]", "[assistant] or [assistant]"),
        ("gpt-6.1-sol[medium]", "[assistant]"),
        ("Fable 5.1, opus-4-1, sonnet-4-5-20250929", "[assistant], [assistant], [assistant]"),
    ]);
    keeps(&["opencoder", "an opus [1]", "gpt [draft]", "a fable in 5 acts"]);
}

/// S-3, seed scenario "Remover detalhes técnicos internos".
#[test]
fn s_3_internal_details() {
    masks(&[
        ("run /gsd:plan now", "run [workflow] now"),
        ("/gsd:plan-phase.", "[workflow]."),
        ("an MCP server, MCP  servers", "an [service], [service]"),
        ("MCP\n\tserver mcp-server mcpServers", "[service] [service] [service]"),
        ("sdkMcpServers", "sdk[service]"),
        ("tool_use_id: abc-1 done", " done"),
        ("tool_use_id=x", ""),
        (r#"{"tool_use_id":"toolu_01A","a":1}"#, r#"{"a":1}"#),
        (r#"{\"tool_use_id\": \"x\", \"a\":1}"#, r#"{ \"a\":1}"#),
        ("('tool_use_id: x')", "('')"),
    ]);
    keeps(&["MCP serverless", "the tool_use_id field", "/gsd", "my_tool_use_id: x"]);
}

/// S-3: flags of the CLIs, from a closed list.
#[test]
fn s_3_flags() {
    masks(&[
        ("cli --output-format json now", "cli  now"),
        ("cli --output-format stream-json", "cli "),
        ("cli --output-format=json.", "cli ."),
        ("the `--output-format`", "the ``"),
        ("--allowedTools a,b c", " c"),
        ("--allowedTools Bash(git:*),Edit -p", " -p"),
        (r#"--allowedTools "Bash(git log:*)" -p"#, " -p"),
        ("--append-system-prompt 'Você é um gato' ok", " ok"),
        ("--dangerously-skip-permissions --yolo", " "),
        ("--permission-mode plan, then", ", then"),
        ("--input-format stream-json --verbose", " --verbose"),
    ]);
    keeps(&[
        "cargo --verbose --model x --help", "git log --format=oneline --output=x",
        "--output-formatter json", "--yolo-mode", "x--yolo",
    ]);
}

/// S-3: keys and tokens.
#[test]
fn s_3_tokens() {
    let github = format!("ghp_{}", "a1B2".repeat(9));
    let google = format!("AIza{}", "Sy_-A".repeat(7));
    masks(&[
        ("key sk-ant-api03-abc_DEF-1.", "key [token]."),
        ("sk-ant-oat", "[token]"),
        ("sk-proj-abc", "[token]"),
        ("OPENAI_API_KEY=sk-abc123", "[provider]_API_KEY=[token]"),
        ("sk-abcdefghijklmnopqrst", "[token]"),
        (&github, "[token]"),
        ("github_pat_11ABCDEFG0123456789_abc", "[token]"),
        (&google, "[token]"),
        ("xoxb-123456789-abc", "[token]"),
        ("AKIAIOSFODNN7EXAMPLE", "[token]"),
        ("Authorization: Bearer abcdefghij.klmnopqrst/12=.", "Authorization: [token]."),
        ("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIi.c2ln x", "[token] x"),
        ("toolu_01ABC, srvtoolu_01", "[tool], [tool]"),
        ("call_1c7cde0b", "[tool]"),
        ("msg_01XFDUDYJgAACzvnptvVoYEL", "[msg]"),
        ("msg_abcdefghijklmnop", "[msg]"),
        ("req_011CSabc", "[token]"),
    ]);
    keeps(&[
        "task-oriented disk-1234567 risk-ant-hill",
        "sk-learn sk-SK",
        "msg_type msg_id err_msg_1 msg_lifecycle_v1 msg_handler_for_incoming",
        "call_me req_body",
        "bearer of bad news",
        "the ghp_ prefix",
    ]);
}

/// S-3: a private key is masked to its end.
#[test]
fn s_3_private_keys() {
    let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n".repeat(40);
    let pem = format!(
        "a -----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB\n\n{body}-----END RSA PRIVATE KEY-----\nb."
    );
    masks(&[(&pem, "a [token]\nb."), (&pem.replace('\n', "\\n"), "a [token]\\nb.")]);
    keeps(&["-----BEGIN CERTIFICATE-----", "-----"]);
}

/// S-3: directories of the CLIs.
#[test]
fn s_3_config_directories() {
    masks(&[
        ("in ~/.claude/settings.json.", "in [config]."),
        ("~/.claude.json, ~/.codex", "[config], [config]"),
        ("/root/.claude/plans/a.md", "[config]"),
        ("/home/ana/.gemini/x", "[config]"),
        ("/Users/ana/.claude", "[config]"),
        (r"C:\Users\ana\.claude\settings.json", "C:[config]"),
        ("edit .claude/agents/a.md", "edit [config]"),
        ("the .claude directory.", "the [config] directory."),
        ("~/.qwen/settings.json ~/.opencode", "[config] [config]"),
        ("~/.config/opencode/opencode.json, ~/.local/share/opencode/log", "[config], [config]"),
    ]);
    keeps(&["~/.claudette", "/root/.config", "~/.codexes/a".replace("codexes", "code").as_str()]);
}

/// S-6: with masking off, only secrets stay masked.
#[test]
fn s_6_secrets_stay_masked() {
    let settings = SanitizerSettings { mask_provider: false, ..SanitizerSettings::default() };
    let sanitizer = Sanitizer::new(&settings).expect("the settings are valid");
    check(
        &sanitizer,
        &[
            ("Claude Code by Anthropic --yolo", "Claude Code by Anthropic --yolo"),
            ("/gsd:plan MCP server ~/.claude/x", "/gsd:plan MCP server ~/.claude/x"),
            ("sk-ant-abc toolu_01 msg_01", "[token] [tool] [msg]"),
        ],
    );
}

/// Word boundaries are those that the reader sees: masking twice finds nothing further.
#[test]
fn a_replacement_is_a_border() {
    masks(&[("OpenAIanthropic", "[provider][provider]"), ("OpenAIsk-ant-a1", "[provider][token]")]);
}

#[test]
fn the_catalogue_is_complete() {
    for rule in builtin_rules() {
        assert!(!rule.id.is_empty() && rule.about.ends_with('.'), "{rule:?}");
        assert!(!rule.patterns.is_empty(), "{rule:?}");
    }
}
