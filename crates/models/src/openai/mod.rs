//! The client of OpenAI chat completions: OpenAI itself, and every server that
//! speaks its language, such as Ollama, vLLM, LM Studio and OpenRouter.
//!
//! They differ in a few places, and each is decided once, here:
//! - the address: `/v1` is added to one that names no version;
//! - the key: a server of one's own needs none;
//! - the longest answer: OpenAI wants it in a field that only OpenAI knows. Other
//!   servers are told only if the settings say so, since they add it to the prompt
//!   and refuse what does not fit into a small model.

pub(crate) mod answer;
mod calls;
mod error;
mod note;
mod request;
mod think_tags;

use parlor_agent::{AgentDescription, Takes};
use reqwest::Url;
use secrecy::SecretString;

use self::answer::AnswerReader;
use self::error::KEY_SETTING;
use self::note::VENDOR;
use self::request::Template;
use crate::client::{ModelClient, ModelRequest, ModelStream};
use crate::http::endpoint::{Endpoint, parse_base};
use crate::settings::{DEFAULT_MAX_TOKENS, ModelSettings, SettingsError, Thinking};

const DEFAULT_BASE_URL: &str = "https://api.openai.com/v1";

/// The model that is asked if the settings name none: the newest that takes
/// tools over this API without further settings.
const DEFAULT_MODEL: &str = "gpt-5.4";

/// A model behind OpenAI chat completions.
#[derive(Debug)]
pub struct Openai {
    endpoint: Endpoint,
    template: Template,
    takes: Takes,
}

impl Openai {
    /// The environment variable that holds the key.
    pub const KEY_SETTING: &str = KEY_SETTING;
    /// The environment variable that holds another address than OpenAI's.
    pub const BASE_URL_SETTING: &str = "OPENAI_BASE_URL";
    /// The environment variable that names the model.
    pub const MODEL_SETTING: &str = "OPENAI_MODEL";

    /// A client with these settings. It does not connect yet.
    pub fn new(
        settings: &ModelSettings,
        base_url: Option<&str>,
        key: Option<SecretString>,
    ) -> Result<Self, SettingsError> {
        let url = completions_url(base_url.unwrap_or(DEFAULT_BASE_URL))?;
        let template = template(settings, is_openai(&url))?;
        // Others refuse what they do not know, and with it the conversation.
        let own = url.host_str() == Some("api.openai.com");
        let takes = Takes { pictures: settings.pictures, pdf: settings.pdf.unwrap_or(own) };
        let mut endpoint = Endpoint::new(settings, url)?;
        if let Some(key) = key {
            endpoint = endpoint.key("authorization", "Bearer ", key, KEY_SETTING)?;
        }
        if base_url.is_some() {
            endpoint = endpoint.chosen();
        }
        Ok(Self { endpoint, template, takes })
    }
}

impl Openai {
    pub(crate) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The model that is asked.
    pub(crate) fn model(&self) -> &str {
        &self.template.model
    }
}

impl ModelClient for Openai {
    fn stream(&self, request: &ModelRequest<'_>) -> ModelStream {
        let body = request::body(&self.template, request);
        self.endpoint.stream(body, AnswerReader::new(&self.template.model))
    }

    fn takes(&self) -> Takes {
        self.takes
    }

    fn describe(&self) -> AgentDescription {
        AgentDescription { kind: VENDOR, model: self.template.model.clone() }
    }
}

fn template(settings: &ModelSettings, at_openai: bool) -> Result<Template, SettingsError> {
    let reasoning_effort = match settings.thinking {
        Thinking::Default | Thinking::Adaptive => None,
        Thinking::Off => Some("none"),
        Thinking::Budget(_) => {
            let rule = "\"default\", \"adaptive\" or \"off\" for an OpenAI-compatible model";
            return Err(SettingsError::OutOfRange { setting: "thinking", rule });
        }
    };
    let most = settings.max_tokens;
    let (max_tokens, max_completion_tokens) =
        if at_openai { (None, most.or(Some(DEFAULT_MAX_TOKENS))) } else { (most, None) };
    let model = settings.model.as_deref().unwrap_or(DEFAULT_MODEL).to_owned();
    Ok(Template { model, max_tokens, max_completion_tokens, reasoning_effort })
}

/// OpenAI's reasoning models refuse `max_tokens`, and nobody else knows
/// `max_completion_tokens` for certain.
fn is_openai(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    host == "api.openai.com"
        || [".api.openai.com", ".openai.azure.com", ".services.ai.azure.com"]
            .iter()
            .any(|end| host.ends_with(end))
}

/// The address of the API below a base.
///
/// A base that names a version is taken as it is, wherever the version stands
/// in it; to any other `/v1` is added. The whole address is fine, too.
fn completions_url(base: &str) -> Result<Url, SettingsError> {
    const CALL: &str = "/chat/completions";
    let mut url = parse_base(base, Openai::BASE_URL_SETTING)?;
    let path = url.path().trim_end_matches('/').to_owned();
    let path = path.strip_suffix(CALL).map_or_else(
        || if path.split('/').any(is_version) { path.clone() } else { format!("{path}/v1") },
        str::to_owned,
    );
    url.set_path(&format!("{path}{CALL}"));
    Ok(url)
}

/// `v1`, `v4`, `v1beta`.
fn is_version(segment: &str) -> bool {
    segment.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_may_be_written_in_many_ways() {
        for (base, url) in [
            (DEFAULT_BASE_URL, "https://api.openai.com/v1/chat/completions"),
            ("http://localhost:11434", "http://localhost:11434/v1/chat/completions"),
            ("http://localhost:11434/", "http://localhost:11434/v1/chat/completions"),
            (" http://localhost:11434/v1/ ", "http://localhost:11434/v1/chat/completions"),
            ("https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1/chat/completions"),
            ("https://openrouter.ai/api", "https://openrouter.ai/api/v1/chat/completions"),
            ("https://x.example/v1beta/openai", "https://x.example/v1beta/openai/chat/completions"),
            ("https://x.example/paas/v4/", "https://x.example/paas/v4/chat/completions"),
            ("https://x.example/vault", "https://x.example/vault/v1/chat/completions"),
            ("https://x.example/chat/completions", "https://x.example/chat/completions"),
            (
                "https://x.example/v1?api-version=1",
                "https://x.example/v1/chat/completions?api-version=1",
            ),
        ] {
            assert_eq!(completions_url(base).unwrap().as_str(), url, "{base}");
        }
    }

    /// OpenAI refuses the old field, and others may not know the new one.
    #[test]
    fn the_longest_answer_is_said_in_the_words_of_the_server() {
        let fields = |base: &str, most: Option<u32>| {
            let settings = ModelSettings { max_tokens: most, ..ModelSettings::default() };
            let template = template(&settings, is_openai(&completions_url(base).unwrap())).unwrap();
            (template.max_tokens, template.max_completion_tokens)
        };
        assert_eq!(fields(DEFAULT_BASE_URL, None), (None, Some(DEFAULT_MAX_TOKENS)));
        assert_eq!(fields("https://eu.api.openai.com/v1", Some(9)), (None, Some(9)));
        assert_eq!(fields("https://me.openai.azure.com/openai/v1", Some(9)), (None, Some(9)));
        assert_eq!(fields("http://localhost:11434", None), (None, None));
        assert_eq!(fields("http://localhost:11434", Some(9)), (Some(9), None));
        assert_eq!(fields("https://api.openai.com.example/v1", Some(9)), (Some(9), None));
    }
}
