//! A PostgreSQL cluster for tests: with a password, and without care for a power failure unless that
//! is asked for.

use std::fs;
use std::path::{Path, PathBuf};

use super::folder::{Folder, random_hex};
use super::options::Options;
use super::programs::{Program, installed};
use super::server::{Server, Start};
use super::service::{Service, Started};

pub(super) const SERVICE: Service = Service {
    name: "PostgreSQL",
    variable: "TEST_POSTGRES_URL",
    program: "TEST_POSTGRES_PROGRAM",
    packages: &["postgresql"],
    find,
    start,
};

/// The oldest version that Parlor supports.
const OLDEST: u32 = 14;
/// Since this version, a whole cluster can sort by ICU.
const ICU: u32 = 15;

/// The user of the cluster, who may create databases.
const USER: &str = "parlor";
const DATA: &str = "postgres";
const PASSWORD_FILE: &str = "postgres-password";

const SETTINGS: &[&str] =
    &["listen_addresses=127.0.0.1", "max_connections=200", "synchronous_commit=on"];
/// Tests kill processes, not machines: what a process wrote is there without `fsync`.
const CARELESS: &[&str] = &["fsync=off", "full_page_writes=off"];

fn find() -> Result<Program, String> {
    let mut all = installed("postgres", "-V", "PostgreSQL");
    match all.iter().position(|program| program.version.major() >= OLDEST) {
        Some(at) => Ok(all.swap_remove(at)),
        None => Err(all.first().map_or("no server".to_owned(), |program| {
            format!("{} is too old, {OLDEST} is the first that can be used", program.name)
        })),
    }
}

fn start(program: &Program, folder: &Folder, options: Options) -> Result<Started, String> {
    let password = random_hex(16)?;
    create_cluster(program, &password, folder)?;
    let data = folder.file(DATA);
    let sockets = format!("unix_socket_directories={}", folder.file("").display());
    let arguments = |port: u16| {
        let mut arguments = vec!["-D".to_owned(), data.display().to_string()];
        let port = format!("port={port}");
        let careless = if options.durable { &[] } else { CARELESS };
        let settings = SETTINGS.iter().chain(careless).copied();
        for setting in settings.chain([port.as_str(), sockets.as_str()]) {
            arguments.extend(["-c".to_owned(), setting.to_owned()]);
        }
        Ok(arguments)
    };
    let mut stop = folder.command(&beside(program, "pg_ctl"));
    stop.args(["stop", "--mode", "immediate", "--pgdata"]).arg(&data);
    let start = Start {
        program: &program.path,
        arguments: &arguments,
        answers: &|_| is_ready(&data),
        stop: Some(stop),
    };
    let (server, port) = Server::start(start, folder)?;
    let value = format!("postgres://{USER}:{password}@127.0.0.1:{port}/postgres");
    Ok(Started { value, server: Some(server) })
}

/// Databases of production seldom sort by bytes, as SQLite does, so those of tests do not either.
fn create_cluster(program: &Program, password: &str, folder: &Folder) -> Result<(), String> {
    let password = folder.write(PASSWORD_FILE, password)?;
    let mut initdb = folder.command(&beside(program, "initdb"));
    initdb.args(["--username", USER, "--auth", "scram-sha-256", "--encoding", "UTF8"]);
    initdb.args(["--locale", "C", "--no-sync", "--no-instructions"]);
    if program.version.major() >= ICU {
        initdb.args(["--locale-provider", "icu", "--icu-locale", "en-US"]);
    }
    initdb.arg("--pwfile").arg(password).arg("--pgdata").arg(folder.file(DATA));
    let output = initdb.output().map_err(|error| format!("initdb cannot be started: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("initdb failed: {}", String::from_utf8_lossy(&output.stderr).trim()))
}

/// Another program of the same version. Only the server may have a link in `PATH`.
fn beside(program: &Program, name: &str) -> PathBuf {
    let server = fs::canonicalize(&program.path).unwrap_or_else(|_| program.path.clone());
    server.with_file_name(name)
}

/// The last line of this file is the state of the server; `pg_ctl` waits for the same.
fn is_ready(data: &Path) -> bool {
    let file = fs::read_to_string(data.join("postmaster.pid")).unwrap_or_default();
    file.lines().last().is_some_and(|state| state.trim() == "ready")
}
