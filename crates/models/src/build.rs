//! The agent that the settings ask for: a model in the built-in loop.

use std::sync::Arc;
use std::time::Duration;

use parlor_agent::{Agent, Tools};
use secrecy::SecretString;

use crate::anthropic::Anthropic;
use crate::client::ModelClient;
use crate::demo::Demo;
use crate::openai::Openai;
use crate::settings::{ModelKind, ModelSettings, SettingsError};
use crate::turn_loop::{LoopAgent, Toolbox};

/// What can be set instead of a key.
const OWN_SERVER: &str = ", or base_url to a server that needs none";

/// Looks up an environment variable.
type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Builds the agent that the settings ask for, with these tools.
///
/// `env` looks up an environment variable. A TLS provider has to be installed
/// before (`rustls::crypto::CryptoProvider`).
pub fn build_agent(
    settings: &ModelSettings,
    env: impl Fn(&str) -> Option<String>,
    tools: Option<Arc<dyn Tools>>,
) -> Result<Arc<dyn Agent>, SettingsError> {
    let client: Arc<dyn ModelClient> = match client(settings, &env)? {
        Client::Anthropic(client) => Arc::new(client),
        Client::Openai(client) => Arc::new(client),
        Client::Demo(client) => Arc::new(client),
    };
    let tools = Toolbox::new(tools, settings.ask_user);
    Ok(Arc::new(LoopAgent::new(client, tools, settings.loop_limits())))
}

/// A client of one of the kinds.
pub(crate) enum Client {
    Anthropic(Anthropic),
    Openai(Openai),
    Demo(Demo),
}

/// The client that the settings ask for.
pub(crate) fn client(settings: &ModelSettings, env: Env<'_>) -> Result<Client, SettingsError> {
    settings.validate()?;
    let env = |name: &str| env(name).filter(|value| !value.trim().is_empty());
    Ok(match resolved(settings.kind, &env) {
        ModelKind::Anthropic => Client::Anthropic(anthropic(settings, &env)?),
        ModelKind::Openai => Client::Openai(openai(settings, &env)?),
        ModelKind::Demo | ModelKind::Auto => {
            Client::Demo(Demo::new(Duration::from_millis(settings.demo_delay_ms)))
        }
    })
}

/// What `auto` means in this environment.
fn resolved(kind: ModelKind, env: Env<'_>) -> ModelKind {
    let set = |name: &str| env(name).is_some();
    match kind {
        ModelKind::Auto if set(Anthropic::KEY_SETTING) => ModelKind::Anthropic,
        ModelKind::Auto if set(Openai::KEY_SETTING) || set(Openai::BASE_URL_SETTING) => {
            ModelKind::Openai
        }
        ModelKind::Auto => ModelKind::Demo,
        chosen => chosen,
    }
}

fn anthropic(settings: &ModelSettings, env: Env<'_>) -> Result<Anthropic, SettingsError> {
    let setting = Anthropic::KEY_SETTING;
    let key = key(env, setting);
    let base_url = settings.base_url.clone().or_else(|| env(Anthropic::BASE_URL_SETTING));
    if key.is_none() && base_url.is_none() {
        return Err(SettingsError::NoKey { kind: "anthropic", setting, or: OWN_SERVER });
    }
    Anthropic::new(settings, base_url.as_deref(), key)
}

fn openai(settings: &ModelSettings, env: Env<'_>) -> Result<Openai, SettingsError> {
    let setting = Openai::KEY_SETTING;
    let key = key(env, setting);
    let base_url = settings.base_url.clone().or_else(|| env(Openai::BASE_URL_SETTING));
    if key.is_none() && base_url.is_none() {
        return Err(SettingsError::NoKey { kind: "openai", setting, or: OWN_SERVER });
    }
    // No default could be right for a server of one's own, so the model may be
    // given beside its address.
    let model = settings.model.clone().or_else(|| env(Openai::MODEL_SETTING));
    let settings = ModelSettings { model, ..settings.clone() };
    Openai::new(&settings, base_url.as_deref(), key)
}

fn key(env: Env<'_>, setting: &str) -> Option<SecretString> {
    env(setting).map(|key| SecretString::from(key.trim()))
}
