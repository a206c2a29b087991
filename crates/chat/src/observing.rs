//! What can be seen of the chat from outside, for metrics.

use crate::chat::Chat;
use crate::metrics::ChatMetrics;

impl Chat {
    /// What happens in it; what happens in a project is in [`Project::metrics`](crate::Project).
    pub fn metrics(&self) -> &ChatMetrics {
        &self.state.metrics
    }

    /// How many turns run here.
    pub fn running_turns(&self) -> usize {
        self.state.live_turns.count()
    }
}
