//! The audit as a chain that cannot be changed unnoticed (O-6).
//!
//! 1. A decision, a blocked input or an act of an administrator is stored; in the same transaction it is
//!    noted that it waits for its entry (`parlor_storage::AuditChains`).
//! 2. A server makes the entry within seconds ([`sealer`]): a digest of the record, the hash of the entry
//!    before, and a signature with a key that is not in the database ([`key`]).
//! 3. If the configuration names a file, the entry is appended to it ([`file`]).
//! 4. `parlor audit verify` finds what was changed, removed or moved, in a file or in the database
//!    ([`verify`]). It needs the public key alone.
//!
//! An entry holds when its record was removed on request: the digest stays.

pub(crate) mod entry;
mod file;
pub(crate) mod key;
pub(crate) mod sealer;
pub(crate) mod verify;
