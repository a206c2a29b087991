//! Who reads PDFs: a process of its own, which only the server can start.

use std::fmt::Debug;

use futures_util::future::BoxFuture;
use parlor_files::pdf::{Answer, Limits};

/// Reads the text of PDFs, within limits of time and memory.
pub trait ReadPdf: Send + Sync + Debug {
    /// Reads one.
    fn read<'a>(
        &'a self,
        bytes: &'a [u8],
        limits: Limits,
    ) -> BoxFuture<'a, Result<Answer, NotRead>>;
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotRead {
    /// It took too much time or memory.
    #[error("it took too much time or memory to read")]
    Stopped,
    /// No process could be started.
    #[error("{0}")]
    NotStarted(String),
}
