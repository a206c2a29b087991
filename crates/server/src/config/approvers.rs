//! `roles` and `approvers`: whose answers to approvals count (Y-2).

use std::collections::BTreeMap;

use parlor_mcp::McpServerSettings;
use parlor_protocol::{Approvers, RoleName};

use super::ConfigError;
use super::login::LoginConfig;

/// The key of the approvers of all tools of a server.
const EVERY_TOOL: &str = "*";

/// The roles of a tenant; `place` is the key.
pub(super) fn roles(names: &[String], place: &str) -> Result<Vec<RoleName>, ConfigError> {
    let role = |name: &String| {
        let parsed = name.parse::<RoleName>();
        parsed.map_err(|error| ConfigError::invalid(place, format!("'{name}': {error}")))
    };
    names.iter().map(role).collect()
}

/// Refuses a login provider that gives roles which the tenant does not have.
pub(super) fn of_logins(
    login: &LoginConfig,
    known: &[RoleName],
    place: &str,
) -> Result<(), ConfigError> {
    for (id, provider) in &login.oidc {
        let Some(rules) = &provider.claims.roles else { continue };
        for name in rules.named.keys() {
            if !known.iter().any(|role| role.as_str() == name) {
                let place = format!("{place}.oidc.{id}.claims.roles.named");
                let why = format!("'{name}' is no role: add it to roles of the tenant");
                return Err(ConfigError::invalid(&place, why));
            }
        }
    }
    Ok(())
}

/// The approvers of a project, who are also those of its tools that say nothing of them. `place` is the
/// section of the project.
pub(super) fn of_project(
    words: &[String],
    mcp: &mut BTreeMap<String, McpServerSettings>,
    known: &[RoleName],
    place: &str,
) -> Result<Option<Approvers>, ConfigError> {
    let approvers = checked(words, known, &format!("{place}.approvers"))?;
    for (server, settings) in mcp {
        for (tool, settings) in &settings.tools {
            let place = format!("{place}.mcp.{server}.tools.{tool}.approvers");
            checked(&settings.approvers, known, &place)?;
        }
        if words.is_empty() {
            continue;
        }
        let of_all = settings.tools.entry(EVERY_TOOL.to_owned()).or_default();
        if of_all.approvers.is_empty() {
            of_all.approvers = words.to_vec();
        }
    }
    Ok(approvers)
}

/// Whom words name. A role that the tenant does not have is nobody's, so that nobody could answer.
fn checked(
    words: &[String],
    known: &[RoleName],
    place: &str,
) -> Result<Option<Approvers>, ConfigError> {
    let approvers = Approvers::from_words(words)
        .map_err(|error| ConfigError::invalid(place, error.to_string()))?;
    let roles = approvers.iter().flat_map(|approvers| &approvers.roles);
    for role in roles {
        if !known.contains(role) {
            let why = format!("nobody has the role '{role}': add it to roles of the tenant");
            return Err(ConfigError::invalid(place, why));
        }
    }
    Ok(approvers)
}
