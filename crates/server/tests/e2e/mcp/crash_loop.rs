//! Servers in a crash loop (FAULTS 5).

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::faulty_program;
use super::served::{Served, configuration};

/// FAULTS 5: at most a line a second in the log for each server, whatever it does.
#[tokio::test]
async fn a_crash_loop_writes_at_most_a_line_a_second() {
    let dir = tempfile::tempdir().unwrap();
    let program = faulty_program();
    let config = configuration(&[
        ("one", program, &["--crash-at-start"]),
        ("two", program, &["--crash-after", "0", "--flood-stderr"]),
        ("three", Path::new("no-such-program"), &[]),
    ]);
    let begin = Instant::now();
    let mut served =
        Served::start(Path::new(env!("CARGO_BIN_EXE_parlor")), dir.path(), &config, |_| {});
    let log = BufReader::new(served.log());
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || log.lines().map_while(Result::ok).try_for_each(|l| tell.send(l)));
    let mut lines: Vec<String> = Vec::new();
    while begin.elapsed() < Duration::from_secs(4) {
        lines.extend(told.recv_timeout(Duration::from_millis(100)));
    }
    assert_eq!(served.terminate(), Some(0));
    let seconds = usize::try_from(begin.elapsed().as_secs()).unwrap();
    for server in ["one", "two", "three"] {
        let name = format!("server=\"{server}\"");
        let about: Vec<&String> = lines.iter().filter(|line| line.contains(&name)).collect();
        // The first start is a line of its own, if it succeeds.
        assert!(about.len() <= seconds + 2, "{about:#?}");
        assert!(about.iter().any(|line| line.contains("is down")), "{lines:#?}");
    }
    let others = lines.iter().filter(|line| !line.contains("MCP server is"));
    assert!(others.count() <= 5, "nothing else talks about it: {lines:#?}");
}
