//! The reverse proxies: nginx, Caddy and `HAProxy`. Each test starts one with a configuration of its own.

use super::folder::Folder;
use super::options::Options;
use super::programs::{Program, installed};
use super::service::{Service, Started};

pub(super) const NGINX: Service = Service {
    name: "nginx",
    variable: "TEST_NGINX",
    program: "TEST_NGINX",
    packages: &["nginx"],
    find: || find("nginx", "-v", "nginx"),
    start,
};

pub(super) const CADDY: Service = Service {
    name: "Caddy",
    variable: "TEST_CADDY",
    program: "TEST_CADDY",
    packages: &["caddy"],
    find: || find("caddy", "version", "Caddy"),
    start,
};

pub(super) const HAPROXY: Service = Service {
    name: "HAProxy",
    variable: "TEST_HAPROXY",
    program: "TEST_HAPROXY",
    packages: &["haproxy"],
    find: || find("haproxy", "-v", "HAProxy"),
    start,
};

fn find(file: &str, flag: &str, product: &str) -> Result<Program, String> {
    let found = installed(file, flag, product).into_iter().next();
    found.ok_or_else(|| "no program".to_owned())
}

fn start(program: &Program, _folder: &Folder, _: Options) -> Result<Started, String> {
    Ok(Started { value: program.path.display().to_string(), server: None })
}
