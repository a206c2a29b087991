//! From the settings of a server to what is needed to start it. All errors are reported here, with
//! the setting to fix, before anything is started.

mod oauth_client;
mod tool_policy;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parlor_process::{
    SettingValue, SpawnSpec, WrongSetting, check_command, environment, find_user,
};
use parlor_protocol::{Content, PersonId};
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use secrecy::SecretString;

pub(super) use self::oauth_client::OAuthClient;
pub(super) use self::tool_policy::ToolPolicy;
use super::address::PUBLIC_ONLY;
use super::login::{Login, LoginStatus, LoginStore, Nobody};
use super::settings::{LoginOf, McpServerSettings, McpSettingsError, OAuthSettings, ProtocolEra};

/// A server, ready to be started.
#[derive(Debug, Clone)]
pub(super) struct ServerSpec {
    pub(super) name: String,
    pub(super) endpoint: Endpoint,
    pub(super) prefix: String,
    pub(super) trusted: bool,
    /// Whether it is trusted to say that words are the people's own.
    pub(super) trusted_labels: bool,
    /// Whose words its results hold, and whether they are private, if that is configured.
    pub(super) content: Option<Content>,
    pub(super) private: Option<bool>,
    pub(super) era: ProtocolEra,
    pub(super) artifacts: Vec<String>,
    /// Whether its pages are shown.
    pub(super) apps: bool,
    pub(super) start_timeout: Duration,
    pub(super) max_result_bytes: usize,
    pub(super) parallel_calls: u32,
    /// Whose login its calls are made with.
    pub(super) login_of: LoginOf,
    /// How each person logs in to it, if they do.
    pub(super) person_login: Option<Login>,
    call_timeout: Duration,
    tools: BTreeMap<String, ToolPolicy>,
}

/// How a server is reached.
#[derive(Debug, Clone)]
pub(super) enum Endpoint {
    Process(SpawnSpec),
    Http(HttpEndpoint),
}

/// A server at a URL.
#[derive(Debug, Clone)]
pub(super) struct HttpEndpoint {
    pub(super) url: Url,
    /// All marked as sensitive.
    pub(super) headers: HeaderMap,
    pub(super) allow_private: bool,
    /// How Parlor is known where people log in.
    pub(super) oauth: OAuthClient,
    /// How to log in, if the server asks for it.
    pub(super) login: Option<Login>,
    /// Whether somebody is logged in.
    pub(super) login_status: LoginStatus,
    /// Who logs in.
    pub(super) login_by: LoginOf,
}

const EVERY_TOOL: &str = "*";
/// A longer one would leave too few characters for a tool's name.
const LONGEST_NAME: usize = 32;
/// A day. A larger value is a mistake, and could overflow a timer.
const LONGEST_TIME: f64 = 86_400.0;
/// Headers that the protocol sets itself.
const OWN_HEADERS: &[&str] = &[
    "accept", "connection", "content-length", "content-type", "host", "last-event-id",
    "mcp-protocol-version", "mcp-session-id", "transfer-encoding",
];

