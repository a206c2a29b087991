//! The Redis server: what it uses.

use anyhow::Context;
use reqwest::Url;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use crate::process::Cpu;

/// Where it is.
pub(super) struct Redis {
    pub(super) url: String,
}

impl Redis {
    /// CPU time so far.
    pub(super) async fn cpu(&self) -> anyhow::Result<Cpu> {
        let info = self.info("cpu").await?;
        Ok(Cpu::from_seconds(field(&info, "used_cpu_user:")? + field(&info, "used_cpu_sys:")?))
    }

    /// Memory in use, in bytes.
    pub(super) async fn memory(&self) -> anyhow::Result<f64> {
        field(&self.info("memory").await?, "used_memory:")
    }

    /// Its version.
    pub(super) async fn version(&self) -> anyhow::Result<String> {
        let info = self.info("server").await?;
        let version = info.lines().find_map(|line| line.strip_prefix("redis_version:"));
        Ok(version.context("no version")?.trim().to_owned())
    }

    /// A section of what it says about itself.
    async fn info(&self, section: &str) -> anyhow::Result<String> {
        let url = Url::parse(&self.url)?;
        let address = (url.host_str().context("no host")?, url.port().unwrap_or(6379));
        let mut stream = BufReader::new(TcpStream::connect(address).await?);
        let mut line = String::new();
        if let Some(password) = url.password() {
            let user = Some(url.username()).filter(|user| !user.is_empty()).unwrap_or("default");
            stream.write_all(format!("AUTH {user} {password}\r\n").as_bytes()).await?;
            stream.read_line(&mut line).await?;
        }
        stream.write_all(format!("INFO {section}\r\n").as_bytes()).await?;
        line.clear();
        stream.read_line(&mut line).await?;
        // A text begins with its length.
        let length = line.trim().strip_prefix('$').with_context(|| format!("Redis: {line}"))?;
        let mut info = vec![0; length.parse()?];
        stream.read_exact(&mut info).await?;
        Ok(String::from_utf8(info)?)
    }
}

fn field(info: &str, name: &str) -> anyhow::Result<f64> {
    let value = info.lines().find_map(|line| line.strip_prefix(name));
    Ok(value.with_context(|| format!("Redis says no {name}"))?.trim().parse()?)
}
