//! The nginx program. Each test starts it with a configuration of its own.

use super::folder::Folder;
use super::options::Options;
use super::programs::{Program, installed};
use super::service::{Service, Started};

pub(super) const SERVICE: Service = Service {
    name: "nginx",
    variable: "TEST_NGINX",
    program: "TEST_NGINX",
    packages: &["nginx"],
    find,
    start,
};

fn find() -> Result<Program, String> {
    let found = installed("nginx", "-v", "nginx").into_iter().next();
    found.ok_or_else(|| "no program".to_owned())
}

fn start(program: &Program, _folder: &Folder, _: Options) -> Result<Started, String> {
    Ok(Started { value: program.path.display().to_string(), server: None })
}
