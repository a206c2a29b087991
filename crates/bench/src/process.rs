//! CPU time and memory of a process, from `/proc`.

use std::fs;
use std::time::Duration;

use anyhow::Context;

/// The kernel counts CPU time in hundredths of a second.
const TICKS_A_SECOND: f64 = 100.0;

/// CPU time of a process so far.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cpu(f64);

impl Cpu {
    pub(crate) fn of(pid: u32) -> anyhow::Result<Self> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
        // The name, in brackets, may contain spaces.
        let fields: Vec<&str> =
            stat.rsplit(')').next().context("stat")?.split_whitespace().collect();
        let ticks = |at: usize| -> anyhow::Result<f64> {
            Ok(fields.get(at).context("stat is short")?.parse::<f64>()?)
        };
        Ok(Self((ticks(11)? + ticks(12)?) / TICKS_A_SECOND))
    }

    pub(crate) fn since(&self, earlier: &Self) -> Duration {
        Duration::from_secs_f64((self.0 - earlier.0).max(0.0))
    }
}

/// CPU time of the whole machine so far, without idle time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Machine(f64);

pub(crate) fn others() -> anyhow::Result<Machine> {
    let stat = fs::read_to_string("/proc/stat")?;
    let first = stat.lines().next().context("stat is empty")?;
    let ticks: Vec<f64> = first.split_whitespace().skip(1).flat_map(str::parse).collect();
    let idle = ticks.get(3).unwrap_or(&0.0) + ticks.get(4).unwrap_or(&0.0);
    Ok(Machine((ticks.iter().take(8).sum::<f64>() - idle) / TICKS_A_SECOND))
}

impl Machine {
    /// How many cores were busy on average.
    pub(crate) fn busy_since(&self, earlier: &Self, took: Duration) -> f64 {
        (self.0 - earlier.0) / took.as_secs_f64()
    }
}

/// Resident memory of a process.
pub(crate) fn memory_kb(pid: u32) -> anyhow::Result<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).context("no VmRSS")?;
    Ok(line.split_whitespace().nth(1).context("VmRSS is empty")?.parse()?)
}
