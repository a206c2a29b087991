//! What of a turn goes into the raw history, and what it teaches to mask.

use parlor_agent::HistoryMessage;
use uuid::Uuid;

use super::running::RunningTurn;
use crate::flow::FlowPolicy;

impl RunningTurn {
    /// The word that ends words of others for the model: new for each result, and unknown to
    /// whoever wrote them.
    pub(super) fn data_mark(&self) -> Option<String> {
        let random = || Uuid::now_v7().simple().to_string().split_off(20);
        (self.project.flow == FlowPolicy::Ask).then(random)
    }

    /// Adds a message to the raw history.
    pub(super) fn remember(&mut self, message: &HistoryMessage) {
        self.learn_cli_sessions(std::slice::from_ref(message));
        self.writer.add_history(message);
    }

    /// Masks the CLI sessions of an agent from here on (S-3).
    pub(super) fn learn_cli_sessions(&mut self, history: &[HistoryMessage]) {
        let known = self.cli_sessions.len();
        for id in history.iter().flat_map(HistoryMessage::cli_sessions) {
            if !self.cli_sessions.iter().any(|known| known == id) {
                self.cli_sessions.push(id.to_owned());
            }
        }
        if self.cli_sessions.len() > known {
            self.writer.sanitizer = self.project.sanitizer.with_sessions(&self.cli_sessions);
        }
    }
}
