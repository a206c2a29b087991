//! The server: the real binary, with a data directory in the folder of the run.

use std::fs::File;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, bail};
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep};

use crate::configuration::KEY;

const LONGEST_START: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(50);
/// The log of the server in the folder of the run.
const LOG: &str = "server.log";

/// A running server. It is killed when this is dropped.
#[derive(Debug)]
pub(crate) struct Server {
    url: String,
    child: Child,
}

impl Server {
    /// Starts the binary beside this one, and waits until it responds.
    pub(crate) async fn start(folder: &Path, configuration: &str) -> anyhow::Result<Self> {
        let config = folder.join("parlor.toml");
        std::fs::write(&config, configuration)?;
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let log = File::create(folder.join(LOG))?;
        let program = std::env::current_exe()?.with_file_name("parlor");
        let child = Command::new(&program)
            .args(["serve", "--bind", &format!("127.0.0.1:{port}"), "--config"])
            .arg(&config)
            .arg("--data-dir")
            .arg(folder.join("data"))
            .env("ANTHROPIC_API_KEY", "sk-ant-flow-eval")
            .env("PARLOR_API_KEY", KEY)
            .env("PARLOR_PASSWORD", "a-password-of-the-evaluation")
            .env("PARLOR_ADMIN_PASSWORD", "an-admin-password-of-the-evaluation")
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("{} cannot be started", program.display()))?;
        let mut server = Self { url: format!("http://127.0.0.1:{port}"), child };
        server.wait_until_it_responds(folder).await?;
        Ok(server)
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    async fn wait_until_it_responds(&mut self, folder: &Path) -> anyhow::Result<()> {
        let client = reqwest::Client::builder().no_proxy().build()?;
        let (begin, url) = (Instant::now(), format!("{}/healthz", self.url));
        while begin.elapsed() < LONGEST_START {
            if let Some(status) = self.child.try_wait()? {
                let log = std::fs::read_to_string(folder.join(LOG)).unwrap_or_default();
                bail!("the server does not start ({status}):\n{log}");
            }
            if client.get(&url).send().await.is_ok_and(|response| response.status().is_success()) {
                return Ok(());
            }
            sleep(POLL).await;
        }
        bail!("the server does not respond at {url}")
    }
}
