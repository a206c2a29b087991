//! Encoded runs inside a text: base64, hexadecimal bytes, escapes.
//!
//! Only what decodes to readable text counts: a long identifier that happens to
//! be valid base64 decodes to noise and is dropped.

use data_encoding::{BASE64_NOPAD, BASE64URL_NOPAD};

/// The shortest run that is tried; `exec(` is eight characters of base64.
const SHORTEST_BASE64: usize = 8;
/// The fewest bytes of a hexadecimal run.
const SHORTEST_HEX: usize = 4;
/// How much decoded text is looked at, all runs of a kind together.
const MOST_DECODED: usize = 64 * 1024;

/// The readable texts that stand in base64 in a message, one a line.
pub(crate) fn base64(raw: &str) -> Option<String> {
    let is_base64 = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'-' | b'_');
    let mut found = Found::default();
    for run in raw.as_bytes().split(|&b| !is_base64(b)) {
        if run.len() >= SHORTEST_BASE64 && looks_random(run) {
            let room = found.room();
            found.push(decode_base64(&run[..run.len().min(room / 3 * 4)]));
        }
        if found.is_full() {
            break;
        }
    }
    found.some_text()
}

/// The readable texts that stand in hexadecimal bytes in a message: `64 61 6e`,
/// `64616e`, `\x64\x61\x6e`, `0x64, 0x61`.
pub(crate) fn hex(raw: &str) -> Option<String> {
    let mut found = Found::default();
    let mut bytes: Vec<u8> = Vec::new();
    let mut rest = raw.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        if let Some((byte, after)) = hex_byte(rest) {
            rest = after;
            bytes.push(byte);
            if bytes.len() < found.room() {
                continue;
            }
        } else {
            rest = tail;
            if bytes.is_empty() || b" ,:-\\".contains(first) {
                continue;
            }
        }
        close_hex(&mut found, &mut bytes);
        if found.is_full() {
            break;
        }
    }
    close_hex(&mut found, &mut bytes);
    found.some_text()
}

/// The text with its percent, HTML and backslash escapes decoded.
pub(crate) fn escaped(raw: &str) -> Option<String> {
    let is_sign = |b: &u8| matches!(b, b'%' | b'&' | b'\\');
    let mut out: Vec<u8> = Vec::new();
    let (mut rest, mut at) = (raw, 0);
    while let Some(sign) = rest.as_bytes()[at..].iter().position(is_sign) {
        at += sign;
        let Some((decoded, after)) = escape(&rest[at..]) else {
            at += 1;
            continue;
        };
        out.extend_from_slice(&rest.as_bytes()[..at]);
        match decoded {
            Escape::Byte(byte) => out.push(byte),
            Escape::Char(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
        (rest, at) = (after, 0);
    }
    if rest.len() == raw.len() {
        return None;
    }
    out.extend_from_slice(rest.as_bytes());
    Some(String::from_utf8(out).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into()))
}

/// Words are letters of one case; base64 of a text hardly ever is.
fn looks_random(run: &[u8]) -> bool {
    let upper_inside = run.iter().skip(1).any(u8::is_ascii_uppercase);
    let lower = run.iter().any(u8::is_ascii_lowercase);
    upper_inside && (lower || run.iter().any(u8::is_ascii_digit))
}

fn decode_base64(run: &[u8]) -> Option<Vec<u8>> {
    // A run that was cut, or stands beside a word, is read as far as whole
    // groups go.
    let whole = if run.len() % 4 == 1 { &run[..run.len() - 1] } else { run };
    let lenient = |encoding: &data_encoding::Encoding| {
        encoding.decode(whole).ok().or_else(|| encoding.decode(&whole[..whole.len() / 4 * 4]).ok())
    };
    lenient(&BASE64_NOPAD).or_else(|| lenient(&BASE64URL_NOPAD))
}

fn hex_byte(text: &[u8]) -> Option<(u8, &[u8])> {
    let digits = match text {
        [b'\\' | b'0', b'x', digits @ ..] | [b'%', digits @ ..] => digits,
        _ => text,
    };
    match digits {
        [high, low, rest @ ..] => Some((nibble(*high)? << 4 | nibble(*low)?, rest)),
        _ => None,
    }
}

fn nibble(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

fn close_hex(found: &mut Found, bytes: &mut Vec<u8>) {
    if bytes.len() >= SHORTEST_HEX {
        found.push(Some(std::mem::take(bytes)));
    }
    bytes.clear();
}

enum Escape {
    Byte(u8),
    Char(char),
}

/// Decodes one escape at the start of the text: `%41`, `&#65;`, `&#x41;`, `\u0041`.
fn escape(text: &str) -> Option<(Escape, &str)> {
    if let Some(digits) = text.strip_prefix('%') {
        let byte = u8::from_str_radix(digits.get(..2)?, 16).ok()?;
        return Some((Escape::Byte(byte), digits.get(2..)?));
    }
    if let Some(digits) = text.strip_prefix("\\u") {
        let code = u32::from_str_radix(digits.get(..4)?, 16).ok()?;
        return Some((Escape::Char(char::from_u32(code)?), digits.get(4..)?));
    }
    let entity = text.strip_prefix("&#")?;
    let end = entity.bytes().take(9).position(|b| b == b';')?;
    let digits = entity.get(..end)?;
    let code = match digits.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some((Escape::Char(char::from_u32(code)?), entity.get(end + 1..)?))
}

/// What was decoded so far, one text a line.
#[derive(Default)]
struct Found(String);

impl Found {
    /// Keeps decoded bytes if they are text that a person could have written.
    fn push(&mut self, decoded: Option<Vec<u8>>) {
        let Some(text) = decoded.and_then(|bytes| String::from_utf8(bytes).ok()) else { return };
        let readable = text.chars().all(|c| !c.is_control() || c.is_whitespace());
        if readable && text.len() <= self.room() {
            self.0.push_str(&text);
            self.0.push('\n');
        }
    }

    fn room(&self) -> usize {
        MOST_DECODED.saturating_sub(self.0.len())
    }

    fn is_full(&self) -> bool {
        self.room() < SHORTEST_BASE64
    }

    fn some_text(self) -> Option<String> {
        (!self.0.is_empty()).then_some(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G-6: base64, hex and escapes.
    #[test]
    fn encoded_phrases_are_read() {
        assert_eq!(base64("run REFOIG1vZGU= please").as_deref(), Some("DAN mode\n"));
        assert_eq!(base64("REFOIG1vZGU").as_deref(), Some("DAN mode\n"));
        for hexed in [
            "44414e206d6f6465", "44 41 4E 20 6d 6f 64 65", r"\x44\x41\x4e\x20\x6d\x6f\x64\x65",
            "0x44,0x41,0x4e,0x20,0x6d,0x6f,0x64,0x65",
        ] {
            assert_eq!(hex(hexed).as_deref(), Some("DAN mode\n"), "{hexed}");
        }
        assert_eq!(escaped("D%41N &#109;&#x6f;d\\u0065").as_deref(), Some("DAN mode"));
    }

    #[test]
    fn ordinary_text_decodes_to_nothing() {
        for text in [
            "internationalisation of MyLongIdentifierName", "100% sure", "facade, decade & cafe",
            "the 2024-11-15 release, 1234567890",
        ] {
            assert_eq!((base64(text), hex(text), escaped(text)), (None, None, None), "{text}");
        }
    }
}
