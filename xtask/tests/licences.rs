//! Every crate that the product and its tests are built from has a licence that `deny.toml` allows.
//! `cargo deny` checks more, but takes minutes to install; this takes a second.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may fail")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn every_licence_is_allowed() {
    let allowed = allowed();
    let mut count = 0;
    for line in packages().lines().filter(|line| !line.is_empty()).collect::<BTreeSet<_>>() {
        count += 1;
        let (package, licence) = line.split_once(';').unwrap();
        let licence = licence.trim_end_matches(" (*)");
        assert!(!licence.is_empty(), "{package} names no licence");
        assert!(is_allowed(licence, &allowed), "{package} is under {licence}: see deny.toml");
    }
    assert!(count > 100, "cargo named {count} packages only");
}

#[test]
fn expressions_are_read_as_spdx_says() {
    let allowed = BTreeSet::from(["MIT".to_owned(), "Zlib".to_owned()]);
    for yes in [
        "MIT", "GPL-3.0 OR MIT", "MIT/Apache-2.0", "(MIT OR Apache-2.0) AND Zlib",
        "Apache-2.0 WITH LLVM-exception OR MIT",
    ] {
        assert!(is_allowed(yes, &allowed), "{yes}");
    }
    for no in ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT OR Zlib) AND ISC", "MIT WITH exception"] {
        assert!(!is_allowed(no, &allowed), "{no}");
    }
}

/// The allowed licences in `deny.toml`.
fn allowed() -> BTreeSet<String> {
    let text = fs::read_to_string(root().join("deny.toml")).unwrap();
    let (_, list) = text.split_once("\nallow = [").expect("deny.toml has a list");
    let (list, _) = list.split_once(']').unwrap();
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// One line `name version;licence` for each use of a package.
fn packages() -> String {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["tree", "--workspace", "--all-features", "--edges", "normal,build,dev"]);
    cargo.args(["--prefix", "none", "--format", "{p};{l}", "--locked"]).current_dir(root());
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Whether the allowed licences satisfy an SPDX expression. `/` is an old form of `OR`.
fn is_allowed(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = &words[..];
    any(&mut rest, allowed) && rest.is_empty()
}

fn any(words: &mut &[&str], allowed: &BTreeSet<String>) -> bool {
    let mut met = all(words, allowed);
    while let ["OR", rest @ ..] = words {
        *words = rest;
        met |= all(words, allowed);
    }
    met
}

fn all(words: &mut &[&str], allowed: &BTreeSet<String>) -> bool {
    let mut met = one(words, allowed);
    while let ["AND", rest @ ..] = words {
        *words = rest;
        met &= one(words, allowed);
    }
    met
}

fn one(words: &mut &[&str], allowed: &BTreeSet<String>) -> bool {
    match words {
        ["(", rest @ ..] => {
            *words = rest;
            let met = any(words, allowed);
            if let [")", rest @ ..] = words {
                *words = rest;
            }
            met
        }
        // A licence with an exception is a licence of its own, and has to be in the list as such.
        [name, "WITH", exception, rest @ ..] => {
            *words = rest;
            allowed.contains(&format!("{name} WITH {exception}"))
        }
        [name, rest @ ..] => {
            *words = rest;
            allowed.contains(*name)
        }
        [] => false,
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}
