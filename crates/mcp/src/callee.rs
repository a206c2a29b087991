//! Whose connection a call is made on: that of the project, or that of a person.

use std::sync::Arc;

use parlor_agent::tools::{Tool, ToolOutcome};
use parlor_protocol::PersonId;

use super::connection::Connection;
use super::people::{NoConnection, People};
use super::server_handle::ServerHandle;

/// A connection may be closed at the moment when it is asked for, because nobody used it.
const TRIES: usize = 2;

/// A server, for the calls of a turn.
#[derive(Debug, Clone)]
pub(super) struct Callee {
    pub(super) index: usize,
    pub(super) server: Arc<ServerHandle>,
    pub(super) people: Arc<People>,
    /// The person of the turn.
    pub(super) person: Option<PersonId>,
}

impl Callee {
    /// The connection that a call is made on, or what became of the call.
    pub(super) async fn connected(
        &self,
    ) -> Result<(Arc<ServerHandle>, Arc<Connection>), ToolOutcome> {
        if self.server.spec.person_login.is_none() {
            let connection = self.server.connection().await.map_err(ToolOutcome::NotRun)?;
            return Ok((self.server.clone(), connection));
        }
        let mut problem = String::new();
        for _ in 0..TRIES {
            let found = self.people.connection(self.index, &self.server, self.person).await;
            let handle = found.map_err(|why| self.outcome(why))?;
            match handle.connection().await {
                Ok(connection) => return Ok((handle, connection)),
                Err(_) if handle.needs_login() => {
                    return Err(self.outcome(NoConnection::NotLoggedIn));
                }
                Err(why) if handle.is_closed() => problem = why,
                Err(why) => return Err(ToolOutcome::NotRun(why)),
            }
        }
        Err(ToolOutcome::NotRun(problem))
    }

    /// Whether the server has this very tool for the person: a list of somebody else stands for
    /// theirs until they are connected.
    pub(super) fn has(&self, tool: &Tool) -> bool {
        match (&self.server.spec.person_login, self.person) {
            (Some(_), Some(person)) => {
                self.people.catalogue.has(self.index, person, tool).unwrap_or(true)
            }
            _ => true,
        }
    }

    fn outcome(&self, why: NoConnection) -> ToolOutcome {
        let name = &self.server.spec.name;
        match why {
            NoConnection::Shared => ToolOutcome::LoginNeeded(format!(
                "The call did not run: each person logs in to the server \"{name}\" for themselves, \
                 and this message came from the shared account, which has no login. Somebody with \
                 an account of their own can ask for it. Tell them, and do not try it again."
            )),
            NoConnection::NotLoggedIn => ToolOutcome::LoginNeeded(format!(
                "The call did not run: the person is not logged in to the server \"{name}\". They \
                 can log in on their settings page, and ask again then. Tell them, and do not try \
                 it again before."
            )),
            NoConnection::Unavailable(why) => ToolOutcome::NotRun(why),
        }
    }
}
