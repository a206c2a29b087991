//! `cargo xtask dist`: the packages, in `target/dist`.
//!
//! 1. The web interface and the binary are built. The binary is static (musl) if the toolchain has that
//!    target; otherwise it needs the C library of this machine, and that is said.
//! 2. What goes into a package is laid out once ([`layout`]).
//! 3. Each kind of package is made from it: [`tarball`], [`debian`], [`npm`]; then their checksums.
//! 4. With `--try` each one is installed in an empty folder, and has to answer as a new user would see it
//!    ([`trial`]).
//!
//! The container image is `deploy/container/Dockerfile`. Nothing is published here: the workflow for releases
//! does that, with rights that a developer does not have.

mod debian;
mod layout;
mod npm;
mod tarball;
mod trial;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use self::layout::Layout;
use crate::{cargo, root, succeeds, web};

/// What can go wrong: a file, or a program that packs. The text is for the terminal.
type Result<T> = std::result::Result<T, String>;

const MUSL: &str = "x86_64-unknown-linux-musl";

/// `dist [--try] [--debug]`: `--debug` packs the binary of the tests, which is quick to build.
pub(crate) fn dist(arguments: &[&str]) -> bool {
    if let Some(unknown) =
        arguments.iter().find(|argument| !["--try", "--debug"].contains(argument))
    {
        eprintln!("xtask: dist knows --try and --debug, not '{unknown}'");
        return false;
    }
    let is_debug = arguments.contains(&"--debug");
    let made = if is_debug { of_tests() } else { of_release() };
    done(
        made.and_then(
            |made| if arguments.contains(&"--try") { trial::try_all(&made) } else { Ok(()) },
        ),
    )
}

/// The packages with the binary of the tests, each installed and tried: a part of `cargo xtask test`.
pub(crate) fn in_tests() -> bool {
    done(of_tests().and_then(|made| trial::try_all(&made)))
}

fn done(outcome: Result<()>) -> bool {
    outcome.inspect_err(|why| eprintln!("xtask: {why}")).is_ok()
}

/// The packages that were made.
struct Made {
    version: String,
    /// Whether the binary is that of a release.
    is_release: bool,
    tarball: PathBuf,
    /// `None` where there is no `dpkg-deb`.
    debian: Option<PathBuf>,
    /// The package of the platform, then the one that people name. `None` without npm.
    npm: Option<[PathBuf; 2]>,
}

fn of_release() -> Result<Made> {
    if !web::build() {
        return Err("the web interface could not be built; a package without it is none".to_owned());
    }
    let target = musl();
    if target.is_none() {
        println!(
            "== dist: no {MUSL} here, so the binary needs the C library of this machine or a newer one"
        );
    }
    let mut arguments = vec!["build", "--release", "--locked", "--bin", "parlor"];
    arguments.extend(target.iter().flat_map(|target| ["--target", target]));
    if !cargo(&arguments) {
        return Err("the binary could not be built".to_owned());
    }
    let folder = target.map_or_else(|| "release".to_owned(), |target| format!("{target}/release"));
    make(&binary(&folder)?, target.is_some()).map(|made| Made { is_release: true, ..made })
}

fn of_tests() -> Result<Made> {
    if !cargo(&["build", "--workspace", "--bins", "--quiet"]) {
        return Err("the binary could not be built".to_owned());
    }
    make(&binary("debug")?, false)
}

fn binary(folder: &str) -> Result<PathBuf> {
    let found = crate::built(folder, "parlor").map(|command| command.get_program().into());
    found.ok_or_else(|| "the binary was not found".to_owned())
}

/// The static target, if the toolchain and the C compiler for it are installed.
fn musl() -> Option<&'static str> {
    let libraries =
        Command::new("rustc").args(["--print", "target-libdir", "--target", MUSL]).output();
    let libraries = String::from_utf8(libraries.ok()?.stdout).ok()?;
    let compiles = Command::new("musl-gcc").arg("--version").output().is_ok();
    (Path::new(libraries.trim()).is_dir() && compiles).then_some(MUSL)
}

fn make(binary: &Path, is_static: bool) -> Result<Made> {
    let out = root().join("target/dist");
    let _nothing_to_remove = fs::remove_dir_all(&out);
    create(&out)?;
    let layout = Layout::new(binary, is_static, out)?;
    let tarball = tarball::make(&layout)?;
    let debian = runs("dpkg-deb").then(|| debian::make(&layout)).transpose()?;
    let npm = runs("npm").then(|| npm::make(&layout)).transpose()?;
    for (tool, is_missing) in [("dpkg-deb", debian.is_none()), ("npm", npm.is_none())] {
        if is_missing {
            crate::checks::skipped(
                &format!("the package that needs {tool}"),
                "it is not installed",
            );
        }
    }
    checksums(&layout.out)?;
    println!("== packages of {} are in target/dist", layout.version);
    Ok(Made { version: layout.version, is_release: false, tarball, debian, npm })
}

/// `SHA256SUMS`, as `sha256sum --check` reads it.
fn checksums(out: &Path) -> Result<()> {
    let mut names: Vec<_> = entries(out)?.into_iter().filter(|path| path.is_file()).collect();
    names.sort();
    let names = names.iter().filter_map(|path| path.file_name());
    let sums = Command::new("sha256sum").current_dir(out).args(names).output();
    let sums = sums.map_err(|error| format!("sha256sum: {error}"))?;
    write(&out.join("SHA256SUMS"), &sums.stdout)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let read = || fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>();
    read().map_err(|error| format!("{}: {error}", folder.display()))
}

fn create(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}

fn write(file: &Path, content: &[u8]) -> Result<()> {
    file.parent().map_or(Ok(()), create)?;
    fs::write(file, content).map_err(|error| format!("{}: {error}", file.display()))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    to.parent().map_or(Ok(()), create)?;
    let copied = fs::copy(from, to);
    copied.map(drop).map_err(|error| format!("{} to {}: {error}", from.display(), to.display()))
}

fn run(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    if succeeds(command) { Ok(()) } else { Err(format!("{program} failed")) }
}

fn runs(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}
