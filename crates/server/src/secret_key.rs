//! The secret of this server: from `PARLOR_SECRET_KEY`, or else from a file in the data directory that
//! is written on the first start. Several nodes need the same variable. Each use makes a key of its
//! own from it.

use std::fs::{self, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};

/// The file with the secret, in the data directory.
pub(crate) const FILE: &str = "secret.key";
const FILE_BYTES: usize = 32;

/// Makes keys. It has no `Debug`.
pub(crate) struct ServerSecret(Vec<u8>);

impl ServerSecret {
    /// The secret of a server.
    pub(crate) fn of_server(secret: Option<&SecretString>, data_dir: &Path) -> io::Result<Self> {
        match secret {
            Some(secret) => Ok(Self::new(secret.expose_secret().as_bytes())),
            None => Ok(Self(read_or_create(&data_dir.join(FILE))?)),
        }
    }

    pub(crate) fn new(secret: &[u8]) -> Self {
        Self(secret.to_vec())
    }

    /// The key for a purpose, which ends in NUL so that no purpose is the beginning of another.
    pub(crate) fn key(&self, purpose: &[u8]) -> [u8; 32] {
        Sha256::new().chain_update(purpose).chain_update(&self.0).finalize().into()
    }
}

/// Only its owner can read the file. Of two processes that create it one wins.
fn read_or_create(path: &Path) -> io::Result<Vec<u8>> {
    let mut secret = [0; FILE_BYTES];
    getrandom::fill(&mut secret).map_err(io::Error::other)?;
    // Written whole before it has its name, so that a kill in between leaves no half of it.
    let new = path.with_extension(format!("key.{}", std::process::id()));
    match fs::File::open(path) {
        Ok(existing) => return read(existing),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Err(_) => {}
    }
    let mut options = OpenOptions::new();
    let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&new)?;
    file.write_all(&secret).and_then(|()| file.sync_all())?;
    let linked = fs::hard_link(&new, path);
    fs::remove_file(&new)?;
    match linked {
        Ok(()) => Ok(secret.to_vec()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => read(fs::File::open(path)?),
        Err(error) => Err(error),
    }
}

fn read(file: fs::File) -> io::Result<Vec<u8>> {
    let mut secret = Vec::new();
    file.take(FILE_BYTES as u64 + 1).read_to_end(&mut secret)?;
    if secret.len() == FILE_BYTES { Ok(secret) } else { Err(io::ErrorKind::InvalidData.into()) }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    /// I-5: the secret is made once, and nobody else can read it.
    #[test]
    fn the_file_is_made_once_and_is_its_owners() {
        let dir = tempfile::tempdir().unwrap();
        let first = ServerSecret::of_server(None, dir.path()).unwrap();
        let again = ServerSecret::of_server(None, dir.path()).unwrap();
        assert_eq!(first.key(b"a\0"), again.key(b"a\0"));
        assert_ne!(first.key(b"a\0"), first.key(b"b\0"));
        let mode = fs::metadata(dir.path().join(FILE)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        fs::write(dir.path().join(FILE), "short").unwrap();
        assert!(ServerSecret::of_server(None, dir.path()).is_err());
    }
}
