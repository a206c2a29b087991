//! Messages as push services and browsers get them: decrypted in Rust, and by a library from npm.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may fail")]

mod addresses;
mod answers;
mod browser;
mod delivery;
#[path = "../../../server/tests/e2e/npm.rs"]
mod npm;
mod push_service;
mod secrets;
mod subscriptions;

use std::time::Duration;

use parlor_web_push::{AllowedServices, Contact, PushOptions, Sender, VapidKeys};

const CONTACT: &str = "mailto:admin@example.org";

/// A sender with a new key pair.
fn sender(allowed: AllowedServices) -> Sender {
    // Another test may have installed it already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let keys = VapidKeys::generate().unwrap();
    Sender::new(keys, Contact::parse(CONTACT).unwrap(), allowed).unwrap()
}

/// A sender for push services of tests.
fn local_sender() -> Sender {
    sender(AllowedServices::PublicOrLoopback)
}

fn options() -> PushOptions {
    PushOptions::new(Duration::from_secs(60))
}