impl ServerSpec {
    /// Checks the settings. `env` looks up an environment variable of the server.
    pub(super) fn resolve(
        name: &str,
        settings: &McpServerSettings,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, McpSettingsError> {
        let place = Place(name);
        if !is_name(name) {
            let why = "a server's name is 1 to 32 of a-z, 0-9, '-' and '_', and begins with a \
                       letter or a digit";
            return Err(McpSettingsError { setting: name.to_owned(), why: why.to_owned() });
        }
        Ok(Self {
            name: name.to_owned(),
            endpoint: endpoint(place, settings, env)?,
            prefix: prefix(place, settings)?,
            trusted: settings.trust_annotations,
            trusted_labels: settings.trust_labels,
            content: settings.content,
            private: settings.private,
            era: settings.protocol,
            artifacts: settings.artifacts.clone(),
            apps: settings.apps,
            start_timeout: place
                .time("start_timeout_seconds", settings.start_timeout_seconds, false)?,
            max_result_bytes: place.number(
                "max_result_bytes",
                settings.max_result_bytes,
                1_024..=16 << 20,
            )?,
            parallel_calls: u32::try_from(place.number(
                "parallel_calls",
                settings.parallel_calls,
                1..=100,
            )?)
            .unwrap_or(1),
            login_of: settings.login,
            person_login: None,
            call_timeout: place
                .time("call_timeout_seconds", settings.call_timeout_seconds, false)?,
            tools: tool_policy::of_tools(place, &settings.tools)?,
        })
    }

    /// The same server, with a way to log in if it asks for it. Only a server at a URL can, and
    /// not if the configuration has a key for it.
    pub(super) fn with_login(mut self, login: Option<Login>) -> Self {
        if let Endpoint::Http(endpoint) = &mut self.endpoint
            && !endpoint.headers.contains_key(AUTHORIZATION)
        {
            endpoint.login = match (self.login_of, login) {
                // Before a person is there, the server is reached as nobody: it may list its tools.
                (
                    LoginOf::Person,
                    Some(Login::Later { redirect_uri, client_metadata_url, store }),
                ) => {
                    let (uri, url) = (redirect_uri.clone(), client_metadata_url.clone());
                    let of_people = Login::Later { redirect_uri, client_metadata_url, store };
                    self.person_login = Some(of_people);
                    let store: Arc<dyn LoginStore> = Arc::new(Nobody);
                    Some(Login::Later { redirect_uri: uri, client_metadata_url: url, store })
                }
                (_, login) => login,
            };
        }
        self
    }

    /// Where the logins of a person to this server are kept, if each person logs in to it.
    pub(super) fn store_of(&self, person: PersonId) -> Option<Arc<dyn LoginStore>> {
        match &self.person_login {
            Some(Login::Later { store, .. }) => Some(store.of_person(person)),
            _ => None,
        }
    }

    /// The same server with the login of a person, which is kept there.
    pub(super) fn with_store(&self, store: Arc<dyn LoginStore>) -> Option<Self> {
        let Some(Login::Later { redirect_uri, client_metadata_url, .. }) =
            self.person_login.clone()
        else {
            return None;
        };
        let mut spec = Self { person_login: None, ..self.clone() };
        if let Endpoint::Http(endpoint) = &mut spec.endpoint {
            endpoint.login = Some(Login::Later { redirect_uri, client_metadata_url, store });
            endpoint.login_status = LoginStatus::default();
        }
        Some(spec)
    }

    /// The address of a server that somebody can log in to, and how.
    pub(super) fn login(&self) -> Option<(&HttpEndpoint, &Login)> {
        match &self.endpoint {
            Endpoint::Http(endpoint) => Some((endpoint, endpoint.login.as_ref()?)),
            Endpoint::Process(_) => None,
        }
    }

    /// The policy for a tool: its own rules first, then those for all tools.
    pub(super) fn policy(&self, tool: &str) -> ToolPolicy {
        let all = [tool, EVERY_TOOL].map(|name| self.tools.get(name));
        let found = || all.into_iter().flatten();
        ToolPolicy {
            rules: found().flat_map(|policy| policy.rules.iter().cloned()).collect(),
            timeout: found().find_map(|policy| policy.timeout),
            prompt_timeout: found().find_map(|policy| policy.prompt_timeout),
            approvers: found().find_map(|policy| policy.approvers.clone()),
            content: found().find_map(|policy| policy.content),
            private: found().find_map(|policy| policy.private),
            sink: found().find_map(|policy| policy.sink),
            tainted: found().find_map(|policy| policy.tainted),
        }
    }

    /// The timeout of a tool's calls.
    pub(super) fn call_timeout(&self, policy: &ToolPolicy) -> Duration {
        policy.timeout.unwrap_or(self.call_timeout)
    }
}

/// The path of a setting, for error messages.
#[derive(Clone, Copy)]
struct Place<'a>(&'a str);

impl Place<'_> {
    fn error(self, key: &str, why: impl Into<String>) -> McpSettingsError {
        McpSettingsError { setting: format!("{}.{key}", self.0), why: why.into() }
    }

    fn time(
        self,
        key: &str,
        seconds: f64,
        may_be_zero: bool,
    ) -> Result<Duration, McpSettingsError> {
        let least = if may_be_zero { 0.0 } else { 0.001 };
        if (least..=LONGEST_TIME).contains(&seconds) {
            return Ok(Duration::from_secs_f64(seconds));
        }
        let rule = if may_be_zero { "0 to 86400" } else { "more than 0 and at most 86400" };
        Err(self.error(key, format!("it must be {rule} seconds")))
    }

    fn number(
        self,
        key: &str,
        number: usize,
        range: std::ops::RangeInclusive<usize>,
    ) -> Result<usize, McpSettingsError> {
        if range.contains(&number) {
            return Ok(number);
        }
        Err(self.error(key, format!("it must be {} to {}", range.start(), range.end())))
    }

    fn value(
        self,
        key: &str,
        value: &SettingValue,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<SecretString, McpSettingsError> {
        value.resolve(env).map_err(|why| self.error(key, why))
    }

    fn wrong(self, (key, why): WrongSetting) -> McpSettingsError {
        self.error(&key, why)
    }
}

