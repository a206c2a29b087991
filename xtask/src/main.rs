//! The chores of the project, as `cargo xtask <command>`.
//!
//! Only the standard library is used, so that the first `cargo xtask` of a
//! fresh clone spends its time on the product.

use std::process::{Command, ExitCode};

const HELP: &str = "\
cargo xtask <command>

  run [ARGS…]                  build parlor and start the server: `parlor serve ARGS…`
  test                         everything that CI checks: format, lints, all tests
  guard-eval FILE [--policy P] [--show]
                               what the guardrail catches and whom it disturbs, on labelled
                               {\"text\", \"label\", \"source\", \"kind\"} lines; P is strict,
                               balanced (the default) or monitor; --show lists the errors
  bench                        how fast guardrail, sanitizer, classifier and segmenter are
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments.as_slice() {
        ["run", rest @ ..] => {
            cargo_with(&["run", "--release", "--bin", "parlor", "--", "serve"], rest)
        }
        ["test"] => test(),
        ["guard-eval", rest @ ..] => cargo_with(&example("guard_eval"), rest),
        ["bench"] => cargo(&example("guard_bench")),
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

/// All checks, the quick ones first, and every one of them even if one fails
/// late: a contributor wants the whole list.
fn test() -> bool {
    let checks: [(&str, &[&str]); 3] = [
        ("format", &["fmt", "--all", "--check"]),
        ("lints", &["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"]),
        ("tests", &["test", "--workspace"]),
    ];
    let mut failed = Vec::new();
    for (name, arguments) in checks {
        println!("== {name}: cargo {}", arguments.join(" "));
        if !cargo(arguments) {
            failed.push(name);
        }
    }
    if failed.is_empty() {
        println!("== all checks passed");
    } else {
        eprintln!("== failed: {}", failed.join(", "));
    }
    failed.is_empty()
}

/// What is measured is measured as it is shipped.
fn example(name: &str) -> [&str; 8] {
    ["run", "--release", "--quiet", "--package", "parlor-guard", "--example", name, "--"]
}

fn cargo_with(arguments: &[&str], rest: &[&str]) -> bool {
    cargo(&[arguments, rest].concat())
}

fn cargo(arguments: &[&str]) -> bool {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    match Command::new(cargo).args(arguments).status() {
        Ok(status) => status.success(),
        Err(error) => {
            eprintln!("xtask: cargo could not be started: {error}");
            false
        }
    }
}
