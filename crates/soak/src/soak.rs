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
use crate::checker::{self, Case};
use crate::client::api::Api;
use crate::client::{Room, Stage};
use crate::cluster::Cluster;
use crate::evidence::Record;
use crate::memory::{self, Sampler};
use crate::summary::Summary;
use crate::violation::{Kind, Violation};
use crate::{chaos, model, process, stored, tool};

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
    let folder = folder(seed)?;
    let (shape, limits) = (arguments.shape(), arguments.limits());
    println!("seed {seed}, {shape:?}, {limits:?}, in {}", folder.display());
    let mut rng = Rng::with_seed(seed);
    let model = model::start().await?;
    let calls = folder.join("calls");
    let cluster = Arc::new(Cluster::start(shape, &folder, &model.base_url(), &calls).await?);
    let record = Record::default();
    let api = Api::new(&cluster.address, record.clone())?;
    let calm = Arc::new(Calm::new());
    let (stage, clients_stage) = watch::channel(Stage::Busy);
    let mut clients = JoinSet::new();
    let session = api.logged_in().await.context("nobody can log in")?;
    for number in 0..arguments.rooms {
        // Half of them are people, half are programs.
        let api = if number % 2 == 0 { session.clone() } else { api.clone() };
        let (calm, stage) = (Arc::clone(&calm), clients_stage.clone());
        clients.spawn(Room::new(number, api, calm, stage, rng.fork()).run());
    }
    let sampler = Sampler::start(Arc::clone(&cluster));
    let faults = chaos::run(&cluster, limits, &calm, &record, rng.fork()).await;
    stage.send_replace(Stage::Closing);
    let is_quiet = wait_until_quiet(&api).await;
    tokio::time::sleep(LAST_EVENTS).await;
    let memory = sampler.stop().await;
    stage.send_replace(Stage::Over);
    let has_left = leave(&mut clients).await;
    let stored = stored::read(&api).await.context("what is stored cannot be read");
    let mut violations: Vec<Violation> = memory::check(&memory);
    if !is_quiet {
        violations
            .push(Kind::TurnStuck.because(format!("a turn still runs after {LONGEST_END:?}")));
    }
    if !has_left {
        violations.push(Kind::ResponseUnexpected.because("clients could not end what they did"));
    }
    let failed = cluster.stop_nodes().await;
    violations.extend(failed.into_iter().map(|what| Kind::NodeFails.because(what)));
    violations.extend(left(&folder).await);
    cluster.stop_servers().await;
    let case = Case { evidence: record.take(), stored: stored?, calls: tool::calls(&calls)? };
    violations.extend(checker::check(&case));
    let summary = Summary {
        seed,
        folder: &folder,
        case: &case,
        faults,
        memory: &memory,
        violations: &violations,
    };
    summary.print();
    let is_good = violations.is_empty();
    if is_good && !arguments.keep {
        fs::remove_dir_all(&folder)?;
    } else {
        let lines: String = violations.iter().map(|violation| format!("{violation}\n")).collect();
        fs::write(folder.join("violations"), lines)?;
    }
    Ok(is_good)
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
    let text = folder.display().to_string();
    let is_of_node = |line: &str| line.contains("parlor");
    let processes = || -> Vec<String> {
        let named = process::naming(&text).into_iter();
        let servers = ["postgres", "redis", "nginx"];
        let is_server = |line: &str| servers.iter().any(|name| line.contains(&format!("/{name}/")));
        named
            .filter(|(_, line)| is_of_node(line) && !is_server(line))
            .map(|(id, line)| format!("{id}: {line}"))
            .collect()
    };
    let begin = Instant::now();
    while !processes().is_empty() && begin.elapsed() < LONGEST_AFTERLIFE {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    processes().into_iter().map(|line| Kind::ProcessLeft.because(line)).collect()
}
