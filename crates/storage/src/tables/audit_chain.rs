//! The audit as a chain: an entry for each decision, blocked input and act of an administrator.
//!
//! A record waits in `audit_pending`, which a trigger of its own transaction fills, until a server has
//! made its entry. Here are the rows alone: hashes and signatures are the server's.

use std::collections::BTreeMap;
use std::str::FromStr;

use parlor_database::{Batch, Fault, Row, query};
use parlor_protocol::{NodeId, TenantId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::columns::{counter, parsed, to_column};
use crate::error::StorageError;
use crate::store::Store;
use crate::tables::admin_acts::admin_act;
use crate::tables::blocked_inputs::blocked_input;
use crate::tables::decisions::decision;

/// What a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuditKind {
    /// Somebody decided on a prompt.
    Decision,
    /// The guardrail refused an input, or noticed it.
    BlockedInput,
    /// An administrator changed who may come in, or what runs.
    Act,
}

/// A record that has no entry yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingRecord {
    /// Its place among those that wait.
    pub number: i64,
    /// The tenant.
    pub tenant: TenantId,
    /// What it is.
    pub kind: AuditKind,
    /// Its id.
    pub id: String,
    /// The record as JSON; `null` if somebody removed it.
    pub record: String,
}

/// The last entry of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditHead {
    /// Its number.
    pub seq: u64,
    /// Its hash.
    pub hash: String,
}

/// An entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// Its number: 1, 2, 3, … without a gap.
    pub seq: u64,
    /// What its record is.
    pub kind: AuditKind,
    /// The id of the record.
    pub id: String,
    /// When it was made.
    pub sealed_at: Timestamp,
    /// The record; none if it was removed on request.
    pub record: Option<SaltedRecord>,
    /// SHA-256 of salt and record, in hex, like all that follows.
    pub digest: String,
    /// The hash of the entry before.
    pub previous: String,
    /// The hash of this entry.
    pub hash: String,
    /// The key that signed it.
    pub public_key: String,
    /// The signature of the hash.
    pub signature: String,
}

/// A record, and what keeps others from guessing it by its digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaltedRecord {
    /// Random, in hex.
    pub salt: String,
    /// The record as JSON, as it was when its entry was made.
    pub record: String,
}

/// The chains of all tenants.
#[derive(Debug, Clone, Copy)]
pub struct AuditChains<'s>(&'s Store);

impl Store {
    /// The chains of all tenants.
    pub fn audit_chains(&self) -> AuditChains<'_> {
        AuditChains(self)
    }
}

