//! Text and bytes on their way out, masked while they stream.

use std::sync::LazyLock;

use parlor_guard::sanitizer::{KnownValues, Sanitizer, SanitizerSettings, StreamSanitizer};

use crate::cuts::cuts;

/// Every rule that there is: behind a bridge, with directories and known values.
static SANITIZER: LazyLock<Sanitizer> = LazyLock::new(|| {
    let settings = SanitizerSettings {
        behind_bridge: Some(true),
        home: Some("/work/home".to_owned()),
        workspace: Some("/work/home/ws".to_owned()),
        known: KnownValues {
            secrets: vec!["known secret value".to_owned()],
            models: vec!["mock-7b".to_owned()],
            addresses: vec!["http://127.0.0.1:8801".to_owned()],
        },
        ..SanitizerSettings::default()
    };
    let session = "6bac0974-1a96-4424-92a8-69eaa8bbcd0d".to_owned();
    Sanitizer::new(&settings).expect("the settings are valid").with_sessions(&[session])
});

/// The same output for every cut (S-4); no known secret in it.
pub fn run(data: &[u8]) {
    let whole = streamed(SANITIZER.stream(), [data]);
    for pieces in cuts(data) {
        assert_eq!(streamed(SANITIZER.stream(), pieces), whole);
    }
    if let Ok(text) = std::str::from_utf8(data) {
        assert_eq!(SANITIZER.sanitize(text).as_bytes(), whole);
    }
    let secret = b"known secret value";
    assert!(!whole.windows(secret.len()).any(|window| window == secret));
}

fn streamed<'a>(
    mut stream: StreamSanitizer,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<u8> {
    let mut out = Vec::new();
    for piece in pieces {
        stream.push_bytes(piece, &mut out);
    }
    stream.finish_bytes(&mut out);
    out
}
