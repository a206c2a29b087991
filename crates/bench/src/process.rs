//! CPU time, memory and written bytes of a process, from `/proc`.

use std::fs;
use std::time::Duration;

use anyhow::Context;

/// The kernel counts CPU time in hundredths of a second.
const TICKS_A_SECOND: f64 = 100.0;

/// CPU time of a process so far.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cpu(f64);

impl Cpu {
    pub(crate) fn of(pid: u32) -> anyhow::Result<Self> {
        Ok(Stat::of(pid)?.own)
    }

    /// Of a process and its children, those that ended included.
    pub(crate) fn of_family(parent: u32) -> anyhow::Result<Self> {
        let mut seconds = 0.0;
        for entry in fs::read_dir("/proc")?.flatten() {
            let pid = entry.file_name().to_str().and_then(|name| name.parse().ok());
            // Processes may end meanwhile.
            let stat = pid.and_then(|pid| Stat::of(pid).ok());
            seconds += stat.filter(|stat| stat.parent == parent).map_or(0.0, |stat| stat.own.0);
        }
        let parent = Stat::of(parent)?;
        Ok(Self(seconds + parent.own.0 + parent.ended_children.0))
    }

    pub(crate) fn from_seconds(seconds: f64) -> Self {
        Self(seconds)
    }

    pub(crate) fn since(&self, earlier: &Self) -> Duration {
        Duration::from_secs_f64((self.0 - earlier.0).max(0.0))
    }
}

/// The parent of a process.
pub(crate) fn parent(pid: u32) -> anyhow::Result<u32> {
    Ok(Stat::of(pid)?.parent)
}

/// What the kernel says about a process.
struct Stat {
    parent: u32,
    own: Cpu,
    ended_children: Cpu,
}

impl Stat {
    fn of(pid: u32) -> anyhow::Result<Self> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
        // The name, in brackets, may contain spaces.
        let fields: Vec<&str> =
            stat.rsplit(')').next().context("stat")?.split_whitespace().collect();
        let field = |at: usize| fields.get(at).context("stat is short");
        let cpu = |user: usize, system: usize| -> anyhow::Result<Cpu> {
            let ticks = field(user)?.parse::<f64>()? + field(system)?.parse::<f64>()?;
            Ok(Cpu(ticks / TICKS_A_SECOND))
        };
        Ok(Self { parent: field(1)?.parse()?, own: cpu(11, 12)?, ended_children: cpu(13, 14)? })
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

/// Bytes that a process wrote to disks so far.
pub(crate) fn written(pid: u32) -> anyhow::Result<u64> {
    let io = fs::read_to_string(format!("/proc/{pid}/io"))?;
    let line = io.lines().find_map(|line| line.strip_prefix("write_bytes: "));
    Ok(line.context("no write_bytes")?.trim().parse()?)
}
