//! How a running server learns that another process changed credentials.
//!
//! The command line touches a file beside the database; the server looks at its
//! time twice a second. It is a hint: what is valid stands in the database.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use std::{fs, io};

use super::Access;

const FILE: &str = "access.changed";
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Tells a server that uses this directory that credentials changed.
pub(crate) fn tell(data_dir: &Path) -> io::Result<()> {
    fs::write(data_dir.join(FILE), format!("{:?}\n", SystemTime::now()))
}

/// Looks for hints, and ends sessions that have lasted their time. For ever.
pub(crate) async fn watch(access: Arc<Access>, data_dir: PathBuf) {
    let file = data_dir.join(FILE);
    let mut seen = changed_at(&file);
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        if let Err(error) = access.sessions.end_expired().await {
            tracing::warn!(%error, "the end of a session could not be written down; trying again");
        }
        let now = changed_at(&file);
        if now != seen {
            match access.sessions.check_all().await {
                Ok(()) => seen = now,
                Err(error) => tracing::warn!(%error, "sessions could not be checked; trying again"),
            }
        }
    }
}

fn changed_at(file: &Path) -> Option<SystemTime> {
    fs::metadata(file).and_then(|metadata| metadata.modified()).ok()
}
