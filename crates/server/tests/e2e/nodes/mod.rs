//! Several nodes on one PostgreSQL database, as processes of their own: each does what another
//! would, and takes over from one that is gone (E-2, E-3, N-3).

mod clocks;
pub(crate) mod cluster;
mod homes;
mod reading;
mod taking_over;
