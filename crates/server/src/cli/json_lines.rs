//! Lines in, JSON lines out.
//!
//! Each input line gives one output line. A bad one (not UTF-8, not JSON, nested too
//! deeply, too long) gives `{"error": …}`, and the command ends with exit code 1.
//! Memory is limited by the longest line that is accepted; longer ones are skipped.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::process::ExitCode;

use serde::Serialize;
use serde_json::Value;

/// The longest line that is accepted. Agents put whole files on a line.
const LONGEST_LINE: usize = 16 << 20;

/// Why a line cannot be processed.
#[derive(Debug, thiserror::Error)]
pub(super) enum LineError {
    #[error("the line is longer than {} MiB", LONGEST_LINE >> 20)]
    TooLong,
    #[error("the line is not UTF-8: {0}")]
    NotUtf8(#[from] std::str::Utf8Error),
    #[error("the line is not JSON: {0}")]
    NotJson(#[from] serde_json::Error),
    #[error("the line is JSON, but not {{\"text\": \"…\"}}")]
    NoText,
}

/// Calls `answer` for each line of standard input and prints the result.
pub(super) fn each_line<T: Serialize>(
    answer: impl FnMut(&str) -> Result<T, LineError>,
) -> anyhow::Result<ExitCode> {
    let input = BufReader::with_capacity(64 << 10, io::stdin().lock());
    let output = BufWriter::new(io::stdout().lock());
    let all_good = transform(input, output, answer)?;
    Ok(if all_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Parses a line as JSON.
pub(super) fn json(line: &str) -> Result<Value, LineError> {
    Ok(serde_json::from_str(line)?)
}

/// Takes the text out of `{"text": "…"}`.
pub(super) fn json_text(line: &str) -> Result<String, LineError> {
    match json(line)?.get_mut("text").map(Value::take) {
        Some(Value::String(text)) => Ok(text),
        _ => Err(LineError::NoText),
    }
}

#[derive(Serialize)]
struct BadLine {
    error: String,
}

fn transform<T: Serialize>(
    mut input: BufReader<impl Read>,
    mut output: impl Write,
    mut answer: impl FnMut(&str) -> Result<T, LineError>,
) -> io::Result<bool> {
    let mut all_good = true;
    let mut line = Vec::new();
    loop {
        // A writer may wait for the answer before it writes the next line.
        if input.buffer().is_empty() {
            output.flush()?;
        }
        let Some(read) = read_line(&mut input, &mut line)? else { break };
        let answered = read.and_then(|()| Ok(std::str::from_utf8(&line)?)).and_then(&mut answer);
        match answered {
            Ok(value) => serde_json::to_writer(&mut output, &value)?,
            Err(error) => {
                all_good = false;
                serde_json::to_writer(&mut output, &BadLine { error: error.to_string() })?;
            }
        }
        output.write_all(b"\n")?;
    }
    output.flush()?;
    Ok(all_good)
}

/// Reads one line without its end into `line`; `None` at the end of the input.
fn read_line(
    input: &mut impl BufRead,
    line: &mut Vec<u8>,
) -> io::Result<Option<Result<(), LineError>>> {
    line.clear();
    let read = input.by_ref().take(LONGEST_LINE as u64 + 1).read_until(b'\n', line)?;
    if read == 0 {
        return Ok(None);
    }
    if line.ends_with(b"\n") {
        line.pop();
        if line.ends_with(b"\r") {
            line.pop();
        }
    } else if line.len() > LONGEST_LINE {
        line.clear();
        line.shrink_to(64 << 10);
        skip_line(input)?;
        return Ok(Some(Err(LineError::TooLong)));
    }
    Ok(Some(Ok(())))
}

fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            return Ok(());
        }
        let (length, ended) = match buffer.iter().position(|&b| b == b'\n') {
            Some(end) => (end + 1, true),
            None => (buffer.len(), false),
        };
        input.consume(length);
        if ended {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(input: impl Read) -> (bool, Vec<String>) {
        let mut output = Vec::new();
        let good = transform(BufReader::new(input), &mut output, json_text).unwrap();
        (good, String::from_utf8(output).unwrap().lines().map(str::to_owned).collect())
    }

    /// A-2: one line out for each line in, whatever it contains.
    #[test]
    fn bad_lines_are_answered_and_the_rest_goes_on() {
        let deep = "[".repeat(100_000);
        let input = [
            &b"{\"text\": \"a\"}\r\n"[..],
            b"nonsense\n",
            b"\xff\xfe\n",
            b"{\"texts\": 1}\n",
            b"\n",
            deep.as_bytes(),
            b"\n{\"text\": \"\\ud800\"}\n{\"text\": \"last\"}",
        ]
        .concat();
        let (good, lines) = run(&input[..]);
        assert!(!good);
        assert_eq!(lines.len(), 8);
        assert_eq!((lines[0].as_str(), lines[7].as_str()), ("\"a\"", "\"last\""));
        assert!(lines[1].contains("not JSON"), "{}", lines[1]);
        assert!(lines[2].contains("not UTF-8"), "{}", lines[2]);
        assert!(lines[3].contains("but not {\\\"text\\\""), "{}", lines[3]);
        assert!(lines[4].contains("not JSON"), "{}", lines[4]);
        assert!(lines[5].contains("recursion limit"), "{}", lines[5]);
        assert!(lines[6].contains("hex escape"), "{}", lines[6]);
    }

    /// A-2: a line of 100 MB is an error, and not kept in memory.
    #[test]
    fn a_line_that_is_too_long_is_skipped() {
        let long = io::repeat(b'a').take(100 << 20).chain(&b"\n{\"text\": \"b\"}\n"[..]);
        let (good, lines) = run(long);
        assert!(!good);
        assert!(lines[0].contains("longer than 16 MiB"), "{}", lines[0]);
        assert_eq!(lines[1], "\"b\"");
    }
}
