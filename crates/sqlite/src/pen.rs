//! The one pen: who writes when, and one wait for the disk for several writes.
//!
//! A commit waits for the disk, and whoever asks meanwhile would wait for it
//! twice. So writes are committed in groups:
//! 1. Whoever asks first is written first, in a transaction that begins with it.
//! 2. Those who asked until then come next, in the same transaction, each
//!    behind a savepoint: what one does not finish is undone for that one alone.
//! 3. One commit for all of them. Only after it are they told that it is stored.
//!
//! Who knows all statements beforehand leaves them here, and they are run in one
//! trip to the database ([`Pen::run`]). Who has to read in between is lent the
//! pen ([`Pen::take`]): it gives it back when it commits, and one that gives up,
//! or is dropped in the middle, gives it back with nothing written.
//!
//! A writer sees what those before it wrote, stored or not; readers do not.
//! Whoever finds that another was first must wait for this commit too before it
//! says so. [`Pen::run`] does; with the pen in hand it is done by committing
//! nothing, or by taking the pen once more.
//!
//! A transaction that cannot be undone takes its connection with it ([`Writer`]).

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;

use sqlx::SqliteConnection;
use sqlx::sqlite::SqliteConnectOptions;
use tokio::sync::{Mutex, OwnedMappedMutexGuard, OwnedMutexGuard, mpsc, oneshot};
use tokio::time::Instant;

use crate::batch::Batch;
use crate::fault::Fault;
use crate::writer::Writer;

/// How many can wait in line; whoever finds it full waits to get into it.
const MOST_WAITING: usize = 1_024;
/// How many writes are committed together. The first of them waits for the last.
const MOST_TOGETHER: usize = 128;

/// Where one asks for the pen. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Pen {
    line: mpsc::Sender<Ask>,
    patience: Duration,
}

/// What one asks for.
#[derive(Debug)]
enum Ask {
    /// The pen, to write oneself.
    Pen(oneshot::Sender<Result<Write, Fault>>),
    /// That this is written, if its turn comes in time.
    Run { batch: Batch, until: Instant, told: Told },
}

/// The pen in one writer's hand: a connection inside a transaction. Dropping it
/// undoes what was written with it.
#[derive(Debug)]
pub struct Write {
    // Only hands the connection over; nobody ever waits for this lock. It is
    // given back before the word about it: fields are dropped in this order.
    connection: OwnedMappedMutexGuard<Writer, SqliteConnection>,
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

type Told = oneshot::Sender<Result<(), Fault>>;

impl Pen {
    /// Takes the connection that writes, and what is needed to open another if
    /// it breaks. Nobody waits longer than `patience`.
    pub(crate) fn new(
        connection: SqliteConnection,
        options: SqliteConnectOptions,
        patience: Duration,
    ) -> Self {
        let (line, asks) = mpsc::channel(MOST_WAITING);
        let writer = Arc::new(Mutex::new(Writer::new(connection, options)));
        let desk = Desk { writer, transaction: None };
        tokio::spawn(desk.serve(asks));
        Self { line, patience }
    }

    /// Waits for the pen.
    pub async fn take(&self) -> Result<Write, Fault> {
        let (ask, answer) = oneshot::channel();
        let wait = async {
            self.line.send(Ask::Pen(ask)).await.map_err(|_| Fault::closed())?;
            answer.await.map_err(|_| Fault::closed())?
        };
        tokio::time::timeout(self.patience, wait).await.unwrap_or(Err(Fault::Busy))
    }

    /// Writes all of a batch or nothing. When it returns, it is on the disk.
    pub async fn run(&self, batch: Batch) -> Result<(), Fault> {
        let batch = batch.check()?;
        let (told, answer) = oneshot::channel();
        // Whoever left the line by itself could not know whether it was written:
        // it is the desk that looks at the clock.
        let ask = Ask::Run { batch, until: Instant::now() + self.patience, told };
        match self.line.send_timeout(ask, self.patience).await {
            Ok(()) => answer.await.map_err(|_| Fault::closed())?,
            Err(mpsc::error::SendTimeoutError::Timeout(_)) => Err(Fault::Busy),
            Err(mpsc::error::SendTimeoutError::Closed(_)) => Err(Fault::closed()),
        }
    }

    /// Closes the connection, after those who wait now have written.
    pub async fn close(&self) {
        // Whoever finds it closed has nothing left to do.
        if let Ok(write) = self.take().await {
            let _closed = write.give_back(Word::Close).await;
        }
    }
}

impl Write {
    /// Stores what was written. When it returns, it is on the disk.
    pub async fn commit(self) -> Result<(), Fault> {
        self.give_back(Word::Keep).await
    }

