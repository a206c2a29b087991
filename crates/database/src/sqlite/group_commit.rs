//! Group commit: writes that wait for the disk are committed in one transaction.
//!
//! A commit waits for the disk, and a write that arrives meanwhile would wait for it
//! twice. So one task owns the connection that writes, and serves its queue in groups:
//! 1. The first write of the queue begins a transaction.
//! 2. The writes that were queued by then join it, each behind a savepoint: a write
//!    that fails is rolled back alone.
//! 3. One commit for all of them. Only then do the callers get their result.
//!
//! A write whose statements are known beforehand is a [`Batch`] and runs in one round
//! trip ([`GroupCommit::run`]). Only writes that read first hold the connection
//! ([`GroupCommit::begin`]): they give it back when they commit; dropping a
//! [`LentWriter`] rolls it back.
//!
//! A write sees what the writes before it in the group wrote; readers see it after
//! the commit. A caller that lost a race to another write must not report it before
//! that commit either. [`GroupCommit::run`] waits for it; in a transaction, commit
//! it without changes, or begin another one.
//!
//! A transaction that cannot be rolled back takes its connection with it ([`Writer`]).

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;

use sqlx::SqliteConnection;
use sqlx::sqlite::SqliteConnectOptions;
use tokio::sync::{Mutex, OwnedMappedMutexGuard, OwnedMutexGuard, mpsc, oneshot};
use tokio::time::Instant;

use super::fault::busy;
use super::statements;
use super::writer::Writer;
use crate::batch::Batch;
use crate::fault::Fault;

/// How many writes can be queued; a caller that finds the queue full waits until there is space.
const MAX_QUEUED: usize = 1_024;
/// How many writes join the first one of a group, which waits for the last.
const MAX_JOINED: usize = 128;

/// The queue of writes. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct GroupCommit {
    queue: mpsc::Sender<Request>,
    timeout: Duration,
}

#[derive(Debug)]
enum Request {
    /// Lend the connection.
    Begin(oneshot::Sender<Result<LentWriter, Fault>>),
    /// Write this batch, if its turn comes before the deadline.
    Run { batch: Batch, deadline: Instant, reply: Reply },
}

type Reply = oneshot::Sender<Result<(), Fault>>;

/// The connection that writes, inside a transaction. Dropping it rolls back what was
/// written with it.
#[derive(Debug)]
pub(crate) struct LentWriter {
    // Only hands the connection over; nobody ever waits for this lock. Fields are
    // dropped in this order: the connection is back before `end` says so.
    connection: OwnedMappedMutexGuard<Writer, SqliteConnection>,
    end: oneshot::Sender<End>,
}

/// How a transaction ends, unless it is dropped.
#[derive(Debug)]
enum End {
    Commit(Reply),
    /// Nothing was written: close the database.
    Close(Reply),
}

impl GroupCommit {
    /// Takes the connection that writes, and the options to open another if it breaks.
    /// A write that waits longer than `timeout` for its turn is `Busy`.
    pub(crate) fn new(
        connection: SqliteConnection,
        options: SqliteConnectOptions,
        timeout: Duration,
    ) -> Self {
        let (queue, requests) = mpsc::channel(MAX_QUEUED);
        let writer = Arc::new(Mutex::new(Writer::new(connection, options)));
        let task = CommitTask { writer, group: None };
        tokio::spawn(task.serve(requests));
        Self { queue, timeout }
    }

    /// Begins a transaction that may read before it writes. All other writes wait
    /// until it ends.
    pub(crate) async fn begin(&self) -> Result<LentWriter, Fault> {
        let (reply, answer) = oneshot::channel();
        let wait = async {
            self.queue.send(Request::Begin(reply)).await.map_err(|_| Fault::closed())?;
            answer.await.map_err(|_| Fault::closed())?
        };
        tokio::time::timeout(self.timeout, wait).await.unwrap_or(Err(busy()))
    }

