//! Passwords: argon2id, one at a time, on a blocking thread.
//!
//! One hash takes a core for some milliseconds, and 46 MB, which go back to the
//! system as a whole. A hundred logins at once wait in a queue, so that they take one
//! core and leave the others to the streams.

use std::sync::Arc;
use std::time::Duration;

use argon2::password_hash::phc::{Output, PasswordHash, Salt};
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _, try_generate_salt};
use argon2::{Algorithm, Argon2, Block, Params, Version};
use secrecy::{ExposeSecret, SecretString};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How long an attempt waits in the queue before it is refused.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// Shorter passwords cause a warning.
const FEWEST_CHARACTERS: usize = 8;

/// A warning about a password that is easy to guess.
pub(crate) fn weakness(password: &SecretString) -> Option<String> {
    let characters = password.expose_secret().chars().count();
    (characters < FEWEST_CHARACTERS).then(|| {
        format!("it has fewer than {FEWEST_CHARACTERS} characters and is easy to guess; choose a longer one")
    })
}

/// Hashes and verifies. Cheap to clone; clones share the queue.
#[derive(Debug, Clone)]
pub(crate) struct PasswordHasher {
    queue: Arc<Semaphore>,
}

/// Why a password was not hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HashError {
    /// Retry later: too many attempts are waiting.
    #[error("too many passwords are being checked")]
    Busy,
    /// Log it.
    #[error("the password could not be hashed")]
    Failed,
}

impl PasswordHasher {
    pub(crate) fn new() -> Self {
        Self { queue: Arc::new(Semaphore::new(1)) }
    }

    /// The hashes to store, each with its own salt and parameters in it. They are
    /// computed in the same memory: allocating it takes longer than hashing.
    pub(crate) async fn hash(
        &self,
        passwords: Vec<SecretString>,
    ) -> Result<Vec<String>, HashError> {
        self.queued(move || {
            let argon2 = argon2()?;
            let mut memory = vec![Block::new(); argon2.params().block_count()];
            let hash = |password: &SecretString| hash(&argon2, password, &mut memory);
            passwords.iter().map(hash).collect::<Option<_>>().ok_or(HashError::Failed)
        })
        .await?
    }

    /// Which of the hashes the password belongs to. Without any it takes as long, so
    /// that nobody learns which tenants exist.
    pub(crate) async fn find<T: Send + 'static>(
        &self,
        password: SecretString,
        hashes: Vec<(T, String)>,
    ) -> Result<Option<T>, HashError> {
        self.queued(move || {
            let password = password.expose_secret().as_bytes();
            if hashes.is_empty() {
                let _as_long = argon2().map(|argon2| argon2.hash_password(password));
            }
            hashes.into_iter().find(|(_, hash)| matches(password, hash)).map(|(which, _)| which)
        })
        .await
    }

    async fn queued<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, HashError> {
        let permit = self.wait().await?;
        let work = move || {
            // The caller may be gone; the work still holds its permit.
            let _permit = permit;
            work()
        };
        tokio::task::spawn_blocking(work).await.map_err(|_| HashError::Failed)
    }

    async fn wait(&self) -> Result<OwnedSemaphorePermit, HashError> {
        let permit = self.queue.clone().acquire_owned();
        match tokio::time::timeout(LONGEST_WAIT, permit).await {
            Ok(Ok(permit)) => Ok(permit),
            _ => Err(HashError::Busy),
        }
    }
}

/// What OWASP recommends first: 46 MiB, one pass, one lane.
fn argon2() -> Result<Argon2<'static>, HashError> {
    let params = Params::new(46 << 10, 1, 1, None).map_err(|_| HashError::Failed)?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

fn hash(argon2: &Argon2<'_>, password: &SecretString, memory: &mut [Block]) -> Option<String> {
    let salt = try_generate_salt().ok()?;
    let mut hash = [0; Params::DEFAULT_OUTPUT_LEN];
    let password = password.expose_secret().as_bytes();
    argon2.hash_password_into_with_memory(password, &salt, &mut hash, memory).ok()?;
    let hash = PasswordHash {
        algorithm: Algorithm::Argon2id.ident(),
        version: Some(Version::V0x13.into()),
        params: argon2.params().try_into().ok()?,
        salt: Some(Salt::new(&salt).ok()?),
        hash: Some(Output::new(&hash).ok()?),
    };
    Some(hash.to_string())
}

/// The parameters are those of the hash.
fn matches(password: &[u8], hash: &str) -> bool {
    PasswordHash::new(hash)
        .is_ok_and(|hash| Argon2::default().verify_password(password, &hash).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_password_causes_a_warning() {
        for (password, is_weak) in
            [("1", true), ("sevench", true), ("eightch8", false), ("áéíóúâêô", false)]
        {
            assert_eq!(weakness(&password.into()).is_some(), is_weak, "{password}");
        }
    }

    #[tokio::test]
    async fn a_password_is_found_by_its_hash() {
        let hasher = PasswordHasher::new();
        let secret = |text: &str| SecretString::from(text);
        let made = hasher.hash(vec![secret("right"), secret("other"), secret("right")]).await;
        let [right, other, again] = made.unwrap().try_into().unwrap();
        assert!(right.starts_with("$argon2id$v=19$m=47104,t=1,p=1$"), "{right}");
        assert_ne!(right, again, "each has a salt of its own");
        let hashes = vec![("broken", "nonsense".to_owned()), ("user", right), ("admin", other)];
        assert_eq!(hasher.find(secret("right"), hashes.clone()).await, Ok(Some("user")));
        assert_eq!(hasher.find(secret("other"), hashes.clone()).await, Ok(Some("admin")));
        assert_eq!(hasher.find(secret("wrong"), hashes).await, Ok(None));
        assert_eq!(hasher.find(secret("right"), vec![((), again)]).await, Ok(Some(())));
        assert_eq!(hasher.find::<()>(secret("right"), vec![]).await, Ok(None));
    }
}
