//! Frames of a WebSocket client.

use parlor_server::fuzz::websocket;

use crate::cuts::cuts;

/// The same messages and the same violation for every cut, below and above the limit.
pub fn run(data: &[u8]) {
    for limit in [48, 1 << 20] {
        let whole = websocket(limit, [data]);
        for pieces in cuts(data) {
            assert_eq!(websocket(limit, pieces), whole, "limit {limit}");
        }
    }
}
