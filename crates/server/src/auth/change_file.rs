//! How a running server learns that another process changed credentials.
//!
//! The command line writes a file beside the database; the server checks its
//! modification time twice a second. The file is only a hint: which credentials are
//! valid is in the database.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use std::{fs, io};

use super::Access;

const FILE: &str = "access.changed";
const CHECK_EVERY: Duration = Duration::from_millis(500);

/// Tells a server that uses this directory that credentials changed.
pub(crate) fn notify(data_dir: &Path) -> io::Result<()> {
    fs::write(data_dir.join(FILE), format!("{:?}\n", SystemTime::now()))
}

/// Checks the file and ends expired sessions, until the task is aborted.
pub(crate) async fn watch(access: Arc<Access>, data_dir: PathBuf) {
    let file = data_dir.join(FILE);
    let mut seen = modified_at(&file);
    loop {
        tokio::time::sleep(CHECK_EVERY).await;
        if let Err(error) = access.sessions.end_expired().await {
            tracing::warn!(%error, "failed to store the end of a session; retrying");
        }
        let modified = modified_at(&file);
        if modified != seen {
            match access.sessions.check_all().await {
                Ok(()) => seen = modified,
                Err(error) => tracing::warn!(%error, "failed to check sessions; retrying"),
            }
        }
    }
}

fn modified_at(file: &Path) -> Option<SystemTime> {
    fs::metadata(file).and_then(|metadata| metadata.modified()).ok()
}
