//! Finds programs that are installed, and their versions.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program that runs.
pub(super) struct Program {
    /// Name and version, as in `PostgreSQL 15.18`.
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) version: Version,
}

/// The numbers of a version.
#[derive(Debug, PartialEq, PartialOrd)]
pub(super) struct Version(Vec<u32>);

impl Version {
    pub(super) fn major(&self) -> u32 {
        self.0.first().copied().unwrap_or_default()
    }

    /// The first number in what a program says about its version.
    fn in_text(text: &str) -> Option<Self> {
        let text = &text[text.find(|c: char| c.is_ascii_digit())?..];
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        Some(Self(text[..end].split('.').map_while(|number| number.parse().ok()).collect()))
    }
}

/// The programs of this file name, the preferred one first: those in `PATH`, then those that
/// distributions install elsewhere. `flag` makes it print its version.
pub(super) fn installed(file: &str, flag: &str, product: &str) -> Vec<Program> {
    let found = folders().into_iter().filter_map(|folder| {
        // Links stay: Debian's `redis-server` is one, and does what its name says.
        let path = folder.join(file);
        let output = Command::new(&path).arg(flag).output().ok()?;
        // nginx writes its version to the standard error.
        let text = [output.stdout, output.stderr].concat();
        let version = Version::in_text(&String::from_utf8_lossy(&text))?;
        let numbers: Vec<String> = version.0.iter().map(u32::to_string).collect();
        Some(Program { name: format!("{product} {}", numbers.join(".")), path, version })
    });
    found.collect()
}

fn folders() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    folders.extend(postgres_folders(Path::new("/usr/lib/postgresql")));
    folders.extend(["/usr/local/sbin", "/usr/sbin"].map(PathBuf::from));
    folders
}

/// Debian has a folder for each version of PostgreSQL, outside of `PATH`; the newest comes first.
fn postgres_folders(all: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(all).into_iter().flatten().flatten();
    let version = |entry: fs::DirEntry| entry.file_name().to_str()?.parse::<u32>().ok();
    let mut versions: Vec<u32> = entries.filter_map(version).collect();
    versions.sort_unstable_by(|a, b| b.cmp(a));
    versions.iter().map(|version| all.join(version.to_string()).join("bin")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_programs_print() {
        for (text, version) in [
            ("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)", vec![15, 18]),
            ("postgres (PostgreSQL) 19beta1", vec![19]),
            ("Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.2.1", vec![7, 0, 15]),
            ("nginx version: nginx/1.22.1", vec![1, 22, 1]),
        ] {
            assert_eq!(Version::in_text(text), Some(Version(version)), "{text}");
        }
        assert_eq!(Version::in_text("not a version"), None);
    }
}
