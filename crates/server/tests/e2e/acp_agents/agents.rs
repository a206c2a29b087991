//! The agents: how each is started, what it needs to find the scripted model, and what no client
//! may learn about it. Arguments, modes and a quiet environment come with the preset.

/// A real agent.
pub(crate) struct RealAgent {
    /// The name of its preset, and of the folder with its lock file.
    pub(crate) preset: &'static str,
    /// Its program, below its `node_modules`.
    pub(crate) program: &'static str,
    /// Lines of its environment in the configuration. The address of the model is `MODEL_URL`.
    pub(crate) env: &'static str,
    /// What no frame may name: the agent, its vendor, its model, ids of the model API.
    pub(crate) names: &'static [&'static str],
    /// Whether its sessions can be resumed by another process.
    pub(crate) resumes: bool,
}

pub(crate) const CLAUDE: RealAgent = RealAgent {
    preset: "claude",
    program: ".bin/claude-agent-acp",
    env: r#"
ANTHROPIC_BASE_URL = "MODEL_URL"
ANTHROPIC_API_KEY = { env = "ANTHROPIC_API_KEY" }
"#,
    names: &["claude", "anthropic", "opus", "sonnet", "haiku", "toolu_", "msg_"],
    resumes: true,
};

/// Models that it does not know get fewer tools, so it believes to talk to one that it knows.
pub(crate) const CODEX: RealAgent = RealAgent {
    preset: "codex",
    program: ".bin/codex-acp",
    env: r#"
CODEX_HOME = "HOME_DIR"
MODEL_PROVIDER = "backstage"
AGENT_KEY = { env = "ANTHROPIC_API_KEY" }
CODEX_CONFIG = '''{"model": "gpt-5.5", "model_provider": "backstage", "model_providers":
    {"backstage": {"name": "backstage", "base_url": "MODEL_URL/v1", "env_key": "AGENT_KEY",
    "wire_api": "responses"}}}'''
"#,
    names: &["codex", "openai", "gpt-", "backstage", "toolu_", "msg_", "resp_"],
    resumes: true,
};

pub(crate) const GEMINI: RealAgent = RealAgent {
    preset: "gemini",
    program: ".bin/gemini",
    env: r#"
GOOGLE_GEMINI_BASE_URL = "MODEL_URL"
GEMINI_API_KEY = { env = "ANTHROPIC_API_KEY" }
"#,
    names: &["gemini", "google", "toolu_"],
    resumes: false,
};

/// What it is allowed comes with its providers and models in one variable.
pub(crate) const OPENCODE: RealAgent = RealAgent {
    preset: "opencode",
    program: "opencode-linux-x64/bin/opencode",
    env: r#"
AGENT_KEY = { env = "ANTHROPIC_API_KEY" }
OPENCODE_CONFIG_CONTENT = '''{"model": "backstage/nobody-7", "small_model": "backstage/nobody-7",
    "permission": {"bash": "ask", "edit": "ask"}, "provider": {"backstage":
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
    env: r#"
OPENAI_BASE_URL = "MODEL_URL/v1"
OPENAI_API_KEY = { env = "ANTHROPIC_API_KEY" }
OPENAI_MODEL = "nobody-7"
"#,
    names: &["qwen", "alibaba", "openai", "nobody-7", "toolu_"],
    resumes: true,
};
