//! Metrics, read with Prometheus' own library for Python.

use std::collections::BTreeSet;
use std::process::Stdio;

use serde_json::Value;
use tokio::io::AsyncWriteExt;

use crate::python;

const FOLDER: &str = "clients/prometheus";

/// All metrics of one answer.
pub(super) struct Metrics(Vec<Value>);

impl Metrics {
    /// Fails if the text is not as it should be.
    pub(super) async fn read(text: &str) -> Self {
        let mut program = python::run(FOLDER, "read.py").await;
        program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = program.kill_on_drop(true).spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).await.unwrap();
        let output = child.wait_with_output().await.unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}\n{text}");
        Self(serde_json::from_slice(&output.stdout).unwrap())
    }

    /// The names that a query can use.
    pub(super) fn names(&self) -> BTreeSet<String> {
        self.0.iter().map(base).collect()
    }

    /// The metrics that have no sample, or no explanation.
    pub(super) fn incomplete(&self) -> Vec<&str> {
        let is_incomplete = |family: &&Value| {
            family["help"] == "" || family["type"] == "unknown" || family["type"] == "untyped"
        };
        self.0.iter().filter(is_incomplete).filter_map(|family| family["name"].as_str()).collect()
    }

    /// The value of the one sample with all of these labels.
    pub(super) fn value(&self, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
        let samples = self.0.iter().flat_map(|family| family["samples"].as_array().unwrap());
        let fits = |sample: &&Value| {
            sample["name"] == name
                && labels.iter().all(|(label, value)| sample["labels"][label] == *value)
        };
        let found: Vec<&Value> = samples.filter(fits).collect();
        assert!(found.len() < 2, "{name} {labels:?} is not one sample: {found:?}");
        found.first().map(|sample| sample["value"].as_f64().unwrap())
    }

    /// The names and values of all labels.
    pub(super) fn labels(&self) -> BTreeSet<(String, String)> {
        let samples = self.0.iter().flat_map(|family| family["samples"].as_array().unwrap());
        let labels = samples.flat_map(|sample| sample["labels"].as_object().unwrap());
        labels.map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned())).collect()
    }
}

/// The name of a metric: the library leaves out the end of a counter's.
fn base(family: &Value) -> String {
    let name = family["name"].as_str().unwrap();
    if family["type"] == "counter" { format!("{name}_total") } else { name.to_owned() }
}
