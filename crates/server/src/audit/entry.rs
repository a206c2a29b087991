//! An entry as a line of JSON, and its hash.
//!
//! The hash covers everything but the record itself, of which it covers the digest: so the record can be
//! removed on request. Fields have their lengths before them, so that nothing moves from one into the
//! next.

use data_encoding::HEXLOWER as HEX;
use parlor_protocol::{TenantId, Timestamp};
use parlor_storage::{AuditEntry, AuditHead, AuditKind, PendingRecord, SaltedRecord};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::key::AuditKey;

const PURPOSE: &[u8] = b"parlor audit entry 1\0";
/// What the first entry has for the hash of the one before.
const NOTHING_BEFORE: &str = "0000000000000000000000000000000000000000000000000000000000000000";
const SALT_BYTES: usize = 16;

/// An entry as it is printed and read, one on a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Line {
    pub(crate) tenant: TenantId,
    pub(crate) seq: u64,
    pub(crate) kind: AuditKind,
    pub(crate) id: String,
    pub(crate) sealed_at: Timestamp,
    /// JSON in a text, byte for byte as its digest was made; none if it was removed on request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) record: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) salt: Option<String>,
    pub(crate) digest: String,
    pub(crate) previous: String,
    pub(crate) hash: String,
    pub(crate) public_key: String,
    pub(crate) signature: String,
}

impl Line {
    pub(crate) fn new(tenant: &TenantId, entry: AuditEntry) -> Self {
        let (record, salt) = entry.record.map(|record| (record.record, record.salt)).unzip();
        Self {
            tenant: tenant.clone(),
            seq: entry.seq,
            kind: entry.kind,
            id: entry.id,
            sealed_at: entry.sealed_at,
            record,
            salt,
            digest: entry.digest,
            previous: entry.previous,
            hash: entry.hash,
            public_key: entry.public_key,
            signature: entry.signature,
        }
    }

    /// The hash that it must have.
    pub(crate) fn computed_hash(&self) -> [u8; 32] {
        let (seq, at) = (self.seq.to_be_bytes(), self.sealed_at.0.to_be_bytes());
        let fields: [&[u8]; 8] = [
            self.tenant.as_str().as_bytes(),
            &seq,
            self.kind.as_str().as_bytes(),
            self.id.as_bytes(),
            &at,
            self.digest.as_bytes(),
            self.previous.as_bytes(),
            self.public_key.as_bytes(),
        ];
        let mut hash = Sha256::new_with_prefix(PURPOSE);
        for field in fields {
            hash.update((field.len() as u64).to_be_bytes());
            hash.update(field);
        }
        hash.finalize().into()
    }
}

/// The digest of a record.
pub(crate) fn digest(salt: &str, record: &str) -> String {
    HEX.encode(
        &Sha256::new().chain_update(salt).chain_update(b"\0").chain_update(record).finalize(),
    )
}

/// The hash of the entry before the first one after this head.
pub(crate) fn hash_of(head: Option<&AuditHead>) -> &str {
    head.map_or(NOTHING_BEFORE, |head| &head.hash)
}

/// The entry of a record, after this head; and the head that it becomes.
pub(crate) fn seal(
    key: &AuditKey,
    after: Option<&AuditHead>,
    record: PendingRecord,
    now: Timestamp,
) -> Result<(AuditEntry, AuditHead), getrandom::Error> {
    let mut salt = [0; SALT_BYTES];
    getrandom::fill(&mut salt)?;
    let salt = HEX.encode(&salt);
    let mut line = Line {
        tenant: record.tenant,
        seq: after.map_or(1, |head| head.seq + 1),
        kind: record.kind,
        id: record.id,
        sealed_at: now,
        digest: digest(&salt, &record.record),
        record: None,
        salt: None,
        previous: hash_of(after).to_owned(),
        hash: String::new(),
        public_key: key.public().to_string(),
        signature: String::new(),
    };
    let hash = line.computed_hash();
    line.hash = HEX.encode(&hash);
    let head = AuditHead { seq: line.seq, hash: line.hash.clone() };
    let entry = AuditEntry {
        seq: line.seq,
        kind: line.kind,
        id: line.id,
        sealed_at: now,
        record: Some(SaltedRecord { salt, record: record.record }),
        digest: line.digest,
        previous: line.previous,
        hash: line.hash,
        public_key: line.public_key,
        signature: key.sign(&hash),
    };
    Ok((entry, head))
}
