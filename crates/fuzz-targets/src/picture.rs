//! Pictures that people upload and tools return.

/// A picture that can be decoded is of the type that its first bytes say.
pub fn run(data: &[u8]) {
    if let Ok(checked) = parlor_picture::check(data) {
        assert_eq!(parlor_picture::media_type(data), Ok(checked));
    }
}
