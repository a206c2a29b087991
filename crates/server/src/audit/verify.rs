//! Finds what is wrong with a chain: line by line, in order, for each tenant.
//!
//! - A changed record no longer has its digest; a changed entry no longer has its hash, and whoever makes
//!   a new hash cannot make its signature without the key.
//! - A removed entry is missing in the numbers, an added or moved one does not follow the one before it.
//! - After a finding the next line is compared with this one, so that one fault is one finding.
//! - That the last entries were cut off, a file alone cannot tell: it is compared with the database, or
//!   with the number and hash that were noted elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use data_encoding::HEXLOWER as HEX;
use parlor_protocol::TenantId;
use parlor_storage::AuditHead;

use super::entry::{Line, digest, hash_of};
use super::key::PublicKey;

/// How many findings are told one by one.
const TOLD: usize = 50;

/// Looks at entries one after the other.
#[derive(Debug, Default)]
pub(crate) struct Verifier {
    /// The keys that may have signed; none: whichever it is, and it is told.
    trusted: BTreeSet<PublicKey>,
    chains: BTreeMap<TenantId, Chain>,
    pub(crate) report: Report,
}

/// How far a tenant's chain was seen.
#[derive(Debug)]
struct Chain {
    head: Option<AuditHead>,
    /// The numbers and hashes that were seen, to compare them with the database.
    hashes: BTreeMap<u64, String>,
}

/// What was found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Report {
    /// How many entries there are.
    pub(crate) entries: u64,
    /// How many of them have no record any longer: it was removed on request.
    pub(crate) without_record: u64,
    /// How many lines only repeat one, as after a crash.
    pub(crate) repeated: u64,
    /// The keys that signed.
    pub(crate) keys: BTreeSet<PublicKey>,
    /// What is wrong, each with its place.
    pub(crate) findings: Vec<String>,
    /// How many more there are.
    pub(crate) more: u64,
}

impl Verifier {
    /// These keys may have signed.
    pub(crate) fn new(trusted: impl IntoIterator<Item = PublicKey>) -> Self {
        Self { trusted: trusted.into_iter().collect(), ..Self::default() }
    }

    /// Looks at a line of a file.
    pub(crate) fn line(&mut self, place: &str, text: &str, first: u64) {
        match serde_json::from_str(text) {
            Ok(line) => self.entry(place, &line, first),
            Err(error) => self.found(format!("{place}: this is no entry: {error}")),
        }
    }

    /// Looks at an entry.
    pub(crate) fn entry(&mut self, place: &str, line: &Line, first: u64) {
        let chain = self.chains.entry(line.tenant.clone());
        let chain = chain.or_insert_with(|| Chain { head: None, hashes: BTreeMap::new() });
        let repeats = chain.hashes.get(&line.seq) == Some(&line.hash);
        let mut wrong = match repeats {
            true => Vec::new(),
            false => order(chain.head.as_ref(), line, first),
        };
        let hash = line.computed_hash();
        wrong.extend(content(line, &hash));
        match line.public_key.parse::<PublicKey>() {
            Err(_) => wrong.push("its key is no key".to_owned()),
            Ok(key) if !key.has_signed(&hash, &line.signature) => {
                wrong.push("its signature is not that of its key".to_owned());
            }
            Ok(key) => {
                if !self.trusted.is_empty() && !self.trusted.contains(&key) {
                    wrong.push(format!("it was signed with another key, {key}"));
                }
                self.report.keys.insert(key);
            }
        }
        if repeats {
            self.report.repeated += 1;
        } else {
            chain.head = Some(AuditHead { seq: line.seq, hash: line.hash.clone() });
            chain.hashes.insert(line.seq, line.hash.clone());
            self.report.entries += 1;
            self.report.without_record += u64::from(line.record.is_none());
        }
        for what in wrong {
            self.found(format!("{place}: entry {} of {}: {what}", line.seq, line.tenant));
        }
    }

    /// Adds a finding.
    pub(crate) fn found(&mut self, what: String) {
        match self.report.findings.len() < TOLD {
            true => self.report.findings.push(what),
            false => self.report.more += 1,
        }
    }

    /// The last entries that were seen.
    pub(crate) fn heads(&self) -> impl Iterator<Item = (&TenantId, &AuditHead)> {
        self.chains.iter().filter_map(|(tenant, chain)| Some((tenant, chain.head.as_ref()?)))
    }

    /// The last entry of a tenant that was seen.
    pub(crate) fn head(&self, tenant: &TenantId) -> Option<&AuditHead> {
        self.chains.get(tenant)?.head.as_ref()
    }

    /// Compares what was seen of a tenant with the same entry elsewhere, which has this hash; nothing
    /// was seen of later ones.
    pub(crate) fn compare(&mut self, tenant: &TenantId, seq: u64, elsewhere: &str) {
        let seen = self.chains.get(tenant).and_then(|chain| chain.hashes.get(&seq));
        if seen.is_some_and(|seen| seen != elsewhere) {
            self.found(format!("entry {seq} of {tenant}: the database has another one"));
        }
    }
}

impl Report {
    /// Whether nothing is wrong.
    pub(crate) fn is_good(&self) -> bool {
        self.findings.is_empty()
    }
}

/// Whether it follows the entry before it.
fn order(before: Option<&AuditHead>, line: &Line, first: u64) -> Vec<String> {
    let expected = before.map_or(first, |head| head.seq + 1);
    if line.seq > expected {
        let missing = match line.seq - 1 {
            last if last == expected => format!("entry {expected} is missing before it"),
            last => format!("entries {expected} to {last} are missing before it"),
        };
        return vec![missing];
    }
    if line.seq < expected {
        return vec![format!("it is out of order: {expected} was expected")];
    }
    // What is before the first line of a later file is not known.
    let is_known = before.is_some() || line.seq == 1;
    match is_known && line.previous != hash_of(before) {
        true => vec!["it does not follow the entry before it".to_owned()],
        false => Vec::new(),
    }
}

/// Whether record and entry are as they were signed.
fn content(line: &Line, hash: &[u8; 32]) -> Vec<String> {
    let mut wrong = Vec::new();
    match (&line.record, &line.salt) {
        (Some(record), Some(salt)) if digest(salt, record) != line.digest => {
            wrong.push("its record was changed".to_owned());
        }
        (Some(_), Some(_)) | (None, None) => {}
        (Some(_), None) | (None, Some(_)) => {
            wrong.push("a part of its record is missing".to_owned())
        }
    }
    if HEX.encode(hash) != line.hash {
        wrong.push("it was changed".to_owned());
    }
    wrong
}

#[cfg(test)]
mod tests;
