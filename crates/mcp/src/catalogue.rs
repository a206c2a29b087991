//! All tools of a project, under names that are unique among its servers.
//!
//! A name consists of the server's prefix and the tool's own name. If two servers would have the
//! same one, it belongs to the server that is first in the configuration, whether that is up or
//! not; the other server's tool is left out, and its health says so. So a name always means the
//! same tool.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use parlor_agent::tools::Tool;

/// The tools of all servers.
#[derive(Debug)]
pub(super) struct Catalogue(Mutex<State>);

#[derive(Debug)]
struct State {
    offers: Vec<Offer>,
    list: Arc<[Tool]>,
    /// The fingerprint of each tool when it was first listed.
    first: BTreeMap<(usize, String), String>,
}

/// The tools of one server.
#[derive(Debug, Default)]
struct Offer {
    tools: Vec<Tool>,
    /// A server that is down offers no tools, but keeps its names.
    is_listed: bool,
}

impl Catalogue {
    /// An empty catalogue for this number of servers.
    pub(super) fn new(servers: usize) -> Self {
        let offers = (0..servers).map(|_| Offer::default()).collect();
        Self(Mutex::new(State { offers, list: Arc::new([]), first: BTreeMap::new() }))
    }

    /// All tools that are available now.
    pub(super) fn list(&self) -> Arc<[Tool]> {
        self.state().list.clone()
    }

    /// Sets the tools of a server.
    pub(super) fn offer(&self, server: usize, mut tools: Vec<Tool>) {
        self.state().compare(server, &mut tools);
        self.change(server, Offer { tools, is_listed: true });
    }

    /// Hides the tools of a server that is down.
    pub(super) fn withdraw(&self, server: usize) {
        let tools = self.state().offers.get(server).map(|offer| offer.tools.clone());
        self.change(server, Offer { tools: tools.unwrap_or_default(), is_listed: false });
    }

    /// The tool with this exposed name, and the index of its server, even if that is down.
    pub(super) fn find(&self, name: &str) -> Option<(usize, Tool)> {
        let state = self.state();
        let owner = *state.owners().get(name)?;
        let tools = &state.offers.get(owner)?.tools;
        tools.iter().find(|tool| tool.spec.name == name).map(|tool| (owner, tool.clone()))
    }

    /// The tool of a server that its app may call, by its name there.
    pub(super) fn app_tool(&self, server: usize, name: &str) -> Option<Tool> {
        let state = self.state();
        let tools = &state.offers.get(server)?.tools;
        tools.iter().find(|tool| tool.name == name && tool.app.is_callable).cloned()
    }

    /// The number of a server's tools that are available now.
    pub(super) fn count(&self, server: usize, name: &str) -> usize {
        let state = self.state();
        let listed = state.offers.get(server).is_some_and(|offer| offer.is_listed);
        if listed { state.list.iter().filter(|tool| tool.server == name).count() } else { 0 }
    }

    /// The tools of a server that were left out because another server has the name.
    pub(super) fn left_out(&self, server: usize) -> Vec<String> {
        let state = self.state();
        let owners = state.owners();
        let tools = state.offers.get(server).map(|offer| offer.tools.as_slice());
        let taken = tools.unwrap_or_default().iter().filter(|tool| {
            owners.get(tool.spec.name.as_str()).is_some_and(|owner| *owner != server)
        });
        taken.map(|tool| format!("{}: another server has the name", tool.spec.name)).collect()
    }

    fn change(&self, server: usize, offer: Offer) {
        let mut state = self.state();
        if let Some(place) = state.offers.get_mut(server) {
            *place = offer;
            state.list = state.listed();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Marks the tools that are not what they were when they were first listed.
    fn compare(&mut self, server: usize, tools: &mut [Tool]) {
        for tool in tools {
            let first = self.first.entry((server, tool.name.clone()));
            let first = first.or_insert_with(|| tool.fingerprint.clone());
            tool.is_changed = *first != tool.fingerprint;
        }
    }

    /// The server that has each name: the first one that offers it.
    fn owners(&self) -> BTreeMap<&str, usize> {
        let mut owners = BTreeMap::new();
        for (server, offer) in self.offers.iter().enumerate() {
            for tool in &offer.tools {
                owners.entry(tool.spec.name.as_str()).or_insert(server);
            }
        }
        owners
    }

    fn listed(&self) -> Arc<[Tool]> {
        let owners = self.owners();
        let listed = self.offers.iter().enumerate().filter(|(_, offer)| offer.is_listed);
        listed
            .flat_map(|(server, offer)| offer.tools.iter().map(move |tool| (server, tool)))
            .filter(|(server, tool)| owners.get(tool.spec.name.as_str()) == Some(server))
            .filter(|(_, tool)| !tool.app.is_hidden)
            .map(|(_, tool)| tool.clone())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use parlor_agent::tools::ToolSpec;
    use parlor_agent::tools::{Claims, ToolApp};

    fn tool(server: &str, name: &str) -> Tool {
        Tool {
            spec: ToolSpec {
                name: name.to_owned(),
                description: String::new(),
                input_schema: json!({"type": "object"}),
            },
            server: server.to_owned(),
            name: name.to_owned(),
            title: None,
            claims: Claims::default(),
            rules: Vec::new(),
            fingerprint: String::new(),
            timeout: Duration::from_secs(1),
            prompt_timeout: None,
            preview: None,
            suspicion: None,
            is_changed: false,
            app: ToolApp::default(),
            flow: Default::default(),
        }
    }

    fn names(catalogue: &Catalogue) -> Vec<String> {
        let list = catalogue.list();
        list.iter().map(|tool| format!("{}/{}", tool.server, tool.spec.name)).collect()
    }

    /// M-1: a name means the same tool, whichever server is up.
    #[test]
    fn the_first_server_has_a_name_even_while_it_is_down() {
        let catalogue = Catalogue::new(2);
        catalogue.offer(1, vec![tool("b", "search"), tool("b", "read")]);
        assert_eq!(names(&catalogue), ["b/search", "b/read"]);
        catalogue.offer(0, vec![tool("a", "search")]);
        assert_eq!(names(&catalogue), ["a/search", "b/read"]);
        assert_eq!(catalogue.left_out(1), ["search: another server has the name"]);
        assert_eq!(catalogue.count(1, "b"), 1);
        catalogue.withdraw(0);
        assert_eq!(names(&catalogue), ["b/read"]);
        assert_eq!(catalogue.count(0, "a"), 0);
        assert_eq!(catalogue.find("search").unwrap().0, 0, "a call can wait for it");
        assert!(catalogue.find("nothing").is_none());
    }

    /// F-1: a tool that becomes another is known as that, also after it was away.
    #[test]
    fn a_tool_that_changes_is_marked() {
        let catalogue = Catalogue::new(1);
        let changed = |fingerprint: &str| {
            let tool = Tool { fingerprint: fingerprint.to_owned(), ..tool("a", "search") };
            catalogue.offer(0, vec![tool]);
            catalogue.list()[0].is_changed
        };
        assert!(!changed("one"));
        assert!(changed("two"));
        catalogue.offer(0, Vec::new());
        assert!(changed("two"));
        assert!(!changed("one"));
    }
}
