//! Lines of a process, each bounded: JSON objects.
//!
//! What begins like a message and is none cannot be understood any more: it may have
//! been the answer that a turn waits for. Any other line is noise, such as the greeting
//! of a wrapper script or a warning of a runtime, and is passed over.

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::mpsc;

use crate::process::pace::Budget;

/// Lines that wait for a program that is slow to read.
const WAITING: usize = 64;
/// The most of a line that is no message, in bytes.
const LONGEST_NOISE: usize = 300;
/// What is read in a second; a program that writes more is slowed down.
const BYTES_PER_SECOND: usize = 64 << 20;

/// Reads lines.
#[derive(Debug)]
pub(super) struct Lines<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
    longest: usize,
    budget: Budget,
    /// Was read, and not yet taken from the budget.
    unpaid: usize,
}

/// What came.
#[derive(Debug, PartialEq)]
pub(super) enum Line {
    /// A line, and how long it was.
    Json(Value, usize),
    /// A line that is no message: how it begins, and how long it was.
    Noise(String, usize),
    /// Nothing comes any more.
    End,
    /// Something came that cannot be understood, in words.
    Broken(String),
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(reader: R, longest: usize) -> Self {
        Self {
            reader: BufReader::with_capacity(16 << 10, reader),
            line: Vec::new(),
            longest,
            budget: Budget::new(BYTES_PER_SECOND),
            unpaid: 0,
        }
    }

    /// The next line. Who is dropped in between goes on later where it was.
    pub(super) async fn next(&mut self) -> Line {
        loop {
            // Before reading and not after: nothing is lost if it is given up here.
            self.budget.take(std::mem::take(&mut self.unpaid)).await;
            let piece = match self.reader.fill_buf().await {
                Ok(piece) => piece,
                Err(error) => return Line::Broken(format!("it cannot be read: {error}")),
            };
            if piece.is_empty() {
                return match self.line.is_empty() {
                    true => Line::End,
                    false => Line::Broken("it ended in the middle of a line".to_owned()),
                };
            }
            let end = piece.iter().position(|byte| *byte == b'\n');
            let length = end.map_or(piece.len(), |end| end + 1);
            if self.line.len() + length > self.longest {
                return Line::Broken(format!("it sent a line of more than {} bytes", self.longest));
            }
            self.line.extend_from_slice(&piece[..length]);
            self.reader.consume(length);
            self.unpaid += length;
            if end.is_some() {
                let line = std::mem::take(&mut self.line);
                if let Some(line) = read(&line) {
                    return line;
                }
            }
        }
    }
}

/// What a whole line is; nothing if it is empty.
pub(super) fn read(line: &[u8]) -> Option<Line> {
    let text = line.trim_ascii();
    if text.is_empty() {
        return None;
    }
    // A JSON object that says anything begins with a name.
    let is_message =
        text.strip_prefix(b"{").is_some_and(|rest| rest.trim_ascii_start().starts_with(b"\""));
    // Only that: what it said may hold anything.
    let broken = |why: &str| Line::Broken(format!("it sent a line that is not {why}"));
    Some(match serde_json::from_slice(text) {
        Ok(value @ Value::Object(_)) => Line::Json(value, line.len()),
        _ if !is_message => {
            let beginning = &text[..text.len().min(LONGEST_NOISE)];
            Line::Noise(String::from_utf8_lossy(beginning).into_owned(), line.len())
        }
        Ok(_) | Err(_) if std::str::from_utf8(text).is_err() => broken("UTF-8"),
        Ok(_) | Err(_) => broken("a JSON object"),
    })
}

/// Writes lines, in a task of its own, so that reading never waits for writing.
/// Dropping it closes the pipe.
#[derive(Debug)]
pub(super) struct LineWriter(mpsc::Sender<Vec<u8>>);

impl LineWriter {
    pub(super) fn new(pipe: impl AsyncWrite + Unpin + Send + 'static) -> Self {
        let (lines, queue) = mpsc::channel(WAITING);
        tokio::spawn(write(pipe, queue));
        Self(lines)
    }

    /// Takes a line to be written. A process that no longer reads has ended, or
    /// takes too long: both are noticed elsewhere.
    pub(super) fn send(&self, line: &Value) {
        let mut bytes = line.to_string().into_bytes();
        bytes.push(b'\n');
        if self.0.try_send(bytes).is_err() {
            tracing::debug!("a process does not read what it is told");
        }
    }
}

async fn write(mut pipe: impl AsyncWrite + Unpin, mut queue: mpsc::Receiver<Vec<u8>>) {
    while let Some(line) = queue.recv().await {
        let written = async {
            pipe.write_all(&line).await?;
            pipe.flush().await
        };
        if written.await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    async fn first(bytes: &[u8]) -> Line {
        Lines::new(bytes, 64).next().await
    }

    /// FAULTS 4: whatever is no line of JSON is said in words.
    #[tokio::test]
    async fn what_cannot_be_understood_is_told() {
        assert_eq!(first(b"\n {\"a\": 1} \r\n").await, Line::Json(json!({"a": 1}), 12));
        assert_eq!(first(b"").await, Line::End);
        assert_eq!(first(b"\n\n").await, Line::End);
        for (bytes, words) in [
            (&b"{\"a\": 1}"[..], "in the middle of a line"),
            (b"{\"a\": \n", "not a JSON object"),
            (b"{\"a\": \"\xff\"}\n", "not UTF-8"),
            (&[b'x'; 100], "more than 64 bytes"),
        ] {
            let Line::Broken(why) = first(bytes).await else { panic!("{bytes:?} is broken") };
            assert!(why.contains(words), "{why}");
        }
    }

    /// FAULTS 4: what does not even begin like a message is passed over.
    #[tokio::test]
    async fn noise_is_no_message() {
        for noise in [&b"hello"[..], b"[1]", b"7", b"{", b"{ a: 1 }", b"\xff\xfe", b"[[[[[["] {
            let line = [noise, b"\n"].concat();
            let Line::Noise(beginning, length) = first(&line).await else {
                panic!("{noise:?} is noise")
            };
            assert_eq!((beginning, length), (String::from_utf8_lossy(noise).into(), line.len()));
        }
        let long = [&[b'x'; LONGEST_NOISE * 2][..], b"\n"].concat();
        let Line::Noise(beginning, length) = Lines::new(&long[..], 10_000).next().await else {
            panic!("it is noise")
        };
        assert_eq!((beginning.len(), length), (LONGEST_NOISE, long.len()));
    }

    /// A line that is given up while it is read is not lost.
    #[tokio::test]
    async fn a_read_that_was_given_up_goes_on_later() {
        let (ours, mut theirs) = tokio::io::duplex(64);
        let mut lines = Lines::new(ours, 64);
        theirs.write_all(br#"{"a":"#).await.unwrap();
        tokio::select! {
            biased;
            _ = lines.next() => panic!("there is no whole line yet"),
            () = tokio::task::yield_now() => {}
        }
        theirs.write_all(b"1}\n").await.unwrap();
        assert_eq!(lines.next().await, Line::Json(json!({"a": 1}), 8));
    }
}
