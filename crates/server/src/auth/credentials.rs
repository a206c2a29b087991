//! Creating and changing credentials: the command line does it for any tenant, and the
//! first start for the tenant `home`, from the environment or with random ones that
//! are shown once.

use parlor_protocol::{PersonId, TenantId};
use parlor_storage::{AccessRole, NewToken, Store, TokenKind};
use secrecy::{ExposeSecret, SecretString};

use super::AccessError;
use super::password::PasswordHasher;
use super::token::{TokenHash, new_password, new_token, new_token_id};
use crate::clock::Clock;
use crate::config::Credentials;

/// A credential that was just created, to be shown once.
#[derive(Debug)]
pub struct NewCredential {
    /// Its name, as it is shown.
    pub name: &'static str,
    /// The secret. `Debug` does not print it.
    pub secret: SecretString,
}

/// Stores the passwords that the environment sets, and creates what is missing. The
/// API key of the environment is not stored: it is valid as long as it is set.
pub async fn prepare_credentials(
    store: &Store,
    clock: &Clock,
    tenant: &TenantId,
    credentials: &Credentials,
) -> Result<Vec<NewCredential>, AccessError> {
    let (mut made, mut changes) = (Vec::new(), Vec::new());
    let passwords = [
        ("password", AccessRole::User, &credentials.password),
        ("admin password", AccessRole::Admin, &credentials.admin_password),
    ];
    for (name, role, given) in passwords {
        let stored = store.access().password_hash(tenant, role).await?;
        match (given, stored) {
            (Some(given), Some(hash)) if is_same(given, hash.clone()).await? => {}
            (Some(given), _) => changes.push((role, given.clone())),
            (None, Some(_)) => {}
            (None, None) => {
                let secret = new_password()?;
                changes.push((role, secret.clone()));
                made.push(NewCredential { name, secret });
            }
        }
    }
    set_passwords(store, clock, tenant, changes).await?;
    let keys = store.access().tokens(tenant, TokenKind::Key).await?;
    if credentials.api_key.is_none() && keys.is_empty() {
        let (_, secret) = add_key(store, clock, tenant, (AccessRole::Admin, None), "first").await?;
        made.push(NewCredential { name: "admin API key", secret });
    }
    Ok(made)
}

/// Sets passwords, which ends the sessions of the old ones.
pub(crate) async fn set_passwords(
    store: &Store,
    clock: &Clock,
    tenant: &TenantId,
    passwords: Vec<(AccessRole, SecretString)>,
) -> Result<(), AccessError> {
    if passwords.is_empty() {
        return Ok(());
    }
    let (roles, passwords): (Vec<_>, Vec<_>) = passwords.into_iter().unzip();
    let hashes = PasswordHasher::new().hash(passwords).await?;
    for (role, hash) in roles.into_iter().zip(hashes) {
        store.access().set_password(tenant, role, &hash, clock.now()).await?;
    }
    Ok(())
}

/// Creates a key, of the tenant or of a person; returns its id and its secret.
pub(crate) async fn add_key(
    store: &Store,
    clock: &Clock,
    tenant: &TenantId,
    (role, person): (AccessRole, Option<PersonId>),
    name: &str,
) -> Result<(String, SecretString), AccessError> {
    let secret = new_token("parlor")?;
    let key = NewToken {
        id: new_token_id()?,
        hash: TokenHash::of(secret.expose_secret()).to_hex(),
        kind: TokenKind::Key,
        tenant: tenant.clone(),
        role,
        name: name.to_owned(),
        person,
        device: None,
        created_at: clock.now(),
        expires_at: None,
    };
    store.access().add_token(&key).await?;
    Ok((key.id, secret))
}

async fn is_same(password: &SecretString, hash: String) -> Result<bool, AccessError> {
    let found = PasswordHasher::new().find(password.clone(), vec![((), hash)]).await?;
    Ok(found.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn store() -> (Store, tempfile::TempDir) {
        let dir = tempfile::tempdir().unwrap();
        (Store::open(&dir.path().join("test.db")).await.unwrap(), dir)
    }

    /// FAULTS 25: no default password; created once, shown once.
    #[tokio::test]
    async fn credentials_are_created_once() {
        let (store, _dir) = store().await;
        let (clock, home) = (Clock::default(), "home".parse().unwrap());
        let none = Credentials::default();
        let made = prepare_credentials(&store, &clock, &home, &none).await.unwrap();
        let names: Vec<_> = made.iter().map(|made| made.name).collect();
        assert_eq!(names, ["password", "admin password", "admin API key"]);
        assert!(!format!("{made:?}").contains(made[0].secret.expose_secret()));
        let again = prepare_credentials(&store, &clock, &home, &none).await.unwrap();
        assert!(again.is_empty());
    }

    #[tokio::test]
    async fn the_environment_sets_them_and_changes_them() {
        let (store, _dir) = store().await;
        let (clock, home) = (Clock::default(), "home".parse().unwrap());
        let with = |password: &str| Credentials {
            password: Some(password.into()),
            admin_password: Some("admin".into()),
            api_key: Some("key".into()),
            secret_key: None,
            editor_key: None,
        };
        let made = prepare_credentials(&store, &clock, &home, &with("one")).await.unwrap();
        assert!(made.is_empty());
        let hash = || async {
            store.access().password_hash(&home, AccessRole::User).await.unwrap().unwrap()
        };
        let first = hash().await;
        prepare_credentials(&store, &clock, &home, &with("one")).await.unwrap();
        assert_eq!(hash().await, first, "an unchanged password ends no session");
        prepare_credentials(&store, &clock, &home, &with("two")).await.unwrap();
        assert!(is_same(&"two".into(), hash().await).await.unwrap());
        assert!(store.access().tokens(&home, TokenKind::Key).await.unwrap().is_empty());
    }
}
