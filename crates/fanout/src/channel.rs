//! What carries payloads: PostgreSQL or Redis.

use std::sync::Arc;

use parlor_database::Listener;

use crate::incoming::Incoming;
use crate::peer::Peer;
use crate::postgres::{self, PostgresChannel};
use crate::redis::{RedisChannel, RedisSubscription};

/// Carries payloads. In errors is what to do about them.
#[derive(Debug)]
pub(crate) enum Channel {
    Postgres(PostgresChannel),
    Redis(RedisChannel),
}

/// A connection that receives.
pub(crate) enum Subscription {
    Postgres(Box<Listener>),
    Redis(RedisSubscription),
}

impl Channel {
    /// Its name in the admin status.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Postgres(_) => "postgres",
            Self::Redis(_) => "redis",
        }
    }

    /// Sends a payload of hints to everybody.
    pub(crate) async fn publish(&self, payload: &str) -> Result<(), String> {
        match self {
            Self::Postgres(channel) => channel.publish(payload).await,
            Self::Redis(channel) => channel.publish(payload).await,
        }
    }

    /// Sends live text to one peer; whether it got there. An error means that there is no
    /// connection.
    pub(crate) async fn send_live(&self, to: Peer, text: &str) -> Result<bool, String> {
        match self {
            Self::Postgres(_) => Ok(false),
            Self::Redis(channel) => channel.send_live(to, text).await,
        }
    }

    /// Connects. From when it returns, everything that is sent is received.
    pub(crate) async fn subscribe(&self, incoming: &Arc<Incoming>) -> Result<Subscription, String> {
        match self {
            Self::Postgres(channel) => {
                channel.subscribe().await.map(|listener| Subscription::Postgres(Box::new(listener)))
            }
            Self::Redis(channel) => channel.subscribe(incoming).await.map(Subscription::Redis),
        }
    }

    /// Closes what it has of its own.
    pub(crate) fn close(&self) {
        match self {
            Self::Postgres(_) => {}
            Self::Redis(channel) => channel.close(),
        }
    }

    /// Why a subscription hears nothing although payloads are sent.
    pub(crate) fn meaning_of_silence(&self) -> String {
        match self {
            Self::Postgres(channel) => channel.meaning_of_silence(),
            Self::Redis(channel) => channel.meaning_of_silence(),
        }
    }
}

impl Subscription {
    /// Receives until the connection is lost; returns why.
    pub(crate) async fn receive(&mut self, incoming: &Incoming) -> String {
        match self {
            Self::Postgres(listener) => postgres::receive(listener, incoming).await,
            Self::Redis(subscription) => subscription.receive().await,
        }
    }
}
