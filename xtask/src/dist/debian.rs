//! The package for Debian and its relatives: the binary, the unit, a configuration that upgrades keep.
//!
//! It has no script that runs at installation: the unit has a user of its own made by systemd, and nothing
//! is started before `systemctl enable --now parlor`.

use std::path::PathBuf;
use std::process::Command;

use super::layout::{DOCUMENTS, Layout};
use super::{Result, copy, run, write};

const UNIT: &str = "deploy/systemd/parlor.service";
const CONFIGURATION: &str = "etc/parlor/parlor.toml";

pub(super) fn make(layout: &Layout) -> Result<PathBuf> {
    let folder = layout.staging("debian");
    copy(&layout.binary, &folder.join("usr/bin/parlor"))?;
    Layout::put(UNIT, &folder.join("lib/systemd/system/parlor.service"))?;
    Layout::put("parlor.example.toml", &folder.join(CONFIGURATION))?;
    Layout::put("deploy/systemd/parlor.env", &folder.join("usr/share/doc/parlor/parlor.env"))?;
    for document in DOCUMENTS {
        Layout::put(document, &folder.join("usr/share/doc/parlor").join(document))?;
    }
    let (architecture, version) = (architecture(), &layout.version);
    let needs = if layout.is_static { String::new() } else { libraries()? };
    let control = format!(
        "Package: parlor
Version: {version}
Architecture: {architecture}
Maintainer: Parlor maintainers <maintainers@parlor.invalid>
Section: net
Priority: optional
Recommends: ca-certificates
{needs}Description: chat server that puts an AI agent in front of people safely
 What a person writes passes a guardrail, what the agent wants to do that matters waits for an answer, and
 everything is stored and streamed to a web page. One binary with an embedded database.
"
    );
    write(&folder.join("DEBIAN/control"), control.as_bytes())?;
    write(&folder.join("DEBIAN/conffiles"), format!("/{CONFIGURATION}\n").as_bytes())?;
    let package = layout.out.join(format!("parlor_{version}_{architecture}.deb"));
    let mut build = Command::new("dpkg-deb");
    // Our umask is not that of a package.
    let _modes = Command::new("chmod").arg("--recursive").arg("u=rwX,go=rX").arg(&folder).status();
    run(build.args(["--root-owner-group", "-Zxz", "-z1", "--build"]).arg(&folder).arg(&package))?;
    Ok(package)
}

fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}

/// A binary that is not static needs the C library that it was built with, or a newer one.
fn libraries() -> Result<String> {
    let output = Command::new("getconf").arg("GNU_LIBC_VERSION").output();
    let output = output.map_err(|error| format!("getconf: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let version =
        text.split_whitespace().last().ok_or("the version of the C library is not known")?;
    Ok(format!("Depends: libc6 (>= {version}), libgcc-s1\n"))
}
