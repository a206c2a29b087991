//! No two modules of a crate depend on each other, at any level.
//!
//! 1. Each file of a crate is a module; a folder is one module for its siblings.
//! 2. Each path in its code that begins with `crate::` or `super::` is an edge to another module. A
//!    parent and its children may use each other: they count as one module for all others.
//! 3. Siblings that can reach each other are a cycle, and the test names the files that form it.
//!
//! Comments and test modules do not count: a test may use everything.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may fail")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A module by its path in the crate: `["http", "ws", "connection"]`.
type Module = Vec<String>;

/// The dependencies of each module, and the files that cause them.
type Edges = BTreeMap<Module, BTreeMap<Module, BTreeSet<String>>>;

#[test]
fn modules_need_each_other_in_one_direction() {
    let mut cycles = Vec::new();
    for member in fs::read_dir(root().join("crates")).unwrap() {
        let member = member.unwrap().path();
        let name = member.file_name().unwrap().to_str().unwrap().to_owned();
        for cycle in cycles_in(&edges(&member.join("src"))) {
            cycles.push(format!("{name}: {cycle}"));
        }
    }
    assert!(cycles.is_empty(), "modules that need each other:\n{}", cycles.join("\n"));
}

#[test]
fn a_cycle_is_found() {
    let edge = |from: &str, to: &str| (vec![from.to_owned()], vec![to.to_owned()]);
    let mut edges = Edges::new();
    for (from, to) in [edge("a", "b"), edge("b", "c"), edge("c", "b"), edge("c", "d")] {
        let by = BTreeSet::from([format!("{}.rs", from[0])]);
        edges.entry(from).or_default().insert(to, by);
    }
    assert_eq!(cycles_in(&edges), ["b -> c (b.rs), c -> b (c.rs)"]);
}

#[test]
fn paths_are_read_from_code() {
    let code = "use crate::{a::{B, c}, d};\n// crate::e\nfn f() { super::super::g::h() }\n\
                #[cfg(test)]\nmod tests { use crate::i; }\n";
    let paths: Vec<String> = paths(code).iter().map(|path| path.join("::")).collect();
    assert_eq!(paths, ["crate::a::B", "crate::a::c", "crate::d", "super::super::g::h"]);
}

/// The edges between siblings at every level.
fn edges(source: &Path) -> Edges {
    let files = rust_files(source);
    let modules: BTreeSet<Module> = files.iter().map(|file| module_of(source, file)).collect();
    let mut edges = Edges::new();
    for file in &files {
        let from = module_of(source, file);
        for path in paths(&fs::read_to_string(file).unwrap()) {
            let Some(to) = target(&from, &path, &modules) else { continue };
            let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
            // A parent and its child.
            if common == from.len() || common == to.len() {
                continue;
            }
            let (from, to) = (from[..=common].to_vec(), to[..=common].to_vec());
            let by = relative(source, file);
            edges.entry(from).or_default().entry(to).or_default().insert(by);
        }
    }
    edges
}

/// The module that a path leads into.
fn target(from: &Module, path: &[String], modules: &BTreeSet<Module>) -> Option<Module> {
    let ups = path.iter().take_while(|part| *part == "super").count();
    let mut to = match path[0].as_str() {
        "crate" => path[1..].to_vec(),
        _ => from[..from.len().checked_sub(ups)?].iter().chain(&path[ups..]).cloned().collect(),
    };
    while !modules.contains(&to) {
        to.pop()?;
    }
    (!to.is_empty() && to != *from).then_some(to)
}

/// Groups of modules that can reach each other, one line for each group.
fn cycles_in(edges: &Edges) -> Vec<String> {
    let reach: BTreeMap<&Module, BTreeSet<&Module>> =
        edges.keys().map(|from| (from, reachable(edges, from))).collect();
    let mut found = BTreeSet::new();
    for (from, reached) in &reach {
        if !reached.contains(from) {
            continue;
        }
        let is_in =
            |to: &Module| reached.contains(to) && reach.get(to).is_some_and(|r| r.contains(from));
        let mut lines = Vec::new();
        for (one, others) in edges.iter().filter(|(one, _)| is_in(one)) {
            for (other, files) in others.iter().filter(|(other, _)| is_in(other)) {
                let files: Vec<&str> = files.iter().map(String::as_str).collect();
                let (one, other) = (one.join("::"), other.join("::"));
                lines.push(format!("{one} -> {other} ({})", files.join(", ")));
            }
        }
        found.insert(lines.join(", "));
    }
    found.into_iter().collect()
}

