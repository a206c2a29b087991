//! Fail points: the process aborts right after a step of the log or the ledger, so that tests can
//! restart the real binary from there.
//!
//! In debug builds only: `PARLOR_ABORT_AT=started` aborts as soon as that step is done.
//! Nothing is unwound, flushed or logged, as with `kill -9`. Release builds have none.

/// The steps of a turn and of a tool call that needs approval, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FailPoint {
    /// The message and the beginning of its turn are stored; nobody knows yet.
    Begun,
    /// The branch that a person chose is stored; nobody knows yet.
    Chosen,
    /// The agent's message, with its calls, is stored.
    Said,
    /// The proposed run and its prompt are stored, in one write.
    Proposed,
    /// The prompt is closed, with the approved run and the audit, in one write.
    Answered,
    /// The run is stored as started; the call is not made yet.
    Started,
    /// The call was made and has ended; nothing of that is stored yet.
    Called,
    /// The end of the call is stored; the model has not read it yet.
    Finished,
}

/// Aborts the process, if the environment names this step.
#[cfg(debug_assertions)]
pub(crate) fn reached(step: FailPoint) {
    let name = format!("{step:?}").to_lowercase();
    if std::env::var_os("PARLOR_ABORT_AT").is_some_and(|wanted| wanted == *name) {
        std::process::abort();
    }
}

/// Does nothing.
#[cfg(not(debug_assertions))]
pub(crate) fn reached(_step: FailPoint) {}
