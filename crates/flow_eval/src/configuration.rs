//! The configuration of the server: a project for each suite.

use std::path::{Path, PathBuf};

use crate::labels::Labels;
use crate::policy::Policy;
use crate::suite::Suite;

/// The API key of the person.
pub(crate) const KEY: &str = "flow-eval-0123456789abcdef0123456789abcdef";
const TENANT: &str = "home";

/// What the server is told.
#[derive(Debug)]
pub(crate) struct Settings<'a> {
    pub(crate) policy: Policy,
    pub(crate) labels: &'a Labels,
    /// The program that serves the tools of a suite.
    pub(crate) tools: PathBuf,
    /// Where its packages are.
    pub(crate) packages: PathBuf,
}

impl Settings<'_> {
    /// What all projects share. Nobody waits for a limit, and nothing but the policy decides: the
    /// guardrail only watches.
    pub(crate) fn server() -> String {
        "[server.limits]\n\
         messages_per_minute = 1000000\nproject_messages_per_minute = 1000000\n\
         tenant_messages_per_minute = 1000000\n"
            .to_owned()
    }

    /// The sections of a suite, whose model is at an address and whose tools listen at a socket.
    pub(crate) fn project(&self, suite: Suite, model: &str, socket: &Path) -> String {
        let name = suite.name();
        let project = format!("tenants.{TENANT}.projects.{name}");
        let server = format!("{project}.mcp.{name}");
        let (tools, socket) = (self.tools.display().to_string(), socket.display().to_string());
        let packages = self.packages.display().to_string();
        let trust = self.policy.trusts_annotations();
        // AgentDojo's longest task has 18 calls, and the injection's come on top.
        let mut text = format!(
            "[{project}]\nprompt_timeout = \"0\"\n\
             [{project}.guard]\npolicy = \"monitor\"\n\
             [{project}.agent]\nkind = \"anthropic\"\nbase_url = {model:?}\nask_user = false\n\
             max_rounds = 60\n\
             [{server}]\ncommand = \"python3\"\nargs = [{tools:?}, {name:?}, {socket:?}]\n\
             trust_annotations = {trust}\n\
             [{server}.env]\nPYTHONPATH = {packages:?}\nPYTHONWARNINGS = \"ignore\"\n\
             PYTHONDONTWRITEBYTECODE = \"1\"\n"
        );
        if self.policy.allows_all() {
            text += &format!("[{server}.tools.\"*\"]\naction = \"allow\"\n");
        }
        if self.policy.has_flow() {
            text += &format!("[{project}.flow]\npolicy = \"ask\"\n");
            text += &self.labels.sections(suite, &server);
        }
        text
    }
}
