//! The one pen: who writes when, and one wait for the disk for several writes.
//!
//! A commit waits for the disk, and whoever asks meanwhile would wait for it
//! twice. So writes are committed in groups:
//! 1. Whoever asks first gets the pen, in a transaction that begins with it.
//! 2. Those who asked until then get it next, in the same transaction, each
//!    behind a savepoint: what one does not finish is undone for that one alone.
//! 3. One commit for all of them. Only after it are they told that it is stored.
//!
//! A writer sees what those before it wrote, stored or not; readers do not.
//! Whoever finds that another was first must wait for this commit too before it
//! says so: by committing nothing, or by taking the pen once more.
//!
//! A task of its own does this. It waits for whoever has the pen; a writer that
//! gives up, or is dropped in the middle, gives it back with nothing written.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, SqliteConnection};
use tokio::sync::{Mutex, OwnedMutexGuard, mpsc, oneshot};

use crate::error::StorageError;

/// How many can wait in line; whoever finds it full waits to get into it.
const MOST_WAITING: usize = 1_024;
/// How many writes are committed together. The first of them waits for the last.
const MOST_TOGETHER: usize = 128;

/// Where one asks for the pen. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Pen {
    line: mpsc::Sender<Ask>,
    patience: Duration,
    #[cfg(test)]
    seen: std::sync::Weak<Mutex<SqliteConnection>>,
}

type Ask = oneshot::Sender<Result<Write, StorageError>>;

/// The pen in one writer's hand: a connection inside a transaction. Dropping it
/// undoes what was written with it.
#[derive(Debug)]
pub(crate) struct Write {
    // Only hands the connection over; nobody ever waits for this lock. It is
    // given back before the word about it: fields are dropped in this order.
    connection: OwnedMutexGuard<SqliteConnection>,
    word: oneshot::Sender<Word>,
}

/// What a writer says when it gives the pen back.
#[derive(Debug)]
enum Word {
    /// Commit what I wrote, and tell me.
    Keep(Told),
    /// Close the database, and tell me.
    Close(Told),
}

type Told = oneshot::Sender<Result<(), StorageError>>;

impl Pen {
    /// Takes the connection that writes, and what is needed to open another if
    /// it breaks. Nobody waits longer than `patience`.
    pub(crate) fn new(
        connection: SqliteConnection,
        options: SqliteConnectOptions,
        patience: Duration,
    ) -> Self {
        let (line, asks) = mpsc::channel(MOST_WAITING);
        let connection = Arc::new(Mutex::new(connection));
        #[cfg(test)]
        let seen = Arc::downgrade(&connection);
        let desk = Desk { connection, options, transaction: None };
        tokio::spawn(desk.serve(asks));
        Self {
            line,
            patience,
            #[cfg(test)]
            seen,
        }
    }

    /// The connection between two writers, for tests that break it.
    #[cfg(test)]
    pub(crate) fn connection(&self) -> Arc<Mutex<SqliteConnection>> {
        self.seen.upgrade().unwrap()
    }

    /// Waits for the pen.
    pub(crate) async fn take(&self) -> Result<Write, StorageError> {
        let (ask, answer) = oneshot::channel();
        let wait = async {
            self.line.send(ask).await.map_err(|_| closed())?;
            answer.await.map_err(|_| closed())?
        };
        tokio::time::timeout(self.patience, wait).await.unwrap_or(Err(StorageError::Busy))
    }

    /// Closes the connection, after those who wait now have written.
    pub(crate) async fn close(&self) {
        // Whoever finds it closed has nothing left to do.
        if let Ok(write) = self.take().await {
            let _closed = write.give_back(Word::Close).await;
        }
    }
}

impl Write {
    /// Stores what was written. When it returns, it is on the disk.
    pub(crate) async fn commit(self) -> Result<(), StorageError> {
        self.give_back(Word::Keep).await
    }

    async fn give_back(self, word: fn(Told) -> Word) -> Result<(), StorageError> {
        let Self { connection, word: give } = self;
        let (told, answer) = oneshot::channel();
        drop(connection);
        give.send(word(told)).map_err(|_| closed())?;
        answer.await.map_err(|_| closed())?
    }
}

impl Deref for Write {
    type Target = SqliteConnection;

    fn deref(&self) -> &SqliteConnection {
        &self.connection
    }
}

impl DerefMut for Write {
    fn deref_mut(&mut self) -> &mut SqliteConnection {
        &mut self.connection
    }
}

