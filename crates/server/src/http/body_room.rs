//! How much all bodies that are being read may take in memory together.
//!
//! The first bytes of a body are free, so that a form or a message is always read.
//! What is more than that needs one of the places for large bodies, and room for its
//! bytes before they are kept. Without room it is refused, and can be sent again.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::config::Limits;

/// What every body may take.
const FREE: usize = 16 << 10;

/// The room for all bodies.
#[derive(Debug)]
pub struct BodyRoom {
    places: Arc<Semaphore>,
    bytes: Arc<Semaphore>,
}

/// The bytes of one body, with the room that they take.
#[derive(Debug)]
pub(crate) struct RoomyBytes {
    bytes: Vec<u8>,
    place: Option<OwnedSemaphorePermit>,
    room: Option<OwnedSemaphorePermit>,
}

/// There is no room now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoRoom;

impl BodyRoom {
    /// All of it.
    pub fn new(limits: &Limits) -> Self {
        Self {
            places: Arc::new(Semaphore::new(limits.bodies as usize)),
            bytes: Arc::new(Semaphore::new(limits.body_memory)),
        }
    }

    /// Appends to a body; `rest` is how much more of it is known to come.
    pub(crate) fn extend(
        &self,
        body: &mut RoomyBytes,
        data: &[u8],
        rest: usize,
    ) -> Result<(), NoRoom> {
        let length = body.bytes.len() + data.len();
        if length > body.bytes.capacity() {
            // It doubles, but does not grow over what was announced.
            let capacity = length + length.min(rest);
            self.make_room(body, capacity)?;
            body.bytes.reserve_exact(capacity - body.bytes.len());
        }
        body.bytes.extend_from_slice(data);
        Ok(())
    }

    fn make_room(&self, body: &mut RoomyBytes, capacity: usize) -> Result<(), NoRoom> {
        let Some(needed) = capacity.checked_sub(FREE).filter(|needed| *needed > 0) else {
            return Ok(());
        };
        if body.place.is_none() {
            body.place = Some(Arc::clone(&self.places).try_acquire_owned().map_err(|_| NoRoom)?);
        }
        let has = body.room.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let more = u32::try_from(needed.saturating_sub(has)).map_err(|_| NoRoom)?;
        let more = Arc::clone(&self.bytes).try_acquire_many_owned(more).map_err(|_| NoRoom)?;
        match &mut body.room {
            Some(room) => room.merge(more),
            None => body.room = Some(more),
        }
        Ok(())
    }
}

impl RoomyBytes {
    pub(crate) fn new() -> Self {
        Self { bytes: Vec::new(), place: None, room: None }
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes alone, for whoever reads them at once.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Sources};

    fn room(bodies: u32, memory: usize) -> BodyRoom {
        let mut limits = Config::load(&Sources::default()).unwrap().server.limits;
        limits.bodies = bodies;
        limits.body_memory = memory;
        BodyRoom::new(&limits)
    }

    /// FAULTS 9, 15: bodies are bounded in all, whatever they announce.
    #[test]
    fn bodies_are_bounded_in_all() {
        let room = room(100, 100_000);
        let (piece, mut bodies) = ([b'x'; 5_000], Vec::new());
        for _ in 0..60 {
            let mut body = RoomyBytes::new();
            while body.len() < 50_000 && room.extend(&mut body, &piece, 1_000_000).is_ok() {}
            assert!(body.len() >= 5_000, "the beginning is always read");
            bodies.push(body);
        }
        let held: usize = bodies.iter().map(|body| body.bytes.capacity()).sum();
        assert!(held <= 100_000 + 60 * FREE, "{held}");
        bodies.clear();
        let mut body = RoomyBytes::new();
        for left in (0..20).rev() {
            room.extend(&mut body, &piece, left * 5_000).unwrap();
        }
        assert_eq!((body.len(), body.bytes.capacity()), (100_000, 100_000));
    }

    #[test]
    fn large_bodies_are_bounded_in_number() {
        let room = room(1, 1 << 20);
        let large = [b'x'; 20_000];
        let mut first = RoomyBytes::new();
        room.extend(&mut first, &large, 0).unwrap();
        assert_eq!(room.extend(&mut RoomyBytes::new(), &large, 0), Err(NoRoom));
        assert_eq!(room.extend(&mut RoomyBytes::new(), b"small", 0), Ok(()));
        drop(first);
        assert_eq!(room.extend(&mut RoomyBytes::new(), &large, 0), Ok(()));
    }
}
