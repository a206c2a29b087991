//! Push subscriptions, and the key pair that they were made with. What is stored is encrypted; the
//! key is not here.
//!
//! A subscription is worth nothing without its session: log-out, shutting out and a new password end
//! it with the session, and no statement has to think of it.

use parlor_database::{Batch, query};
use parlor_protocol::{TenantId, Timestamp};

use crate::columns::counter;
use crate::error::StorageError;
use crate::store::Store;

/// A valid session `t` of nobody who was shut out `w`, at the time that is this value.
pub(super) fn is_valid(now: &str) -> String {
    format!("t.revoked_at IS NULL AND t.expires_at > {now} AND w.disabled_at IS NULL")
}

/// Subscriptions that a push service was told of.
const OF_VALID: &str = "FROM push_subscriptions s JOIN tokens t ON t.id = s.session
     LEFT JOIN people w ON w.id = t.person";

/// A browser that is subscribed.
#[derive(Debug, Clone)]
pub struct NewPushSubscription<'n> {
    /// The session.
    pub session: &'n str,
    /// Its tenant.
    pub tenant: &'n TenantId,
    /// The hash of its endpoint, in hex.
    pub endpoint_hash: String,
    /// Endpoint and keys, encrypted.
    pub sealed: Vec<u8>,
    /// The language in which it is told.
    pub language: &'n str,
    /// When.
    pub created_at: Timestamp,
}

/// What administrators see of push subscriptions: numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PushNumbers {
    /// Browsers that are subscribed.
    pub subscriptions: u64,
    /// Those of them whose last message was not taken.
    pub failing: u64,
    /// Messages that are to be sent.
    pub unsent: u64,
}

/// Push subscriptions and their keys.
#[derive(Debug, Clone, Copy)]
pub struct Push<'s>(pub(super) &'s Store);

impl Store {
    /// Push subscriptions and their keys.
    pub fn push(&self) -> Push<'_> {
        Push(self)
    }
}

