//! The guardrail, applied to the result of a call (G-8).

use std::sync::Arc;

use parlor_agent::ContentBlock;
use parlor_guard::guardrail::Finding;
use parlor_protocol::Verdict;

use super::effect::text_of;
use super::running::RunningTurn;

/// Longer texts are scanned on a blocking thread.
const LONG_TEXT: usize = 32 * 1024;

impl RunningTurn {
    /// The guardrail's verdict on a result; `None` if it could not be scanned.
    pub(super) async fn scan(
        &self,
        content: &[ContentBlock],
    ) -> Option<(Verdict, Option<Finding>)> {
        let text = text_of(content);
        if text.len() <= LONG_TEXT {
            return Some(self.project.guardrail.check_document(&text));
        }
        let project = Arc::clone(&self.project);
        tokio::task::spawn_blocking(move || project.guardrail.check_document(&text)).await.ok()
    }
}