    async fn give_back(self, word: fn(Told) -> Word) -> Result<(), Fault> {
        let Self { connection, word: give } = self;
        let (told, answer) = oneshot::channel();
        drop(connection);
        give.send(word(told)).map_err(|_| Fault::closed())?;
        answer.await.map_err(|_| Fault::closed())?
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
    writer: Arc<Mutex<Writer>>,
    transaction: Option<Group>,
}

/// The writes of one transaction.
#[derive(Default)]
struct Group {
    written: Vec<Told>,
    /// Those whose statements failed. They too are told after the commit: what
    /// was in their way can be seen then.
    failed: Vec<(Told, Fault)>,
    has_savepoint: bool,
}

impl Desk {
    async fn serve(mut self, mut asks: mpsc::Receiver<Ask>) {
        let mut close = None;
        while close.is_none() {
            let Some(first) = asks.recv().await else { break };
            let together = asks.len().min(MOST_TOGETHER);
            close = self.serve_one(first).await;
            for _ in 0..together {
                let Ok(next) = asks.try_recv() else { break };
                close = close.or(self.serve_one(next).await);
            }
            self.commit().await;
        }
        // Whoever still waits finds the line closed.
        drop(asks);
        if let Some(writer) = Arc::into_inner(self.writer) {
            writer.into_inner().close().await;
        }
        if let Some(told) = close {
            let _gone = told.send(Ok(()));
        }
    }

    /// If one says so, the database is to be closed.
    async fn serve_one(&mut self, ask: Ask) -> Option<Told> {
        match ask {
            Ask::Pen(ask) => self.lend(ask).await,
            Ask::Run { batch, until, told } => {
                if until < Instant::now() {
                    let _gone = told.send(Err(Fault::Busy));
                } else {
                    self.run(batch, told).await;
                }
                None
            }
        }
    }

    /// Writes a batch, in one trip together with what comes before it.
    async fn run(&mut self, batch: Batch, told: Told) {
        let begin = self.beginning();
        let (begun, written) = match self.writer.lock().await.ready().await {
            Ok(connection) => {
                let done = batch.run_after(begin, connection).await;
                (done.begun, done.outcome())
            }
            Err(fault) => (false, Err(fault)),
        };
        if let Err(error) = self.began(if begun { Ok(()) } else { written.clone() }).await {
            let _gone = told.send(Err(error));
            return;
        }
        match written {
            Ok(()) => self.transaction.get_or_insert_default().written.push(told),
            Err(error) => {
                self.undo().await;
                match &mut self.transaction {
                    Some(group) => group.failed.push((told, error)),
                    None => drop(told.send(Err(error))),
                }
            }
        }
    }

    /// Lends the pen to one writer. If it says so, the database is to be closed.
    async fn lend(&mut self, ask: oneshot::Sender<Result<Write, Fault>>) -> Option<Told> {
        // Whoever has left meanwhile does not need it.
        if ask.is_closed() {
            return None;
        }
        let begun = self.begin().await;
        if let Err(error) = self.began(begun).await {
            let _gone = ask.send(Err(error));
            return None;
        }
        let (word, answer) = oneshot::channel();
        let writer = Arc::clone(&self.writer).lock_owned().await;
        let Ok(connection) = OwnedMutexGuard::try_map(writer, Writer::connection) else {
            let _gone = ask.send(Err(Fault::closed()));
            return None;
        };
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

    /// What begins a transaction, or a savepoint in the one that is open.
    fn beginning(&self) -> &'static str {
        match &self.transaction {
            // One that reads first and asks for the lock later is refused at
            // once when another program wrote in between.
            None => "BEGIN IMMEDIATE",
            Some(Group { has_savepoint: false, .. }) => "SAVEPOINT one",
            Some(Group { has_savepoint: true, .. }) => "RELEASE one; SAVEPOINT one",
        }
    }

    async fn begin(&self) -> Result<(), Fault> {
        let mut writer = self.writer.lock().await;
        writer.ready().await?;
        writer.execute(self.beginning()).await
    }

    /// Notes what came of it.
    async fn began(&mut self, begun: Result<(), Fault>) -> Result<(), Fault> {
        match (&begun, &mut self.transaction) {
            (Ok(()), None) => self.transaction = Some(Group::default()),
            (Ok(()), Some(group)) => group.has_savepoint = true,
            // Somebody else's lock says nothing about the connection.
            (Err(Fault::Busy), None) => {}
            (Err(_), None) => self.writer.lock().await.discard().await,
            (Err(error), Some(_)) => self.lose(error.clone()).await,
        }
        begun
    }

    /// Undoes what one writer wrote.
    async fn undo(&mut self) {
        let undone = match &self.transaction {
            Some(Group { has_savepoint: true, .. }) => self.execute("ROLLBACK TO one").await,
            // Nobody else wrote yet.
            _ => return self.lose(Fault::closed()).await,
        };
        // After some errors, such as a full disk, SQLite has undone everything:
        // the others did nothing wrong, and can write again.
        if undone.is_err() {
            self.lose(Fault::Busy).await;
        }
    }

    async fn commit(&mut self) {
        let Some(group) = &self.transaction else { return };
        if group.written.is_empty() {
            return self.lose(Fault::closed()).await;
        }
        match self.execute("COMMIT").await {
            Ok(()) => self.tell(Ok(())),
            Err(error) => self.lose(error).await,
        }
    }

    /// Undoes everything, and says so to those who had written.
    async fn lose(&mut self, error: Fault) {
        self.writer.lock().await.roll_back().await;
        self.tell(Err(error));
    }

    fn tell(&mut self, result: Result<(), Fault>) {
        let group = self.transaction.take().unwrap_or_default();
        for told in group.written {
            let _gone = told.send(result.clone());
        }
        for (told, error) in group.failed {
            let _gone = told.send(Err(error));
        }
    }

    async fn execute(&self, sql: &'static str) -> Result<(), Fault> {
        self.writer.lock().await.execute(sql).await
    }
}

#[cfg(test)]
mod tests;
