//! The MCP servers of each project: whether they start, and which tools they offer.

use std::collections::BTreeMap;

use parlor_mcp::{ASKS_FOR_LOGIN, LoginOf, McpServerSettings, ProbeCalls, ProbeReport, probe};

use super::finding::Finding;
use crate::compose::{own_supervisor, servers_of};
use crate::config::Config;

/// How many problems of a server are named.
const NAMED: usize = 3;

pub(super) async fn look(config: &Config, environment: &BTreeMap<String, String>) -> Vec<Finding> {
    let mut findings = Vec::new();
    // A server that several projects have alike is asked once.
    let mut asked: Vec<McpServerSettings> = Vec::new();
    for (tenant, settings) in &config.tenants {
        for (id, project) in &settings.projects {
            for (name, server) in servers_of(config, tenant, project) {
                if asked.contains(&server) {
                    continue;
                }
                let about = format!("MCP server {name} of {tenant}/{id}");
                findings.push(look_at(&about, server.clone(), environment).await);
                asked.push(server);
            }
        }
    }
    findings
}

async fn look_at(
    about: &str,
    server: McpServerSettings,
    environment: &BTreeMap<String, String>,
) -> Finding {
    let env = |name: &str| environment.get(name).cloned();
    let (calls, eras) = (ProbeCalls::These(Vec::new()), [server.protocol]);
    let is_remote = server.url.is_some();
    let of_people = server.login == LoginOf::Person;
    match probe(server, &eras, &calls, &own_supervisor(), &env, None).await {
        Err(error) => Finding::wrong(about, error, "correct the setting that it names"),
        Ok(ProbeReport { problem: Some(problem), .. })
            if of_people && problem.starts_with(ASKS_FOR_LOGIN) =>
        {
            Finding::good(about, "it answers, and asks each person for a login of their own")
        }
        Ok(ProbeReport { problem: Some(problem), .. }) => {
            let to_do = match is_remote {
                true => {
                    "look at its url; if it asks for a login, make it on the administration page"
                }
                false => "run its command by hand, as the user of the server, to see what it says",
            };
            Finding::wrong(about, problem, to_do)
        }
        Ok(ProbeReport { warnings, tools, .. }) if warnings.is_empty() => {
            Finding::good(about, format_args!("it answers, and has {} tools", tools.len()))
        }
        Ok(ProbeReport { warnings, .. }) => {
            let named: Vec<&str> = warnings.iter().take(NAMED).map(String::as_str).collect();
            Finding::warning(about, named.join("; "), "tell whoever maintains that server")
        }
    }
}
