//! The memory of the nodes over time: it must be flat.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use crate::cluster::{Cluster, Node};
use crate::process::memory_kb;
use crate::violation::{Kind, Violation};

const EVERY: Duration = Duration::from_secs(1);
/// A server that has just started takes more with everything that it does for the first time.
const WARM_UP: usize = 60;
/// With fewer samples nothing can be said.
const FEWEST: usize = 120;
/// How much more the last third may take than the second one, in percent.
const ALLOWED: u64 = 30;

/// The memory of one node, in KB, once a second. A node that is down has no memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct Samples(pub(crate) Vec<u64>);

/// Takes samples in the background until it is stopped.
pub(crate) struct Sampler {
    samples: Arc<Mutex<Vec<Samples>>>,
    task: JoinHandle<()>,
}

impl Sampler {
    pub(crate) fn start(cluster: Arc<Cluster>) -> Self {
        let samples = Arc::new(Mutex::new(vec![Samples::default(); cluster.nodes.len()]));
        let own = Arc::clone(&samples);
        let task = tokio::spawn(async move {
            loop {
                tokio::time::sleep(EVERY).await;
                for (node, samples) in cluster.nodes.iter().zip(own.lock().await.iter_mut()) {
                    // A node that is being broken is locked, and has no memory to speak of.
                    let process = node.try_lock().ok().and_then(|node| Node::process(&node));
                    samples.0.extend(process.and_then(memory_kb));
                }
            }
        });
        Self { samples, task }
    }

    pub(crate) async fn stop(self) -> Vec<Samples> {
        self.task.abort();
        std::mem::take(&mut *self.samples.lock().await)
    }
}

impl Samples {
    /// The means of the second and of the last third in KB, after the warm-up.
    pub(crate) fn thirds(&self) -> Option<(u64, u64)> {
        let warm = self.0.get(WARM_UP..)?;
        if warm.len() < FEWEST {
            return None;
        }
        let third = warm.len() / 3;
        let mean = |part: &[u64]| part.iter().sum::<u64>() / part.len().max(1) as u64;
        Some((mean(&warm[third..third * 2]), mean(&warm[third * 2..])))
    }

    /// The most that it took, in KB.
    pub(crate) fn most(&self) -> u64 {
        self.0.iter().copied().max().unwrap_or_default()
    }
}

/// Nodes that take more and more.
pub(crate) fn check(nodes: &[Samples]) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (number, samples) in nodes.iter().enumerate() {
        if let Some((second, last)) = samples.thirds()
            && last * 100 > second * (100 + ALLOWED)
        {
            let what = format!("node {number}: {second} KB, then {last} KB");
            violations.push(Kind::MemoryGrows.because(what));
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grows(by: u64) -> bool {
        let samples = (0..WARM_UP as u64 + 300).map(|second| 50_000 + second * by).collect();
        !check(&[Samples(samples)]).is_empty()
    }

    #[test]
    fn memory_that_grows_is_found() {
        assert!(!grows(0) && !grows(50) && grows(500));
    }

    #[test]
    fn a_short_run_says_nothing() {
        assert_eq!(Samples((0..100).map(|second| second * 1_000).collect()).thirds(), None);
    }
}
