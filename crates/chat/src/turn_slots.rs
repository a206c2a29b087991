//! Limits the turns that run at the same time on this node, by tenant and by project. A turn
//! that waits for a person counts too: it goes on when it is answered.
//!
//! If several nodes share the database, [`turn_slot`] counts the turns of all of them too.
//!
//! [`turn_slot`]: crate::state::ChatState::turn_slot

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use parlor_protocol::{ProjectId, TenantId};

/// Counts the turns that run.
#[derive(Debug, Default)]
pub(crate) struct TurnSlots {
    running: Mutex<HashMap<TenantId, HashMap<ProjectId, u32>>>,
}

/// Counts one turn until it is dropped.
#[derive(Debug)]
pub(crate) struct TurnSlot {
    slots: Arc<TurnSlots>,
    tenant: TenantId,
    project: ProjectId,
}

impl TurnSlots {
    /// A slot, unless the tenant or the project has reached its limit.
    pub(crate) fn take(
        self: &Arc<Self>,
        tenant: &TenantId,
        project: &ProjectId,
        max_of_tenant: u32,
        max_of_project: u32,
    ) -> Option<TurnSlot> {
        let mut running = self.lock();
        let projects = running.entry(tenant.clone()).or_default();
        let in_project = projects.get(project).copied().unwrap_or_default();
        if in_project >= max_of_project || projects.values().sum::<u32>() >= max_of_tenant {
            return None;
        }
        *projects.entry(project.clone()).or_default() += 1;
        drop(running);
        let (tenant, project) = (tenant.clone(), project.clone());
        Some(TurnSlot { slots: Arc::clone(self), tenant, project })
    }

    /// A slot beyond all limits, for a turn that runs already: one that is resumed after a
    /// restart, or that the agent has begun.
    pub(crate) fn count(self: &Arc<Self>, tenant: &TenantId, project: &ProjectId) -> TurnSlot {
        *self.lock().entry(tenant.clone()).or_default().entry(project.clone()).or_default() += 1;
        TurnSlot { slots: Arc::clone(self), tenant: tenant.clone(), project: project.clone() }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<TenantId, HashMap<ProjectId, u32>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for TurnSlot {
    fn drop(&mut self) {
        let mut running = self.slots.lock();
        let Some(projects) = running.get_mut(&self.tenant) else { return };
        if let Some(count) = projects.get_mut(&self.project) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                projects.remove(&self.project);
            }
        }
        if projects.is_empty() {
            running.remove(&self.tenant);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FAULTS 14, 29: both limits hold, other tenants are not affected, and a turn that
    /// ended frees its slot.
    #[test]
    fn turns_are_counted_by_tenant_and_project() {
        let slots = Arc::new(TurnSlots::default());
        let tenants: [TenantId; 2] = ["home", "other"].map(|id| id.parse().unwrap());
        let projects: [ProjectId; 2] = ["a", "b"].map(|id| id.parse().unwrap());
        let take =
            |tenant: usize, project: usize| slots.take(&tenants[tenant], &projects[project], 3, 2);
        let first = take(0, 0).unwrap();
        let _second = take(0, 0).unwrap();
        assert!(take(0, 0).is_none(), "the project is full");
        let _third = take(0, 1).unwrap();
        assert!(take(0, 1).is_none(), "the tenant is full");
        assert!(take(1, 0).is_some());
        let resumed = slots.count(&tenants[0], &projects[0]);
        drop(first);
        assert!(take(0, 0).is_none(), "a resumed turn counts");
        drop(resumed);
        assert!(take(0, 0).is_some());
        assert_eq!(slots.lock().len(), 1, "a tenant without turns is forgotten");
    }
}
