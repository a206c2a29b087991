//! A Redis or Valkey server for tests: with a password, and nothing on disk.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::time::Duration;

use super::folder::{Folder, random_hex};
use super::options::Options;
use super::programs::{Program, installed};
use super::server::{Server, Start};
use super::service::{Service, Started};

pub(super) const SERVICE: Service = Service {
    name: "Redis",
    variable: "TEST_REDIS_URL",
    program: "TEST_REDIS_PROGRAM",
    packages: &["redis-server", "valkey-server"],
    find,
    start,
};

const SETTINGS: &str = "bind 127.0.0.1\nsave \"\"\nappendonly no\nmaxmemory 64mb\n";
/// What it answers to `AUTH` and `PING`.
const ANSWER: &[u8] = b"+OK\r\n+PONG\r\n";
const PATIENCE: Duration = Duration::from_secs(1);

fn find() -> Result<Program, String> {
    let all = [("redis-server", "Redis"), ("valkey-server", "Valkey")];
    let mut found = all.into_iter().flat_map(|(file, product)| installed(file, "-v", product));
    found.next().ok_or_else(|| "no server".to_owned())
}

fn start(program: &Program, folder: &Folder, _: Options) -> Result<Started, String> {
    let password = random_hex(16)?;
    // In a file, because everybody can see arguments.
    let arguments = |port: u16| {
        let settings = format!("{SETTINGS}port {port}\nrequirepass {password}\n");
        Ok(vec![folder.write("redis.conf", &settings)?.display().to_string()])
    };
    let start = Start {
        program: &program.path,
        arguments: &arguments,
        answers: &|port| answers(port, &password),
        stop: None,
    };
    let (server, port) = Server::start(start, folder)?;
    let value = format!("redis://default:{password}@127.0.0.1:{port}/0");
    Ok(Started { value, server: Some(server) })
}

fn answers(port: u16, password: &str) -> bool {
    let ask = || {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.write_all(format!("AUTH {password}\r\nPING\r\n").as_bytes())?;
        let mut answer = [0; ANSWER.len()];
        stream.read_exact(&mut answer).map(|()| answer == ANSWER)
    };
    ask().unwrap_or(false)
}