    /// Writes all of a batch or nothing. When it returns, it is on the disk.
    pub(crate) async fn run(&self, batch: Batch) -> Result<(), Fault> {
        let (reply, answer) = oneshot::channel();
        // The task looks at the clock, not the caller: a caller that stopped waiting
        // could not know whether the batch was written.
        let request = Request::Run { batch, deadline: Instant::now() + self.timeout, reply };
        match self.queue.send_timeout(request, self.timeout).await {
            Ok(()) => answer.await.map_err(|_| Fault::closed())?,
            Err(mpsc::error::SendTimeoutError::Timeout(_)) => Err(busy()),
            Err(mpsc::error::SendTimeoutError::Closed(_)) => Err(Fault::closed()),
        }
    }

    /// Closes the connection, after the writes that are queued now.
    pub(crate) async fn close(&self) {
        // An error means that it is closed already.
        if let Ok(transaction) = self.begin().await {
            let _closed = transaction.end(End::Close).await;
        }
    }
}

impl LentWriter {
    /// Stores what was written. When it returns, it is on the disk.
    pub(crate) async fn commit(self) -> Result<(), Fault> {
        self.end(End::Commit).await
    }

    async fn end(self, how: fn(Reply) -> End) -> Result<(), Fault> {
        let Self { connection, end } = self;
        let (reply, answer) = oneshot::channel();
        drop(connection);
        end.send(how(reply)).map_err(|_| Fault::closed())?;
        answer.await.map_err(|_| Fault::closed())?
    }
}

impl Deref for LentWriter {
    type Target = SqliteConnection;

    fn deref(&self) -> &SqliteConnection {
        &self.connection
    }
}

impl DerefMut for LentWriter {
    fn deref_mut(&mut self) -> &mut SqliteConnection {
        &mut self.connection
    }
}

/// The task that owns the connection.
struct CommitTask {
    writer: Arc<Mutex<Writer>>,
    /// The writes of the transaction that is open.
    group: Option<Group>,
}

#[derive(Default)]
struct Group {
    written: Vec<Reply>,
    /// Writes whose statements failed. Their callers too are answered after the
    /// commit: only then can they read what was in their way.
    failed: Vec<(Reply, Fault)>,
    has_savepoint: bool,
}

impl CommitTask {
    async fn serve(mut self, mut requests: mpsc::Receiver<Request>) {
        let mut close = None;
        while close.is_none() {
            let Some(first) = requests.recv().await else { break };
            let joined = requests.len().min(MAX_JOINED);
            close = self.serve_one(first).await;
            for _ in 0..joined {
                let Ok(next) = requests.try_recv() else { break };
                close = close.or(self.serve_one(next).await);
            }
            self.commit().await;
        }
        // Callers that still wait find the queue closed.
        drop(requests);
        if let Some(writer) = Arc::into_inner(self.writer) {
            writer.into_inner().close().await;
        }
        if let Some(reply) = close {
            let _gone = reply.send(Ok(()));
        }
    }

    /// Gives the reply to a request to close the database, if it is one.
    async fn serve_one(&mut self, request: Request) -> Option<Reply> {
        match request {
            Request::Begin(reply) => self.lend(reply).await,
            Request::Run { batch, deadline, reply } => {
                if deadline < Instant::now() {
                    let _gone = reply.send(Err(busy()));
                } else {
                    self.run(batch, reply).await;
                }
                None
            }
        }
    }

    /// Runs a batch, in one round trip with the statement that begins it.
    async fn run(&mut self, batch: Batch, reply: Reply) {
        let begin = self.begin_statement();
        let (begun, written) = match self.writer.lock().await.ready().await {
            Ok(connection) => {
                let outcome = statements::run(connection, begin, batch).await;
                (outcome.begun, outcome.into_result())
            }
            Err(fault) => (false, Err(fault)),
        };
        if let Err(fault) = self.note_begun(if begun { Ok(()) } else { written.clone() }).await {
            let _gone = reply.send(Err(fault));
            return;
        }
        match written {
            Ok(()) => self.group.get_or_insert_default().written.push(reply),
            Err(fault) => {
                self.undo().await;
                match &mut self.group {
                    Some(group) => group.failed.push((reply, fault)),
                    None => drop(reply.send(Err(fault))),
                }
            }
        }
    }

