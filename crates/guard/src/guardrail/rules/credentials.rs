//! Keys, passwords and the environment of the server.
//!
//! The name of a variable or of a file is a mention; asking the agent for *its* key,
//! or for the environment that *it* runs in, is an attempt.

use crate::guardrail::rule::{Action, Category, Reads, Rule};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "credentials.key_name",
        category: Category::Credentials,
        reads: Reads::Text,
        strict: Action::Block,
        balanced: Action::Log,
        about: "The name of a variable that holds a key (`ANTHROPIC_API_KEY`); a mention, because code reads them.",
        patterns: &[
            r"\b(?:anthropic|openai|azure_openai|gemini|google|mistral|groq|cohere|deepseek|openrouter|xai|huggingface|hf|parlor)_(?:api_key|apikey|token|secret|secret_key|auth_token|api_token)\b|\baws_secret_access_key\b",
            r"\b(?:sk-ant-|sk-proj-|ghp_|xoxb-|akia)[a-z0-9_-]{8}",
        ],
    },
    Rule {
        id: "credentials.secret_file",
        category: Category::Credentials,
        reads: Reads::Text,
        strict: Action::Block,
        balanced: Action::Log,
        about: "A file that holds secrets (`/etc/passwd`, `.env`, `~/.ssh/id_rsa`); a mention, because administrators work with them.",
        patterns: &[
            r"/etc/(?:passwd|shadow|sudoers|gshadow)\b",
            r"(?:^|[ /\x22'`(])\.env(?:\.[a-z]+)?(?:$|[ \x22'`),.:;?!])",
            r"\.ssh/(?:id_|authorized_keys|config)", r"\bid_(?:rsa|ed25519|ecdsa|dsa)\b",
            r"/proc/(?:self|[0-9]+)/environ", r"\.aws/credentials",
            r"\.(?:netrc|pgpass|npmrc|git-credentials|kube/config)\b", r"169\.254\.169\.254",
        ],
    },
    Rule {
        id: "credentials.environment_mention",
        category: Category::Credentials,
        reads: Reads::Words,
        strict: Action::Block,
        balanced: Action::Log,
        about: "Speaks of the environment variables, keys or secrets of the server; a mention, because administrators do.",
        patterns: &[
            r" (?:server|system|process|host|container|backend|agent)s? (?:environment variables?|env vars?|env variables?|credentials|api keys?|secrets) ",
            r" (?:environment variables?|env vars?|variaveis de ambiente|variables de entorno|umgebungsvariablen|variables denvironnement|credentials|api keys?|secrets|credenciais|credenciales|chaves(?: de)? api)(?: [^ ]+){0,1} (?:of|on|from|in|do|da|del|des|du|de|auf)(?: the| this| your| dem| seu| este| deste| el| le){0,2} (?:server|host|container|process|backend|servidor|serveurs?|servers|sistema) ",
        ],
    },
    Rule {
        id: "credentials.ask_for_yours",
        category: Category::Credentials,
        reads: Reads::Words,
        strict: Action::Block,
        balanced: Action::Block,
        about: "Asks the agent for its own keys, credentials, environment or configuration (\"show me your API key\").",
        patterns: &[
            r" (?:{show}|access|cat|echo|{what_is}|exfiltrate|fetch|retrieve)(?: me| us| all| of| the| out| contents?| value| mir| moi| and| env| environment){0,3} (?:{your}|servers?|hosts) (?:own |server |openai |anthropic |environment |internal |secret |admin |database |service |aws |cloud |private |access |system ){0,2}(?:api ?keys?|environment variables?|env (?:vars?|variables?|file)|credentials?|secrets|secret keys?|access tokens?|private keys?|ssh keys?|config(?:uration)? files?|connection strings?|variaveis de ambiente|chaves?(?: de)? api|credenciais|variables de entorno|claves?(?: de)? api|credenciales|umgebungsvariablen|api schlussel|zugangsdaten|variables denvironnement|cles?(?: d)? ?api|identifiants) ",
            r" (?:environment variables|env vars|variaveis de ambiente|variables de entorno|umgebungsvariablen|variables denvironnement) (?:that )?(?:you run|you are running|are you running|you have|you are using|deines servers|do seu servidor|de tu servidor|de ton serveur) ",
            r" (?:chaves?|claves?|credencia(?:is|les)|cles?|variaveis de ambiente|variables de entorno|variables denvironnement|umgebungsvariablen|zugangsdaten)(?: [^ ]+){0,2} (?:do (?:seu )?servidor|deste servidor|del servidor|du serveur|des servers|que voce usa|que usas|que tu utilises|die du verwendest) ",
        ],
    },
];
