//! Logging in to the servers of a project: for the project, or each person for themselves.

use std::sync::Arc;

use parlor_protocol::PersonId;
use secrecy::SecretString;

use super::host::McpHost;
use super::login::{BegunLogin, Login, LoginError, LoginNeed, LoginStore};
use super::oauth;
use super::resolve::{HttpEndpoint, ServerSpec};
use super::server_handle::ServerHandle;

/// What is needed to log in to a server.
struct LoginPlace {
    spec: ServerSpec,
    index: usize,
    /// The server for the project; nobody's if each person logs in for themselves.
    handle: Arc<ServerHandle>,
    person: Option<PersonId>,
}

impl LoginPlace {
    fn endpoint(&self) -> Result<(&HttpEndpoint, &Login), LoginError> {
        self.spec.login().ok_or(LoginError::NotPossible)
    }

    fn store(&self) -> Result<&Arc<dyn LoginStore>, LoginError> {
        match self.endpoint()? {
            (_, Login::Later { store, .. }) => Ok(store),
            _ => Err(LoginError::NotPossible),
        }
    }
}

impl McpHost {
    /// The servers that each person logs in to for themselves, and how many are connected now.
    pub fn person_servers(&self) -> Vec<(String, usize)> {
        let servers = self.servers().iter().enumerate();
        let of_people = servers.filter(|(_, server)| server.spec.person_login.is_some());
        of_people
            .map(|(index, server)| (server.spec.name.clone(), self.people().count(index)))
            .collect()
    }

    /// Begins a login to a server, for somebody who is about to open its login page: a person for
    /// themselves, if each person logs in to it; an administrator for the project, if not.
    pub async fn begin_login(
        &self,
        server: &str,
        person: Option<PersonId>,
    ) -> Result<BegunLogin, LoginError> {
        let place = self.place(server, person)?;
        let (endpoint, login) = place.endpoint()?;
        if person.is_some() {
            let standing = place.store()?.standing(server).await.map_err(LoginError::Failed)?;
            if let Some(scopes) = standing.and_then(|standing| standing.refused)
                && !scopes.is_empty()
            {
                endpoint.login_status.needs(LoginNeed::Scope(scopes));
            } else if let Some(need) =
                place.handle.spec.login().and_then(|(e, _)| e.login_status.need())
            {
                endpoint.login_status.needs(need);
            }
        }
        oauth::attempt::begin(server, endpoint, login).await
    }

    /// Finishes a login: `back` is the address that somebody was sent back to. The server is
    /// connected anew.
    pub async fn finish_login(
        &self,
        server: &str,
        person: Option<PersonId>,
        attempt: &SecretString,
        back: &str,
    ) -> Result<(), LoginError> {
        let place = self.place(server, person)?;
        let (endpoint, login) = place.endpoint()?;
        oauth::attempt::finish(server, endpoint, login, attempt, back).await?;
        self.connect_anew(&place);
        Ok(())
    }

    /// Forgets a login to a server: that of a person, or that of the project.
    pub async fn log_out(&self, server: &str, person: Option<PersonId>) -> Result<(), LoginError> {
        let place = self.place(server, person)?;
        place.store()?.clear(server).await.map_err(LoginError::Failed)?;
        place.endpoint()?.0.login_status.logged_out();
        self.connect_anew(&place);
        Ok(())
    }

    /// Closes the connections of somebody who may not come in any more. Their logins are gone.
    pub fn shut_out(&self, person: PersonId) {
        self.people().close(|(_, of)| of == person);
    }

    fn place(&self, server: &str, person: Option<PersonId>) -> Result<LoginPlace, LoginError> {
        let (index, handle) = self.server(server)?;
        let spec = match (&handle.spec.person_login, person) {
            (None, None) => handle.spec.clone(),
            (Some(_), Some(person)) => {
                let store = handle.spec.store_of(person).ok_or(LoginError::NotPossible)?;
                handle.spec.with_store(store).ok_or(LoginError::NotPossible)?
            }
            // Nobody logs in to it in this way.
            (Some(_), None) | (None, Some(_)) => return Err(LoginError::NotPossible),
        };
        Ok(LoginPlace { spec, index, handle: handle.clone(), person })
    }

    fn connect_anew(&self, place: &LoginPlace) {
        match place.person {
            // The next call opens a connection with the login that there is then.
            Some(person) => self.people().close(|key| key == (place.index, person)),
            None => place.handle.connect_anew(),
        }
    }
}
