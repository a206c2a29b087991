//! A memory budget for all request bodies that are being read.
//!
//! The first bytes of a body are free, so that a form or a message is always read. A
//! larger body needs one of the slots for large bodies, and a share of the budget
//! before its bytes are kept. Without them it is refused, and can be sent again.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::config::Limits;

/// What every body may take without a share.
const FREE: usize = 16 << 10;

/// The budget for all bodies.
#[derive(Debug)]
pub struct BodyBudget {
    slots: Arc<Semaphore>,
    bytes: Arc<Semaphore>,
}

/// The bytes of one body, with the share of the budget that they take.
#[derive(Debug)]
pub(crate) struct BudgetedBytes {
    bytes: Vec<u8>,
    slot: Option<OwnedSemaphorePermit>,
    share: Option<OwnedSemaphorePermit>,
}

/// No slot or no memory is left at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BudgetExhausted;

impl BodyBudget {
    /// The whole budget.
    pub fn new(limits: &Limits) -> Self {
        Self {
            slots: Arc::new(Semaphore::new(limits.bodies as usize)),
            bytes: Arc::new(Semaphore::new(limits.body_memory)),
        }
    }

    /// Appends to a body; `rest` is how much more of it is known to come.
    pub(crate) fn extend(
        &self,
        body: &mut BudgetedBytes,
        data: &[u8],
        rest: usize,
    ) -> Result<(), BudgetExhausted> {
        let length = body.bytes.len() + data.len();
        if length > body.bytes.capacity() {
            // It doubles, but does not exceed what was announced.
            let capacity = length + length.min(rest);
            self.reserve(body, capacity)?;
            body.bytes.reserve_exact(capacity - body.bytes.len());
        }
        body.bytes.extend_from_slice(data);
        Ok(())
    }

    fn reserve(&self, body: &mut BudgetedBytes, capacity: usize) -> Result<(), BudgetExhausted> {
        let Some(needed) = capacity.checked_sub(FREE).filter(|needed| *needed > 0) else {
            return Ok(());
        };
        if body.slot.is_none() {
            let slot = Arc::clone(&self.slots).try_acquire_owned();
            body.slot = Some(slot.map_err(|_| BudgetExhausted)?);
        }
        let has = body.share.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let more = u32::try_from(needed.saturating_sub(has)).map_err(|_| BudgetExhausted)?;
        let more = Arc::clone(&self.bytes).try_acquire_many_owned(more);
        let more = more.map_err(|_| BudgetExhausted)?;
        match &mut body.share {
            Some(share) => share.merge(more),
            None => body.share = Some(more),
        }
        Ok(())
    }
}

impl BudgetedBytes {
    pub(crate) fn new() -> Self {
        Self { bytes: Vec::new(), slot: None, share: None }
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes alone, for code that consumes them at once.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Sources};

    fn budget(bodies: u32, memory: usize) -> BodyBudget {
        let mut limits = Config::load(&Sources::default()).unwrap().server.limits;
        limits.bodies = bodies;
        limits.body_memory = memory;
        BodyBudget::new(&limits)
    }

    /// FAULTS 9, 15: memory for bodies is limited in total, whatever they announce.
    #[test]
    fn bodies_are_limited_in_total() {
        let budget = budget(100, 100_000);
        let (piece, mut bodies) = ([b'x'; 5_000], Vec::new());
        for _ in 0..60 {
            let mut body = BudgetedBytes::new();
            while body.len() < 50_000 && budget.extend(&mut body, &piece, 1_000_000).is_ok() {}
            assert!(body.len() >= 5_000, "the beginning is always read");
            bodies.push(body);
        }
        let held: usize = bodies.iter().map(|body| body.bytes.capacity()).sum();
        assert!(held <= 100_000 + 60 * FREE, "{held}");
        bodies.clear();
        let mut body = BudgetedBytes::new();
        for left in (0..20).rev() {
            budget.extend(&mut body, &piece, left * 5_000).unwrap();
        }
        assert_eq!((body.len(), body.bytes.capacity()), (100_000, 100_000));
    }

    #[test]
    fn large_bodies_are_limited_in_number() {
        let budget = budget(1, 1 << 20);
        let large = [b'x'; 20_000];
        let mut first = BudgetedBytes::new();
        budget.extend(&mut first, &large, 0).unwrap();
        assert_eq!(budget.extend(&mut BudgetedBytes::new(), &large, 0), Err(BudgetExhausted));
        assert_eq!(budget.extend(&mut BudgetedBytes::new(), b"small", 0), Ok(()));
        drop(first);
        assert_eq!(budget.extend(&mut BudgetedBytes::new(), &large, 0), Ok(()));
    }
}
