//! Options: what the person reads is masked, and what is sent back must still
//! be distinguished and mapped to the agent's own value.

use std::collections::HashSet;

use parlor_protocol::QuestionOption;

use super::clean_text;
use crate::sanitizer::Sanitizer;

/// Masks a list of options. A value stays the agent's own where masking leaves
/// it unchanged and no other option has it; otherwise it is `option-<n>`, the
/// n-th of the list, so the owner of the raw list can map it back.
pub fn clean_options(sanitizer: &Sanitizer, options: &[QuestionOption]) -> Vec<QuestionOption> {
    let mut taken = HashSet::new();
    options
        .iter()
        .enumerate()
        .map(|(index, QuestionOption { label, value, description })| {
            let own = clean_text(sanitizer, value) == *value && taken.insert(value.as_str());
            QuestionOption {
                label: clean_text(sanitizer, label),
                value: if own { value.clone() } else { format!("option-{}", index + 1) },
                description: description.as_deref().map(|text| clean_text(sanitizer, text)),
            }
        })
        .collect()
}

/// The clean value of the option whose raw value is the default.
pub(super) fn clean_default(
    raw: &[QuestionOption],
    clean: &[QuestionOption],
    default: Option<&str>,
) -> Option<String> {
    let index = raw.iter().position(|option| Some(option.value.as_str()) == default)?;
    clean.get(index).map(|option| option.value.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// C-4, S-5: values stay where they can, and are always different.
    #[test]
    fn values_stay_unless_they_would_leak_or_collide() {
        let raw = ["Use Codex", "sqlite", "sqlite"].map(QuestionOption::plain);
        let clean = clean_options(&Sanitizer::default(), &raw);
        let pairs: Vec<_> = clean.iter().map(|o| (o.label.as_str(), o.value.as_str())).collect();
        assert_eq!(
            pairs,
            [("Use [assistant]", "option-1"), ("sqlite", "sqlite"), ("sqlite", "option-3")]
        );
        assert_eq!(clean_default(&raw, &clean, Some("Use Codex")).as_deref(), Some("option-1"));
    }
}
