//! The chain as a file that grows: each server appends every entry, by whichever server it was made.
//!
//! The file is opened for each write, so that it may be moved away at any time. How far it was written is
//! in the database: after a crash some lines may come twice, and `parlor audit verify` knows that.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;

use anyhow::Context as _;
use parlor_protocol::{NodeId, TenantId};
use parlor_storage::Store;

use super::entry::Line;

/// How many entries are read at once.
const PAGE: u32 = 500;

/// The file of this server.
pub(super) struct AuditFile {
    path: PathBuf,
    node: NodeId,
}

impl AuditFile {
    pub(super) fn new(path: PathBuf, node: NodeId) -> Self {
        Self { path, node }
    }

    /// Appends what a tenant's chain has more than the file.
    pub(super) async fn catch_up(&self, store: &Store, tenant: &TenantId) -> anyhow::Result<()> {
        let chains = store.audit_chains();
        let mut written = chains.file_position(self.node, tenant).await?;
        loop {
            let entries = chains.entries(tenant, written, PAGE).await?;
            let Some(last) = entries.last() else { return Ok(()) };
            written = last.seq;
            let mut text = Vec::new();
            for entry in entries {
                serde_json::to_writer(&mut text, &Line::new(tenant, entry))?;
                text.push(b'\n');
            }
            let path = self.path.clone();
            tokio::task::spawn_blocking(move || append(&path, &text)).await??;
            chains.set_file_position(self.node, tenant, written).await?;
        }
    }
}

/// Appends to the file, which only its owner can read, and waits for the disk.
fn append(path: &std::path::Path, text: &[u8]) -> anyhow::Result<()> {
    let opened = OpenOptions::new().append(true).create(true).mode(0o600).open(path);
    let written = opened.and_then(|mut file| {
        file.write_all(text)?;
        file.sync_data()
    });
    written.with_context(|| format!("{} (audit.file) cannot be written", path.display()))
}
