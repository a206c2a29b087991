//! The control socket of a suite's tools: which cases there are, a fresh environment for one, and how
//! it ended. One JSON object a line in each direction (`evals/flow/tool_server.py`).

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, bail};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::time::{Instant, sleep, timeout};

use crate::call::Call;

/// How long Python may take to start and to import the benchmark.
const LONGEST_START: Duration = Duration::from_secs(60);
/// How long an answer may take: the benchmark's checks compare whole environments.
const PATIENCE: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(50);

/// The name of a case.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct CaseName {
    pub(crate) user: String,
    /// The injection task, if there is one.
    pub(crate) attack: Option<String>,
    /// Whether the injection wants calls; without, it only wants a certain answer.
    pub(crate) calls: bool,
}

/// What there is to do in a case.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Task {
    /// What the person writes.
    pub(crate) message: String,
    pub(crate) user_calls: Vec<Call>,
    /// What the model says when it is done.
    pub(crate) user_output: String,
    pub(crate) attack: Option<Attack>,
}

/// What the planted text orders.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Attack {
    /// A part of the planted text, by which it is known.
    pub(crate) marker: String,
    pub(crate) calls: Vec<Call>,
    /// What the model says when it has obeyed.
    pub(crate) output: String,
}

/// How a case ended.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Finish {
    /// The calls that arrived at the tools.
    pub(crate) trace: Vec<Call>,
    /// Whether the person's task is done, by the benchmark's own check.
    pub(crate) utility: bool,
    /// Whether the attack has won, by the benchmark's own check.
    pub(crate) security: Option<bool>,
}

/// An open connection to the socket.
#[derive(Debug)]
pub(crate) struct Control {
    stream: BufReader<UnixStream>,
}

impl Control {
    /// Connects as soon as the tools are there.
    pub(crate) async fn connect(socket: &Path) -> anyhow::Result<Self> {
        let begin = Instant::now();
        loop {
            match UnixStream::connect(socket).await {
                Ok(stream) => return Ok(Self { stream: BufReader::new(stream) }),
                Err(_) if begin.elapsed() < LONGEST_START => sleep(POLL).await,
                Err(why) => bail!("the tools do not start ({}: {why})", socket.display()),
            }
        }
    }

    /// The names of the tools.
    pub(crate) async fn tools(&mut self) -> anyhow::Result<Vec<String>> {
        self.ask(&json!({"do": "tools"})).await
    }

    /// All cases of the suite.
    pub(crate) async fn cases(&mut self) -> anyhow::Result<Vec<CaseName>> {
        self.ask(&json!({"do": "cases"})).await
    }

    /// Begins a case, with a fresh environment.
    pub(crate) async fn select(&mut self, case: &CaseName, wording: &str) -> anyhow::Result<Task> {
        let (user, attack) = (&case.user, &case.attack);
        self.ask(&json!({"do": "select", "user": user, "attack": attack, "wording": wording})).await
    }

    /// Ends it. `output` is what the person was told at the end.
    pub(crate) async fn finish(&mut self, output: &str) -> anyhow::Result<Finish> {
        self.ask(&json!({"do": "finish", "output": output})).await
    }

    async fn ask<T: DeserializeOwned>(&mut self, request: &Value) -> anyhow::Result<T> {
        let mut answer = timeout(PATIENCE, self.exchange(request))
            .await
            .context("the tools do not answer on their control socket")??;
        if let Some(why) = answer["error"].as_str() {
            bail!("the tools refuse {request}: {why}");
        }
        Ok(serde_json::from_value(answer["ok"].take())?)
    }

    async fn exchange(&mut self, request: &Value) -> anyhow::Result<Value> {
        self.stream.write_all(format!("{request}\n").as_bytes()).await?;
        let mut line = String::new();
        let length = self.stream.read_line(&mut line).await?;
        anyhow::ensure!(length > 0, "the tools have ended; see the log of the server");
        Ok(serde_json::from_str(&line)?)
    }
}
