//! The text format of Prometheus, version 0.0.4.

use std::fmt::Write as _;

use crate::timings::TimingCounts;

/// What a metric is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It only grows, and its name ends with `_total`.
    Counter,
    /// It is as it is now.
    Gauge,
    /// Durations in buckets.
    Histogram,
}

/// Writes metrics. All samples of a metric follow its [`Exposition::metric`].
#[derive(Debug, Default)]
pub struct Exposition {
    text: String,
    name: &'static str,
}

/// The labels of a sample: names and values.
pub type Labels<'l> = [(&'l str, &'l str)];

impl Exposition {
    /// Begins a metric.
    pub fn metric(&mut self, name: &'static str, kind: Kind, help: &str) {
        let kind = match kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram => "histogram",
        };
        self.name = name;
        let _never_fails = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    /// Adds a sample with a whole number.
    pub fn sample(&mut self, labels: &Labels<'_>, value: u64) {
        self.line("", labels, None, &value.to_string());
    }

    /// Adds a sample with any number.
    pub fn number(&mut self, labels: &Labels<'_>, value: f64) {
        self.line("", labels, None, &value.to_string());
    }

    /// Adds the samples of a histogram.
    pub fn histogram(&mut self, labels: &Labels<'_>, counts: &TimingCounts) {
        for (bound, count) in counts.cumulative() {
            self.line("_bucket", labels, Some(&bound.to_string()), &count.to_string());
        }
        let total = counts.total().to_string();
        self.line("_bucket", labels, Some("+Inf"), &total);
        self.line("_sum", labels, None, &counts.seconds().to_string());
        self.line("_count", labels, None, &total);
    }

    /// The whole text.
    pub fn into_text(self) -> String {
        self.text
    }

    fn line(&mut self, suffix: &str, labels: &Labels<'_>, bound: Option<&str>, value: &str) {
        self.text.push_str(self.name);
        self.text.push_str(suffix);
        let bound = bound.map(|bound| ("le", bound));
        for (at, (name, value)) in labels.iter().copied().chain(bound).enumerate() {
            let before = if at == 0 { '{' } else { ',' };
            let _never_fails = write!(self.text, "{before}{name}=\"{}\"", escaped(value));
        }
        if bound.is_some() || !labels.is_empty() {
            self.text.push('}');
        }
        let _never_fails = writeln!(self.text, " {value}");
    }
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Timings;
    use std::time::Duration;

    /// O-3: the text format, with labels that need escaping. The end-to-end tests read it with a
    /// parser of others.
    #[test]
    fn samples_follow_their_metric() {
        let mut text = Exposition::default();
        text.metric("a_total", Kind::Counter, "Things.");
        text.sample(&[("name", "a\"b\\c\nd"), ("kind", "x")], 3);
        text.sample(&[], 4);
        text.metric("b_seconds", Kind::Histogram, "Durations.");
        let timings = Timings::default();
        timings.add(Duration::from_millis(3));
        text.histogram(&[("kind", "x")], &timings.counts());
        let text = text.into_text();
        assert!(text.starts_with(
            "# HELP a_total Things.\n# TYPE a_total counter\n\
             a_total{name=\"a\\\"b\\\\c\\nd\",kind=\"x\"} 3\na_total 4\n# HELP b_seconds Durations."
        ));
        assert!(text.contains("b_seconds_bucket{kind=\"x\",le=\"0.0025\"} 0\n"));
        assert!(text.contains("b_seconds_bucket{kind=\"x\",le=\"0.005\"} 1\n"));
        let end = "b_seconds_bucket{kind=\"x\",le=\"+Inf\"} 1\n\
             b_seconds_sum{kind=\"x\"} 0.003\nb_seconds_count{kind=\"x\"} 1\n";
        assert!(text.ends_with(end), "{text}");
    }
}
