//! A secret that is typed at a terminal: it is not shown, it is typed twice, and the
//! terminal is restored, also after Ctrl-C.

use std::io::{self, BufRead};

use anyhow::{Context, bail};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use secrecy::{ExposeSecret, SecretString};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Asks for a new secret.
pub(super) async fn ask(what: &str) -> anyhow::Result<SecretString> {
    // From here on we handle Ctrl-C: it must not leave the terminal without an echo.
    let mut interrupt = signal(SignalKind::interrupt())?;
    let _hidden = EchoOff::begin().context("the terminal cannot hide what is typed")?;
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

/// Reads on a thread of its own: reading from a terminal cannot be cancelled.
async fn type_once(prompt: &str, interrupt: &mut Signal) -> anyhow::Result<SecretString> {
    eprint!("{prompt}");
    let (done, typed) = tokio::sync::oneshot::channel();
    std::thread::spawn(move || done.send(read_line()));
    tokio::select! {
        typed = typed => Ok(typed.context("the terminal is gone")??),
        _ = interrupt.recv() => bail!("nothing was changed"),
    }
}

/// Turns the echo off until it is dropped; line ends are still shown.
struct EchoOff {
    before: Termios,
}

impl EchoOff {
    fn begin() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut quiet = before.clone();
        quiet.local_modes.remove(LocalModes::ECHO);
        quiet.local_modes.insert(LocalModes::ECHONL);
        tcsetattr(io::stdin(), OptionalActions::Flush, &quiet)?;
        Ok(Self { before })
    }
}

impl Drop for EchoOff {
    fn drop(&mut self) {
        let _best_effort = tcsetattr(io::stdin(), OptionalActions::Flush, &self.before);
    }
}
