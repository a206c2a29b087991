//! The packages for npm: one for each platform with the binary, and `parlor`, which depends on all of them
//! as optional ones, so that npm installs the one that fits, and starts it.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::layout::Layout;
use super::{Result, copy, run, write};

/// Platforms of a release, as Node names them.
const PLATFORMS: [(&str, &str); 2] = [("linux", "x64"), ("linux", "arm64")];

pub(super) fn make(layout: &Layout) -> Result<[PathBuf; 2]> {
    let (version, cpu) = (&layout.version, cpu());
    let of_platform = layout.staging("npm-platform");
    copy(&layout.binary, &of_platform.join("parlor"))?;
    let package = format!(
        r#"{{
  "name": "@parlor/linux-{cpu}",
  "version": "{version}",
  "description": "The binary of parlor for Linux on {cpu}",
  "license": "MIT OR Apache-2.0",
  "os": ["linux"],
  "cpu": ["{cpu}"],
  "files": ["parlor"]
}}
"#
    );
    write(&of_platform.join("package.json"), package.as_bytes())?;
    let main = layout.staging("npm");
    Layout::put("deploy/npm/parlor.js", &main.join("parlor.js"))?;
    for document in ["README.md", "LICENSE-APACHE", "LICENSE-MIT"] {
        Layout::put(document, &main.join(document))?;
    }
    let platforms: Vec<String> = PLATFORMS
        .iter()
        .map(|(os, cpu)| format!("    \"@parlor/{os}-{cpu}\": \"{version}\""))
        .collect();
    let package = format!(
        r#"{{
  "name": "parlor",
  "version": "{version}",
  "description": "A chat server that puts an AI agent in front of people safely",
  "license": "MIT OR Apache-2.0",
  "bin": {{ "parlor": "parlor.js" }},
  "files": ["parlor.js"],
  "engines": {{ "node": ">=18" }},
  "optionalDependencies": {{
{}
  }}
}}
"#,
        platforms.join(",\n")
    );
    write(&main.join("package.json"), package.as_bytes())?;
    let packed = [format!("parlor-linux-{cpu}-{version}.tgz"), format!("parlor-{version}.tgz")];
    let made = packed.map(|name| layout.out.join(name));
    pack(&of_platform, &layout.out)?;
    pack(&main, &layout.out)?;
    Ok(made)
}

fn pack(folder: &Path, out: &Path) -> Result<()> {
    let mut pack = Command::new("npm");
    pack.args(["pack", "--silent", "--pack-destination"]).arg(out).current_dir(folder);
    run(pack.stdout(std::process::Stdio::null()))
}

fn cpu() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    }
}
