//! Files that a test compares with, and writes when `PARLOR_UPDATE_GOLDEN` is set.

use std::path::Path;

/// Asserts that a file says what it should, or writes it.
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
