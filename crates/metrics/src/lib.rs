//! Metrics: what is counted while the server runs, and how Prometheus reads it (O-3).
//!
//! - [`Counter`], [`Gauge`] and [`Timings`] are atomics: to count something is one atomic add, two
//!   for a duration. What is counted belongs to whoever counts it; there is no registry and no
//!   global.
//! - [`Family`] counts by labels that come up while the server runs. It is locked, so it is for what
//!   happens now and then, and holds a bounded number of them.
//! - [`Exposition`] writes all of them as text.
//!
//! Must never contain: IO, a clock, the name of a metric.

mod counts;
mod exposition;
mod family;
mod timings;

pub use counts::{Counter, Gauge, InUse};
pub use exposition::{Exposition, Kind, Labels};
pub use family::Family;
pub use timings::{TimingCounts, Timings};
