//! The process that has the servers: it finds, installs, starts and finally stops them.
//!
//! It never ends by itself: only when its standard input does.

use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;

use super::folder::Folder;
use super::options::Options;
use super::programs::Program;
use super::report::{END, Report};
use super::server::Server;
use super::service::Service;
use super::{install, postgres, proxies, redis};

/// What tests need, in the order in which it is provided.
pub(super) const SERVICES: &[Service] =
    &[postgres::SERVICE, redis::SERVICE, proxies::NGINX, proxies::CADDY, proxies::HAPROXY];

/// What a soak starts itself.
const OF_SOAKS: &[Service] = &[postgres::SERVICE, redis::SERVICE, proxies::NGINX];

/// Provides all services until the standard input ends.
pub(crate) fn supervise(options: &[&str]) -> bool {
    let (options, _) = Options::read(options);
    Folder::remove_stale();
    let folder = Folder::create();
    // Dropped, and so stopped, before the folder is removed.
    let mut servers = Vec::new();
    let mut output = io::stdout();
    for service in SERVICES {
        let (report, server) = provide(service, options, &folder);
        servers.extend(server);
        // A reader that was killed closes the input, too.
        let _read = writeln!(output, "{report}");
    }
    let _read = writeln!(output, "{END}").and_then(|()| output.flush());
    let _ended = io::stdin().read_to_end(&mut Vec::new());
    true
}

/// The programs that a soak starts itself, as variables.
pub(crate) fn programs() -> Result<Vec<(&'static str, PathBuf)>, String> {
    let program = |service: &Service| match std::env::var_os(service.program) {
        Some(path) => Ok((service.program, path.into())),
        None => find(service, true).map(|found| (service.program, found.path)),
    };
    OF_SOAKS.iter().map(program).collect()
}

fn provide(
    service: &Service,
    options: Options,
    folder: &Result<Folder, String>,
) -> (Report, Option<Server>) {
    let has = |description: String, value: String| Report::Has {
        description,
        variable: service.variable.to_owned(),
        value,
    };
    if let Some(value) = std::env::var(service.variable).ok().filter(|value| !value.is_empty()) {
        return (has(format!("{} of {}", service.name, service.variable), value), None);
    }
    let started = find(service, !options.no_install).and_then(|program| {
        let folder = folder.as_ref().map_err(Clone::clone)?;
        let started = (service.start)(&program, folder, options)?;
        Ok((format!("{} ({})", program.name, program.path.display()), started))
    });
    match started {
        Ok((description, started)) => (has(description, started.value), started.server),
        Err(why) => {
            let why = format!("{why}; or set {}", service.variable);
            (Report::Missing { name: service.name.to_owned(), why }, None)
        }
    }
}

fn find(service: &Service, may_install: bool) -> Result<Program, String> {
    let why = match (service.find)() {
        Ok(program) => return Ok(program),
        Err(why) => why,
    };
    if !may_install || !install::is_possible() {
        return Err(format!("{why}; install {}", service.packages.join(" or ")));
    }
    eprintln!("== services: {}: {why}; installing it in the background", service.name);
    install::any_of(service.packages).map_err(|error| format!("{why}, and {error}"))?;
    (service.find)()
}
