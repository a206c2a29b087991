//! How webhooks take what they are told.

use parlor_metrics::{Exposition, Kind};
use parlor_protocol::TenantId;

use super::samples::Samples;
use crate::app::App;
use crate::config::MetricLabels;

/// Writes it for all tenants, or for one.
pub(super) fn write(app: &App, only: Option<&TenantId>, text: &mut Exposition) {
    let mut samples = Samples::<u64>::default();
    for receiver in app.webhooks.all() {
        if only.is_some_and(|only| receiver.tenant != *only) {
            continue;
        }
        let place = match app.config.server.metrics.labels {
            MetricLabels::Projects | MetricLabels::Tenants => {
                vec![("tenant", receiver.tenant.to_string())]
            }
            MetricLabels::None => Vec::new(),
        };
        let results = [
            ("taken", &receiver.taken),
            ("failed", &receiver.failed),
            ("expired", &receiver.expired),
        ];
        for (result, count) in results {
            let labels = [("webhook", receiver.name.as_str()), ("result", result)];
            samples.add(&place, &labels, count.get());
        }
    }
    samples.write(
        text,
        "parlor_webhook_messages_total",
        Kind::Counter,
        "Messages to webhooks: taken, attempts that failed, not taken in time.",
    );
}