impl Push<'_> {
    /// The key pair, encrypted.
    pub async fn keys(&self) -> Result<Option<Vec<u8>>, StorageError> {
        let row = query("SELECT sealed FROM push_keys").fetch_optional(self.0.reader()).await?;
        Ok(row.map(|row| row.try_get("sealed")).transpose()?)
    }

    /// Stores a key pair unless there is one. Of several nodes that start at once one is first.
    pub async fn add_keys(&self, sealed: &[u8], now: Timestamp) -> Result<(), StorageError> {
        let mut batch = Batch::default();
        batch
            .add(
                "INSERT INTO push_keys (one, sealed, made_at) VALUES (1, $1, $2)
                 ON CONFLICT (one) DO NOTHING",
            )
            .bind(sealed.to_vec())
            .bind(now.0);
        self.0.run(batch).await
    }

    /// Forgets the key pair, and all subscriptions: they are worth nothing without it.
    pub async fn forget_keys(&self) -> Result<(), StorageError> {
        let mut batch = Batch::default();
        batch.add("DELETE FROM push_messages");
        batch.add("DELETE FROM push_subscriptions");
        batch.add("DELETE FROM push_keys");
        self.0.run(batch).await
    }

    /// Subscribes a browser, in place of what its session had before. Whoever used the same browser
    /// before is no longer told there. Returns whether the person, or the shared account, had not
    /// as many as they can have.
    pub async fn subscribe(
        &self,
        new: &NewPushSubscription<'_>,
        most: u64,
    ) -> Result<bool, StorageError> {
        let mut transaction = self.0.begin().await?;
        query("DELETE FROM push_subscriptions WHERE endpoint_hash = $1 AND session <> $2")
            .bind(&new.endpoint_hash)
            .bind(new.session)
            .execute(&mut *transaction)
            .await?;
        let valid = is_valid("$3");
        let row = query(format!(
            "SELECT COUNT(*) AS others {OF_VALID} JOIN tokens own ON own.id = $1
             WHERE s.tenant = $2 AND s.session <> $1 AND {valid}
             AND COALESCE(t.person, '') = COALESCE(own.person, '')"
        ))
        .bind(new.session)
        .bind(new.tenant.as_str())
        .bind(new.created_at.0)
        .fetch_one(&mut *transaction)
        .await?;
        if counter(&row, "others")? >= most {
            return Ok(false);
        }
        query(
            "INSERT INTO push_subscriptions
             (session, tenant, endpoint_hash, sealed, language, created_at, failures)
             VALUES ($1, $2, $3, $4, $5, $6, 0)
             ON CONFLICT (session) DO UPDATE SET endpoint_hash = $3, sealed = $4, language = $5,
             created_at = $6, failures = 0",
        )
        .bind(new.session)
        .bind(new.tenant.as_str())
        .bind(&new.endpoint_hash)
        .bind(new.sealed.clone())
        .bind(new.language)
        .bind(new.created_at.0)
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Ends the subscription of a session, with what it was still to be told.
    pub async fn unsubscribe(&self, session: &str) -> Result<(), StorageError> {
        let mut batch = Batch::default();
        batch.add("DELETE FROM push_subscriptions WHERE session = $1").bind(session);
        batch.add("DELETE FROM push_messages WHERE session = $1").bind(session);
        self.0.run(batch).await
    }

    /// The hash of the endpoint that a session is subscribed with.
    pub async fn endpoint_of(&self, session: &str) -> Result<Option<String>, StorageError> {
        let row = query("SELECT endpoint_hash FROM push_subscriptions WHERE session = $1")
            .bind(session)
            .fetch_optional(self.0.reader())
            .await?;
        Ok(row.map(|row| row.try_get("endpoint_hash")).transpose()?)
    }

    /// Whether anybody is subscribed, in whatever tenant.
    pub async fn exist(&self) -> Result<bool, StorageError> {
        let row = query("SELECT EXISTS (SELECT 1 FROM push_subscriptions) AS some_exist")
            .fetch_one(self.0.reader())
            .await?;
        Ok(row.try_get("some_exist")?)
    }

    /// Stores that a message was taken, or that it was not.
    pub async fn count_failure(&self, session: &str, failed: bool) -> Result<(), StorageError> {
        let mut batch = Batch::default();
        batch
            .add(match failed {
                true => "UPDATE push_subscriptions SET failures = failures + 1 WHERE session = $1",
                false => {
                    "UPDATE push_subscriptions SET failures = 0
                     WHERE session = $1 AND failures > 0"
                }
            })
            .bind(session);
        self.0.run(batch).await
    }

    /// Forgets subscriptions whose session is over, and what nobody is left to be told.
    pub async fn forget_ended(&self, now: Timestamp) -> Result<(), StorageError> {
        let mut batch = Batch::default();
        let valid = is_valid("$1");
        batch
            .add(format!(
                "DELETE FROM push_subscriptions WHERE NOT EXISTS (SELECT 1 FROM tokens t
                 LEFT JOIN people w ON w.id = t.person
                 WHERE t.id = push_subscriptions.session AND {valid})"
            ))
            .bind(now.0);
        batch.add(
            "DELETE FROM push_messages WHERE NOT EXISTS (SELECT 1 FROM push_subscriptions s
             WHERE s.session = push_messages.session)",
        );
        self.0.run(batch).await
    }

    /// How many browsers of a tenant are subscribed, and how it goes.
    pub async fn numbers(
        &self,
        tenant: &TenantId,
        now: Timestamp,
    ) -> Result<PushNumbers, StorageError> {
        let valid = is_valid("$2");
        let row = query(format!(
            "SELECT COUNT(*) AS subscriptions,
             CAST(COALESCE(SUM(CASE WHEN s.failures > 0 THEN 1 ELSE 0 END), 0) AS BIGINT) AS failing,
             CAST(COALESCE(SUM((SELECT COUNT(*) FROM push_messages m
                 WHERE m.session = s.session AND m.sent_at IS NULL)), 0) AS BIGINT) AS unsent
             {OF_VALID} WHERE s.tenant = $1 AND {valid}"
        ))
        .bind(tenant.as_str())
        .bind(now.0)
        .fetch_one(self.0.reader())
        .await?;
        Ok(PushNumbers {
            subscriptions: counter(&row, "subscriptions")?,
            failing: counter(&row, "failing")?,
            unsent: counter(&row, "unsent")?,
        })
    }
}
