//! The tasks of the project, as `cargo xtask <command>`.
//!
//! Only the standard library is used, so that the first `cargo xtask` of a fresh clone compiles
//! quickly.

mod checks;
mod dependencies;
mod dist;
mod flow_eval;
mod fuzz;
mod postgres;
mod run;
mod soak;
mod test_run;
mod test_servers;
mod tools;
mod web;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::checks::Checks;
use crate::test_run::{TestRun, Tests};
use crate::test_servers::Options;

const HELP: &str = "\
cargo xtask <command>

  run [ARGS…]                  build the web interface and parlor, and start the server:
                               `parlor serve ARGS…`
  test                         all checks of CI: format, lints, all tests, the browser
  services [--no-install] [--durable] [COMMAND…]
                               PostgreSQL, Redis and proxies for tests: runs COMMAND with them, or
                               prints their addresses and stays until Ctrl-C; with --durable a
                               commit of PostgreSQL waits for the disk
  agents                       real agents behind the ACP bridge: the tests that take minutes
  browser                      tests of the web interface in a real browser, with the real server
  screenshots                  a picture of each screen and state, in target/screenshots
  figures                      the size of the web interface, and the duration of its tasks
  guard-eval FILE [--policy P] [--documents] [--show]
                               hits and false alarms of the guardrail, on labelled
                               {\"text\", \"label\", \"source\", \"kind\"} lines; P is strict,
                               balanced (the default) or monitor; --documents judges tool
                               results instead of messages; --show lists the errors
  guard-train [DIR] [--check]  trains the learned stages of the guardrail on the corpora in DIR and
                               writes their tables; --check compares them with what is there
  bench [STREAMS…]             the server against a bare pass-through, at 1, 10 and 100 streams,
                               then WebSockets with agent processes behind them
  bench sockets [COUNT…]       only the WebSockets
  bench engines [PART…]        SQLite, PostgreSQL, and two nodes on one database with and without
                               Redis; PART is held, streams or turns
  soak [--nodes N] [--postgres] [--minutes M] [--kills K] [--seed S]
                               kills and pauses servers under load, and compares what clients saw
                               with what is stored; one node on SQLite, unless told otherwise
                               (--help lists all options)
  flow-eval [--policy P] [--suite S] [--sample N] [--json FILE]
                               AgentDojo and clean tasks through the running server: attacks
                               stopped, attacks won, questions a task; P is flow (the default),
                               flow-hints, hints, nothing-believed or all-allowed
  dist [--try] [--debug]       packages in target/dist: an archive, a Debian package, npm packages;
                               --try installs each in an empty folder and asks the demo something,
                               --debug packs the binary of the tests
  bench-guard [TEXT]           the speed of guardrail, sanitizer, classifier and segmenter; TEXT
                               selects hostile texts by a part of their name
  fuzz [TARGET [--seconds N]]  libFuzzer on a parser, for a minute; without a target, lists all
  deny                         licences, sources and advisories of the crates (deny.toml)
  audit                        advisories of the npm packages
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments.as_slice() {
        ["run", rest @ ..] => run::run(rest),
        ["test"] => test(),
        ["services", rest @ ..] => test_servers::services(rest),
        [test_servers::SUPERVISE, rest @ ..] => test_servers::supervise(rest),
        ["agents"] => agents().has_passed,
        ["browser"] => in_browser("browser"),
        ["screenshots"] => in_browser("pictures"),
        ["figures"] => in_browser("figures"),
        ["guard-eval", rest @ ..] => cargo_with(&example("guard_eval"), rest),
        ["guard-train", rest @ ..] => cargo_with(&example("guard_train"), rest),
        ["bench", "engines", rest @ ..] => bench_engines(rest),
        ["bench", rest @ ..] => bench(rest),
        ["soak", rest @ ..] => soak::soak(rest),
        ["flow-eval", rest @ ..] => flow_eval::whole(rest),
        ["bench-guard", rest @ ..] => cargo_with(&example("guard_bench"), rest),
        ["fuzz", rest @ ..] => fuzz::fuzz(rest),
        ["dist", rest @ ..] => dist::dist(rest),
        ["deny"] => dependencies::deny(),
        ["audit"] => dependencies::audit(),
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            true
        }
        [unknown, ..] => {
            eprintln!("xtask: there is no command '{unknown}'\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    if done { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs all checks, the quick ones first. What takes long to fetch is begun before.
fn test() -> bool {
    let fetching = web::fetching_packages();
    let servers = test_servers::begin(Options::default());
    let mut checks = Checks::default();
    checks.run("format", || cargo(&["fmt", "--all", "--check"]) && fuzz::is_formatted());
    checks.run("lints", || {
        cargo(&["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"])
    });
    let fetched = fetching.is_none_or(|mut npm| npm.wait().is_ok_and(|status| status.success()));
    checks.run("web: packages", || fetched && web::has_node() && web::fetch_packages());
    checks.run("web: types", || web::npm(&["run", "typecheck"]));
    checks.run("web: lint", || web::npm(&["run", "lint"]));
    checks.run("web: tests", || web::npm(&["test"]));
    checks.run("web: build", || web::npm(&["run", "build"]));
    let servers = servers.ready();
    checks.run("services", || {
        servers.print();
        servers.suffice()
    });
    servers.missing().into_iter().for_each(|(what, why)| checks.skip(what, why));
    let tests = Tests { variables: servers.variables().collect(), ..Tests::default() };
    checks.run_tests("tests", || tests.run());
    checks.run_tests("tests with real agents", agents);
    if servers.has_postgres() {
        checks.run_tests("tests on PostgreSQL: stores and chat", || postgres::stores(&servers));
        checks.run_tests("tests on PostgreSQL: end to end", || postgres::end_to_end(&servers));
    }
    checks.run("soak: one node on SQLite", soak::one_node);
    if soak::SEVERAL_NODES && servers.missing().is_empty() {
        checks.run("soak: three nodes", soak::three_nodes);
    }
    if flow_eval::IN_TESTS {
        checks.run("flow: a sample of AgentDojo and of clean tasks", flow_eval::sample);
    }
    drop(servers);
    // The earlier checks have built the server.
    checks.run("packages: installed and tried", dist::in_tests);
    checks.run("browser", || web::npm(&["run", "browser"]));
    checks.report()
}

/// The tests with real agents that `cargo test` leaves out.
fn agents() -> TestRun {
    let targets = vec!["--test", "e2e"];
    Tests { targets, names: vec!["acp_agents::"], ignored: true, ..Tests::default() }.run()
}

/// Runs an npm script that drives the built server with a real browser. The whole workspace is
/// built, so that dependencies have the same features as in its tests.
fn in_browser(script: &str) -> bool {
    web::build() && cargo(&["build", "--workspace", "--bins"]) && web::npm(&["run", script])
}

/// Builds the server and the agent beside the bench, and runs it.
fn bench(rest: &[&str]) -> bool {
    cargo(&["build", "--release", "--bin", "parlor"])
        && cargo(&["build", "--release", "--package", "parlor-testkit", "--bin", "fake-agent"])
        && succeeds(bench_command().args(rest))
}

/// The same with PostgreSQL and Redis, which start meanwhile.
fn bench_engines(rest: &[&str]) -> bool {
    let servers = test_servers::begin(Options::DURABLE);
    let is_built = cargo(&["build", "--release", "--bin", "parlor"]);
    let servers = servers.ready();
    servers.print();
    is_built && succeeds(bench_command().arg("engines").args(rest).envs(servers.variables()))
}

fn bench_command() -> Command {
    let mut bench = cargo_command();
    bench.args(["run", "--release", "--package", "parlor-bench", "--"]);
    bench
}

/// Examples run in release mode: figures are those of the shipped code.
fn example(name: &str) -> [&str; 8] {
    ["run", "--release", "--quiet", "--package", "parlor-guard", "--example", name, "--"]
}

fn cargo_with(arguments: &[&str], rest: &[&str]) -> bool {
    cargo(&[arguments, rest].concat())
}

fn cargo(arguments: &[&str]) -> bool {
    succeeds(cargo_command().args(arguments))
}

fn cargo_command() -> Command {
    command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// A program without the variables that cargo sets for this one: some dependencies are rebuilt when
/// they change.
fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| {
            name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
        }) {
            command.env_remove(name);
        }
    }
    command
}

/// A binary of the workspace that was built with a profile: beside the folder of this one.
fn built(profile: &str, name: &str) -> Option<Command> {
    let own = std::env::current_exe().ok();
    let folder = own.as_deref().and_then(Path::parent).and_then(Path::parent);
    if folder.is_none() {
        eprintln!("xtask: the folder of the binaries is not known");
    }
    Some(command(folder?.join(profile).join(name)))
}

fn succeeds(command: &mut Command) -> bool {
    match command.status() {
        Ok(status) => status.success(),
        Err(error) => {
            eprintln!("xtask: {:?} could not be started: {error}", command.get_program());
            false
        }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
