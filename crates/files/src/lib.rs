//! Files that people attach to a message: what they are by their bytes, and the text of a PDF.
//!
//! 1. [`recognise`] says what a file is: a picture, a PDF or text. Everything else is refused with
//!    the reason. Neither its name nor the type that a client claims decides.
//! 2. [`text`] decodes what is text, [`file_name`] makes a name that is safe to show.
//! 3. [`pdf`] reads the text of a PDF. Its parser reads hostile bytes, and bounds neither its time
//!    nor its memory: it is called in a process of its own ([`pdf::answer`]).
//!
//! Must never contain: IO, what a file is for.

pub mod pdf;

mod kind;
mod name;
mod text;

pub use kind::{FileError, Kind, recognise};
pub use name::file_name;
pub use text::text;
