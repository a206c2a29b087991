//! `parlor agents`: the agents that can be put behind a project, and which are installed.
//!
//! A program is looked up in the `PATH`. Its version is that of the npm package which it belongs
//! to, or what it says itself: nothing else is run.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use clap::Args;
use parlor_programs::acp::Preset;
use serde::Serialize;
use serde_json::Value;

/// How long a program may take to say its version.
const PATIENCE: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(20);
/// How far above a program its package is looked for.
const FOLDERS: usize = 6;

/// Lists the agents that can be put behind a project, and which are installed.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// One JSON object a line.
    #[arg(long)]
    json: bool,
}

/// An agent, as it is printed.
#[derive(Debug, Serialize)]
struct Row {
    /// What the configuration says.
    config: String,
    title: &'static str,
    command: &'static str,
    installed: Option<PathBuf>,
    version: Option<String>,
    /// The package and the version that was tried.
    package: &'static str,
    /// Whether its questions outlive its process and the server.
    durable_approvals: bool,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let rows = rows(&path);
    let mut out = std::io::stdout().lock();
    if arguments.json {
        for row in &rows {
            serde_json::to_writer(&mut out, row)?;
            out.write_all(b"\n")?;
        }
    } else {
        out.write_all(table(&rows).as_bytes())?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn rows(path: &OsStr) -> Vec<Row> {
    let own = Row {
        config: "kind = \"claude_code\"".to_owned(),
        title: "Claude Code",
        command: "claude",
        installed: None,
        version: None,
        package: "@anthropic-ai/claude-code@2.1.325",
        durable_approvals: true,
    };
    let presets = Preset::ALL.iter().map(|preset| {
        let facts = preset.facts();
        Row {
            config: format!("kind = \"acp\", preset = \"{}\"", preset.name()),
            title: facts.title,
            command: facts.command,
            installed: None,
            version: None,
            package: facts.package,
            durable_approvals: facts.is_durable,
        }
    });
    let find = |row: Row| {
        let installed = find_in(path, row.command);
        let version = installed.as_deref().and_then(version);
        Row { installed, version, ..row }
    };
    [own].into_iter().chain(presets).map(find).collect()
}

/// The file of a program, in these directories.
pub(super) fn find_in(path: &OsStr, command: &str) -> Option<PathBuf> {
    std::env::split_paths(path).map(|dir| dir.join(command)).find(|file| file.is_file())
}

/// The version of a program; only its own words may start it.
pub(super) fn version(program: &Path) -> Option<String> {
    package_version(program).or_else(|| said_version(program))
}

/// The version of the npm package that a program belongs to.
fn package_version(program: &Path) -> Option<String> {
    let program = program.canonicalize().ok()?;
    let is_package = |dir: &&Path| dir.join("package.json").is_file();
    let dir = program.ancestors().skip(1).take(FOLDERS).find(is_package)?;
    let package: Value =
        serde_json::from_slice(&std::fs::read(dir.join("package.json")).ok()?).ok()?;
    Some(package.get("version")?.as_str()?.to_owned())
}

/// What the program says to `--version`, without input and within its time.
fn said_version(program: &Path) -> Option<String> {
    let mut child = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let until = Instant::now() + PATIENCE;
    while child.try_wait().ok()?.is_none() {
        if Instant::now() > until {
            let _gone = child.kill().and_then(|()| child.wait());
            return None;
        }
        sleep(POLL);
    }
    let said = String::from_utf8_lossy(&child.wait_with_output().ok()?.stdout).into_owned();
    let is_version = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
    said.split_whitespace().find(is_version).map(str::to_owned)
}

fn table(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows {
        let state = match (&row.installed, &row.version) {
            (None, _) => format!("not installed: npm install -g {}", row.package),
            (Some(path), None) => format!("installed: {}", path.display()),
            (Some(path), Some(version)) => format!("{version}, {}", path.display()),
        };
        let questions = match row.durable_approvals {
            true => "questions outlive its process",
            false => "questions end with its process",
        };
        text.push_str(&format!(
            "{:<12} {state}\n{:<12} {}; {questions}\n",
            row.title, "", row.config
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// B-3: an agent that is installed from npm is found with its version, without running it.
    #[test]
    fn an_installed_agent_is_found_with_its_version() {
        let home = tempfile::tempdir().unwrap();
        let package = home.path().join("lib/node_modules/opencode-ai");
        std::fs::create_dir_all(package.join("bin")).unwrap();
        std::fs::write(package.join("package.json"), r#"{"version": "1.18.33"}"#).unwrap();
        std::fs::write(package.join("bin/opencode"), "exit 1").unwrap();
        let bin = home.path().join("bin");
        std::fs::create_dir(&bin).unwrap();
        std::os::unix::fs::symlink(package.join("bin/opencode"), bin.join("opencode")).unwrap();
        let rows = rows(bin.as_os_str());
        assert_eq!(rows.len(), 6);
        let found: Vec<&Row> = rows.iter().filter(|row| row.installed.is_some()).collect();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].version.as_deref(), Some("1.18.33"));
        let text = table(&rows);
        assert!(text.contains("OpenCode     1.18.33, "), "{text}");
        assert!(text.contains("not installed: npm install -g @google/gemini-cli"), "{text}");
    }
}
