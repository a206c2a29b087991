//! A server with a real agent behind the ACP bridge.

use parlor_testkit::ScriptedModel;

use super::agents::RealAgent;
use crate::bridge::bridge_app::BridgeApp;
use crate::npm::install;

const CONFIG: &str = r#"
[server.limits]
messages_per_minute = 1000

[tenants.home.projects.desk]
recipe_vault = false
[tenants.home.projects.desk.agent]
kind = "acp"
MODEL_LINES
[tenants.home.projects.desk.agent.acp]
preset = "PRESET"
command = "COMMAND"
working_dir = "WORKSPACE"
[tenants.home.projects.desk.agent.acp.env]
HOME = "HOME_DIR"
"#;

/// Installs the agent, and starts a server with it.
pub(crate) async fn start(agent: &RealAgent) -> BridgeApp {
    let packages = install(&format!("acp_agents/{}", agent.preset)).await.join("node_modules");
    let program = packages.join(agent.program);
    assert!(program.is_file(), "{} is not installed: no {}", agent.preset, program.display());
    let config = CONFIG.replace("PRESET", agent.preset).replace("MODEL_LINES", agent.model);
    let config = config.replace("COMMAND", program.to_str().unwrap()) + agent.env;
    let model = ScriptedModel::for_agents().await.unwrap();
    let mut app = BridgeApp::prepared(model, &config, agent.names);
    app.start_server();
    app
}
