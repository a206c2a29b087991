//! The logo of a project: a PNG or WebP file that the configuration names.
//!
//! It is checked when the server starts, and read when it is asked for, so that a new file needs
//! no restart. No SVG: opened by itself it would be a document that runs scripts.

use std::fs;
use std::path::Path;

use anyhow::bail;
use tokio::task::spawn_blocking;

use crate::config::Config;

/// The largest logo.
const MOST: u64 = 256 << 10;

/// A logo as it is served.
pub(crate) struct Logo {
    pub(crate) media_type: &'static str,
    pub(crate) bytes: Vec<u8>,
}

/// Whether every logo that is configured can be served; the error says which one cannot.
pub(crate) async fn check_all(config: &Config) -> anyhow::Result<()> {
    for (tenant, settings) in &config.tenants {
        for (project, settings) in &settings.projects {
            let Some(path) = &settings.look.logo else { continue };
            if let Err(why) = read(path).await {
                bail!("tenants.{tenant}.projects.{project}.look.logo: {}: {why}", path.display());
            }
        }
    }
    Ok(())
}

/// Reads a logo.
pub(crate) async fn read(path: &Path) -> Result<Logo, String> {
    let path = path.to_owned();
    spawn_blocking(move || read_file(&path)).await.map_err(|error| error.to_string())?
}

fn read_file(path: &Path) -> Result<Logo, String> {
    // A pipe or a device would be read without an end.
    let about = fs::metadata(path).map_err(|error| error.to_string())?;
    if !about.is_file() {
        return Err("it is no file".to_owned());
    }
    if about.len() > MOST {
        return Err(format!("it has {} bytes, and can have {MOST} at most", about.len()));
    }
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    let media_type = media_type(&bytes)
        .ok_or_else(|| "it is neither PNG nor WebP; convert it to one of them".to_owned())?;
    Ok(Logo { media_type, bytes })
}

/// By the first bytes, whatever the file is called.
fn media_type(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        Some("image/png")
    } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        Some("image/webp")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// U-10: only small pictures of two kinds, judged by their bytes.
    #[tokio::test]
    async fn only_small_pictures_are_logos() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| {
            let path = dir.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        };
        let png = read(&write("a.svg", b"\x89PNG\r\n\x1a\nrest")).await.unwrap();
        assert_eq!((png.media_type, png.bytes.len()), ("image/png", 12));
        let webp = read(&write("b", b"RIFF\0\0\0\0WEBPVP8 ")).await.unwrap();
        assert_eq!(webp.media_type, "image/webp");
        let mut large = b"\x89PNG\r\n\x1a\n".to_vec();
        large.resize(300 << 10, 0);
        for (path, why) in [
            (write("c.png", b"<svg onload='x'/>"), "neither PNG nor WebP"),
            (write("d.png", b"RIFF"), "neither PNG nor WebP"),
            (write("e.png", &large), "262144 at most"),
            (dir.path().to_owned(), "no file"),
            (dir.path().join("nothing"), "No such file"),
        ] {
            let error = read(&path).await.err().unwrap();
            assert!(error.contains(why), "{error}");
        }
    }
}
