//! The real binary as a process of its own, with MCP servers.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

/// Secrets that a child must never see.
pub(crate) const SECRETS: &[(&str, &str)] = &[
    ("ANTHROPIC_API_KEY", "sk-ant-secret-of-the-server"),
    ("PARLOR_API_KEY", "secret-key-of-the-server-0123456789"),
    ("PARLOR_PASSWORD", "secret family password"),
    ("PARLOR_ADMIN_PASSWORD", "secret admin password"),
];

/// A running server.
pub(crate) struct Served {
    child: Child,
    address: Option<SocketAddr>,
}

impl Served {
    /// Starts it with this configuration, and waits until it listens.
    pub(crate) fn start(
        program: &Path,
        data: &Path,
        config: &str,
        change: impl FnOnce(&mut Command),
    ) -> Self {
        let file = data.join("parlor.toml");
        std::fs::write(&file, config).unwrap();
        let mut command = Command::new(program);
        command.args(["serve", "--bind", "127.0.0.1:0", "--config"]).arg(&file);
        command.arg("--data-dir").arg(data).current_dir(data).env_remove("RUST_LOG");
        command.envs(SECRETS.iter().copied());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        change(&mut command);
        let mut served = Self { child: command.spawn().unwrap(), address: None };
        let mut lines = BufReader::new(served.child.stdout.as_mut().unwrap()).lines();
        served.address = lines.find_map(|line| address(&line.ok()?));
        if served.address.is_none() {
            let mut log = String::new();
            if let Some(stderr) = served.child.stderr.as_mut() {
                stderr.read_to_string(&mut log).unwrap();
            }
            panic!("it did not start: {log}");
        }
        served
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address.unwrap()
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn log(&mut self) -> ChildStderr {
        self.child.stderr.take().unwrap()
    }

    /// Kills it, as a crash would.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks it to stop, and returns its exit code.
    pub(crate) fn terminate(mut self) -> Option<i32> {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
        self.child.wait().unwrap().code()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _status = self.child.wait();
    }
}

/// The address in the line that announces it.
fn address(line: &str) -> Option<SocketAddr> {
    line.strip_prefix("listening on http://")?.trim_end_matches('/').parse().ok()
}

/// A configuration with one project and these servers: name, program, arguments.
pub(crate) fn configuration(servers: &[(&str, &Path, &[&str])]) -> String {
    let mut text = "[tenants.home.projects.recipes.agent]\nkind = \"demo\"\n".to_owned();
    for (name, program, arguments) in servers {
        text += &format!("[tenants.home.projects.recipes.mcp.{name}]\n");
        text += &format!("command = {program:?}\nargs = {arguments:?}\n");
    }
    text
}
