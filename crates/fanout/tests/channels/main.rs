//! Several peers on the real channels: PostgreSQL and Redis as `cargo xtask services` starts
//! them, and a Redis server of the test's own that is paused and killed. Where there is no
//! server, the tests say that they are skipped.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may fail")]

mod alone;
mod node;
mod over_postgres;
mod over_redis;
mod private_redis;
mod redis_faults;
mod story;
