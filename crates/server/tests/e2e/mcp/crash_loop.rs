//! Servers in a crash loop (FAULTS 5).

use std::io::{BufRead, BufReader};
use std::path::Path;

use super::faulty_program;
use super::served::{Served, configuration};

/// How many crashes of each server are observed.
const CRASHES: usize = 4;
/// The log level of a crash; a start has another one.
const CRASH: &str = " WARN ";

/// FAULTS 5: each crash is one line in the log, and the backoff grows, whatever the server writes:
/// on average at most one line per second.
#[tokio::test]
async fn a_crash_loop_writes_at_most_a_line_a_second() {
    let dir = tempfile::tempdir().unwrap();
    let program = faulty_program();
    let config = configuration(&[
        ("one", program, &["--crash-at-start"]),
        ("two", program, &["--crash-after", "0", "--flood-stderr"]),
        ("three", Path::new("no-such-program"), &[]),
    ]);
    let mut served =
        Served::start(Path::new(env!("CARGO_BIN_EXE_parlor")), dir.path(), &config, |_| {});
    let names = ["one", "two", "three"].map(|name| format!("server=\"{name}\""));
    let mut log = BufReader::new(served.log()).lines();
    let mut lines: Vec<String> = Vec::new();
    let crashes = |lines: &[String], name: &String| {
        lines.iter().filter(|line| line.contains(name) && line.contains(CRASH)).count()
    };
    while names.iter().any(|name| crashes(&lines, name) < CRASHES) {
        lines.push(log.next().expect("the server has ended").unwrap());
        assert!(lines.len() < 100, "{lines:#?}");
    }
    let rest = std::thread::spawn(move || log.map_while(Result::ok).count());
    assert_eq!(served.terminate(), Some(0));
    rest.join().unwrap();
    for name in &names {
        let about: Vec<&String> = lines.iter().filter(|line| line.contains(name)).collect();
        let times: Vec<f64> = about.iter().map(|line| second_of_day(line)).collect();
        let took = (times[times.len() - 1] - times[0]).rem_euclid(86_400.0);
        let downs = crashes(&lines, name) as f64;
        // The first delays are half a second and one second, less up to a quarter.
        assert!(downs - 1.0 <= took + 1.0, "{downs} crashes in {took} s: {about:#?}");
    }
    let others = lines.iter().filter(|line| !line.contains("server=\""));
    assert!(others.count() <= 5, "nothing else is logged about it: {lines:#?}");
}

/// The time of a log line: `2026-11-17T16:54:03.123456Z  WARN …`.
fn second_of_day(line: &str) -> f64 {
    let time = line.split(['T', 'Z']).nth(1).unwrap();
    let parts = time.split(':').map(|part| part.parse::<f64>().unwrap());
    parts.fold(0.0, |sum, part| sum * 60.0 + part)
}
