//! `parlor audit verify`.
//!
//! 1. Files are read line by line, each entry on its own and after the one before it.
//! 2. The database is read in the same way. Each record must still be what its entry says, and the
//!    end of the chain must be its last entry: whoever cuts off entries cuts the end too, but a file that
//!    is elsewhere has more.
//! 3. Both must have the same entries, as far as the shorter one reaches.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use parlor_storage::AuditEntry;
use serde_json::Value;

use super::super::tenant_store::TenantStore;
use super::{PAGE, Verify};
use crate::audit::entry::Line;
use crate::audit::verify::{Report, Verifier};

/// The longest line. A record has at most the arguments of a call and an answer.
const LONGEST_LINE: u64 = 64 << 20;

pub(super) async fn verify(arguments: Verify) -> anyhow::Result<ExitCode> {
    let Verify { files, key, from, database, tenant } = arguments;
    let of_database = database || files.is_empty();
    let store = match of_database {
        true => Some(tenant.open().await?),
        false => None,
    };
    let own = store.as_ref().filter(|_| key.is_empty()).map(TenantStore::audit_key).transpose()?;
    let trusted: Vec<_> = key.into_iter().chain(own.map(|own| own.public())).collect();
    let mut of_files = Verifier::new(trusted.iter().copied());
    for file in &files {
        read(file, &mut of_files, from)?;
    }
    let mut is_good = true;
    if let Some(store) = store {
        let mut of_database = Verifier::new(trusted.iter().copied());
        look_at_database(&store, &mut of_database, &mut of_files, !files.is_empty()).await?;
        is_good &= say("the database", &of_database);
    }
    if !files.is_empty() {
        is_good &= say("the files", &of_files);
    }
    if trusted.is_empty() {
        println!("whose key it is was not checked; say which it must be with --key");
    }
    Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Looks at each line of a file.
fn read(path: &Path, verifier: &mut Verifier, first: u64) -> anyhow::Result<()> {
    let shown = path.display();
    let file = File::open(path).with_context(|| format!("{shown} cannot be read"))?;
    let mut lines = BufReader::new(file);
    for number in 1.. {
        let mut line = Vec::new();
        let read = lines.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
        if read.with_context(|| format!("{shown} cannot be read"))? == 0 {
            break;
        }
        let place = format!("{shown}:{number}");
        match std::str::from_utf8(&line) {
            Ok(text) => verifier.line(&place, text.trim_end_matches(['\n', '\r']), first),
            Err(_) => verifier.found(format!("{place}: it is not UTF-8")),
        }
    }
    Ok(())
}

async fn look_at_database(
    tenant: &TenantStore,
    verifier: &mut Verifier,
    of_files: &mut Verifier,
    has_files: bool,
) -> anyhow::Result<()> {
    let chains = tenant.store.audit_chains();
    let mut after = 0;
    loop {
        let entries = chains.entries(&tenant.tenant, after, PAGE).await?;
        let Some(last) = entries.last() else { break };
        after = last.seq;
        for entry in entries {
            let now = chains.record(entry.kind, &entry.id).await?;
            let is_same = holds(&entry, &now);
            of_files.compare(&tenant.tenant, entry.seq, &entry.hash);
            let line = Line::new(&tenant.tenant, entry);
            verifier.entry("the database", &line, 1);
            if !is_same {
                verifier.found(format!(
                    "the database: the {} {} is not what its entry {} says",
                    line.kind.as_str(),
                    line.id,
                    line.seq
                ));
            }
        }
    }
    let head = chains.heads().await?.remove(&tenant.tenant);
    let seen = verifier.head(&tenant.tenant).cloned();
    if head != seen {
        verifier.found("the database: the last entry is not the one that was made last".to_owned());
    }
    let last = of_files.head(&tenant.tenant).map(|head| head.seq);
    if has_files && last.is_some_and(|last| last > after) {
        let last = last.unwrap_or_default();
        verifier.found(format!("the database: it has {after} entries, the files have {last}"));
    }
    let waiting = chains.count_pending(&tenant.tenant).await?;
    if waiting > 0 {
        println!("{waiting} records have no entry yet; a running server makes one within seconds");
    }
    Ok(())
}

/// Whether a record is what its entry says. A later version may tell more of it.
fn holds(entry: &AuditEntry, now: &str) -> bool {
    let Some(sealed) = &entry.record else { return true };
    let read = |text: &str| serde_json::from_str::<Value>(text).ok();
    match (read(&sealed.record), read(now)) {
        (Some(Value::Object(sealed)), Some(Value::Object(now))) => {
            sealed.iter().all(|(name, value)| now.get(name) == Some(value))
        }
        (sealed, now) => sealed == now,
    }
}

/// Prints what was found; whether nothing is wrong.
fn say(what: &str, verifier: &Verifier) -> bool {
    let Report { entries, without_record, repeated, keys, findings, more } = &verifier.report;
    for finding in findings {
        println!("WRONG: {finding}");
    }
    if *more > 0 {
        println!("WRONG: {more} more");
    }
    let verdict = if findings.is_empty() { "nothing is wrong" } else { "it was changed" };
    println!("{what}: {entries} entries, {verdict}");
    if *without_record > 0 {
        println!("  {without_record} without a record, which was removed on request");
    }
    if *repeated > 0 {
        println!("  {repeated} lines repeat one before them");
    }
    for (tenant, head) in verifier.heads() {
        println!("  last of {tenant}: {} {}", head.seq, head.hash);
    }
    for key in keys {
        println!("  signed with {key}");
    }
    verifier.report.is_good()
}