fn reachable<'e>(edges: &'e Edges, from: &Module) -> BTreeSet<&'e Module> {
    let mut seen = BTreeSet::new();
    let mut next: Vec<&Module> = edges.get(from).into_iter().flat_map(BTreeMap::keys).collect();
    while let Some(module) = next.pop() {
        if seen.insert(module) {
            next.extend(edges.get(module).into_iter().flat_map(BTreeMap::keys));
        }
    }
    seen
}

/// The paths in code that begin with `crate::` or `super::`, with braces expanded.
fn paths(code: &str) -> Vec<Vec<String>> {
    let code = without_comments_and_tests(code);
    let mut found = Vec::new();
    let mut rest = code.as_str();
    while let Some(at) = next_path(rest) {
        rest = &rest[at..];
        let length = read_path(rest, &[], &mut found);
        rest = &rest[length..];
    }
    found
}

/// The start of the next path, if it is a word of its own.
fn next_path(text: &str) -> Option<usize> {
    let starts = ["crate::", "super::"];
    let is_word = |at: usize| text[..at].chars().next_back().is_some_and(is_name_or_colon);
    starts
        .iter()
        .flat_map(|start| text.match_indices(start))
        .map(|(at, _)| at)
        .filter(|at| !is_word(*at))
        .min()
}

fn is_name_or_colon(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == ':'
}

/// Reads one path, including its braces; returns its length.
fn read_path(text: &str, before: &[String], found: &mut Vec<Vec<String>>) -> usize {
    let mut path = before.to_vec();
    let mut at = 0;
    loop {
        let name: String =
            text[at..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        at += name.len();
        if !name.is_empty() {
            path.push(name);
        }
        if !text[at..].starts_with("::") {
            break;
        }
        at += 2;
        if text[at..].starts_with('{') {
            return at + read_braces(&text[at..], &path, found);
        }
    }
    if path.len() > before.len() {
        found.push(path);
    }
    at
}

/// Reads `{a, b::{c}}` after a path; returns its length.
fn read_braces(text: &str, before: &[String], found: &mut Vec<Vec<String>>) -> usize {
    let mut at = 1;
    while at < text.len() && !text[at..].starts_with('}') {
        let next = text[at..].chars().next().unwrap();
        if next.is_alphanumeric() || next == '_' {
            at += read_path(&text[at..], before, found);
            // The new name in `a as b` is not a path.
            let end = text[at..].find([',', '}']).unwrap_or(text.len() - at);
            at += end;
        } else {
            at += next.len_utf8();
        }
    }
    at + 1
}

fn without_comments_and_tests(code: &str) -> String {
    let code = code.find("#[cfg(test)]\nmod tests").map_or(code, |tests| &code[..tests]);
    let code: Vec<&str> = code.lines().map(|line| line.split("//").next().unwrap()).collect();
    code.join("\n")
}

fn module_of(source: &Path, file: &Path) -> Module {
    let path = file.strip_prefix(source).unwrap().with_extension("");
    let mut parts: Module = path.iter().map(|part| part.to_str().unwrap().to_owned()).collect();
    if parts.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        parts.pop();
    }
    parts
}

fn rust_files(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            // Binaries beside the library are crates of their own.
            if name != "bin" {
                files.extend(rust_files(&path));
            }
        } else if name.ends_with(".rs") && name != "tests.rs" {
            files.push(path);
        }
    }
    files
}

fn relative(source: &Path, file: &Path) -> String {
    file.strip_prefix(source).unwrap().to_str().unwrap().to_owned()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}