/// Where the pen lies between two writers.
struct Desk {
    connection: Arc<Mutex<SqliteConnection>>,
    options: SqliteConnectOptions,
    transaction: Option<Group>,
}

/// The writes of one transaction.
#[derive(Default)]
struct Group {
    written: Vec<Told>,
    has_savepoint: bool,
}

impl Desk {
    async fn serve(mut self, mut asks: mpsc::Receiver<Ask>) {
        let mut close = None;
        while close.is_none() {
            let Some(first) = asks.recv().await else { break };
            let together = asks.len().min(MOST_TOGETHER);
            close = self.lend(first).await;
            for _ in 0..together {
                let Ok(next) = asks.try_recv() else { break };
                close = close.or(self.lend(next).await);
            }
            self.commit().await;
        }
        // Whoever still waits finds the line closed.
        drop(asks);
        if let Some(connection) = Arc::into_inner(self.connection) {
            let _closed = connection.into_inner().close().await;
        }
        if let Some(told) = close {
            let _gone = told.send(Ok(()));
        }
    }

    /// Lends the pen to one writer. If it says so, the database is to be closed.
    async fn lend(&mut self, ask: Ask) -> Option<Told> {
        // Whoever has left meanwhile does not need it.
        if ask.is_closed() {
            return None;
        }
        if let Err(error) = self.begin().await {
            let _gone = ask.send(Err(error));
            return None;
        }
        let (word, answer) = oneshot::channel();
        let connection = Arc::clone(&self.connection).lock_owned().await;
        // Whoever left in this moment does not take it: it is dropped, and back.
        drop(ask.send(Ok(Write { connection, word })));
        match answer.await {
            Ok(Word::Keep(told)) => {
                self.transaction.get_or_insert_default().written.push(told);
                None
            }
            Ok(Word::Close(told)) => Some(told),
            Err(_) => {
                self.undo().await;
                None
            }
        }
    }

    /// Begins a transaction, or a savepoint in the one that is open.
    async fn begin(&mut self) -> Result<(), StorageError> {
        let sql = match &self.transaction {
            // One that reads first and asks for the lock later is refused at
            // once when another program wrote in between.
            None => "BEGIN IMMEDIATE",
            Some(Group { has_savepoint: false, .. }) => "SAVEPOINT one",
            Some(Group { has_savepoint: true, .. }) => "RELEASE one; SAVEPOINT one",
        };
        let begun = self.execute(sql).await;
        match (&begun, &mut self.transaction) {
            (Ok(()), None) => self.transaction = Some(Group::default()),
            (Ok(()), Some(group)) => group.has_savepoint = true,
            (Err(error), None) if error.is_passing() => {}
            (Err(_), None) => self.reconnect().await,
            (Err(error), Some(_)) => self.lose(error.clone()).await,
        }
        begun
    }

    /// The next writer finds a new connection, if there can be one.
    async fn reconnect(&self) {
        if let Ok(connection) = self.options.connect().await {
            *self.connection.lock().await = connection;
        }
    }

    /// Undoes what one writer wrote.
    async fn undo(&mut self) {
        let undone = match &self.transaction {
            Some(Group { has_savepoint: true, .. }) => self.execute("ROLLBACK TO one").await,
            // Nobody else wrote yet.
            _ => return self.lose(closed()).await,
        };
        // After some errors, such as a full disk, SQLite has undone everything:
        // the others did nothing wrong, and can write again.
        if undone.is_err() {
            self.lose(StorageError::Busy).await;
        }
    }

    async fn commit(&mut self) {
        let Some(group) = &self.transaction else { return };
        if group.written.is_empty() {
            return self.lose(closed()).await;
        }
        match self.execute("COMMIT").await {
            Ok(()) => self.tell(Ok(())),
            Err(error) => self.lose(error).await,
        }
    }

    /// Undoes everything, and says so to those who had written.
    async fn lose(&mut self, error: StorageError) {
        // There may be nothing left to undo.
        let _undone = self.execute("ROLLBACK").await;
        self.tell(Err(error));
    }

    fn tell(&mut self, result: Result<(), StorageError>) {
        for told in self.transaction.take().unwrap_or_default().written {
            let _gone = told.send(result.clone());
        }
    }

    async fn execute(&self, sql: &'static str) -> Result<(), StorageError> {
        let mut connection = self.connection.lock().await;
        sqlx::query(sql).execute(&mut *connection).await?;
        Ok(())
    }
}

fn closed() -> StorageError {
    sqlx::Error::PoolClosed.into()
}

#[cfg(test)]
mod tests;
