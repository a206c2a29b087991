//! `share_links`: who may open links to conversations of a tenant (Y-2).

use parlor_protocol::LinkAudience;
use serde::{Deserialize, Serialize};

/// Who may open links to conversations of a tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ShareLinks {
    /// Nobody: no link is made, and none works.
    Off,
    /// Everybody of the tenant, logged in: nothing leaves it.
    #[default]
    Tenant,
    /// Whoever has one, if it was made so.
    Anyone,
}

impl ShareLinks {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Tenant => "tenant",
            Self::Anyone => "anyone",
        }
    }

    /// Whether links for this audience are made, and work.
    pub fn admits(self, audience: LinkAudience) -> bool {
        match self {
            Self::Off => false,
            Self::Tenant => audience == LinkAudience::Tenant,
            Self::Anyone => true,
        }
    }
}
