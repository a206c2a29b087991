//! Golden files, which are written if `PARLOR_UPDATE_GOLDEN` is set.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::fmt::Debug;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Asserts that a value serializes to its file, and that the file deserializes to the value.
pub(crate) fn golden<T: Serialize + DeserializeOwned + PartialEq + Debug>(name: &str, value: &T) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    let mut text = serde_json::to_string_pretty(value).unwrap();
    text.push('\n');
    assert_file(&path, &text);
    let read: T = serde_json::from_str(&text).unwrap();
    assert_eq!(&read, value, "{name} is read back as something else");
}

/// Asserts that a file has this content, or writes it.
pub(crate) fn assert_file(path: &Path, expected: &str) {
    if std::env::var_os("PARLOR_UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, expected).unwrap();
        return;
    }
    let actual = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        actual == expected,
        "{} is not what the code says any more. If the change is meant, run \
         `PARLOR_UPDATE_GOLDEN=1 cargo test -p parlor-protocol`, read the difference, and commit \
         it.\n--- expected\n{expected}\n--- found\n{actual}",
        path.display()
    );
}