    /// Lends the connection to one caller. Gives the reply to a request to close the
    /// database, if it is one.
    async fn lend(&mut self, reply: oneshot::Sender<Result<LentWriter, Fault>>) -> Option<Reply> {
        if reply.is_closed() {
            return None;
        }
        let begun = self.begin().await;
        if let Err(fault) = self.note_begun(begun).await {
            let _gone = reply.send(Err(fault));
            return None;
        }
        let (end, ended) = oneshot::channel();
        let writer = Arc::clone(&self.writer).lock_owned().await;
        let Ok(connection) = OwnedMutexGuard::try_map(writer, Writer::connection) else {
            let _gone = reply.send(Err(Fault::closed()));
            return None;
        };
        // If the caller has gone, the transaction is dropped here, and so rolled back.
        drop(reply.send(Ok(LentWriter { connection, end })));
        match ended.await {
            Ok(End::Commit(reply)) => {
                self.group.get_or_insert_default().written.push(reply);
                None
            }
            Ok(End::Close(reply)) => Some(reply),
            Err(_) => {
                self.undo().await;
                None
            }
        }
    }

    /// Begins a transaction, or a savepoint in the one that is open.
    fn begin_statement(&self) -> &'static str {
        match &self.group {
            // A transaction that reads first and locks later is refused at once if
            // another program wrote in between.
            None => "BEGIN IMMEDIATE",
            Some(Group { has_savepoint: false, .. }) => "SAVEPOINT one",
            Some(Group { has_savepoint: true, .. }) => "RELEASE one; SAVEPOINT one",
        }
    }

    async fn begin(&self) -> Result<(), Fault> {
        let mut writer = self.writer.lock().await;
        writer.ready().await?;
        writer.execute(self.begin_statement()).await
    }

    /// Notes whether the statement that begins a write succeeded.
    async fn note_begun(&mut self, begun: Result<(), Fault>) -> Result<(), Fault> {
        match (&begun, &mut self.group) {
            (Ok(()), None) => self.group = Some(Group::default()),
            (Ok(()), Some(group)) => group.has_savepoint = true,
            // Another program's lock says nothing about the connection.
            (Err(Fault::Busy(_)), None) => {}
            (Err(_), None) => self.writer.lock().await.discard().await,
            (Err(fault), Some(_)) => self.roll_back(fault.clone()).await,
        }
        begun
    }

    /// Rolls back one write.
    async fn undo(&mut self) {
        let undone = match &self.group {
            Some(Group { has_savepoint: true, .. }) => self.execute("ROLLBACK TO one").await,
            // It is the only write of the transaction.
            _ => return self.roll_back(Fault::closed()).await,
        };
        // After some errors, such as a full disk, SQLite has rolled back everything:
        // the other writes did nothing wrong, and can be tried again.
        if undone.is_err() {
            self.roll_back(busy()).await;
        }
    }

    async fn commit(&mut self) {
        let Some(group) = &self.group else { return };
        if group.written.is_empty() {
            return self.roll_back(Fault::closed()).await;
        }
        match self.execute("COMMIT").await {
            Ok(()) => self.reply_all(Ok(())),
            Err(fault) => self.roll_back(fault).await,
        }
    }

    /// Rolls back the whole transaction: every write of the group fails with `fault`.
    async fn roll_back(&mut self, fault: Fault) {
        self.writer.lock().await.roll_back().await;
        self.reply_all(Err(fault));
    }

    fn reply_all(&mut self, result: Result<(), Fault>) {
        let group = self.group.take().unwrap_or_default();
        for reply in group.written {
            let _gone = reply.send(result.clone());
        }
        for (reply, fault) in group.failed {
            let _gone = reply.send(Err(fault));
        }
    }

    async fn execute(&self, sql: &'static str) -> Result<(), Fault> {
        self.writer.lock().await.execute(sql).await
    }
}

#[cfg(test)]
mod tests;
