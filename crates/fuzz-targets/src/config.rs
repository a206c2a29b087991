//! A configuration file; after a NUL byte, the environment.

use std::collections::BTreeMap;

use parlor_server::fuzz::config;

/// A configuration that cannot be used is an error that says where.
pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (file, environment) = text.split_once('\0').unwrap_or((&*text, ""));
    let variables = environment.lines().filter_map(|line| line.split_once('='));
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
    if let Err(error) = config(file, variables.collect::<BTreeMap<_, _>>()) {
        assert!(error.to_string().contains(": "), "{error}");
    }
}
