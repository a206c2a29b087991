//! What is broken, and when: drawn from the seed, and printed as it happens.
//!
//! 1. After a random pause one thing breaks, sometimes two at the same time ([`fault`]).
//! 2. It stays broken for a random time, and is put right.
//! 3. Often the next one follows at once. Otherwise everything may settle, and there is a period of
//!    calm, in which stops are timed.

mod fault;

use std::sync::Arc;
use std::time::{Duration, Instant};

use fastrand::Rng;
use futures_util::future::join_all;

use self::fault::Fault;
pub(crate) use self::fault::{Breakable, Faults};
use crate::calm::Calm;
use crate::cluster::Cluster;
use crate::evidence::Record;
use crate::violation::Kind;

/// How long and how often things break.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) time: Duration,
    /// So many kills of nodes there must be, also if that takes longer.
    pub(crate) kills: u64,
    /// Nothing else breaks.
    pub(crate) only: Option<Breakable>,
}

/// Breaks things until the limits are reached; at the end everything works.
pub(crate) async fn run(
    cluster: &Cluster,
    limits: Limits,
    calm: &Arc<Calm>,
    record: &Record,
    mut rng: Rng,
) -> Faults {
    let begin = Instant::now();
    let mut faults = Faults::default();
    let say = |what: &str| println!("[{:7.1} s] {what}", begin.elapsed().as_secs_f64());
    settle(cluster, calm, &mut rng).await;
    while begin.elapsed() < limits.time || faults.kills < limits.kills {
        calm.disturb();
        let drawn = draw(cluster, limits.only, &mut rng);
        drawn.iter().for_each(|fault| {
            say(&fault.to_string());
            faults.count(fault);
        });
        let failed = join_all(drawn.iter().map(|fault| fault.carry_out(cluster))).await;
        let mut failed: Vec<String> =
            failed.into_iter().filter_map(Result::err).map(|error| format!("{error:#}")).collect();
        failed.extend(crashed(cluster).await);
        if !failed.is_empty() {
            failed.iter().for_each(|what| {
                say(what);
                record.violated(Kind::NodeFails.because(what));
            });
            return faults;
        }
        if rng.bool() {
            settle(cluster, calm, &mut rng).await;
        } else {
            tokio::time::sleep(Duration::from_millis(rng.u64(50..1_500))).await;
        }
    }
    say("everything works again");
    settle(cluster, calm, &mut rng).await;
    faults
}

/// One fault, or two of different things.
fn draw(cluster: &Cluster, only: Option<Breakable>, rng: &mut Rng) -> Vec<Fault> {
    let first = Fault::draw(cluster, only, rng);
    let second = Fault::draw(cluster, only, rng);
    let both = rng.u32(0..4) == 0 && first.target() != second.target();
    if both { vec![first, second] } else { vec![first] }
}

/// Waits until nothing of the last fault can be left, and leaves some time in which nothing happens.
async fn settle(cluster: &Cluster, calm: &Calm, rng: &mut Rng) {
    tokio::time::sleep(cluster.settling()).await;
    calm.restore();
    tokio::time::sleep(Duration::from_millis(rng.u64(1_000..5_000))).await;
}

/// Nodes that ended although nobody killed them.
async fn crashed(cluster: &Cluster) -> Vec<String> {
    let mut crashed = Vec::new();
    for node in &cluster.nodes {
        crashed.extend(node.lock().await.crashed());
    }
    crashed
}
