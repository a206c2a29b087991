//! A secret that somebody types at a terminal: it is not shown, it is typed
//! twice, and the terminal is left as it was, also after Ctrl-C.

use std::io::{self, BufRead};

use anyhow::{Context, bail};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use secrecy::{ExposeSecret, SecretString};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Asks for a new secret.
pub(super) async fn ask(what: &str) -> anyhow::Result<SecretString> {
    // From here on Ctrl-C is ours: it must not leave a terminal without an echo.
    let mut interrupt = signal(SignalKind::interrupt())?;
    let _hidden = Hidden::begin().context("the terminal cannot hide what is typed")?;
    let first = type_once(&format!("new {what} (not shown): "), &mut interrupt).await?;
    let second = type_once("the same again: ", &mut interrupt).await?;
    if first.expose_secret() != second.expose_secret() {
        bail!("the two differ; nothing was changed");
    }
    Ok(first)
}

/// The next line of standard input, without its end.
pub(super) fn read_line() -> io::Result<SecretString> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(SecretString::from(line.trim_end_matches(['\r', '\n'])))
}

/// In a thread of its own, which nobody waits for: reading cannot be called off.
async fn type_once(prompt: &str, interrupt: &mut Signal) -> anyhow::Result<SecretString> {
    eprint!("{prompt}");
    let (done, typed) = tokio::sync::oneshot::channel();
    std::thread::spawn(move || done.send(read_line()));
    tokio::select! {
        typed = typed => Ok(typed.context("the terminal is gone")??),
        _ = interrupt.recv() => bail!("nothing was changed"),
    }
}

/// The echo is off until this is dropped; the end of a line is still shown.
struct Hidden {
    before: Termios,
}

impl Hidden {
    fn begin() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut quiet = before.clone();
        quiet.local_modes.remove(LocalModes::ECHO);
        quiet.local_modes.insert(LocalModes::ECHONL);
        tcsetattr(io::stdin(), OptionalActions::Flush, &quiet)?;
        Ok(Self { before })
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        let _best_effort = tcsetattr(io::stdin(), OptionalActions::Flush, &self.before);
    }
}
