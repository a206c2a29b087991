//! HTTP clients: one for each runtime that asks.
//!
//! A connection is driven by a task of the runtime that opened it. One from a pool
//! that runtimes share would often belong to another thread, which would be woken
//! for every piece of an answer. What takes time and memory, the certificates that
//! are trusted, they have in common ([`parlor_http_client`]).

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use parlor_http_client::{describe, trusted};
use reqwest::Client;
use reqwest::redirect::Policy;
use rustls::ClientConfig;
use tokio::runtime::{self, Handle};

use crate::settings::{ModelSettings, SettingsError};

/// Clients for one address.
pub(super) struct Clients {
    connect_timeout: Duration,
    tls: ClientConfig,
    /// Whoever comes first takes it; and whoever cannot have one.
    first: Client,
    made: Mutex<HashMap<runtime::Id, Client>>,
}

impl Clients {
    pub(super) fn new(settings: &ModelSettings) -> Result<Self, SettingsError> {
        let tls = trusted().map_err(SettingsError::NoTls)?;
        let connect_timeout = Duration::from_secs_f64(settings.connect_timeout_seconds);
        let first =
            client(&tls, connect_timeout).map_err(|error| SettingsError::NoTls(describe(error)))?;
        Ok(Self { connect_timeout, tls, first, made: Mutex::default() })
    }

    /// The client of the runtime in which this is called.
    pub(super) fn here(&self) -> Client {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if made.is_empty() {
            made.insert(Handle::current().id(), self.first.clone());
        }
        let another = || client(&self.tls, self.connect_timeout);
        let here = made.entry(Handle::current().id());
        here.or_insert_with(|| another().unwrap_or_else(|_| self.first.clone())).clone()
    }
}

fn client(tls: &ClientConfig, connect_timeout: Duration) -> reqwest::Result<Client> {
    Client::builder()
        .redirect(Policy::none())
        .connect_timeout(connect_timeout)
        .tls_backend_preconfigured(tls.clone())
        .build()
}
