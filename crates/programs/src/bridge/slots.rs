//! How many processes of agents may run at once, in a project and on the server.
//!
//! A process needs a slot. Where none is free:
//! 1. A process that has nothing to do is ended to make room: the one that was idle
//!    longest, of the same project if that project has no slot left.
//! 2. Else the request waits. A free slot goes to the project that has the fewest
//!    processes, so that one project cannot keep the others waiting, and inside a
//!    project to the request that waited longest. A request that is dropped leaves
//!    the queue.
//!
//! A slot is free again once its process is gone, so there are never more processes
//! than slots.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// The slots of a server. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ProcessSlots(Arc<Mutex<State>>);

/// The slots of a project.
#[derive(Debug)]
pub(super) struct ProjectSlots {
    all: ProcessSlots,
    project: usize,
}

/// The right to run one process. Dropping it frees the slot.
#[derive(Debug)]
pub(super) struct Slot {
    all: ProcessSlots,
    number: u64,
    leave: CancellationToken,
}

/// A place in the queue. Dropping it leaves the queue.
#[derive(Debug)]
pub(super) struct SlotRequest {
    all: ProcessSlots,
    number: u64,
    granted: oneshot::Receiver<Slot>,
}

#[derive(Debug)]
struct State {
    /// The most processes on the server.
    most: usize,
    projects: Vec<ProjectState>,
    taken: BTreeMap<u64, Taken>,
    waiting: BTreeMap<u64, Waiting>,
    /// Slots, requests and moments are numbered in their order.
    next: u64,
}

#[derive(Debug)]
struct ProjectState {
    /// The most processes of this project.
    most: usize,
    running: usize,
}

#[derive(Debug)]
struct Taken {
    project: usize,
    /// Since which moment it has nothing to do.
    idle_since: Option<u64>,
    leave: CancellationToken,
}

#[derive(Debug)]
struct Waiting {
    project: usize,
    grant: oneshot::Sender<Slot>,
}

impl ProcessSlots {
    /// So many for the whole server.
    pub fn new(most: usize) -> Self {
        Self(Arc::new(Mutex::new(State {
            most,
            projects: Vec::new(),
            taken: BTreeMap::new(),
            waiting: BTreeMap::new(),
            next: 0,
        })))
    }

    /// A project that may use so many of them.
    pub(super) fn for_project(&self, most: usize) -> ProjectSlots {
        let mut state = self.lock();
        state.projects.push(ProjectState { most, running: 0 });
        ProjectSlots { all: self.clone(), project: state.projects.len() - 1 }
    }

