//! The archive: the binary, the documents, the unit of systemd, examples for proxies.

use std::path::PathBuf;

use super::layout::{DOCUMENTS, Layout, tar};
use super::{Result, copy, entries};
use crate::root;

pub(super) fn make(layout: &Layout) -> Result<PathBuf> {
    let name = format!("parlor-{}-{}", layout.version, layout.platform());
    let folder = layout.staging(&name);
    copy(&layout.binary, &folder.join("parlor"))?;
    for document in DOCUMENTS {
        Layout::put(document, &folder.join(document))?;
    }
    for part in ["systemd", "proxies"] {
        for file in entries(&root().join("deploy").join(part))? {
            let name = file.file_name().unwrap_or_default();
            copy(&file, &folder.join("deploy").join(part).join(name))?;
        }
    }
    let archive = layout.out.join(format!("{name}.tar.gz"));
    tar(&archive, &layout.staging(""), &name)?;
    Ok(archive)
}
