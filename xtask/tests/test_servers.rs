//! The servers for tests are real, and nothing of them is left: after an orderly end, after a kill of
//! `cargo xtask services`, and after a kill of its supervisor.
//!
//! Nothing is installed. Without PostgreSQL and Redis on this machine the tests say so and pass,
//! unless `CI` or `PARLOR_REQUIRE_SERVICES` is set.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may fail")]

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const LONGEST_STOP: Duration = Duration::from_secs(20);

/// Asks both servers with the clients of the packages, with the right password and a wrong one.
const QUESTIONS: &str = r#"
set -u
redis=$(command -v redis-cli || command -v valkey-cli)
psql "$TEST_POSTGRES_URL" -Atc 'select current_user, 6 * 7' || exit 1
psql "$(echo "$TEST_POSTGRES_URL" | sed s/@/x@/)" -c 'select 1' 2>&1 | grep -o 'authentication failed'
"$redis" -u "$TEST_REDIS_URL" ping
"$redis" -u "$(echo "$TEST_REDIS_URL" | sed s/@/x@/)" ping 2>&1 | grep -o WRONGPASS
"$TEST_NGINX" -v 2>&1 | grep -o nginx/
exit 1
"#;

#[test]
fn the_servers_answer_and_are_stopped_also_if_the_command_fails() {
    let place = Place::new("answer");
    let output = place.services(&["sh", "-c", QUESTIONS]).output().unwrap();
    if is_skipped(&String::from_utf8_lossy(&output.stderr)) {
        return;
    }
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(said, "parlor|42\nauthentication failed\nPONG\nWRONGPASS\nnginx/\n");
    assert!(!output.status.success());
    assert_eq!((place.processes(), place.entries()), (vec![], vec![]));
}

#[test]
fn a_kill_leaves_nothing() {
    let place = Place::new("kill");
    let Some(mut services) = place.start() else { return };
    services.kill().unwrap();
    services.wait().unwrap();
    place.wait_until("everything is gone", || {
        place.processes().is_empty() && place.entries().is_empty()
    });
}

#[test]
fn a_kill_of_the_supervisor_stops_the_servers_and_the_next_start_removes_the_folder() {
    let place = Place::new("supervisor");
    let Some(mut services) = place.start() else { return };
    let supervisor = child_of(services.id()).expect("the supervisor is a child");
    let killed = Command::new("sh").args(["-c", &format!("kill -9 {supervisor}")]).status();
    assert!(killed.unwrap().success());
    services.wait().unwrap();
    place.wait_until("the servers are gone", || place.processes().is_empty());
    assert_eq!(place.entries().len(), 1, "nobody could remove the folder");
    assert!(place.services_given(&["true"]).output().unwrap().status.success());
    assert_eq!(place.entries(), Vec::<PathBuf>::new());
}

/// If the variables are set, nothing is started, and the values reach the tests.
#[test]
fn servers_that_are_given_are_used() {
    let place = Place::new("given");
    let script = r#"echo "$TEST_POSTGRES_URL $TEST_REDIS_URL $TEST_NGINX"; ls $TMPDIR/*"#;
    let output = place.services_given(&["sh", "-c", script]).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "a b c\nlock\n");
}

#[test]
fn a_missing_service_is_named_and_is_a_failure_where_it_is_required() {
    let place = Place::new("missing");
    let without = |required: &str| {
        let mut services = place.services(&["true"]);
        services.env_remove("CI").env("PARLOR_REQUIRE_SERVICES", required);
        // No server can be started without a folder.
        services.env("TMPDIR", place.folder.join("none")).output().unwrap()
    };
    let (output, required) = (without("0"), without("1"));
    let said = String::from_utf8(output.stderr).unwrap();
    for what in ["PostgreSQL", "Redis", "nginx"] {
        assert!(said.contains(&format!("== SKIPPED: tests that need {what} (")), "{said}");
    }
    assert!(output.status.success() && !required.status.success());
}

/// A folder for temporary files that only one test uses.
struct Place {
    folder: PathBuf,
}

impl Place {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("xtask-{}-{name}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        // If we are root, the servers are another user.
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
        Self { folder }
    }

    /// `xtask services --no-install COMMAND`.
    fn services(&self, command: &[&str]) -> Command {
        let mut services = Command::new(env!("CARGO_BIN_EXE_xtask"));
        services.args(["services", "--no-install"]).args(command).env("TMPDIR", &self.folder);
        for variable in ["TEST_POSTGRES_URL", "TEST_REDIS_URL", "TEST_NGINX"] {
            services.env_remove(variable);
        }
        services
    }

    /// The same with servers that exist elsewhere.
    fn services_given(&self, command: &[&str]) -> Command {
        let mut services = self.services(command);
        services.env("TEST_POSTGRES_URL", "a").env("TEST_REDIS_URL", "b").env("TEST_NGINX", "c");
        services
    }

    /// Starts the servers without a command; `None` if there are none here.
    fn start(&self) -> Option<Child> {
        let mut services = self.services(&[]);
        let mut services = services.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let said = BufReader::new(services.stderr.take().unwrap()).lines().map(Result::unwrap);
        let said: Vec<String> = said.take_while(|line| !line.contains("until Ctrl-C")).collect();
        if is_skipped(&said.join("\n")) {
            services.kill().unwrap();
            services.wait().unwrap();
            return None;
        }
        let exports = BufReader::new(services.stdout.take().unwrap()).lines().map(Result::unwrap);
        let exports: Vec<String> = exports.take(3).collect();
        assert!(exports.iter().all(|line| line.starts_with("export TEST_")), "{exports:?}");
        assert!(self.processes().len() > 2, "PostgreSQL has several, Redis has one");
        Some(services)
    }

    /// The ids of processes that work in the folder, as all servers do.
    fn processes(&self) -> Vec<u32> {
        let works_here = |id: &u32| {
            fs::read_link(format!("/proc/{id}/cwd")).is_ok_and(|cwd| cwd.starts_with(&self.folder))
        };
        processes().filter(works_here).collect()
    }

    fn entries(&self) -> Vec<PathBuf> {
        fs::read_dir(&self.folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    }

    fn wait_until(&self, what: &str, is_so: impl Fn() -> bool) {
        let begin = Instant::now();
        while !is_so() {
            let state = (self.processes(), self.entries());
            assert!(begin.elapsed() < LONGEST_STOP, "it is not so that {what}: {state:?}");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _removed = fs::remove_dir_all(&self.folder);
    }
}

/// Whether a service is missing here, which is said.
fn is_skipped(said: &str) -> bool {
    let is_missing = said.contains("== SKIPPED");
    if is_missing {
        assert!(!said.contains("is set, so none"), "{said}");
        // The capture of the test runner would hide what `eprintln` prints.
        std::io::stderr().write_all(said.as_bytes()).unwrap();
    }
    is_missing
}

fn child_of(parent: u32) -> Option<u32> {
    processes().find(|id| {
        let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        status.lines().any(|line| line == format!("PPid:\t{parent}"))
    })
}

fn processes() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir(Path::new("/proc")).unwrap().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}