impl AuditChains<'_> {
    /// Records that have no entry yet, oldest first.
    pub async fn pending(&self, limit: u32) -> Result<Vec<PendingRecord>, StorageError> {
        let rows = query(
            "SELECT p.number, p.tenant, p.kind, p.id FROM audit_pending p
             WHERE NOT EXISTS (SELECT 1 FROM audit_entries e WHERE e.kind = p.kind AND e.id = p.id)
             ORDER BY p.number LIMIT $1",
        )
        .bind(i64::from(limit))
        .fetch_all(self.0.reader())
        .await?;
        let mut pending = Vec::with_capacity(rows.len());
        for row in &rows {
            let (kind, id) = (parsed(row, "kind")?, row.try_get::<String>("id")?);
            let record = self.record(kind, &id).await?;
            let (number, tenant) = (row.try_get("number")?, parsed(row, "tenant")?);
            pending.push(PendingRecord { number, tenant, kind, id, record });
        }
        Ok(pending)
    }

    /// How many records of a tenant have no entry yet.
    pub async fn count_pending(&self, tenant: &TenantId) -> Result<u64, StorageError> {
        let row = query(
            "SELECT COUNT(*) AS pending FROM audit_pending p WHERE p.tenant = $1
             AND NOT EXISTS (SELECT 1 FROM audit_entries e WHERE e.kind = p.kind AND e.id = p.id)",
        )
        .bind(tenant.as_str())
        .fetch_one(self.0.reader())
        .await?;
        counter(&row, "pending")
    }

    /// A record as it is now, as JSON; `null` if there is none.
    pub async fn record(&self, kind: AuditKind, id: &str) -> Result<String, StorageError> {
        let select = match kind {
            AuditKind::Decision => "SELECT * FROM decisions WHERE id = $1",
            AuditKind::BlockedInput => {
                "SELECT b.*, b.excerpt AS shown FROM blocked_inputs b WHERE b.id = $1"
            }
            AuditKind::Act => "SELECT * FROM admin_acts WHERE id = $1",
        };
        let Some(row) = query(select).bind(id).fetch_optional(self.0.reader()).await? else {
            return Ok("null".to_owned());
        };
        let json = match kind {
            AuditKind::Decision => serde_json::to_string(&decision(&row)?),
            AuditKind::BlockedInput => serde_json::to_string(&blocked_input(&row)?),
            AuditKind::Act => serde_json::to_string(&admin_act(&row)?),
        };
        json.map_err(|error| StorageError::Corrupt(error.to_string()))
    }

    /// The last entry of each tenant's chain.
    pub async fn heads(&self) -> Result<BTreeMap<TenantId, AuditHead>, StorageError> {
        let select = query("SELECT tenant, seq, hash FROM audit_heads");
        let rows = select.fetch_all(self.0.reader()).await?;
        let heads = rows.iter().map(|row| {
            let head = AuditHead { seq: counter(row, "seq")?, hash: row.try_get("hash")? };
            Ok((parsed(row, "tenant")?, head))
        });
        heads.collect()
    }

    /// Appends entries after the head that they were made for. False if it has moved: another
    /// server was faster.
    pub async fn append(
        &self,
        tenant: &TenantId,
        after: Option<&AuditHead>,
        entries: &[AuditEntry],
        sealed: &[i64],
    ) -> Result<bool, StorageError> {
        let Some(last) = entries.last() else { return Ok(true) };
        let mut batch = Batch::claiming();
        match after {
            None => batch.add(
                "INSERT INTO audit_heads (tenant, seq, hash) VALUES ($1, $2, $3)
                 ON CONFLICT (tenant) DO NOTHING",
            ),
            Some(_) => batch.add(
                "UPDATE audit_heads SET seq = $2, hash = $3
                 WHERE tenant = $1 AND seq = $4 AND hash = $5",
            ),
        };
        batch.bind(tenant.as_str()).bind(to_column(last.seq)).bind(&last.hash);
        if let Some(head) = after {
            batch.bind(to_column(head.seq)).bind(&head.hash);
        }
        insert(&mut batch, tenant, entries);
        for number in sealed {
            batch.add("DELETE FROM audit_pending WHERE number = $1").bind(*number);
        }
        match self.0.run(batch).await {
            Ok(()) => Ok(true),
            Err(StorageError::TakenOver | StorageError::Fault(Fault::NotClaimed)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Forgets that records wait which have an entry: a copy writes those rows again.
    pub async fn forget_sealed(&self) -> Result<(), StorageError> {
        let mut batch = Batch::default();
        batch.add(
            "DELETE FROM audit_pending WHERE EXISTS (SELECT 1 FROM audit_entries e
             WHERE e.kind = audit_pending.kind AND e.id = audit_pending.id)",
        );
        self.0.run(batch).await
    }

    /// Entries of a tenant after a number, in their order.
    pub async fn entries(
        &self,
        tenant: &TenantId,
        after: u64,
        limit: u32,
    ) -> Result<Vec<AuditEntry>, StorageError> {
        let rows = query(
            "SELECT e.*, r.salt, r.record FROM audit_entries e
             LEFT JOIN audit_records r ON r.tenant = e.tenant AND r.seq = e.seq
             WHERE e.tenant = $1 AND e.seq > $2 ORDER BY e.seq LIMIT $3",
        )
        .bind(tenant.as_str())
        .bind(to_column(after))
        .bind(i64::from(limit))
        .fetch_all(self.0.reader())
        .await?;
        rows.iter().map(entry).collect()
    }

    /// How far a node wrote a tenant's chain into its file.
    pub async fn file_position(
        &self,
        node: NodeId,
        tenant: &TenantId,
    ) -> Result<u64, StorageError> {
        let row = query("SELECT seq FROM audit_files WHERE node = $1 AND tenant = $2")
            .bind(node.to_string())
            .bind(tenant.as_str())
            .fetch_optional(self.0.reader())
            .await?;
        row.map_or(Ok(0), |row| counter(&row, "seq"))
    }

    /// Remembers it.
    pub async fn set_file_position(
        &self,
        node: NodeId,
        tenant: &TenantId,
        seq: u64,
    ) -> Result<(), StorageError> {
        let mut batch = Batch::default();
        batch
            .add(
                "INSERT INTO audit_files (node, tenant, seq) VALUES ($1, $2, $3)
                 ON CONFLICT (node, tenant) DO UPDATE SET seq = excluded.seq",
            )
            .bind(node.to_string())
            .bind(tenant.as_str())
            .bind(to_column(seq));
        self.0.run(batch).await
    }
}

fn insert(batch: &mut Batch, tenant: &TenantId, entries: &[AuditEntry]) {
    let into = "audit_entries (tenant, seq, kind, id, sealed_at, digest, previous,
                hash, public_key, signature)";
    batch.insert(into, entries, |batch, entry| {
        batch
            .bind(tenant.as_str())
            .bind(to_column(entry.seq))
            .bind(entry.kind.as_str())
            .bind(&entry.id)
            .bind(entry.sealed_at.0)
            .bind(&entry.digest)
            .bind(&entry.previous)
            .bind(&entry.hash)
            .bind(&entry.public_key)
            .bind(&entry.signature);
    });
    let records = entries.iter().filter_map(|entry| Some((entry.seq, entry.record.as_ref()?)));
    let into = "audit_records (tenant, seq, salt, record)";
    batch.insert(into, records, |batch, (seq, record)| {
        batch.bind(tenant.as_str()).bind(to_column(seq)).bind(&record.salt).bind(&record.record);
    });
}

fn entry(row: &Row) -> Result<AuditEntry, StorageError> {
    let salt: Option<String> = row.try_get("salt")?;
    let record: Option<String> = row.try_get("record")?;
    Ok(AuditEntry {
        seq: counter(row, "seq")?,
        kind: parsed(row, "kind")?,
        id: row.try_get("id")?,
        sealed_at: Timestamp(row.try_get("sealed_at")?),
        record: salt.zip(record).map(|(salt, record)| SaltedRecord { salt, record }),
        digest: row.try_get("digest")?,
        previous: row.try_get("previous")?,
        hash: row.try_get("hash")?,
        public_key: row.try_get("public_key")?,
        signature: row.try_get("signature")?,
    })
}

impl AuditKind {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::BlockedInput => "blocked_input",
            Self::Act => "act",
        }
    }
}

impl FromStr for AuditKind {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        [Self::Decision, Self::BlockedInput, Self::Act]
            .into_iter()
            .find(|kind| kind.as_str() == name)
            .ok_or(())
    }
}
