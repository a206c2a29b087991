//! The task that makes entries of records, in the order in which they came.
//!
//! Every server looks for records now and then; of several that make the same entry, the one whose write
//! moves the end of the chain wins, and the others look again. Nothing waits for an entry: a record is
//! stored before, and a failure is tried again.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use parlor_protocol::{NodeId, TenantId};
use parlor_storage::{AuditHead, PendingRecord, StorageError, Store};
use tokio_util::sync::CancellationToken;

use super::entry::seal;
use super::file::AuditFile;
use super::key::AuditKey;
use crate::clock::Clock;
use crate::config::Config;
use crate::secret_key::{self, ServerSecret};

/// How long a record waits at the most while all is well.
const EVERY: Duration = Duration::from_secs(1);
/// The longest pause after failures.
const MAX_BACKOFF: Duration = Duration::from_secs(60);
/// How many entries one write makes.
const AT_ONCE: u32 = 200;

/// Makes entries, and writes them to the file.
pub(crate) struct Sealer {
    store: Store,
    clock: Clock,
    key: AuditKey,
    file: Option<AuditFile>,
    tenants: Vec<TenantId>,
}

impl Sealer {
    /// The sealer of a server, with its key.
    pub(crate) fn open(
        config: &Config,
        store: &Store,
        clock: &Clock,
        node: NodeId,
    ) -> anyhow::Result<Self> {
        let file = config.server.audit_file.clone().map(|path| AuditFile::new(path, node));
        Ok(Self {
            store: store.clone(),
            clock: clock.clone(),
            key: key_of(config)?,
            file,
            tenants: config.tenants.keys().cloned().collect(),
        })
    }

    /// Works until the server stops.
    pub(crate) async fn run(self, stopping: CancellationToken) {
        if let Err(error) = self.store.audit_chains().forget_sealed().await {
            tracing::debug!(%error, "failed to look for records that have an entry");
        }
        let mut pause = EVERY;
        while stopping.run_until_cancelled(tokio::time::sleep(pause)).await.is_some() {
            pause = match self.look().await {
                Ok(()) => EVERY,
                Err(error) => {
                    let error = format!("{error:#}");
                    tracing::warn!(%error, "failed to write the audit chain; retrying");
                    (pause * 2).min(MAX_BACKOFF)
                }
            };
        }
    }

    /// Makes entries of all records that wait, and writes what the file does not have.
    async fn look(&self) -> anyhow::Result<()> {
        loop {
            // First: what another server has sealed by then does not wait any longer, and what it
            // seals later moves a head.
            let heads = self.store.audit_chains().heads().await?;
            let pending = self.store.audit_chains().pending(AT_ONCE).await?;
            let is_all = pending.len() < AT_ONCE as usize;
            for (tenant, records) in by_tenant(pending) {
                self.seal(&tenant, heads.get(&tenant), records).await?;
            }
            if is_all {
                break;
            }
        }
        if let Some(file) = &self.file {
            for tenant in &self.tenants {
                file.catch_up(&self.store, tenant).await?;
            }
        }
        Ok(())
    }

    async fn seal(
        &self,
        tenant: &TenantId,
        before: Option<&AuditHead>,
        records: Vec<PendingRecord>,
    ) -> Result<(), StorageError> {
        let (mut head, mut entries, mut numbers) = (before.cloned(), Vec::new(), Vec::new());
        for record in records {
            numbers.push(record.number);
            let sealed = seal(&self.key, head.as_ref(), record, self.clock.now());
            let (entry, next) = sealed.map_err(|error| StorageError::Corrupt(error.to_string()))?;
            entries.push(entry);
            head = Some(next);
        }
        // If another server was faster, the next look finds what is left.
        let chains = self.store.audit_chains();
        let _is_ours = chains.append(tenant, before, &entries, &numbers).await?;
        Ok(())
    }
}

/// The key of a server with this configuration.
pub(crate) fn key_of(config: &Config) -> anyhow::Result<AuditKey> {
    key_in(config.credentials.secret_key.as_ref(), &config.server.data_dir)
}

/// The key of a server with this secret, or the one in its data directory.
pub(crate) fn key_in(
    secret: Option<&secrecy::SecretString>,
    data_dir: &Path,
) -> anyhow::Result<AuditKey> {
    let secret = ServerSecret::of_server(secret, data_dir);
    let key = secret.and_then(|secret| AuditKey::of_server(&secret));
    key.with_context(|| {
        let path = data_dir.join(secret_key::FILE);
        format!("the key in {} cannot be used; restore the file, or remove it", path.display())
    })
}

fn by_tenant(pending: Vec<PendingRecord>) -> BTreeMap<TenantId, Vec<PendingRecord>> {
    let mut tenants: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for record in pending {
        tenants.entry(record.tenant.clone()).or_default().push(record);
    }
    tenants
}
