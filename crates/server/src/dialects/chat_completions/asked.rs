//! What a prompt asks, as a text for a client that cannot answer it.

use parlor_protocol::UserPrompt;

/// What is asked and where it is answered. The question itself was told as a message, unless it is
/// about a call.
pub(super) fn text(prompt: &UserPrompt, page: &str) -> String {
    let mut text = String::new();
    if let Some(call) = &prompt.tool_call {
        text.push_str(&format!("{}\n\n{} {}\n\n", prompt.question, call.name, call.input));
    }
    for option in prompt.options.iter().flatten() {
        text.push_str(&format!("- {}\n", option.label));
    }
    if !text.is_empty() && !text.ends_with("\n\n") {
        text.push('\n');
    }
    text.push_str(&format!("This waits for an answer at {page}"));
    text
}
