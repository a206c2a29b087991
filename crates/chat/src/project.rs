//! A project: one agent with its policies, inside a tenant.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parlor_agent::tools::tools_of_person;
use parlor_agent::{Agent, Tools};
use parlor_guard::guardrail::Guardrail;
use parlor_guard::sanitizer::Sanitizer;
use parlor_protocol::{Approvers, PersonId, ProjectId, TenantId};
use parlor_storage::{Path, StorageError, Store};

use crate::budgets::{Budgets, Prices};
use crate::file_limits::FileLimits;
use crate::flow::{FlowContext, FlowNotes, FlowPolicy};
use crate::metrics::ProjectMetrics;
use crate::read_pdf::ReadPdf;

/// For how long a deletion can be undone, unless something else is said.
const KEPT: Duration = Duration::from_secs(7 * 86_400);

/// One agent with its policies.
#[derive(Clone)]
pub struct Project {
    /// Its id.
    pub id: ProjectId,
    /// Its display name.
    pub name: String,
    /// Checks what people write.
    pub guardrail: Guardrail,
    /// Masks what the agent writes.
    pub sanitizer: Sanitizer,
    /// Takes the turns.
    pub agent: Arc<dyn Agent>,
    /// The agent's tools, for previews and for administrators.
    pub tools: Option<Arc<dyn Tools>>,
    /// The system prompt.
    pub system_prompt: Option<String>,
    /// The reminder in long conversations (K-5).
    pub reminder: Option<String>,
    /// How long a prompt stays open while a turn waits for it; zero is for ever (P-4).
    pub prompt_timeout: Duration,
    /// Whose answers to approvals count, of tools that say nothing of it (Y-2).
    pub approvers: Option<Approvers>,
    /// How much history goes to the model, in approximate tokens (K-2).
    pub context_tokens: u64,
    /// How much may come with a message (U-9, H-4).
    pub files: FileLimits,
    /// Reads the text of PDFs.
    pub pdf: Arc<dyn ReadPdf>,
    /// The longest answer of one turn, in bytes; then it is cut off (H-3).
    pub max_answer_bytes: usize,
    /// The limit of parallel turns in this project.
    pub max_turns: u32,
    /// What tokens cost, where the agent does not say what a turn cost.
    pub prices: Option<Prices>,
    /// What is done about words of others (F-2).
    pub flow: FlowPolicy,
    /// What would have been asked.
    pub flow_notes: Arc<FlowNotes>,
    /// What happens in it.
    pub metrics: Arc<ProjectMetrics>,
}

impl Project {
    /// The same, with the tools as a person has them.
    pub(crate) fn of_person(self: &Arc<Self>, person: Option<PersonId>) -> Arc<Self> {
        let own = self.tools.as_ref().and_then(|tools| tools.of_person(person));
        match own {
            Some(tools) => Arc::new(Self { tools: Some(tools), ..Self::clone(self) }),
            None => Arc::clone(self),
        }
    }

    /// The tools as a person has them.
    pub(crate) fn tools_of(&self, person: Option<PersonId>) -> Option<Arc<dyn Tools>> {
        self.tools.as_ref().map(|tools| tools_of_person(tools, person))
    }

    /// What the model was told on a path.
    pub(crate) async fn flow_context(
        &self,
        store: &Store,
        path: Path,
    ) -> Result<FlowContext, StorageError> {
        FlowContext::read(store, self.flow, self.tools.as_ref(), path).await
    }
}

impl std::fmt::Debug for Project {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Project").field("id", &self.id).finish_non_exhaustive()
    }
}

/// The projects of all tenants.
#[derive(Debug)]
pub struct Projects {
    projects: BTreeMap<(TenantId, ProjectId), Arc<Project>>,
    max_turns_of_tenant: u32,
    budgets: Arc<Budgets>,
    deleted_kept_for: Duration,
}

impl Default for Projects {
    fn default() -> Self {
        Self::new(u32::MAX)
    }
}

impl Projects {
    /// No projects yet. The limit is of parallel turns of one tenant, in all its projects.
    pub fn new(max_turns_of_tenant: u32) -> Self {
        Self {
            projects: BTreeMap::new(),
            max_turns_of_tenant,
            budgets: Arc::default(),
            deleted_kept_for: KEPT,
        }
    }

    /// Holds tenants to budgets.
    pub fn set_budgets(&mut self, budgets: Budgets) {
        self.budgets = Arc::new(budgets);
    }

    /// How much may be used.
    pub fn budgets(&self) -> &Arc<Budgets> {
        &self.budgets
    }

    /// Says for how long a deletion can be undone; zero if it cannot.
    pub fn keep_deleted_for(&mut self, span: Duration) {
        self.deleted_kept_for = span;
    }

    /// For how long a deletion can be undone.
    pub fn deleted_kept_for(&self) -> Duration {
        self.deleted_kept_for
    }

    pub(crate) fn max_turns_of_tenant(&self) -> u32 {
        self.max_turns_of_tenant
    }

    /// Adds a project to a tenant.
    pub fn add(&mut self, tenant: TenantId, project: Project) {
        self.projects.insert((tenant, project.id.clone()), Arc::new(project));
    }

    /// A tenant's project.
    pub fn get(&self, tenant: &TenantId, project: &ProjectId) -> Option<&Arc<Project>> {
        self.projects.get(&(tenant.clone(), project.clone()))
    }

    /// All projects of all tenants.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Project>> {
        self.projects.values()
    }

    /// All projects, each with its tenant.
    pub fn with_tenants(&self) -> impl Iterator<Item = (&TenantId, &Arc<Project>)> {
        self.projects.iter().map(|((tenant, _), project)| (tenant, project))
    }

    /// All projects of a tenant.
    pub fn of(&self, tenant: &TenantId) -> impl Iterator<Item = &Arc<Project>> {
        self.projects
            .iter()
            .filter(move |((owner, _), _)| owner == tenant)
            .map(|(_, project)| project)
    }
}
