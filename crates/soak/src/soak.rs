//! One run, from its start to its summary.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use fastrand::Rng;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::arguments::Arguments;
use crate::calm::Calm;
use crate::chaos::{self, Faults, Limits};
use crate::checker::{self, Case};
use crate::client::api::Api;
use crate::client::{Room, Stage};
use crate::cluster::Cluster;
use crate::evidence::Record;
use crate::memory::{self, Sampler, Samples};
use crate::summary::Summary;
use crate::violation::{Kind, Violation};
use crate::{model, process, stored, tool};

/// How long turns may run on after everything works again. Prompts expire after ten seconds.
const LONGEST_END: Duration = Duration::from_secs(60);
/// How long readers may take to get the last events.
const LAST_EVENTS: Duration = Duration::from_secs(5);
/// How long clients may take to leave.
const LONGEST_LEAVE: Duration = Duration::from_secs(30);
/// How long processes of a node may outlive it.
const LONGEST_AFTERLIFE: Duration = Duration::from_secs(8);

/// Runs it; true if nothing was found.
pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<bool> {
    let seed = arguments.seed.unwrap_or_else(|| fastrand::u64(..1_000_000_000));
    let (shape, limits) = (arguments.shape(), arguments.limits()?);
    let folder = folder(seed)?;
    println!("seed {seed}, {shape:?}, {limits:?}, in {}", folder.display());
    let model = model::start().await?;
    let calls = folder.join("calls");
    let cluster = Arc::new(Cluster::start(shape, &folder, &model.base_url(), &calls).await?);
    let api = Api::new(&cluster.address, Record::default())?;
    let load = under_load(&cluster, &api, arguments.rooms, limits, Rng::with_seed(seed)).await?;
    let stored = stored::read(&api).await.context("what is stored cannot be read");
    let mut violations = load.violations;
    violations.extend(memory::check(&load.memory));
    violations.extend(end(&cluster, &folder).await);
    let case = Case { evidence: api.record.take(), stored: stored?, calls: tool::calls(&calls)? };
    violations.extend(checker::check(&case));
    let (faults, memory) = (load.faults, &load.memory);
    Summary { seed, folder: &folder, case: &case, faults, memory, violations: &violations }.print();
    let is_good = violations.is_empty();
    if is_good && !arguments.keep {
        fs::remove_dir_all(&folder)?;
    } else {
        let lines: String = violations.iter().map(|violation| format!("{violation}\n")).collect();
        fs::write(folder.join("violations"), lines)?;
    }
    Ok(is_good)
}

/// What is known when all clients have left.
struct Load {
    faults: Faults,
    memory: Vec<Samples>,
    violations: Vec<Violation>,
}

/// Clients come, things break, and when everything works again, the clients stay until nothing runs.
async fn under_load(
    cluster: &Arc<Cluster>,
    api: &Api,
    rooms: usize,
    limits: Limits,
    mut rng: Rng,
) -> anyhow::Result<Load> {
    let calm = Arc::new(Calm::new());
    let (stage, clients_stage) = watch::channel(Stage::Busy);
    let session = api.logged_in().await.context("nobody can log in")?;
    let mut clients = JoinSet::new();
    for number in 0..rooms {
        // Half of them are people, half are programs.
        let api = if number % 2 == 0 { session.clone() } else { api.clone() };
        let (calm, stage) = (Arc::clone(&calm), clients_stage.clone());
        clients.spawn(Room::new(number, api, calm, stage, rng.fork()).run());
    }
    let sampler = Sampler::start(Arc::clone(cluster));
    let faults = chaos::run(cluster, limits, &calm, &api.record, rng.fork()).await;
    stage.send_replace(Stage::Closing);
    let is_quiet = wait_until_quiet(api).await;
    tokio::time::sleep(LAST_EVENTS).await;
    let memory = sampler.stop().await;
    stage.send_replace(Stage::Over);
    let have_left = leave(&mut clients).await;
    let mut violations = Vec::new();
    if !is_quiet {
        let what = format!("{LONGEST_END:?} after everything works again, a turn still runs");
        violations.push(Kind::TurnStuck.because(what));
    }
    if !have_left {
        violations.push(Kind::ResponseUnexpected.because("clients get no response any more"));
    }
    Ok(Load { faults, memory, violations })
}

/// Stops everything; nothing of it may be left.
async fn end(cluster: &Cluster, folder: &Path) -> Vec<Violation> {
    let failed = cluster.stop_nodes().await.into_iter();
    let mut violations: Vec<Violation> = failed.map(|what| Kind::NodeFails.because(what)).collect();
    cluster.stop_servers().await;
    violations.extend(left(folder).await);
    violations
}

/// The folder of the run. Others may enter it, because the servers run as somebody else.
fn folder(seed: u64) -> anyhow::Result<PathBuf> {
    let name = format!("parlor-soak-{seed}-{}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    DirBuilder::new()
        .mode(0o711)
        .create(&folder)
        .with_context(|| format!("{} cannot be created", folder.display()))?;
    Ok(folder)
}

/// Waits until no turn runs.
async fn wait_until_quiet(api: &Api) -> bool {
    let begin = Instant::now();
    while begin.elapsed() < LONGEST_END {
        if stored::is_quiet(api).await.unwrap_or(false) {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    false
}

async fn leave(clients: &mut JoinSet<()>) -> bool {
    let left = async { while clients.join_next().await.is_some() {} };
    tokio::time::timeout(LONGEST_LEAVE, left).await.is_ok()
}

/// Processes that outlive the nodes. Each names the folder in its arguments.
async fn left(folder: &Path) -> Vec<Violation> {
    let folder = folder.display().to_string();
    let begin = Instant::now();
    while !process::naming(&folder).is_empty() && begin.elapsed() < LONGEST_AFTERLIFE {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let left = process::naming(&folder).into_iter();
    left.map(|(id, line)| Kind::ProcessLeft.because(format!("{id}: {line}"))).collect()
}
