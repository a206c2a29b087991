//! A power cut at an exact step of the ledger, so that tests can see the real
//! binary come back from it. In debug builds only: `PARLOR_ABORT_AT=started` ends
//! the process the moment that step is behind it. Nothing is unwound, flushed or
//! said, as with `kill -9`. A release build knows nothing of it.

/// The steps of a call that matters, in the order in which they are taken.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Step {
    /// What the agent said, with its calls, is stored.
    Said,
    /// The proposed run and its prompt are rows, in one write.
    Proposed,
    /// The prompt is closed, with the run that it approves and the audit, in one write.
    Answered,
    /// The run is written down as started; it is not made yet.
    Started,
    /// The call was made and answered; nothing of that is stored yet.
    Called,
    /// What came of the call is stored; the model does not know yet.
    Finished,
}

/// Ends the process, if this is where it has to end.
#[cfg(debug_assertions)]
pub(crate) fn after(step: Step) {
    let name = format!("{step:?}").to_lowercase();
    if std::env::var_os("PARLOR_ABORT_AT").is_some_and(|wanted| wanted == *name) {
        std::process::abort();
    }
}

/// Does nothing.
#[cfg(not(debug_assertions))]
pub(crate) fn after(_step: Step) {}
