//! The built web interface is embedded from `web/dist`. A fresh clone has none:
//! then there is an empty folder, and the plain page is served. Nothing is built
//! here; `cargo xtask run` does that first.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let dist = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/dist");
    std::fs::create_dir_all(&dist)?;
    println!("cargo::rerun-if-changed=build.rs");
    // A debug build reads the files when they are asked for.
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        println!("cargo::rerun-if-changed=../../web/dist");
    }
    Ok(())
}
