//! Ids of responses and of their items: ours, with the prefixes of the protocol. A response is
//! found by its id alone, also after a restart.

use std::fmt;
use std::str::FromStr;

use parlor_protocol::{PromptId, TurnId};

const RESPONSE: &str = "resp_";
const APPROVAL: &str = "mcpr_";

/// A part of a turn: from its beginning, or after the end of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ResponseId {
    /// The turn.
    pub(crate) turn: TurnId,
    /// The prompt after whose end the response begins.
    pub(crate) after: Option<PromptId>,
}

impl fmt::Display for ResponseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{RESPONSE}{}", self.turn)?;
        match self.after {
            Some(prompt) => write!(f, "_{prompt}"),
            None => Ok(()),
        }
    }
}

/// Not the id of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoResponse;

impl FromStr for ResponseId {
    type Err = NoResponse;

    fn from_str(text: &str) -> Result<Self, NoResponse> {
        let rest = text.strip_prefix(RESPONSE).ok_or(NoResponse)?;
        let (turn, after) = match rest.split_once('_') {
            Some((turn, prompt)) => (turn, Some(prompt.parse().map_err(|_| NoResponse)?)),
            None => (rest, None),
        };
        Ok(Self { turn: turn.parse().map_err(|_| NoResponse)?, after })
    }
}

/// The id of the request for an approval.
pub(crate) fn approval_name(prompt: PromptId) -> String {
    format!("{APPROVAL}{prompt}")
}

/// The prompt of a request for an approval.
pub(crate) fn approval(name: &str) -> Option<PromptId> {
    name.strip_prefix(APPROVAL)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// I-4: ids are read back as they were written, and nothing else is one.
    #[test]
    fn ids_round_trip() {
        let uuid = "0198c5a2-7b1e-7cc0-8000-0000000000ab";
        for text in [format!("resp_{uuid}"), format!("resp_{uuid}_{uuid}")] {
            assert_eq!(text.parse::<ResponseId>().unwrap().to_string(), text);
        }
        for bad in ["", "resp_", uuid, "resp_x", &format!("resp_{uuid}_"), &format!("Resp_{uuid}")]
        {
            assert_eq!(bad.parse::<ResponseId>(), Err(NoResponse), "{bad}");
        }
        let name = approval_name(uuid.parse().unwrap());
        assert_eq!(approval(&name), uuid.parse().ok());
        assert_eq!(approval(uuid), None);
    }
}
