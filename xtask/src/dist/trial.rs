//! Installs each package in an empty folder, as a new user would, and asks the demo something.
//!
//! The server gets an empty environment, a data directory of its own, and a free port. It has to answer a
//! message with an answer of the demo, to serve the page, and to end in good order.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use super::{Made, Result, create, run};
use crate::{cargo_command, root};

const ASK: &str = "POST /api/chat HTTP/1.1\r\nContent-Type: application/json\r\n";
const KEY: &str = "a-key-for-the-trial-0123456789abcdef";
const PATIENCE: Duration = Duration::from_secs(60);

pub(super) fn try_all(made: &Made) -> Result<()> {
    let folder = root().join("target/dist/trial");
    create(&folder)?;
    // The page of a debug build is read from the project.
    let folder = folder.canonicalize().map_err(|error| error.to_string())?;
    tried("the archive", unpacked(made, &folder.join("archive")), &made.version)?;
    if let Some(package) = &made.debian {
        tried("the Debian package", debian(package, &folder.join("debian")), &made.version)?;
    }
    if let Some(packages) = &made.npm {
        tried("the npm package", npm(packages, &folder.join("npm")), &made.version)?;
    }
    if made.is_release {
        tried("the crate", installed(&folder.join("cargo")), &made.version)?;
    }
    Ok(())
}

/// An installed program: what starts it, and where.
struct Installed {
    program: PathBuf,
    folder: PathBuf,
}

fn tried(what: &str, installed: Result<Installed>, version: &str) -> Result<()> {
    let outcome = installed.and_then(|installed| answers(&installed, version));
    outcome.map_err(|why| format!("{what}: {why}"))?;
    println!("== {what} was installed, and answers");
    Ok(())
}

fn unpacked(made: &Made, folder: &Path) -> Result<Installed> {
    create(folder)?;
    let sums = root().join("target/dist");
    run(Command::new("sha256sum").args(["--check", "--quiet", "SHA256SUMS"]).current_dir(sums))?;
    let mut tar = Command::new("tar");
    run(tar.args(["--strip-components=1", "-xzf"]).arg(&made.tarball).arg("-C").arg(folder))?;
    Ok(Installed { program: folder.join("parlor"), folder: folder.to_owned() })
}

/// Root installs it into an empty root directory; others only unpack it.
fn debian(package: &Path, folder: &Path) -> Result<Installed> {
    let _removed = fs::remove_dir_all(folder);
    create(&folder.join("var/lib/dpkg/info"))?;
    create(&folder.join("var/lib/dpkg/updates"))?;
    super::write(&folder.join("var/lib/dpkg/status"), b"")?;
    let is_root =
        Command::new("id").arg("--user").output().is_ok_and(|output| output.stdout == b"0\n");
    if is_root {
        let mut install = Command::new("dpkg");
        // The libraries that it needs are outside of the empty root.
        install.arg(format!("--root={}", folder.display())).args(["--force-depends", "--install"]);
        run(install.arg(package).stdout(Stdio::null()).stderr(Stdio::null()))?;
    } else {
        run(Command::new("dpkg-deb").arg("--extract").arg(package).arg(folder))?;
    }
    for file in ["lib/systemd/system/parlor.service", "etc/parlor/parlor.toml"] {
        if !folder.join(file).is_file() {
            return Err(format!("{file} is missing"));
        }
    }
    Ok(Installed { program: folder.join("usr/bin/parlor"), folder: folder.to_owned() })
}

fn npm(packages: &[PathBuf; 2], folder: &Path) -> Result<Installed> {
    create(folder)?;
    super::write(&folder.join("package.json"), b"{\"private\": true}\n")?;
    let mut install = Command::new("npm");
    install.args(["install", "--offline", "--no-audit", "--no-fund", "--silent"]).args(packages);
    run(install.current_dir(folder))?;
    Ok(Installed { program: folder.join("node_modules/.bin/parlor"), folder: folder.to_owned() })
}

/// What `cargo install` builds; most of it was built before.
fn installed(folder: &Path) -> Result<Installed> {
    let mut install = cargo_command();
    install.args(["install", "--locked", "--path", "crates/server", "--root"]).arg(folder);
    run(install.current_dir(root()))?;
    Ok(Installed { program: folder.join("bin/parlor"), folder: folder.to_owned() })
}

fn answers(installed: &Installed, version: &str) -> Result<()> {
    let said = command(installed).arg("--version").output().map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&said.stdout).trim().to_owned();
    if said != format!("parlor {version}") {
        return Err(format!("--version says {said:?}"));
    }
    let data = installed.folder.join("data");
    let _removed = fs::remove_dir_all(&data);
    let port = free_port().map_err(|error| error.to_string())?;
    let mut serve = command(installed);
    serve.args(["serve", "--bind", &format!("127.0.0.1:{port}")]);
    serve.env("PARLOR_API_KEY", KEY).env("PARLOR_DATA_DIR", &data);
    serve.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut server = Running(serve.spawn().map_err(|error| error.to_string())?);
    wait_for(port)?;
    let page = exchange(port, "GET /login HTTP/1.1\r\n", "")?;
    if !page.contains("<form") {
        return Err(format!("there is no login page: {page}"));
    }
    let page = exchange(port, &format!("GET /chat HTTP/1.1\r\nX-API-Key: {KEY}\r\n"), "")?;
    if !page.contains("/assets/index-") {
        return Err(format!("the web interface is not built in: {page}"));
    }
    let message = r#"{"message": "Hello"}"#;
    let head = format!("{ASK}X-API-Key: {KEY}\r\n");
    let answer = exchange(port, &head, message)?;
    if !answer.contains("event: done") || !answer.contains("\"reason\":\"complete\"") {
        return Err(format!("the demo did not answer: {answer}"));
    }
    server.end()
}

/// The program, with an empty environment: what a test machine has set must not matter.
fn command(installed: &Installed) -> Command {
    let mut command = Command::new(&installed.program);
    command.current_dir(&installed.folder).env_clear().env("HOME", &installed.folder);
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command
}

struct Running(Child);

impl Running {
    /// SIGTERM, as a supervisor sends it.
    fn end(&mut self) -> Result<()> {
        let pid = self.0.id().to_string();
        run(Command::new("kill").args(["-TERM", &pid]))?;
        let since = Instant::now();
        while since.elapsed() < PATIENCE {
            if let Some(status) = self.0.try_wait().map_err(|error| error.to_string())? {
                return if status.success() {
                    Ok(())
                } else {
                    Err(format!("it ended with {status}"))
                };
            }
            thread::sleep(Duration::from_millis(20));
        }
        Err("it does not end".to_owned())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ended = self.0.kill();
        let _waited = self.0.wait();
    }
}

fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

fn wait_for(port: u16) -> Result<()> {
    let since = Instant::now();
    while since.elapsed() < PATIENCE {
        if TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(20));
    }
    Err("it does not listen".to_owned())
}

/// Sends a request and reads until the server closes.
fn exchange(port: u16, head: &str, body: &str) -> Result<String> {
    let talk = || -> std::io::Result<String> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let length = body.len();
        write!(
            stream,
            "{head}Host: 127.0.0.1:{port}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
        )?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    };
    talk().map_err(|error| format!("127.0.0.1:{port}: {error}"))
}
