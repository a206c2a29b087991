//! Samples of a metric, added up by their labels.

use std::collections::BTreeMap;

use parlor_metrics::{Exposition, Kind, TimingCounts};
use parlor_protocol::{ProjectId, TenantId};

use crate::config::MetricLabels;

/// Names and values of labels.
type OwnedLabels = Vec<(&'static str, String)>;

/// The labels of a project, as far as the configuration wants them.
pub(super) fn place(labels: MetricLabels, tenant: &TenantId, project: &ProjectId) -> OwnedLabels {
    let tenant = ("tenant", tenant.to_string());
    match labels {
        MetricLabels::Projects => vec![tenant, ("project", project.to_string())],
        MetricLabels::Tenants => vec![tenant],
        MetricLabels::None => Vec::new(),
    }
}

/// The samples of one metric.
#[derive(Default)]
pub(super) struct Samples<V>(BTreeMap<OwnedLabels, V>);

/// What can be added up.
pub(super) trait Amount: Default {
    fn merge(&mut self, other: Self);
}

impl Amount for u64 {
    fn merge(&mut self, other: Self) {
        *self += other;
    }
}

impl Amount for f64 {
    fn merge(&mut self, other: Self) {
        *self += other;
    }
}

impl Amount for TimingCounts {
    fn merge(&mut self, other: Self) {
        Self::merge(self, &other);
    }
}

impl<V: Amount> Samples<V> {
    /// Adds to the sample with these labels.
    pub(super) fn add(
        &mut self,
        place: &[(&'static str, String)],
        more: &[(&'static str, &str)],
        amount: V,
    ) {
        let more = more.iter().map(|(name, value)| (*name, (*value).to_owned()));
        let labels = place.iter().cloned().chain(more).collect();
        self.0.entry(labels).or_default().merge(amount);
    }

    fn each(&self, mut write: impl FnMut(&[(&str, &str)], &V)) {
        for (labels, value) in &self.0 {
            let labels: Vec<(&str, &str)> =
                labels.iter().map(|(name, value)| (*name, value.as_str())).collect();
            write(&labels, value);
        }
    }
}

impl Samples<u64> {
    /// Writes them as a counter or a gauge.
    pub(super) fn write(&self, text: &mut Exposition, name: &'static str, kind: Kind, help: &str) {
        text.metric(name, kind, help);
        self.each(|labels, value| text.sample(labels, *value));
    }
}

impl Samples<f64> {
    /// Writes them as a counter.
    pub(super) fn write(&self, text: &mut Exposition, name: &'static str, help: &str) {
        text.metric(name, Kind::Counter, help);
        self.each(|labels, value| text.number(labels, *value));
    }
}

impl Samples<TimingCounts> {
    /// Writes them as a histogram.
    pub(super) fn write(&self, text: &mut Exposition, name: &'static str, help: &str) {
        text.metric(name, Kind::Histogram, help);
        self.each(|labels, value| text.histogram(labels, value));
    }
}
