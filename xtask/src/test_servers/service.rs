//! A service, as data: each has a file with its constant.

use super::folder::Folder;
use super::options::Options;
use super::programs::Program;
use super::server::Server;

/// Something that tests need, and how it is had.
pub(super) struct Service {
    pub(super) name: &'static str,
    /// How tests find it. If it is set already, nothing is started.
    pub(super) variable: &'static str,
    /// How a program that starts the server itself finds it.
    pub(super) program: &'static str,
    /// The packages of Debian that have it; one is enough.
    pub(super) packages: &'static [&'static str],
    pub(super) find: fn() -> Result<Program, String>,
    pub(super) start: fn(&Program, &Folder, Options) -> Result<Started, String>,
}

/// A service that can be used.
pub(super) struct Started {
    /// The value of its variable.
    pub(super) value: String,
    /// What has to be stopped at the end.
    pub(super) server: Option<Server>,
}
