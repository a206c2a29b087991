//! How much may come with a message.

/// The limits of the files of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileLimits {
    /// How many files.
    pub count: usize,
    /// The largest picture, in bytes; also one of a tool (H-4).
    pub image_bytes: usize,
    /// The largest other file, in bytes.
    pub file_bytes: usize,
    /// All files of a message together, in bytes.
    pub total_bytes: usize,
    /// The most pages of a PDF.
    pub pdf_pages: usize,
    /// The most text of all files of a message, in characters.
    pub text_chars: usize,
}

impl Default for FileLimits {
    fn default() -> Self {
        Self {
            count: 10,
            image_bytes: 5 << 20,
            file_bytes: 10 << 20,
            total_bytes: 15 << 20,
            pdf_pages: 100,
            text_chars: 200_000,
        }
    }
}
