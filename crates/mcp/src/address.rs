//! Which addresses a configured URL may lead to (FAULTS 27): public ones, unless the configuration
//! permits others. Redirects stay on the same origin or are checked one by one.

use parlor_http_client::PublicOnly;

/// The rule for a server whose configuration permits nothing more.
pub(super) const PUBLIC_ONLY: PublicOnly =
    PublicOnly::new().with_remedy("allow_private_addresses = true permits it");
