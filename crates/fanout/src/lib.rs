//! Hints and live text between nodes; nothing that has to arrive.
//!
//! PostgreSQL is the truth. What goes over this channel says when to look there, or shows
//! streamed text before it is stored. Whatever is lost is found later by reading storage, so
//! nothing here waits, fails or grows because the channel does not work.
//!
//! 1. [`Fanout::hint`] adds a [`Hint`] to those that wait ([`outgoing`]), each of them once.
//! 2. One task ([`sending`]) sends them, many in one [`payload`], and a payload without hints
//!    every second: the beat.
//! 3. The [`channel`] carries payloads: `NOTIFY` of PostgreSQL ([`postgres`]), or `PUBLISH` of
//!    Redis or Valkey ([`redis`]), which also carries live text.
//! 4. Another task ([`receiving`]) listens. If the own beat does not come back, it connects
//!    again, and everything live has to be reread: [`Received::Missed`].
//! 5. What arrives goes into two bounded queues ([`incoming`]): one for the chat, one for
//!    changes of access.
//! 6. [`health`] knows whether the own beat comes back, and what is wrong if it does not.
//!
//! Must never contain: storage, or a decision about what a hint means.

mod backoff;
mod channel;
mod fanout;
pub mod fuzz;
mod health;
mod hint;
mod incoming;
mod outgoing;
mod payload;
mod peer;
mod postgres;
mod receiving;
mod redis;
mod sending;

pub use fanout::Fanout;
pub use health::{Health, Payloads};
pub use hint::{AccessChange, Hint};
pub use incoming::Received;
pub use peer::{InvalidPeer, Peer};
pub use redis::{InvalidRedisUrl, RedisUrl};