fn is_name(name: &str) -> bool {
    let letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    (1..=LONGEST_NAME).contains(&name.len())
        && name.starts_with(letter)
        && name.chars().all(|c| letter(c) || c == '-' || c == '_')
}

fn prefix(place: Place<'_>, settings: &McpServerSettings) -> Result<String, McpSettingsError> {
    let prefix = settings.prefix.clone().unwrap_or_else(|| format!("{}_", place.0));
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if prefix.len() <= LONGEST_NAME + 1 && prefix.chars().all(fits) {
        return Ok(prefix);
    }
    Err(place.error("prefix", "it must be at most 33 letters, digits, '-' and '_'"))
}

fn endpoint(
    place: Place<'_>,
    settings: &McpServerSettings,
    env: &dyn Fn(&str) -> Option<String>,
) -> Result<Endpoint, McpSettingsError> {
    match (&settings.command, &settings.url) {
        (Some(command), None) => {
            if !settings.headers.is_empty() {
                return Err(place.error("headers", "a server with a command has none"));
            }
            if settings.login == LoginOf::Person {
                return Err(place.error("login", "nobody logs in to a server with a command"));
            }
            if settings.oauth != OAuthSettings::default() {
                return Err(place.error("oauth", "nobody logs in to a server with a command"));
            }
            Ok(Endpoint::Process(process(place, command, settings, env)?))
        }
        (None, Some(url)) => Ok(Endpoint::Http(http(place, url, settings, env)?)),
        (None, None) => {
            Err(place.error("command", "set it for a child process, or url for an address"))
        }
        (Some(_), Some(_)) => {
            Err(place.error("url", "there is a command too: keep one of the two"))
        }
    }
}

fn process(
    place: Place<'_>,
    command: &str,
    settings: &McpServerSettings,
    env: &dyn Fn(&str) -> Option<String>,
) -> Result<SpawnSpec, McpSettingsError> {
    check_command(command).map_err(|wrong| place.wrong(wrong))?;
    if settings.args.iter().any(|argument| argument.contains('\0')) {
        return Err(place.error("args", "an argument holds a NUL character"));
    }
    let user = find_user(settings.user.as_deref()).map_err(|wrong| place.wrong(wrong))?;
    let environment =
        environment(&settings.env, user.as_ref(), env).map_err(|wrong| place.wrong(wrong))?;
    Ok(SpawnSpec {
        program: command.to_owned(),
        arguments: settings.args.clone(),
        environment,
        working_dir: settings.working_dir.clone(),
        user,
        limits: settings.limits.into(),
        dies_at_once: false,
    })
}

fn http(
    place: Place<'_>,
    url: &str,
    settings: &McpServerSettings,
    env: &dyn Fn(&str) -> Option<String>,
) -> Result<HttpEndpoint, McpSettingsError> {
    let url = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let url = url.ok_or_else(|| place.error("url", "it is not an http or https address"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(place.error("url", "it holds a password: use headers instead"));
    }
    if !settings.allow_private_addresses {
        PUBLIC_ONLY.check(&url).map_err(|why| place.error("url", why.to_string()))?;
    }
    let mut headers = HeaderMap::new();
    for (name, value) in &settings.headers {
        let (name, value) = header(place, name, value, env)?;
        headers.insert(name, value);
    }
    if settings.login == LoginOf::Person && headers.contains_key(AUTHORIZATION) {
        let why = "everybody would use the login in headers.Authorization: keep one of the two";
        return Err(place.error("login", why));
    }
    let allow_private = settings.allow_private_addresses;
    let oauth = OAuthClient::resolve(place, &settings.oauth, env)?;
    let login_status = LoginStatus::default();
    let login_by = settings.login;
    Ok(HttpEndpoint { url, headers, allow_private, oauth, login: None, login_status, login_by })
}

fn header(
    place: Place<'_>,
    name: &str,
    value: &SettingValue,
    env: &dyn Fn(&str) -> Option<String>,
) -> Result<(HeaderName, HeaderValue), McpSettingsError> {
    use secrecy::ExposeSecret as _;
    let key = format!("headers.{name}");
    let header: HeaderName =
        name.parse().map_err(|_| place.error(&key, "this is not a name of a header"))?;
    if OWN_HEADERS.contains(&header.as_str()) {
        return Err(place.error(&key, "this header is set by the protocol itself"));
    }
    let value = place.value(&key, value, env)?;
    let mut value = HeaderValue::from_str(value.expose_secret().trim())
        .map_err(|_| place.error(&key, "the value holds characters that a header cannot have"))?;
    value.set_sensitive(true);
    Ok((header, value))
}

#[cfg(test)]
mod tests;
