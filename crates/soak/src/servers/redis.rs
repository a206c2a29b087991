//! A Redis or Valkey server of this run, with nothing on disk.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;
use std::time::Duration;

use rustix::process::Signal;

use super::server::Server;
use super::{folder_of, password, program};
use crate::process::{User, free_port, give_away};

const PROGRAM: &str = "TEST_REDIS_PROGRAM";
const SETTINGS: &str = "bind 127.0.0.1\nsave \"\"\nappendonly no\nmaxmemory 64mb\n";
const PATIENCE: Duration = Duration::from_secs(1);

/// The server that carries hints and live text.
pub(crate) struct Redis {
    server: Server,
    port: u16,
    password: String,
}

impl Redis {
    /// Starts it.
    pub(crate) async fn start(folder: &Path) -> anyhow::Result<Self> {
        let (program, folder, password) =
            (program(PROGRAM)?, folder_of(folder, "redis")?, password());
        let port = free_port()?;
        let settings = folder.join("redis.conf");
        // In a file, because everybody can see arguments.
        fs::write(&settings, format!("{SETTINGS}port {port}\nrequirepass {password}\n"))?;
        give_away(&settings, User::Unprivileged)?;
        let arguments = vec![settings.display().to_string()];
        let secret = password.clone();
        let answers =
            Box::new(move || command(port, &secret, "PING").is_ok_and(|said| said == "+PONG"));
        let mut server =
            Server { name: "redis", program, arguments, folder, answers, process: None };
        server.start().await?;
        Ok(Self { server, port, password })
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://default:{}@127.0.0.1:{}/0", self.password, self.port)
    }

    /// Kills it: it has nothing that it would have to write.
    pub(crate) async fn stop(&mut self) {
        self.server.stop(Signal::KILL).await;
    }

    /// Starts it again, empty.
    pub(crate) async fn start_again(&mut self) -> anyhow::Result<()> {
        self.server.start().await
    }

    /// Stops or continues it.
    pub(crate) fn pause(&self, paused: bool) {
        self.server.signal(if paused { Signal::STOP } else { Signal::CONT });
    }

    /// Closes the connections of its subscribers.
    pub(crate) fn cut(&self) -> io::Result<()> {
        command(self.port, &self.password, "CLIENT KILL TYPE pubsub").map(drop)
    }

    /// Removes everything that it holds.
    pub(crate) fn flush(&self) -> io::Result<()> {
        command(self.port, &self.password, "FLUSHALL").map(drop)
    }
}

/// Sends a command and returns the first line of the reply.
fn command(port: u16, password: &str, command: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(format!("AUTH {password}\r\n{command}\r\n").as_bytes())?;
    let mut said = Vec::new();
    // Two lines: one for the password, one for the command.
    while said.iter().filter(|byte| **byte == b'\n').count() < 2 {
        let mut byte = [0];
        stream.read_exact(&mut byte)?;
        said.push(byte[0]);
    }
    let said = String::from_utf8_lossy(&said).into_owned();
    Ok(said.lines().nth(1).unwrap_or_default().to_owned())
}
