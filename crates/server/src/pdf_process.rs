//! Reads PDFs in processes of their own: `parlor pdf-text`, with limits of time and memory.
//!
//! A parser of PDFs unpacks what strangers packed. What it does with it, at worst, ends its own
//! process ([`parlor_process`]), and the message is refused.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use parlor_chat::{NotRead, ReadPdf};
use parlor_files::pdf::{Answer, Limits};
use parlor_process::{SpawnSpec, Spawned, Supervisor};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// How many PDFs are read at the same time.
const PARALLEL: usize = 2;
/// What a process may use.
const MEMORY: u64 = 1 << 30;
const CPU_SECONDS: u64 = 10;
const OPEN_FILES: u64 = 16;
/// How long one may take, on a machine that has much else to do.
const LONGEST: Duration = Duration::from_secs(18);

/// Starts the processes.
#[derive(Debug)]
pub(crate) struct PdfProcess {
    supervisor: Supervisor,
    program: PathBuf,
    slots: Arc<Semaphore>,
}

impl PdfProcess {
    /// Processes of this program, under a supervisor.
    pub(crate) fn new(supervisor: Supervisor, program: PathBuf) -> Self {
        Self { supervisor, program, slots: Arc::new(Semaphore::new(PARALLEL)) }
    }

    async fn run(&self, bytes: &[u8], limits: Limits) -> Result<Answer, NotRead> {
        let _slot = self.slots.acquire().await.map_err(|_| NotRead::Stopped)?;
        let spawned = self.supervisor.spawn(&self.spec(bytes.len(), limits));
        let Spawned { mut stdin, stdout, stderr: _stderr, process } =
            spawned.map_err(|error| NotRead::NotStarted(error.to_string()))?;
        // A character is four bytes at most, and escaped in JSON six.
        let most = limits.chars as u64 * 6 + 1024;
        let line = async {
            let written = stdin.write_all(bytes).await;
            let mut line = String::new();
            BufReader::new(stdout.take(most)).read_line(&mut line).await?;
            // One that ended early has said why.
            written.map(|()| line.clone()).or(Ok::<_, io::Error>(line))
        };
        let line = timeout(LONGEST, line).await;
        drop(stdin);
        let ended = process.kill().await;
        match line {
            Ok(Ok(line)) => Answer::parse(&line).ok_or_else(|| {
                tracing::info!(?ended, "a PDF could not be read within its limits");
                NotRead::Stopped
            }),
            Ok(Err(error)) => Err(NotRead::NotStarted(error.to_string())),
            Err(_) => Err(NotRead::Stopped),
        }
    }

    fn spec(&self, bytes: usize, limits: Limits) -> SpawnSpec {
        let arguments = [
            "pdf-text".to_owned(),
            format!("--bytes={bytes}"),
            format!("--pages={}", limits.pages),
            format!("--chars={}", limits.chars),
        ];
        SpawnSpec {
            program: self.program.display().to_string(),
            arguments: arguments.into(),
            environment: Vec::new(),
            working_dir: None,
            user: None,
            limits: parlor_process::Limits {
                open_files: Some(OPEN_FILES),
                memory: Some(MEMORY),
                processes: None,
                cpu_seconds: Some(CPU_SECONDS),
            },
            dies_at_once: true,
        }
    }
}

impl ReadPdf for PdfProcess {
    fn read<'a>(
        &'a self,
        bytes: &'a [u8],
        limits: Limits,
    ) -> BoxFuture<'a, Result<Answer, NotRead>> {
        Box::pin(self.run(bytes, limits))
    }
}
