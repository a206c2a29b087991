//! What a program is told when a call is not made, or a question is not answered. A missing answer
//! is never consent (B-4).

use parlor_agent::{Answer, ContentBlock, Reply};

/// A refusal without a reason.
pub(crate) const REFUSED: &str = "The person refused.";
/// Nobody answered.
pub(crate) const NO_ANSWER: &str = "The person did not answer. Do not take that as a yes: go on \
                                    without it, or ask in another way.";
const MADE_BEFORE: &str = "It was made before, and is not repeated. What came of it:\n";

/// Why a call is not made, or a question was not answered.
pub(crate) fn why_not(reply: &Reply) -> String {
    let words = match reply {
        Reply::Result { content, is_error } => {
            let texts: Vec<&str> = content.iter().filter_map(ContentBlock::as_text).collect();
            // The program asks again about a call that it made and has forgotten.
            let before = if *is_error { "" } else { MADE_BEFORE };
            format!("{before}{}", texts.join("\n"))
        }
        Reply::Answer(Answer::Refused(Some(reason))) => format!("The person refused: {reason}"),
        Reply::Answer(Answer::Expired) => NO_ANSWER.to_owned(),
        Reply::Answer(_) | Reply::Run { .. } => String::new(),
    };
    if words.trim().is_empty() { REFUSED.to_owned() } else { words }
}
