//! The agents: how each is started, what it needs to find the scripted model, and what no client
//! may learn about it. Arguments, modes and a quiet environment come with the preset.

/// A real agent.
pub(crate) struct RealAgent {
    /// The name of its preset, and of the folder with its lock file.
    pub(crate) preset: &'static str,
    /// Its program, below its `node_modules`.
    pub(crate) program: &'static str,
    /// Lines of its configuration: its model and where that is, `MODEL_URL`.
    pub(crate) model: &'static str,
    /// Lines of its environment in the configuration.
    pub(crate) env: &'static str,
    /// What no frame may name: the agent, its vendor, its model, ids of the model API.
    pub(crate) names: &'static [&'static str],
    /// Whether its sessions can be resumed by another process.
    pub(crate) resumes: bool,
}

pub(crate) const CLAUDE: RealAgent = RealAgent {
    preset: "claude",
    program: ".bin/claude-agent-acp",
    model: r#"base_url = "MODEL_URL""#,
    env: r#"ANTHROPIC_API_KEY = { env = "ANTHROPIC_API_KEY" }"#,
    names: &["claude", "anthropic", "opus", "sonnet", "haiku", "toolu_", "msg_"],
    resumes: true,
};

/// Models that it does not know get fewer tools, so it believes to talk to one that it knows.
pub(crate) const CODEX: RealAgent = RealAgent {
    preset: "codex",
    program: ".bin/codex-acp",
    model: "base_url = \"MODEL_URL/v1\"\nmodel = \"gpt-5.5\"",
    env: r#"OPENAI_API_KEY = { env = "ANTHROPIC_API_KEY" }"#,
    names: &["codex", "openai", "gpt-", "toolu_", "msg_", "resp_"],
    resumes: true,
};

pub(crate) const GEMINI: RealAgent = RealAgent {
    preset: "gemini",
    program: ".bin/gemini",
    model: r#"base_url = "MODEL_URL""#,
    env: r#"GEMINI_API_KEY = { env = "ANTHROPIC_API_KEY" }"#,
    names: &["gemini", "google", "toolu_"],
    resumes: false,
};

/// Where its model is can only be said in its own configuration.
pub(crate) const OPENCODE: RealAgent = RealAgent {
    preset: "opencode",
    program: "opencode-linux-x64/bin/opencode",
    model: r#"model = "backstage/nobody-7""#,
    env: r#"
AGENT_KEY = { env = "ANTHROPIC_API_KEY" }
OPENCODE_DISABLE_MODELS_FETCH = "1"
OPENCODE_CONFIG_CONTENT = '''{"small_model": "backstage/nobody-7", "provider": {"backstage":
    {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "MODEL_URL/v1",
    "apiKey": "{env:AGENT_KEY}"}, "models": {"nobody-7": {"tool_call": true,
    "limit": {"context": 100000, "output": 8000}}}}}}'''
"#,
    names: &["opencode", "backstage", "nobody-7", "toolu_", "ses_"],
    resumes: true,
};

pub(crate) const QWEN: RealAgent = RealAgent {
    preset: "qwen",
    program: ".bin/qwen",
    model: "base_url = \"MODEL_URL/v1\"\nmodel = \"nobody-7\"",
    env: r#"OPENAI_API_KEY = { env = "ANTHROPIC_API_KEY" }"#,
    names: &["qwen", "alibaba", "openai", "nobody-7", "toolu_"],
    resumes: true,
};
