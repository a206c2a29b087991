//! An agent CLI behind the chat: the real one, and one that misbehaves, each under
//! the real binary, with people on real WebSockets.

mod abuses;
mod conversation;
mod deaths;
mod desk;
mod durable;
mod initiative;
mod parked;
mod permissions;
mod person;
mod plans;
mod queue;
