//! One run, from its start to its figures.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, bail};
use futures_util::{StreamExt as _, stream};
use serde_json::json;
use tempfile::TempDir;

use crate::arguments::Arguments;
use crate::bar;
use crate::case::Stage;
use crate::configuration::Settings;
use crate::control::{CaseName, Control};
use crate::labels::Labels;
use crate::model::Model;
use crate::person::Person;
use crate::sample::sample;
use crate::server::Server;
use crate::suite::Suite;
use crate::table::Report;

/// How many suites run at the same time.
const AT_ONCE: usize = 2;

/// Runs it; true if the figures are as they have to be.
pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<bool> {
    let (begin, suites, policy) = (Instant::now(), arguments.suites(), arguments.policy);
    let folder = TempDir::with_prefix("parlor-flow-eval-")?;
    let labels = Labels::read(&evals().join("labels.toml"))?;
    let scenes = open(arguments, &suites, &labels, folder.path()).await?;
    let report = play(scenes, arguments, &labels).await?;
    println!(
        "policy {}, wording {}, {} s",
        policy.name(),
        arguments.wording.attack(),
        begin.elapsed().as_secs()
    );
    println!("{}", report.table(&suites));
    if let Some(file) = &arguments.json {
        let about = json!({"policy": policy.name(), "wording": arguments.wording.attack(),
            "sample": arguments.sample, "seed": arguments.seed});
        let text = report.json(&suites, about).to_string();
        std::fs::write(file, text).with_context(|| format!("{}", file.display()))?;
    }
    let clean = report.of(Suite::Shop);
    let mut missed = bar::missed(policy, &report.dojo(), &clean, arguments.is_whole());
    missed.extend(report.broken);
    missed.iter().for_each(|what| eprintln!("flow-eval: {what}"));
    if arguments.keep {
        println!("kept: {}", folder.keep().display());
    }
    Ok(missed.is_empty())
}

/// What a suite needs, open.
struct Scene {
    suite: Suite,
    model: Model,
    control: Control,
    cases: Vec<CaseName>,
}

/// All scenes, and the server behind them.
struct Scenes {
    scenes: Vec<Scene>,
    server: Server,
}

/// Starts everything, and asks for the cases.
async fn open(
    arguments: &Arguments,
    suites: &[Suite],
    labels: &Labels,
    folder: &Path,
) -> anyhow::Result<Scenes> {
    let packages = std::path::absolute(&arguments.packages)?;
    let tools = evals().join("serve.py");
    let settings = Settings { policy: arguments.policy, labels, tools, packages };
    let socket = |suite: Suite| folder.join(format!("{}.socket", suite.name()));
    let (mut text, mut models) = (Settings::server(), Vec::new());
    for suite in suites {
        let model = Model::start(*suite).await?;
        text += &settings.project(*suite, &model.base_url(), &socket(*suite));
        models.push(model);
    }
    let server = Server::start(folder, &text).await?;
    let mut scenes = Vec::new();
    for (suite, model) in suites.iter().zip(models) {
        let mut control = Control::connect(&socket(*suite)).await?;
        if let Some(why) = labels.mismatch(*suite, &control.tools().await?) {
            bail!("labels.toml: {why}");
        }
        let cases = control.cases().await?;
        scenes.push(Scene { suite: *suite, model, control, cases });
    }
    Ok(Scenes { scenes, server })
}

/// Plays the cases: those of a suite one after the other, because its tools have one environment.
async fn play(all: Scenes, arguments: &Arguments, labels: &Labels) -> anyhow::Result<Report> {
    let Scenes { mut scenes, server } = all;
    if let Some(attacks) = arguments.sample {
        let cases: Vec<_> = scenes.iter().map(|scene| (scene.suite, scene.cases.clone())).collect();
        for (scene, (_, chosen)) in scenes.iter_mut().zip(sample(&cases, attacks, arguments.seed)) {
            scene.cases = chosen;
        }
    }
    let person = Person::new(server.url())?;
    let wording = arguments.wording.attack();
    let plays = scenes.into_iter().map(|scene| play_suite(scene, labels, &person, wording));
    let played: Vec<Report> = stream::iter(plays).buffer_unordered(AT_ONCE).collect().await;
    let mut report = Report { outcomes: Vec::new(), broken: Vec::new() };
    for suite in played {
        report.outcomes.extend(suite.outcomes);
        report.broken.extend(suite.broken);
    }
    Ok(report)
}

async fn play_suite(
    scene: Scene,
    labels: &Labels,
    person: &Person,
    wording: &'static str,
) -> Report {
    let Scene { suite, model, mut control, cases } = scene;
    let begin = Instant::now();
    let stage = Stage { suite, labels, model: &model, person, wording };
    let (mut outcomes, mut broken) = (Vec::new(), Vec::new());
    for name in &cases {
        match stage.run(&mut control, name).await {
            Ok(outcome) => outcomes.push(outcome),
            Err(why) => {
                let attack = name.attack.as_deref().unwrap_or("no attack");
                broken.push(format!("{} {} {attack}: {why:#}", suite.name(), name.user));
            }
        }
    }
    eprintln!("{}: {} cases, {} s", suite.name(), cases.len(), begin.elapsed().as_secs());
    Report { outcomes, broken }
}

/// The folder with the tools and their labels.
fn evals() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../evals/flow")
}
