//! Server-sent events, as a model server sends them.

use parlor_models::fuzz::sse_events;

use crate::cuts::cuts;

/// The same events for every cut, and the limit holds.
pub fn run(data: &[u8]) {
    for limit in [48, 1 << 20] {
        let whole = sse_events(limit, [data]);
        assert!(whole.0.iter().all(|event| event.len() <= limit));
        for pieces in cuts(data) {
            assert_eq!(sse_events(limit, pieces), whole, "limit {limit}");
        }
    }
}
