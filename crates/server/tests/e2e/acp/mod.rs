//! `parlor acp`, as an editor starts it (B-5): the real binary, driven over its pipes.

mod acpx;
mod editor;
mod prompts;
mod questions;
mod remote;
mod rules;
mod sessions;