    /// Gives free slots to whoever waits, and asks idle processes to leave for the rest.
    fn distribute(&self) {
        let mut grants = Vec::new();
        {
            let mut state = self.lock();
            while let Some((request, project)) = state.next_request() {
                let Some(waiting) = state.waiting.remove(&request) else { break };
                let number = state.number();
                let leave = CancellationToken::new();
                state.projects[project].running += 1;
                let taken = Taken { project, idle_since: None, leave: leave.clone() };
                state.taken.insert(number, taken);
                grants.push((waiting.grant, Slot { all: self.clone(), number, leave }));
            }
            state.make_room();
        }
        // Outside of the lock: a request that is gone gives its slot back by dropping it.
        for (grant, slot) in grants {
            let _gone = grant.send(slot);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ProjectSlots {
    /// Asks for a slot.
    pub(super) fn request(&self) -> SlotRequest {
        let (grant, granted) = oneshot::channel();
        let number = {
            let mut state = self.all.lock();
            let number = state.number();
            state.waiting.insert(number, Waiting { project: self.project, grant });
            number
        };
        self.all.distribute();
        SlotRequest { all: self.all.clone(), number, granted }
    }
}

impl SlotRequest {
    /// The slot, if it is there already.
    pub(super) fn at_once(&mut self) -> Option<Slot> {
        self.granted.try_recv().ok()
    }

    /// Waits for the slot. Cancel-safe.
    pub(super) async fn granted(&mut self) -> Slot {
        match (&mut self.granted).await {
            Ok(slot) => slot,
            // The other end is dropped only once it has granted.
            Err(_) => std::future::pending().await,
        }
    }
}

impl Drop for SlotRequest {
    fn drop(&mut self) {
        self.all.lock().waiting.remove(&self.number);
    }
}

impl Slot {
    /// The process has nothing to do: it may be asked to leave.
    pub(super) fn is_idle(&self) {
        {
            let mut state = self.all.lock();
            let now = state.number();
            if let Some(taken) = state.taken.get_mut(&self.number) {
                taken.idle_since.get_or_insert(now);
            }
        }
        self.all.distribute();
    }

    /// The process has something to do; false if it was asked to leave before.
    pub(super) fn is_busy(&self) -> bool {
        let mut state = self.all.lock();
        if let Some(taken) = state.taken.get_mut(&self.number) {
            taken.idle_since = None;
        }
        !self.leave.is_cancelled()
    }

    /// Waits until the process is asked to leave.
    pub(super) async fn asked_to_leave(&self) {
        self.leave.cancelled().await;
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        {
            let mut state = self.all.lock();
            if let Some(taken) = state.taken.remove(&self.number) {
                let running = &mut state.projects[taken.project].running;
                *running = running.saturating_sub(1);
            }
        }
        self.all.distribute();
    }
}

impl State {
    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// The request that gets a free slot, if there are both.
    fn next_request(&self) -> Option<(u64, usize)> {
        if self.taken.len() >= self.most {
            return None;
        }
        let has_room = |waiting: &Waiting| {
            let project = &self.projects[waiting.project];
            project.running < project.most
        };
        let candidates = self.waiting.iter().filter(|(_, waiting)| has_room(waiting));
        candidates
            .map(|(number, waiting)| (*number, waiting.project))
            .min_by_key(|(number, project)| (self.projects[*project].running, *number))
    }

    /// Asks as many idle processes to leave as there are requests that need it.
    fn make_room(&mut self) {
        let stays = |taken: &&Taken| !taken.leave.is_cancelled();
        let mut running = self.taken.values().filter(stays).count();
        let mut of_project = vec![0; self.projects.len()];
        self.taken.values().filter(stays).for_each(|taken| of_project[taken.project] += 1);
        for waiting in self.waiting.values() {
            let project_is_full =
                of_project[waiting.project] >= self.projects[waiting.project].most;
            if project_is_full || running >= self.most {
                let only = project_is_full.then_some(waiting.project);
                let Some(project) = self.ask_to_leave(only) else { continue };
                of_project[project] -= 1;
                running -= 1;
            }
            of_project[waiting.project] += 1;
            running += 1;
        }
    }

    /// Asks the process to leave that was idle longest; gives its project.
    fn ask_to_leave(&self, only: Option<usize>) -> Option<usize> {
        let idle = self.taken.values().filter(|taken| {
            only.is_none_or(|project| taken.project == project) && !taken.leave.is_cancelled()
        });
        let longest = idle
            .filter_map(|taken| Some((taken.idle_since?, taken)))
            .min_by_key(|(since, _)| *since);
        let (_, taken) = longest?;
        taken.leave.cancel();
        Some(taken.project)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn granted(request: &mut SlotRequest) -> Slot {
        request.at_once().expect("a slot is free")
    }

    fn leaves(slot: &Slot) -> bool {
        slot.leave.is_cancelled()
    }

    /// B-2: there are never more than the project and the server may have, and whoever
    /// waited longest is next.
    #[test]
    fn a_free_slot_goes_to_who_waited_longest() {
        let all = ProcessSlots::new(8);
        let project = all.for_project(1);
        let slot = granted(&mut project.request());
        let mut waiting = [project.request(), project.request(), project.request()];
        assert!(waiting.iter_mut().all(|request| request.at_once().is_none()));
        drop(slot);
        let slot = granted(&mut waiting[0]);
        assert!(waiting[1].at_once().is_none());
        // Whoever leaves the queue is passed over.
        let [_, second, mut third] = waiting;
        drop(second);
        drop(slot);
        granted(&mut third);
    }

    /// B-2: a slot that was granted to a request that is gone is free again.
    #[test]
    fn a_request_that_is_gone_keeps_no_slot() {
        let all = ProcessSlots::new(1);
        let project = all.for_project(1);
        drop(project.request());
        granted(&mut project.request());
    }

    /// A project with many requests does not keep another one waiting.
    #[test]
    fn the_project_with_the_fewest_processes_is_next() {
        let all = ProcessSlots::new(2);
        let (busy, quiet) = (all.for_project(2), all.for_project(2));
        let first = granted(&mut busy.request());
        let _second = granted(&mut busy.request());
        let mut more = [busy.request(), busy.request()];
        let mut one = quiet.request();
        drop(first);
        let _its = granted(&mut one);
        assert!(more.iter_mut().all(|request| request.at_once().is_none()));
    }

    /// A full project does not hold up those behind it.
    #[test]
    fn who_can_be_served_is_served() {
        let all = ProcessSlots::new(2);
        let (full, other) = (all.for_project(1), all.for_project(1));
        let _slot = granted(&mut full.request());
        let mut waits = full.request();
        granted(&mut other.request());
        assert!(waits.at_once().is_none());
    }

    /// An idle process leaves for whoever waits, the longest idle first; one that has
    /// something to do never does, and no more leave than are needed.
    #[test]
    fn idle_processes_make_room() {
        let all = ProcessSlots::new(3);
        let project = all.for_project(3);
        let slots = [(); 3].map(|()| granted(&mut project.request()));
        slots[1].is_idle();
        slots[0].is_idle();
        let mut request = project.request();
        assert_eq!(slots.each_ref().map(leaves), [false, true, false]);
        assert!(!slots[1].is_busy(), "it was asked to leave");
        assert!(slots[0].is_busy());
        let later = project.request();
        assert_eq!(slots.each_ref().map(leaves), [false, true, false]);
        slots[2].is_idle();
        assert_eq!(slots.each_ref().map(leaves), [false, true, true]);
        drop(later);
        let [_, idle, _] = slots;
        drop(idle);
        granted(&mut request);
    }

    /// A full project makes room among its own processes, a full server among all.
    #[test]
    fn room_is_made_where_it_is_needed() {
        let all = ProcessSlots::new(2);
        let (one, other) = (all.for_project(1), all.for_project(2));
        let (mine, theirs) = (granted(&mut one.request()), granted(&mut other.request()));
        theirs.is_idle();
        mine.is_idle();
        let waits = one.request();
        assert_eq!((leaves(&mine), leaves(&theirs)), (true, false));
        drop(waits);
        let _waits = [other.request(), other.request()];
        assert_eq!((leaves(&mine), leaves(&theirs)), (true, true));
    }
}
