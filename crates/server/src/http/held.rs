//! Which routes serve whoever is held to projects: a visitor of a site that embeds one (U-12), and a
//! page of a site that only some projects allow (I-7). Any other route does not exist for them.
//!
//! That a route is in this table says that it looks at the scope: it shows and changes conversations
//! of those projects only ([`parlor_storage::Scope`]), and begins turns in no other.

use std::sync::Arc;

use axum::http::Method;
use parlor_protocol::{ProjectId, TenantId};

use super::errors::ApiError;
use crate::auth::Principal;
use crate::config::Config;

/// Whom a route serves beside those who are held to nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Serves {
    /// Visitors and pages.
    Both,
    Visitors,
    Pages,
}

use Serves::{Both, Pages, Visitors};

const ROUTES: &[(&str, &str, Serves)] = &[
    ("POST", "/api/chat", Both),
    ("GET", "/api/conversations", Both),
    ("POST", "/api/conversations", Both),
    ("GET", "/api/conversations/{id}", Both),
    ("PATCH", "/api/conversations/{id}", Both),
    ("DELETE", "/api/conversations/{id}", Both),
    ("PUT", "/api/conversations/{id}/branch", Both),
    ("GET", "/api/conversations/{id}/events", Both),
    ("POST", "/api/conversations/{id}/stop", Both),
    ("GET", "/api/conversations/{id}/export", Pages),
    ("GET", "/api/conversations/{id}/allowances", Both),
    ("DELETE", "/api/conversations/{id}/allowances", Both),
    ("DELETE", "/api/conversations/{id}/allowances/{tool}", Both),
    ("GET", "/api/prompts", Both),
    ("GET", "/api/prompts/{id}", Both),
    ("POST", "/api/prompts/{id}/response", Both),
    ("POST", "/api/prompts/{id}/preview", Both),
    ("POST", "/api/prompts/{id}/extend", Both),
    ("GET", "/ws/chat/{tenant}/{project}", Pages),
    ("GET", "/api/images/{id}", Both),
    ("GET", "/api/me", Both),
    ("GET", "/api/projects/{project}/logo", Both),
    // The panel of a recipe that the agent shows. Recipes are the tenant's, so a page of a site gets
    // none; a visitor reads what the agent can read to them, and changes it by asking.
    ("GET", "/api/recipes/{id}", Visitors),
    ("DELETE", "/api/embed/sessions", Visitors),
    ("GET", "/agui/{tenant}/info", Pages),
    ("POST", "/agui/{tenant}/agent/{project}/run", Pages),
    ("POST", "/agui/{tenant}/agent/{project}/connect", Pages),
    ("POST", "/agui/{tenant}/agent/{project}/stop/{thread}", Pages),
    ("GET", "/v1/models", Pages),
    ("GET", "/v1/models/{*model}", Pages),
    ("POST", "/v1/chat/completions", Pages),
    ("POST", "/v1/responses", Pages),
    ("GET", "/v1/responses/{id}", Pages),
    ("DELETE", "/v1/responses/{id}", Pages),
    ("GET", "/v1/responses/{id}/input_items", Pages),
    ("POST", "/v1/responses/{id}/cancel", Pages),
    ("POST", "/ai-sdk/{tenant}/{project}", Pages),
    ("GET", "/ai-sdk/{tenant}/{project}/{id}/stream", Pages),
    ("POST", "/ai-sdk/{tenant}/{project}/{id}/stop", Pages),
];

/// Whether a route serves visitors.
pub(super) fn serves_visitors(method: &Method, route: &str) -> bool {
    serves(method, route).is_some_and(|serves| serves != Pages)
}

fn serves(method: &Method, route: &str) -> Option<Serves> {
    let method = if *method == Method::HEAD { "GET" } else { method.as_str() };
    let row = ROUTES.iter().find(|(of, path, _)| *of == method && *path == route);
    row.map(|(_, _, serves)| *serves)
}

/// The projects that allow the site whose page a request comes from.
#[derive(Debug, Clone)]
pub(crate) struct ProjectsOfPage(Arc<[(TenantId, ProjectId)]>);

impl ProjectsOfPage {
    /// Those that allow this origin, for this route; none if there is none. If the path names a
    /// project, it alone counts.
    pub(crate) fn of(
        config: &Config,
        origin: &str,
        (method, route, path): (&Method, &str, &str),
    ) -> Option<Self> {
        serves(method, route).filter(|serves| *serves != Visitors)?;
        let in_path = |name: &str| named(route, path, name);
        let (tenant, project) = (in_path("{tenant}"), in_path("{project}"));
        let of_tenants = config.tenants.iter();
        let allowed = of_tenants
            .filter(|(id, _)| tenant.is_none_or(|named| named == id.as_str()))
            .flat_map(|(tenant, config)| {
                let projects = config.projects.iter();
                projects
                    .filter(|(id, _)| project.is_none_or(|named| named == id.as_str()))
                    .filter(|(_, one)| one.allowed_origins.iter().any(|own| own == origin))
                    .map(|(id, _)| (tenant.clone(), id.clone()))
            });
        let allowed: Arc<[_]> = allowed.collect();
        (!allowed.is_empty()).then_some(Self(allowed))
    }

    /// Holds whoever makes the request to those of their tenant.
    pub(super) fn hold(&self, principal: &mut Principal) -> Result<(), ApiError> {
        let caller = &mut principal.caller;
        let own = self.0.iter().filter(|(tenant, _)| *tenant == caller.tenant);
        let projects: Vec<ProjectId> = own.map(|(_, project)| project.clone()).collect();
        if projects.is_empty() {
            return Err(ApiError::forbidden(
                "No project of this key's tenant allows pages of this origin; see allowed_origins.",
            ));
        }
        caller.scope = caller.scope.clone().within(projects);
        Ok(())
    }
}

/// The part of a path that stands where the route has this name.
fn named<'p>(route: &str, path: &'p str, name: &str) -> Option<&'p str> {
    let mut parts = route.split('/').zip(path.split('/'));
    parts.find(|(of_route, _)| *of_route == name).map(|(_, part)| part)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// I-7: what a path names is found by the form of its route.
    #[test]
    fn a_path_names_its_project() {
        let route = "/agui/{tenant}/agent/{project}/run";
        let path = "/agui/home/agent/recipes/run";
        assert_eq!(named(route, path, "{tenant}"), Some("home"));
        assert_eq!(named(route, path, "{project}"), Some("recipes"));
        assert_eq!(named("/api/chat", "/api/chat", "{project}"), None);
    }

    /// U-12: a visitor has no list of accounts, keys, sessions or figures, and no other protocol.
    #[test]
    fn visitors_get_their_conversations_and_little_else() {
        let may = |method: &str, route: &str| serves_visitors(&method.parse().unwrap(), route);
        assert!(may("POST", "/api/chat") && may("HEAD", "/api/me"));
        for (method, route) in [
            ("GET", "/api/sessions"),
            ("GET", "/api/export"),
            ("POST", "/api/imports"),
            ("GET", "/api/me/usage"),
            ("POST", "/v1/chat/completions"),
            ("POST", "/mcp/recipes"),
            ("GET", "/api/recipes"),
            ("PUT", "/api/recipes/{id}"),
            ("POST", "/api/embed/tokens"),
            ("GET", "/api/admin/status"),
            ("GET", "/ws/chat/{tenant}/{project}"),
        ] {
            assert!(!may(method, route), "{method} {route}");
        }
    }
}
