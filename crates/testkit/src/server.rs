//! The scripted model server.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};

use crate::player::serve;
use crate::record::{Counts, Record, RecordedRequest};
use crate::script::Script;

/// A model server on loopback that plays scripts. It ends when it is dropped.
pub struct ScriptedModel {
    address: SocketAddr,
    record: Arc<Record>,
    task: JoinHandle<()>,
}

impl ScriptedModel {
    /// Starts a server on a free port, within the current tokio runtime.
    pub async fn start() -> io::Result<Self> {
        Self::start_with(Record::new()).await
    }

    /// The same, with a rule for every request. It may run for hours: requests are not kept.
    pub async fn answering(
        rule: impl Fn(&Value) -> Script + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let record = Record::forgetful();
        record.always(Arc::new(rule));
        Self::start_with(record).await
    }

    /// The same for agent CLIs: what they ask beside their conversation (titles, summaries,
    /// suggestions, anything without tools or without a stream) gets a short answer and
    /// takes no script.
    pub async fn for_agents() -> io::Result<Self> {
        Self::start_with(Record::for_agents()).await
    }

    async fn start_with(record: Record) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let record = Arc::new(record);
        let task = tokio::spawn(accept(listener, Arc::clone(&record)));
        Ok(Self { address, record, task })
    }

    /// Where it listens: `http://127.0.0.1:<port>`.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Adds a script for the next request that has none.
    pub fn push(&self, script: Script) {
        self.record.push(Box::new(|_| script));
    }

    /// The same, for a response that depends on the request.
    pub fn push_for(&self, make: impl FnOnce(&Value) -> Script + Send + 'static) {
        self.record.push(Box::new(make));
    }

    /// The script for every request for which none was added.
    pub fn always(&self, script: Script) {
        self.record.always(Arc::new(move |_| script.clone()));
    }

    /// The bodies of all requests that took a script: what the model received.
    pub fn requests(&self) -> Vec<Value> {
        self.recorded().into_iter().map(|request| request.body).collect()
    }

    /// All requests that took a script, with their headers.
    pub fn recorded(&self) -> Vec<RecordedRequest> {
        self.record.requests()
    }

    /// All requests beside the conversation: those that took no script.
    pub fn side_requests(&self) -> Vec<RecordedRequest> {
        self.record.side_requests()
    }

    /// How many connections are open.
    pub fn open_connections(&self) -> usize {
        self.record.counts.borrow().open
    }

    /// How many connections there were.
    pub fn accepted_connections(&self) -> usize {
        self.record.counts.borrow().accepted
    }

    /// Waits for this number of requests that take a script.
    pub async fn wait_for_requests(&self, number: usize) {
        self.wait_for(|counts| counts.requests >= number).await;
    }

    /// Waits until this number of clients disconnected during a response.
    pub async fn wait_for_left(&self, number: usize) {
        self.wait_for(|counts| counts.left >= number).await;
    }

    /// Waits until no connection is open.
    pub async fn wait_until_unconnected(&self) {
        self.wait_for(|counts| counts.open == 0).await;
    }

    async fn wait_for(&self, reached: impl FnMut(&Counts) -> bool) {
        // The sender lives in `self`, so the channel cannot close.
        let _ = self.record.counts.subscribe().wait_for(reached).await;
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept(listener: TcpListener, record: Arc<Record>) {
    // Dropped with this task, and the connections with it.
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                if let Ok((stream, _)) = accepted {
                    let _ = stream.set_nodelay(true);
                    connections.spawn(serve(stream, Arc::clone(&record)));
                }
            }
            Some(_) = connections.join_next() => {}
        }
    }
}
