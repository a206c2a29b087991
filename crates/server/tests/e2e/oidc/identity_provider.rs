//! The real provider, npm `oidc-provider`, in a process of its own.

use std::process::Stdio;

use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;

use crate::npm;
use crate::test_app::PATIENCE;

/// A running provider; it ends when it is dropped.
pub(super) struct IdentityProvider {
    pub(super) issuer: String,
    output: Lines<BufReader<ChildStdout>>,
    _process: Child,
}

impl IdentityProvider {
    /// Starts one for a server that people reach under this address. The provider is at another
    /// name of this machine: for browsers it is another site.
    pub(super) async fn start(server: &str, variables: &[(&str, &str)]) -> Self {
        let place = npm::install("oidc/identity_provider").await;
        let mut command = Command::new("node");
        command.arg(place.join("provider.mjs")).current_dir(&place).env("HOST", "localhost");
        command.arg(format!("{server}/login/oidc/work/callback")).arg(format!("{server}/login"));
        // Its warnings are about a provider for production.
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process =
            command.envs(variables.iter().copied()).kill_on_drop(true).spawn().unwrap();
        let mut output = BufReader::new(process.stdout.take().unwrap()).lines();
        let issuer = next_line(&mut output).await;
        Self { issuer, output, _process: process }
    }

    /// Waits until a session at the provider has ended.
    pub(super) async fn session_ended(&mut self) {
        while next_line(&mut self.output).await != "a session ended" {}
    }
}

/// The next line that is not a warning.
async fn next_line(output: &mut Lines<BufReader<ChildStdout>>) -> String {
    let line = timeout(PATIENCE, output.next_line()).await.expect("the provider says nothing");
    line.unwrap().expect("the provider has ended")
}
