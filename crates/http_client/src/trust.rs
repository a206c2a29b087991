//! Whom TLS connections trust: the certificates of the system, read once.
//!
//! Reading and parsing them takes many milliseconds, and there is a client for every runtime
//! and for every connection to an MCP server.

use std::sync::OnceLock;

use rustls::ClientConfig;
use rustls::crypto::CryptoProvider;
use rustls_platform_verifier::ConfigVerifierExt;

static TRUSTED: OnceLock<ClientConfig> = OnceLock::new();

/// For HTTP clients; in an error, what is wrong.
pub fn trusted() -> Result<ClientConfig, String> {
    if let Some(config) = TRUSTED.get() {
        return Ok(config.clone());
    }
    // Without a provider rustls would panic.
    if CryptoProvider::get_default().is_none() {
        return Err("no crypto provider is installed".to_owned());
    }
    let mut config = ClientConfig::with_platform_verifier().map_err(|error| error.to_string())?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    // Another thread may have been faster; then both have the same.
    let _first = TRUSTED.set(config.clone());
    Ok(config)
}
