//! Lines over the pipes of a child, in both directions: bounded, paced and cancel-safe.

use std::io;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::{mpsc, oneshot};

use crate::pace::Budget;

/// What is read in a second; a child that writes more is slowed down.
const BYTES_PER_SECOND: usize = 64 << 20;
const BUFFER_BYTES: usize = 64 << 10;

/// Reads lines of a bounded length.
#[derive(Debug)]
pub struct LineReader<R> {
    reader: BufReader<R>,
    /// What was read of the line so far.
    line: Vec<u8>,
    longest: usize,
    budget: Budget,
    /// Was read, and not yet taken from the budget.
    unpaid: usize,
}

/// Why no further line can be read.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// A line is longer than it may be.
    #[error("it sent a line of more than {0} bytes")]
    TooLong(usize),
    /// The pipe was closed in the middle of a line.
    #[error("it ended in the middle of a line")]
    Unfinished,
    /// The pipe cannot be read.
    #[error("it cannot be read: {0}")]
    Unreadable(io::Error),
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    /// Reads lines of at most `longest` bytes, their ends included.
    pub fn new(reader: R, longest: usize) -> Self {
        Self {
            reader: BufReader::with_capacity(BUFFER_BYTES, reader),
            line: Vec::new(),
            longest,
            budget: Budget::new(BYTES_PER_SECOND),
            unpaid: 0,
        }
    }

    /// The next line with its end; `None` once the pipe is closed. Cancel-safe: what was
    /// read of a line is kept.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, LineError> {
        loop {
            // Before reading and not after: nothing is lost if this wait is cancelled.
            self.budget.take(std::mem::take(&mut self.unpaid)).await;
            let piece = self.reader.fill_buf().await.map_err(LineError::Unreadable)?;
            if piece.is_empty() {
                return if self.line.is_empty() { Ok(None) } else { Err(LineError::Unfinished) };
            }
            let end = piece.iter().position(|byte| *byte == b'\n');
            let length = end.map_or(piece.len(), |end| end + 1);
            if self.line.len() + length > self.longest {
                return Err(LineError::TooLong(self.longest));
            }
            self.line.extend_from_slice(&piece[..length]);
            self.reader.consume(length);
            self.unpaid += length;
            if end.is_some() {
                return Ok(Some(std::mem::take(&mut self.line)));
            }
        }
    }
}

/// Writes lines in a task of its own, so that reading never waits for writing. Dropping
/// the last clone closes the pipe.
#[derive(Debug, Clone)]
pub struct LineWriter(mpsc::Sender<Outgoing>);

#[derive(Debug)]
struct Outgoing {
    line: Vec<u8>,
    written: oneshot::Sender<io::Result<()>>,
}

impl LineWriter {
    /// Starts the task. At most `waiting` lines wait for a child that is slow to read.
    pub fn new(pipe: impl AsyncWrite + Unpin + Send + 'static, waiting: usize) -> Self {
        let (lines, queue) = mpsc::channel(waiting);
        tokio::spawn(write(pipe, queue));
        Self(lines)
    }

    /// Queues a line, given without its end. False if the child has ended, or does not read.
    pub fn try_send(&self, line: Vec<u8>) -> bool {
        let (written, _nobody_waits) = oneshot::channel();
        self.0.try_send(Outgoing { line, written }).is_ok()
    }

    /// Writes a line, given without its end, and waits until it is written.
    pub async fn send(&self, line: Vec<u8>) -> io::Result<()> {
        let (written, is_written) = oneshot::channel();
        let outgoing = Outgoing { line, written };
        self.0.send(outgoing).await.map_err(|_| io::ErrorKind::BrokenPipe)?;
        is_written.await.map_err(|_| io::ErrorKind::BrokenPipe)?
    }
}

/// Writes one line after the other, each to its end, until nobody sends any more.
async fn write(mut pipe: impl AsyncWrite + Unpin, mut queue: mpsc::Receiver<Outgoing>) {
    while let Some(Outgoing { mut line, written }) = queue.recv().await {
        line.push(b'\n');
        let result = async {
            pipe.write_all(&line).await?;
            pipe.flush().await
        };
        let result = result.await;
        let failed = result.is_err();
        let _nobody_waits = written.send(result);
        if failed {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn all(bytes: &[u8], longest: usize) -> (Vec<String>, Option<LineError>) {
        let mut reader = LineReader::new(bytes, longest);
        let mut lines = Vec::new();
        loop {
            match reader.next().await {
                Ok(Some(line)) => lines.push(String::from_utf8(line).unwrap()),
                Ok(None) => return (lines, None),
                Err(error) => return (lines, Some(error)),
            }
        }
    }

    /// FAULTS 4: a line is whole and bounded, or an error.
    #[tokio::test]
    async fn lines_are_whole_and_bounded() {
        let (lines, error) = all(b"one\n\ntwo\r\n", 64).await;
        assert_eq!(lines, ["one\n", "\n", "two\r\n"]);
        assert!(error.is_none());
        let (lines, error) = all(b"one\ntwo", 64).await;
        assert_eq!((lines.len(), matches!(error, Some(LineError::Unfinished))), (1, true));
        let (_, error) = all(&[b'x'; 100], 64).await;
        assert_eq!(error.unwrap().to_string(), "it sent a line of more than 64 bytes");
    }

    /// A read that is cancelled loses nothing.
    #[tokio::test]
    async fn reading_is_cancel_safe() {
        let (ours, mut theirs) = tokio::io::duplex(64);
        let mut lines = LineReader::new(ours, 64);
        theirs.write_all(b"first ").await.unwrap();
        tokio::select! {
            biased;
            _ = lines.next() => panic!("there is no whole line yet"),
            () = tokio::task::yield_now() => {}
        }
        theirs.write_all(b"half\n").await.unwrap();
        assert_eq!(lines.next().await.unwrap().unwrap(), b"first half\n");
    }

    /// Lines are written in order, and whoever waits knows when; a closed pipe is an error.
    #[tokio::test]
    async fn lines_are_written_in_order() {
        let (ours, mut theirs) = tokio::io::duplex(64);
        let writer = LineWriter::new(ours, 4);
        assert!(writer.try_send(b"one".to_vec()));
        writer.send(b"two".to_vec()).await.unwrap();
        let mut read = [0; 8];
        tokio::io::AsyncReadExt::read_exact(&mut theirs, &mut read).await.unwrap();
        assert_eq!(&read, b"one\ntwo\n");
        drop(theirs);
        assert!(writer.send(b"three".to_vec()).await.is_err());
    }
}
