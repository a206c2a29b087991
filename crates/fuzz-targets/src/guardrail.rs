//! What a person writes, through every disguise that the guardrail looks behind.

use std::sync::LazyLock;

use parlor_guard::guardrail::{GuardSettings, Guardrail};
use parlor_guard::process_input;

static GUARDRAIL: LazyLock<Guardrail> =
    LazyLock::new(|| Guardrail::new(&GuardSettings::default()).expect("the defaults are valid"));

/// A message passes unchanged (invariant 4) or is refused with a reason.
pub fn run(data: &[u8]) {
    let message = String::from_utf8_lossy(data);
    let processed = process_input(&GUARDRAIL, &message);
    match &processed.cleaned {
        Some(cleaned) => assert_eq!(*cleaned.get(), message),
        None => assert!(!processed.error.is_empty() && processed.code.is_some()),
    }
}
