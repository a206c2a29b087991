//! What a server's process wrote to standard error, for administrators: with the secrets of its
//! environment masked. Whoever shows it masks what else looks like a secret.

use std::time::Duration;

use parlor_process::{StderrLine, StderrLog};
use secrecy::ExposeSecret as _;

use super::resolve::{Endpoint, ServerSpec};

/// How long the rest of it is waited for.
const REST: Duration = Duration::from_secs(1);
/// How much of its last line is shown.
const LONGEST_LINE: usize = 300;
/// The prefix of the supervisor's own lines: the reported problem already says the same.
const SUPERVISOR: &str = "parlor supervise: ";
/// Shorter values in its environment are not treated as secrets.
const SHORTEST_SECRET: usize = 6;
/// What stands for a secret.
const MASK: &str = "[…]";

/// The last lines, oldest first; none if it is not a process of ours.
pub(super) fn recent(spec: &ServerSpec, log: &StderrLog) -> Vec<StderrLine> {
    let Some(secrets) = secrets(spec) else { return Vec::new() };
    let masked = |line: StderrLine| {
        let text = without_secrets(line.text, &secrets).escape_debug().to_string();
        StderrLine { text, ..line }
    };
    log.recent().into_iter().map(masked).collect()
}

/// The last line of a process that has ended.
pub(super) async fn last(spec: &ServerSpec, log: &StderrLog) -> Option<String> {
    let secrets = secrets(spec)?;
    let line = log.last_line(REST).await;
    let line = line.filter(|line| !line.starts_with(SUPERVISOR))?;
    Some(without_secrets(line, &secrets).chars().take(LONGEST_LINE).collect())
}

/// The secrets in the environment of a process, the longest first: one may be the beginning of
/// another.
fn secrets(spec: &ServerSpec) -> Option<Vec<&str>> {
    let Endpoint::Process(process) = &spec.endpoint else { return None };
    let secrets = process.environment.iter().map(|(_, value)| value.expose_secret());
    let mut secrets: Vec<&str> = secrets.filter(|value| value.len() >= SHORTEST_SECRET).collect();
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    Some(secrets)
}

/// A line without these secrets. Long lines are cut, so that one may end inside a secret: what is
/// there of it is masked as well.
fn without_secrets(line: String, secrets: &[&str]) -> String {
    let mut line = secrets.iter().fold(line, |line, secret| line.replace(secret, MASK));
    for secret in secrets {
        let ends = secret.char_indices().map(|(at, _)| at).rev();
        let begun =
            ends.take_while(|at| *at >= SHORTEST_SECRET).find(|at| line.ends_with(&secret[..*at]));
        if let Some(begun) = begun {
            line.truncate(line.len() - begun);
            line.push_str(MASK);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    /// no secret of a server's environment is in its lines, whole or cut off.
    #[test]
    fn lines_hold_no_secret() {
        let masked = |line: &str| without_secrets(line.to_owned(), &["hunter2-hunter2"]);
        assert_eq!(masked("with hunter2-hunter2 twice: hunter2-hunter2"), "with […] twice: […]");
        assert_eq!(masked("cut off: hunter2-hun"), "cut off: […]");
        assert_eq!(masked("a hunter"), "a […]");
        assert_eq!(masked("a hunt"), "a hunt", "so little says nothing");
    }
}
