//! Signing in with a provider of OpenID Connect: the relying party, by the authorization code flow
//! with PKCE.
//!
//! 1. [`Provider::begin`] learns the provider's addresses and keys (discovery; both are kept for a
//!    while) and makes the address that the browser goes to. What is needed to finish is a
//!    [`PendingLogin`], which the caller keeps where only that browser can bring it back.
//! 2. The provider signs the person in, and sends the browser back with a code.
//! 3. [`Provider::finish`] checks what came back, exchanges the code, checks the ID token
//!    (signature, issuer, audience, times, nonce), and asks for further claims if it lacks some.
//! 4. [`ClaimRules`] make an [`Identity`] of the claims, or admit nobody.
//! 5. [`Provider::log_out_address`] is where a browser ends its session at the provider.
//!
//! Everything fails closed: what is not checked is not believed. An [`OidcError`] is named by what
//! the caller does next, and holds nothing of a token.
//!
//! Must never contain: storage, HTTP routes, what a person may do.

mod addresses;
mod callback;
mod claims;
mod discovery;
mod error;
#[doc(hidden)]
pub mod fuzz;
mod id_token;
mod json_web_keys;
mod known;
mod pending_login;
mod provider;
mod requests;
mod settings;
mod token_request;

pub use claims::{ClaimRules, Identity, RequiredClaim, Role, RoleRules};
pub use error::{OidcError, SettingsError};
pub use pending_login::PendingLogin;
pub use provider::{BegunLogin, Provider, SignedIn};
pub use settings::{ProviderId, ProviderSettings};
