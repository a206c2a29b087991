//! All tools of a project, under names that are unique among its servers.
//!
//! A name consists of the server's prefix and the tool's own name. If two servers would have the
//! same one, it belongs to the server that is first in the configuration, whether that is up or
//! not; the other server's tool is left out, and its health says so. So a name always means the
//! same tool.
//!
//! A server that each person logs in to for themselves may show each of them other tools. What it
//! listed for a person is theirs, as long as they are connected; everybody else has what it listed
//! for nobody, or else for whoever was connected last.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use parlor_agent::tools::Tool;
use parlor_protocol::PersonId;

/// The tools of all servers.
#[derive(Debug)]
pub(super) struct Catalogue(Mutex<State>);

#[derive(Debug)]
struct State {
    offers: Vec<Offer>,
    list: Arc<[Tool]>,
    /// What servers listed for people, and the whole lists of these people.
    of_people: HashMap<PersonId, OfPerson>,
    /// The fingerprint of each tool when it was first listed, for nobody or for a person.
    first: BTreeMap<(usize, Option<PersonId>, String), String>,
}

/// What a person has.
#[derive(Debug)]
struct OfPerson {
    /// What servers listed for them, by the server.
    own: BTreeMap<usize, Offer>,
    list: Arc<[Tool]>,
}

/// The tools of one server.
#[derive(Debug, Default, Clone)]
struct Offer {
    tools: Vec<Tool>,
    /// A server that is down offers no tools, but keeps its names.
    is_listed: bool,
    /// Whether they were listed for a person, in place of a list for nobody.
    is_of_person: bool,
}

impl Catalogue {
    /// An empty catalogue for this number of servers.
    pub(super) fn new(servers: usize) -> Self {
        let offers = (0..servers).map(|_| Offer::default()).collect();
        let (list, of_people, first) = (Arc::new([]), HashMap::new(), BTreeMap::new());
        Self(Mutex::new(State { offers, list, of_people, first }))
    }

    /// All tools that are available now, to a person or to whoever is nobody.
    pub(super) fn list(&self, person: Option<PersonId>) -> Arc<[Tool]> {
        let state = self.state();
        state.of(person).map_or(&state.list, |of| &of.list).clone()
    }

    /// Sets the tools of a server, for a person or for everybody.
    pub(super) fn offer(&self, server: usize, person: Option<PersonId>, mut tools: Vec<Tool>) {
        let mut state = self.state();
        state.compare(server, person, &mut tools);
        let offer = Offer { tools, is_listed: true, is_of_person: person.is_some() };
        if let Some(person) = person {
            let list = state.list.clone();
            let of = state.of_people.entry(person);
            let of = of.or_insert_with(|| OfPerson { own: BTreeMap::new(), list });
            of.own.insert(server, offer.clone());
        }
        if let Some(place) = state.offers.get_mut(server)
            && (person.is_none() || place.is_of_person || !place.is_listed)
        {
            *place = offer;
        }
        state.refresh();
    }

    /// Hides the tools of a server that is down. Those that it listed for a person become what it
    /// lists for everybody.
    pub(super) fn withdraw(&self, server: usize, person: Option<PersonId>) {
        let mut state = self.state();
        match person {
            Some(person) => {
                let Some(of) = state.of_people.get_mut(&person) else { return };
                of.own.remove(&server);
                if of.own.is_empty() {
                    state.of_people.remove(&person);
                }
            }
            None => {
                if let Some(place) = state.offers.get_mut(server) {
                    place.is_listed = false;
                }
            }
        }
        state.refresh();
    }

    /// The tool with this exposed name, and the index of its server, even if that is down.
    pub(super) fn find(&self, person: Option<PersonId>, name: &str) -> Option<(usize, Tool)> {
        let state = self.state();
        let owner = *state.owners(person).get(name)?;
        let tools = &state.offer_of(owner, person)?.tools;
        tools.iter().find(|tool| tool.spec.name == name).map(|tool| (owner, tool.clone()))
    }

    /// The tool of a server that its app may call, by its name there.
    pub(super) fn app_tool(
        &self,
        server: usize,
        person: Option<PersonId>,
        name: &str,
    ) -> Option<Tool> {
        let state = self.state();
        let tools = &state.offer_of(server, person)?.tools;
        tools.iter().find(|tool| tool.name == name && tool.app.is_callable).cloned()
    }

