//! The flow of information (F): once a model was told words of others, a call that changes
//! something or carries something out needs a person's yes, whatever else allows it.
//!
//! 1. A tool has labels ([`parlor_agent::flow`]): whose words its results hold, and whether a call
//!    is a sink. The row of a run has the label of its result ([`label`]), which is written with the
//!    result, before the model is told.
//! 2. [`FlowContext`] is what the model was told on the path of a turn. It only grows: neither
//!    trimming nor a retry, a stop or a restart takes anything from it. A branch that begins before
//!    words of others were read does not hold them.
//! 3. The approval policy asks about a sink in a tainted context
//!    ([`crate::approval_policy`]). What it only notes is counted ([`notes`]).
//! 4. The prompt says what was read, and where each value of the call stands ([`values`]).
//! 5. A person can go on without what was read ([`clearing`]).
//! 6. Words of others are marked as data for the model ([`data_marks`]).
//!
//! A file that a person attaches is theirs, as text that they paste is. One that reads like orders is
//! of others, and stands in the ledger as a result that was told with the message
//! ([`crate::files`]).
//!
//! It only ever turns a yes into a question. It does not see lies in an answer, or text that a
//! person pastes.

pub(crate) mod clearing;
pub(crate) mod data_marks;
pub(crate) mod label;
pub(crate) mod notes;
pub(crate) mod values;

use std::sync::Arc;

use parlor_agent::{ProposedCall, Tools};
use parlor_protocol::{Influence, Source};
use parlor_storage::{Path, StorageError, Store, StoredFile, ToldResults};
use serde::{Deserialize, Serialize};

pub use notes::FlowNotes;

/// How many sources a prompt names.
const MOST_SOURCES: usize = 5;
/// What taints a context without having been called.
const DESCRIPTION: &str = "its description";

/// What a project does about words of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlowPolicy {
    /// Nothing.
    Off,
    /// Nothing new is asked; what would have been is counted and logged.
    #[default]
    Watch,
    /// A person is asked.
    Ask,
}

/// What the model was told on a path.
#[derive(Debug, Clone, Default)]
pub(crate) struct FlowContext {
    pub(crate) policy: FlowPolicy,
    told: ToldResults,
    /// Tools whose description gives orders, or has changed: they are read with every request.
    descriptions: Vec<Source>,
}

impl FlowContext {
    /// Reads what the model was told.
    pub(crate) async fn read(
        store: &Store,
        policy: FlowPolicy,
        tools: Option<&Arc<dyn Tools>>,
        path: Path,
    ) -> Result<Self, StorageError> {
        if policy == FlowPolicy::Off {
            return Ok(Self { policy, ..Self::default() });
        }
        let told = store.told_results(path).await?;
        let tools = tools.map(|tools| tools.list());
        let tools = tools.as_deref().unwrap_or_default();
        let suspects = tools.iter().filter(|tool| tool.suspicion.is_some() || tool.is_changed);
        let descriptions = suspects.map(|tool| Source {
            server: tool.server.clone(),
            tool: tool.spec.name.clone(),
            what: Some(DESCRIPTION.to_owned()),
            at: None,
            suspicious: tool.suspicion.is_some(),
        });
        Ok(Self { policy, told, descriptions: descriptions.collect() })
    }

    #[cfg(test)]
    pub(crate) fn told(policy: FlowPolicy, is_tainted: bool) -> Self {
        let told = parlor_storage::ToldResult {
            id: uuid::Uuid::nil(),
            server: "mail".to_owned(),
            tool: "read".to_owned(),
            origin: None,
            at: None,
            is_suspicious: false,
        };
        let of_others = is_tainted.then_some(told).into_iter().collect();
        let told = ToldResults { of_others, count: 1, is_private: true };
        Self { policy, told, descriptions: Vec::new() }
    }

    /// Whether the model was told words of others.
    pub(crate) fn is_tainted(&self) -> bool {
        !self.told.of_others.is_empty() || !self.descriptions.is_empty()
    }

    /// Whether a call is one that words of others could be behind, and that could do harm.
    pub(crate) fn concerns(&self, call: &ProposedCall) -> bool {
        self.is_tainted() && call.tool.as_ref().is_none_or(|tool| tool.flow.sink.is)
    }

    /// Whether a call is dangerous: something reads like orders, or it could carry out what is not
    /// public.
    pub(crate) fn is_dangerous(&self, call: &ProposedCall) -> bool {
        let reaches_out = call.tool.as_ref().is_some_and(|tool| tool.flow.reaches_out);
        let reads_like_orders = self.told.of_others.iter().any(|told| told.is_suspicious)
            || self.descriptions.iter().any(|source| source.suspicious);
        reads_like_orders || (self.told.is_private && reaches_out)
    }

    /// What was read last, in a word.
    pub(crate) fn newest_source(&self) -> String {
        let told = self.told.of_others.first().map(|told| told.tool.clone());
        let description = || self.descriptions.first().map(|source| source.tool.clone());
        told.or_else(description).unwrap_or_default()
    }

    /// What was read, the newest first, without the values.
    fn sources(&self) -> (Vec<Source>, u32) {
        let told = self.told.of_others.iter().map(|told| Source {
            server: told.server.clone(),
            tool: told.tool.clone(),
            what: told.origin.clone(),
            at: told.at,
            suspicious: told.is_suspicious,
        });
        let all = self.told.count.saturating_add(self.descriptions.len() as u64);
        let sources: Vec<Source> =
            told.chain(self.descriptions.iter().cloned()).take(MOST_SOURCES).collect();
        let more = all.saturating_sub(sources.len() as u64);
        (sources, u32::try_from(more).unwrap_or(u32::MAX))
    }
}

/// What may be behind a call, for the prompt about it; `None` if nothing is, or nobody wants to
/// know.
pub(crate) async fn influence(
    store: &Store,
    flow: &FlowContext,
    path: Path,
    call: &ProposedCall,
) -> Result<Option<Influence>, StorageError> {
    if flow.policy != FlowPolicy::Ask || !flow.concerns(call) {
        return Ok(None);
    }
    let (sources, more) = flow.sources();
    let history = store.history(path).await?;
    let mut person = values::words_of_person(&history);
    for id in values::files_of_person(&history) {
        let file = store.file_of(path.conversation(), id).await?;
        if let Some(text) = file.as_ref().and_then(StoredFile::text) {
            person.push('\n');
            person.push_str(text);
        }
    }
    let results = store.words_of_others(path).await?;
    let strangers: Vec<String> =
        results.iter().take(sources.len()).map(|(_, result)| values::text_of(result)).collect();
    let values = values::origins(&call.input, &person, &strangers);
    Ok(Some(Influence { sources, more, values }))
}
