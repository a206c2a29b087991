//! A Redis server of one test, which may be paused and killed.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Once;
use std::time::{Duration, Instant};

use parlor_fanout::RedisUrl;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

const PASSWORD: &str = "of-a-test";
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct PrivateRedis {
    program: PathBuf,
    folder: TempDir,
    port: u16,
    process: Child,
}

impl PrivateRedis {
    /// Starts one. Without a program it says so and returns `None`: the test is skipped.
    pub(crate) fn start() -> Option<Self> {
        let program = program()?;
        let folder = tempfile::tempdir().unwrap();
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
        let process = spawn(&program, &folder, port.port());
        let server = Self { program, folder, port: port.port(), process };
        server.wait();
        Some(server)
    }

    pub(crate) fn url(&self) -> RedisUrl {
        format!("redis://:{PASSWORD}@127.0.0.1:{}", self.port).parse().unwrap()
    }

    /// Stops its process where it is; the kernel still accepts connections.
    pub(crate) fn pause(&self) {
        self.signal(Signal::STOP);
    }

    pub(crate) fn resume(&self) {
        self.signal(Signal::CONT);
    }

    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Starts it again, at the same port.
    pub(crate) fn restart(&mut self) {
        self.process = spawn(&self.program, &self.folder, self.port);
        self.wait();
    }

    /// Runs a command, and returns what the server answers.
    pub(crate) fn run(&self, command: &str) -> String {
        let answer = self.try_run(command).unwrap();
        assert!(!answer.starts_with('-'), "{command}: {answer}");
        answer
    }

    fn try_run(&self, command: &str) -> std::io::Result<String> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port))?;
        stream.write_all(format!("AUTH {PASSWORD}\r\n{command}\r\nQUIT\r\n").as_bytes())?;
        let mut answers = String::new();
        stream.read_to_string(&mut answers)?;
        let rest = answers.strip_prefix("+OK\r\n").unwrap_or(&answers);
        Ok(rest.strip_suffix("+OK\r\n").unwrap_or(rest).to_owned())
    }

    fn wait(&self) {
        let begin = Instant::now();
        while self.try_run("PING").ok().as_deref() != Some("+PONG\r\n") {
            assert!(begin.elapsed() < PATIENCE, "the server does not answer");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.process), signal).unwrap();
    }
}

impl Drop for PrivateRedis {
    fn drop(&mut self) {
        let _killed = self.process.kill();
        let _ended = self.process.wait();
    }
}

/// The kernel kills it if the test is killed.
fn spawn(program: &PathBuf, folder: &TempDir, port: u16) -> Child {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "--"]).arg(program);
    command.args(["--bind", "127.0.0.1", "--port", &port.to_string()]);
    command.args(["--requirepass", PASSWORD, "--save", "", "--appendonly", "no"]);
    command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap()
}

/// The program, in `PATH`.
fn program() -> Option<PathBuf> {
    static SAID: Once = Once::new();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let programs = ["redis-server", "valkey-server"];
    let mut all = programs.iter().flat_map(|name| folders.iter().map(move |f| f.join(name)));
    let found = all.find(|program| program.is_file());
    if found.is_none() {
        SAID.call_once(|| {
            let line = "skipped: tests that pause a Redis server (redis-server is not in PATH)\n";
            // Past the capture of the test runner, which hides what a passing test prints.
            let _shown = std::io::stderr().write_all(line.as_bytes());
        });
    }
    found
}
