//! Third-party libraries from PyPI: installed once below `target`, exactly as their requirements say, by
//! the first test that needs one. Without Python and pip those tests fail.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use tokio::process::Command;

use crate::npm::output;

/// A program of this folder beside the tests, which finds the libraries that the folder requires.
pub(crate) async fn run(folder: &str, program: &str) -> Command {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e").join(folder);
    let mut command = Command::new("python3");
    command.arg(source.join(program)).env("PYTHONPATH", install(folder, &source).await);
    command
}

/// Installs what a folder requires, unless that was installed before.
async fn install(folder: &str, source: &Path) -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder.replace('/', "-"));
    fs::create_dir_all(&place).unwrap();
    let lock = File::create(place.join("lock")).unwrap();
    let lock = tokio::task::spawn_blocking(move || lock.lock().map(|()| lock)).await.unwrap();
    let _mine = lock.unwrap();
    let (wanted, mark) = (source.join("requirements.txt"), place.join("installed.txt"));
    if fs::read(&mark).ok() != fs::read(&wanted).ok() {
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "-q", "--upgrade", "--target"]).arg(&place);
        output(pip.arg("-r").arg(&wanted), "pip install").await;
        fs::copy(&wanted, &mark).unwrap();
    }
    place
}
