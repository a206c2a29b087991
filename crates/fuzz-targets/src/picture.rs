//! Pictures that people upload and tools return.

use parlor_agents::picture;

/// A picture that can be decoded is of the type that its first bytes say.
pub fn run(data: &[u8]) {
    if let Ok(checked) = picture::check(data) {
        assert_eq!(picture::media_type(data), Ok(checked));
    }
}
