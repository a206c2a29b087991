//! Measures one synchronous write to this machine's disk. A message is on the disk before the model
//! is asked, so no first token can come sooner than that.

use std::io::Write;
use std::time::{Duration, Instant};

/// How often it is measured.
const TRIES: usize = 51;

/// The median duration of a small write, including the wait until it is on the disk.
pub(crate) fn wait() -> std::io::Result<Duration> {
    let mut file = tempfile::tempfile()?;
    let mut waits = Vec::with_capacity(TRIES);
    for _ in 0..TRIES {
        file.write_all(&[0; 4096])?;
        let begun = Instant::now();
        file.sync_data()?;
        waits.push(begun.elapsed());
    }
    waits.sort();
    Ok(waits[TRIES / 2])
}
