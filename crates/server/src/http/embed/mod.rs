//! A project's chat inside pages of other sites (U-12).
//!
//! 1. A page of the site loads `/widget.js` ([`script`]), which makes a button and a frame of
//!    `/embed/{tenant}/{project}` ([`page`]). Only pages of the origins that the project names can
//!    show that frame.
//! 2. The site's server gets a token with its key, the page hands it to the frame, and the frame gets
//!    a session for it ([`tokens`]). There are no cookies.
//! 3. With that session a visitor sees their own conversations, by the routes of [`super::held`].

pub(crate) mod page;
pub(crate) mod script;
pub(crate) mod tokens;
