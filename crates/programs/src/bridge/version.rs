//! Which version of a program is installed: asked once, before anyone writes to it.

use std::time::Duration;

use parlor_process::{SpawnSpec, Supervisor};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::time::timeout;

/// A program that says nothing for so long has no version.
const PATIENCE: Duration = Duration::from_secs(30);
/// The most that is read of what it says.
const MOST: u64 = 1 << 10;

/// What the program says to `--version`, as far as that is a version.
pub(crate) async fn version(supervisor: &Supervisor, spec: &SpawnSpec) -> Option<String> {
    let spec = SpawnSpec { arguments: vec!["--version".to_owned()], ..spec.clone() };
    let spawned = supervisor.spawn(&spec).ok()?;
    let said = timeout(PATIENCE, read(spawned.stdout)).await;
    let _gone = spawned.process.end().await;
    first_version(&said.ok()?)
}

async fn read(stdout: impl AsyncRead + Unpin) -> String {
    let mut said = Vec::new();
    let _as_far_as_it_came = stdout.take(MOST).read_to_end(&mut said).await;
    String::from_utf8_lossy(&said).into_owned()
}

/// The first word that is numbers with dots between them.
fn first_version(said: &str) -> Option<String> {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let is_version = |word: &&str| word.contains('.') && word.split('.').all(is_number);
    said.split_whitespace().find(is_version).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_found_among_other_words() {
        assert_eq!(first_version("2.1.197 (Claude Code)\n").as_deref(), Some("2.1.197"));
        assert_eq!(first_version("agent 10.0 of today").as_deref(), Some("10.0"));
        for none in ["", "2", "Welcome!", "1.x", "..", "2.1.197-beta <script>"] {
            assert_eq!(first_version(none), None, "{none}");
        }
    }
}