    /// Whether a server listed this very tool for a person; `None` if it listed nothing for them.
    pub(super) fn has(&self, server: usize, person: PersonId, tool: &Tool) -> Option<bool> {
        let state = self.state();
        let own = state.of(Some(person))?.own.get(&server)?;
        let is_same = |own: &Tool| own.name == tool.name && own.fingerprint == tool.fingerprint;
        Some(own.tools.iter().any(is_same))
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
        let owners = state.owners(None);
        let tools = state.offers.get(server).map(|offer| offer.tools.as_slice());
        let taken = tools.unwrap_or_default().iter().filter(|tool| {
            owners.get(tool.spec.name.as_str()).is_some_and(|owner| *owner != server)
        });
        taken.map(|tool| format!("{}: another server has the name", tool.spec.name)).collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Marks the tools that are not what they were when they were first listed.
    fn compare(&mut self, server: usize, person: Option<PersonId>, tools: &mut [Tool]) {
        for tool in tools {
            let first = self.first.entry((server, person, tool.name.clone()));
            let first = first.or_insert_with(|| tool.fingerprint.clone());
            tool.is_changed = *first != tool.fingerprint;
        }
    }

    fn of(&self, person: Option<PersonId>) -> Option<&OfPerson> {
        self.of_people.get(&person?)
    }

    /// What a server offers to a person, or to whoever is nobody.
    fn offer_of(&self, server: usize, person: Option<PersonId>) -> Option<&Offer> {
        let own = self.of(person).and_then(|of| of.own.get(&server));
        own.or_else(|| self.offers.get(server))
    }

    fn offers_of(&self, person: Option<PersonId>) -> impl Iterator<Item = (usize, &Offer)> {
        (0..self.offers.len())
            .filter_map(move |server| Some((server, self.offer_of(server, person)?)))
    }

    /// Makes all lists anew.
    fn refresh(&mut self) {
        self.list = self.listed(None);
        let people: Vec<PersonId> = self.of_people.keys().copied().collect();
        for person in people {
            let list = self.listed(Some(person));
            if let Some(of) = self.of_people.get_mut(&person) {
                of.list = list;
            }
        }
    }

    /// The server that has each name: the first one that offers it.
    fn owners(&self, person: Option<PersonId>) -> BTreeMap<&str, usize> {
        let mut owners = BTreeMap::new();
        for (server, offer) in self.offers_of(person) {
            for tool in &offer.tools {
                owners.entry(tool.spec.name.as_str()).or_insert(server);
            }
        }
        owners
    }

    fn listed(&self, person: Option<PersonId>) -> Arc<[Tool]> {
        let owners = self.owners(person);
        let listed = self.offers_of(person).filter(|(_, offer)| offer.is_listed);
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
            approvers: None,
            preview: None,
            suspicion: None,
            is_changed: false,
            app: ToolApp::default(),
            flow: Default::default(),
        }
    }

    fn names(catalogue: &Catalogue) -> Vec<String> {
        let list = catalogue.list(None);
        list.iter().map(|tool| format!("{}/{}", tool.server, tool.spec.name)).collect()
    }

    /// M-1: a name means the same tool, whichever server is up.
    #[test]
    fn the_first_server_has_a_name_even_while_it_is_down() {
        let catalogue = Catalogue::new(2);
        catalogue.offer(1, None, vec![tool("b", "search"), tool("b", "read")]);
        assert_eq!(names(&catalogue), ["b/search", "b/read"]);
        catalogue.offer(0, None, vec![tool("a", "search")]);
        assert_eq!(names(&catalogue), ["a/search", "b/read"]);
        assert_eq!(catalogue.left_out(1), ["search: another server has the name"]);
        assert_eq!(catalogue.count(1, "b"), 1);
        catalogue.withdraw(0, None);
        assert_eq!(names(&catalogue), ["b/read"]);
        assert_eq!(catalogue.count(0, "a"), 0);
        assert_eq!(catalogue.find(None, "search").unwrap().0, 0, "a call can wait for it");
        assert!(catalogue.find(None, "nothing").is_none());
    }

    /// F-1: a tool that becomes another is known as that, also after it was away.
    #[test]
    fn a_tool_that_changes_is_marked() {
        let catalogue = Catalogue::new(1);
        let changed = |fingerprint: &str| {
            let tool = Tool { fingerprint: fingerprint.to_owned(), ..tool("a", "search") };
            catalogue.offer(0, None, vec![tool]);
            catalogue.list(None)[0].is_changed
        };
        assert!(!changed("one"));
        assert!(changed("two"));
        catalogue.offer(0, None, Vec::new());
        assert!(changed("two"));
        assert!(!changed("one"));
    }

    /// I-5: what a server lists for a person is theirs; others have the last list until they are
    /// connected themselves, and a list for nobody is not replaced by that of a person.
    #[test]
    fn what_is_listed_for_a_person_is_theirs() {
        let person = |last: u128| PersonId::new(uuid::Uuid::from_u128(last));
        let (ana, bob) = (person(1), person(2));
        let catalogue = Catalogue::new(1);
        let of = |fingerprint: &str| Tool { fingerprint: fingerprint.to_owned(), ..tool("a", "t") };
        let seen = |person: Option<PersonId>| {
            let list = catalogue.list(person);
            list.iter().map(|tool| tool.fingerprint.clone()).collect::<String>()
        };
        catalogue.offer(0, Some(ana), vec![of("ana")]);
        assert_eq!([seen(None), seen(Some(ana)), seen(Some(bob))], ["ana", "ana", "ana"]);
        assert_eq!(catalogue.has(0, ana, &of("ana")), Some(true));
        assert_eq!(catalogue.has(0, ana, &of("bob")), Some(false));
        assert_eq!(catalogue.has(0, bob, &of("ana")), None);
        catalogue.offer(0, Some(bob), vec![of("bob")]);
        assert_eq!([seen(None), seen(Some(ana)), seen(Some(bob))], ["bob", "ana", "bob"]);
        assert!(!catalogue.list(Some(bob))[0].is_changed, "it is what it was for this person");
        assert_eq!(catalogue.find(Some(ana), "t").unwrap().1.fingerprint, "ana");
        catalogue.withdraw(0, Some(ana));
        assert_eq!([seen(None), seen(Some(ana)), seen(Some(bob))], ["bob", "bob", "bob"]);
        catalogue.offer(0, None, vec![of("all")]);
        catalogue.offer(0, Some(ana), vec![of("ana")]);
        assert_eq!([seen(None), seen(Some(ana)), seen(Some(bob))], ["all", "ana", "bob"]);
    }
}
