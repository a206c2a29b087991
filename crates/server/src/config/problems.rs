//! All that is wrong with a configuration file, and not only the first of it.
//!
//! Whatever cannot be read is reported with its line and taken out, and the rest is read again.

use serde::Deserialize as _;
use serde_path_to_error::Segment;
use toml::{Table, Value};

use super::places::Places;
use super::raw::RawConfig;
use super::{AtPlace, ConfigError, File, explain};

/// Beyond this number, something else is wrong with the file.
const MOST: usize = 50;

/// What of a file can be read, and what is wrong with the rest. A file that is no TOML has one
/// problem.
pub(super) fn readable(
    file: &File,
    places: &Places,
) -> Result<(Table, Vec<ConfigError>), Vec<ConfigError>> {
    let parsed: Result<Table, String> =
        toml::from_str(&file.text).map_err(|error| explain::explain(&error));
    let mut table = parsed.at(&file.name).map_err(|error| vec![error])?;
    let mut problems = Vec::new();
    while let Some((path, why)) = problem(&table) {
        let place = format!("{}: {}", places.around(&path), path.join("."));
        problems.push(ConfigError::invalid(&place, why));
        if problems.len() >= MOST || !remove(&mut table, &path) {
            return Err(problems);
        }
    }
    Ok((table, problems))
}

/// Where the first thing is that cannot be read, and why not.
fn problem(table: &Table) -> Option<(Vec<String>, String)> {
    let value = Value::Table(table.clone());
    let mut track = serde_path_to_error::Track::new();
    let read = RawConfig::deserialize(serde_path_to_error::Deserializer::new(value, &mut track));
    let error = read.err()?;
    let keys = track.path();
    let keys = keys.iter().map_while(|segment| match segment {
        Segment::Map { key } => Some(key.clone()),
        Segment::Seq { .. } | Segment::Enum { .. } | Segment::Unknown => None,
    });
    let mut path: Vec<String> = keys.collect();
    if let Some(unknown) = explain::unknown_field(error.message())
        && path.last().map(String::as_str) != Some(unknown)
    {
        path.push(unknown.to_owned());
    }
    Some((path, explain::in_short(&error)))
}

/// Takes out what is at a path; false if nothing is there.
fn remove(table: &mut Table, path: &[String]) -> bool {
    let Some((last, sections)) = path.split_last() else { return false };
    let section = sections
        .iter()
        .try_fold(table, |table, name| table.get_mut(name).and_then(Value::as_table_mut));
    section.is_some_and(|section| section.remove(last).is_some())
}
