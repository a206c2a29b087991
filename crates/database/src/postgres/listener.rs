//! A connection that waits for what other sessions notify.
//!
//! 1. Connect past the pool, whose connections serve everybody.
//! 2. Send `LISTEN` and drive the connection until the answer is there.
//! 3. Return one notification after the other, until the connection is lost. Whoever wants
//!    more opens the next listener, and has missed what was sent in between.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{AsyncMessage, Client, Config, Connection, Error, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::fault::{describe, timed_out};
use super::server::Server;
use super::settings::{CONNECT_TIMEOUT, settings};
use super::tls;
use crate::fault::Fault;
use crate::location::ServerUrl;
use crate::query::query;

/// A notification that takes longer is of no use, and its connection is not either.
const NOTIFY_PATIENCE: Duration = Duration::from_secs(2);

/// A listener sends nothing, so only TCP notices that its peer is gone: after 10 s of
/// silence it asks, and after three questions without an answer it gives up.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(10);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(5);
const KEEPALIVE_RETRIES: u32 = 3;

type Stream = <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream;

/// A connection that waits for notifications.
pub struct Listener {
    connection: Connection<Socket, Stream>,
    /// Without it the connection would close.
    client: Client,
    /// What came before the answer to `LISTEN`.
    early: VecDeque<String>,
}

impl Server {
    /// Notifies everybody who listens on a channel. No row is written, so the commit does
    /// not wait for the disk.
    pub(crate) async fn notify(&self, channel: &str, payload: &str) -> Result<(), Fault> {
        let notify = query("SELECT pg_notify($1, $2)").bind(channel).bind(payload);
        let connection = self.connection().await?;
        connection.with_patience(NOTIFY_PATIENCE).execute(notify).await?;
        Ok(())
    }

    /// Listens on a channel: of another server's address, if one is given.
    pub(crate) async fn listen(
        &self,
        direct: Option<&ServerUrl>,
        channel: &str,
    ) -> Result<Listener, Fault> {
        let url = direct.unwrap_or(&self.url);
        Listener::open(url, channel).await.map_err(|fault| match fault {
            Fault::Unreachable(why) => Fault::Unreachable(format!("{url}: {why}")),
            fault => fault,
        })
    }
}

impl Listener {
    /// The payload of the next notification. Cancel-safe. After an error the listener is of
    /// no use anymore.
    pub async fn next(&mut self) -> Result<String, Fault> {
        match self.early.pop_front() {
            Some(payload) => Ok(payload),
            None => poll_fn(|context| poll_notification(&mut self.connection, context)).await,
        }
    }

    async fn open(url: &ServerUrl, channel: &str) -> Result<Self, Fault> {
        let mut settings = settings(url).map_err(Fault::Unreachable)?;
        let tls = tls::connector(&settings.certificates).map_err(Fault::Unreachable)?;
        settings
            .config
            .keepalives_idle(KEEPALIVE_IDLE)
            .keepalives_interval(KEEPALIVE_INTERVAL)
            .keepalives_retries(KEEPALIVE_RETRIES);
        let listening = async {
            let (client, connection) = settings.config.connect(tls).await.map_err(lost)?;
            let mut listener = Self { connection, client, early: VecDeque::new() };
            listener.listen(channel).await?;
            Ok(listener)
        };
        let patience = patience(&settings.config);
        tokio::time::timeout(patience, listening).await.unwrap_or_else(|_| Err(timed_out()))
    }

    async fn listen(&mut self, channel: &str) -> Result<(), Fault> {
        let Self { connection, client, early } = self;
        let sql = format!("LISTEN {}", quoted(channel));
        let mut answer = pin!(client.batch_execute(&sql));
        poll_fn(|context| {
            // Nobody else drives the connection, through which the answer comes.
            loop {
                if let Poll::Ready(answer) = answer.as_mut().poll(context) {
                    return Poll::Ready(answer.map_err(lost));
                }
                match poll_notification(connection, context) {
                    Poll::Ready(Ok(payload)) => early.push_back(payload),
                    Poll::Ready(Err(fault)) => return Poll::Ready(Err(fault)),
                    Poll::Pending => return Poll::Pending,
                }
            }
        })
        .await
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener").finish_non_exhaustive()
    }
}

/// The next notification; notices of the server are skipped.
fn poll_notification(
    connection: &mut Connection<Socket, Stream>,
    context: &mut Context<'_>,
) -> Poll<Result<String, Fault>> {
    loop {
        match ready!(connection.poll_message(context)) {
            Some(Ok(AsyncMessage::Notification(notification))) => {
                return Poll::Ready(Ok(notification.payload().to_owned()));
            }
            Some(Ok(_)) => {}
            Some(Err(error)) => return Poll::Ready(Err(lost(error))),
            None => {
                let closed = "the server closed the connection".to_owned();
                return Poll::Ready(Err(Fault::Unreachable(closed)));
            }
        }
    }
}

/// Whatever it is: nothing is heard anymore, and nothing was written.
fn lost(error: Error) -> Fault {
    Fault::Unreachable(describe(&error))
}

/// Each host is tried in turn; then there is the answer to `LISTEN`.
fn patience(config: &Config) -> Duration {
    let attempts = u32::try_from(config.get_hosts().len()).unwrap_or(1) + 1;
    *config.get_connect_timeout().unwrap_or(&CONNECT_TIMEOUT) * attempts
}

/// A name as an identifier of SQL.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
