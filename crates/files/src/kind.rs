//! What a file is, by its bytes.

use std::path::Path;

use parlor_picture::PictureError;

use crate::text::is_text;

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A picture that models read, of this media type. Whether it can be decoded is not known yet.
    Picture(&'static str),
    /// A PDF.
    Pdf,
    /// Text in UTF-8, of this media type.
    Text(&'static str),
}

/// Why a file is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// There is nothing in it.
    #[error("it is empty")]
    Empty,
    /// Send another one.
    #[error(
        "it is of a kind that is not taken: JPEG, PNG, WebP and GIF pictures, PDF, and text in \
         UTF-8 are (plain text, Markdown, CSV, JSON, source code)"
    )]
    OtherKind,
    /// Send another picture.
    #[error(transparent)]
    Picture(#[from] PictureError),
}

impl Kind {
    /// The media type.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Picture(media_type) | Self::Text(media_type) => media_type,
            Self::Pdf => "application/pdf",
        }
    }
}

/// What a file is. Its name only says which kind of text it is.
pub fn recognise(name: &str, bytes: &[u8]) -> Result<Kind, FileError> {
    if bytes.is_empty() {
        return Err(FileError::Empty);
    }
    if is_pdf(bytes) {
        return Ok(Kind::Pdf);
    }
    match parlor_picture::media_type(bytes) {
        Ok(media_type) => Ok(Kind::Picture(media_type)),
        Err(PictureError::OtherKind) if is_text(bytes) => Ok(Kind::Text(text_type(name))),
        Err(PictureError::OtherKind) => Err(FileError::OtherKind),
        Err(error) => Err(error.into()),
    }
}

/// A PDF begins with its mark. Readers also look further on; what begins with something else is
/// that something for others, so it is not taken for a PDF here.
fn is_pdf(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    bytes.trim_ascii_start().starts_with(b"%PDF-")
}

fn text_type(name: &str) -> &'static str {
    let end = Path::new(name).extension().and_then(|end| end.to_str()).unwrap_or_default();
    match end.to_ascii_lowercase().as_str() {
        "md" | "markdown" => "text/markdown",
        "csv" => "text/csv",
        "json" => "application/json",
        _ => "text/plain",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIF: &[u8] =
        b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

    /// U-9: the bytes decide, whatever the name says.
    #[test]
    fn a_file_is_what_its_bytes_are() {
        assert_eq!(recognise("a.txt", GIF), Ok(Kind::Picture("image/gif")));
        assert_eq!(recognise("a.png", b"%PDF-1.7\n..."), Ok(Kind::Pdf));
        assert_eq!(recognise("a.pdf", b"hello"), Ok(Kind::Text("text/plain")));
        assert_eq!(recognise("a.MD", "# Olá".as_bytes()), Ok(Kind::Text("text/markdown")));
        assert_eq!(recognise("t.csv", b"a,b\n1,2\n"), Ok(Kind::Text("text/csv")));
        assert_eq!(recognise("t.json", b"{}"), Ok(Kind::Text("application/json")));
        // Source text, and never served as what a browser would run.
        assert_eq!(recognise("x.svg", b"<svg onload='x'/>"), Ok(Kind::Text("text/plain")));
        assert_eq!(recognise("x.html", b"<script>"), Ok(Kind::Text("text/plain")));
    }

    /// U-9: everything else is refused: archives, programs, other encodings, nothing at all.
    #[test]
    fn other_kinds_are_refused() {
        assert_eq!(recognise("a", b""), Err(FileError::Empty));
        for bytes in [
            &b"PK\x03\x04\x14\0\0\0"[..],
            b"\x7fELF\x02\x01\x01\0",
            b"MZ\x90\0\x03",
            b"\xff\xfeh\0i\0",
            b"caf\xe9",
            b"text\0with nothing",
            b"\x1b[2Jescape",
        ] {
            assert_eq!(recognise("a.txt", bytes), Err(FileError::OtherKind), "{bytes:?}");
        }
    }

    /// U-9: a file that is two kinds at once is what it begins with, and then has to be all of it.
    #[test]
    fn a_polyglot_is_what_it_begins_with() {
        let both = [GIF, b"%PDF-1.4 ..."].concat();
        assert_eq!(recognise("a.pdf", &both), Ok(Kind::Picture("image/gif")));
        assert_eq!(recognise("a.gif", b"%PDF-1.4 GIF89a"), Ok(Kind::Pdf));
        assert_eq!(recognise("a.html", b"<html>%PDF-1.4"), Ok(Kind::Text("text/plain")));
    }
}
