//! `GET /api/admin/decisions`: the audit of the tenant, searched, newest first.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use parlor_protocol::{PromptOutcome, Timestamp};
use parlor_storage::DecisionFilter;
use serde::Deserialize;

use crate::app::App;
use crate::http::body::{Parameters, page_cursor};
use crate::http::errors::ApiError;
use crate::http::json;
use crate::http::principal::Admin;

/// How many are on a page.
const PER_PAGE: u32 = 50;
/// The longest text that is searched for, in characters.
const LONGEST: usize = 200;

#[derive(Debug, Deserialize)]
pub(crate) struct Query {
    q: Option<String>,
    tool: Option<String>,
    person: Option<String>,
    outcome: Option<PromptOutcome>,
    from: Option<i64>,
    to: Option<i64>,
    before: Option<String>,
}

/// What is searched for, as the query has it.
#[derive(Debug)]
pub(super) struct Search {
    pub(super) q: Option<String>,
    pub(super) tool: Option<String>,
    pub(super) person: Option<String>,
    pub(super) outcome: Option<PromptOutcome>,
    pub(super) from: Option<i64>,
    pub(super) to: Option<i64>,
}

/// A page of them.
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Admin(principal): Admin,
    Parameters(query): Parameters<Query>,
) -> Result<Response, ApiError> {
    let Query { q, tool, person, outcome, from, to, before } = query;
    let before = page_cursor(before.as_deref())?;
    let search = Search { q, tool, person, outcome, from, to }.checked()?;
    let scope = &principal.caller.scope;
    json(&app.store.decision_page(scope, search.filter(), before.as_ref(), PER_PAGE).await?)
}

impl Search {
    /// Refuses what is too long, and drops what is empty.
    pub(super) fn checked(self) -> Result<Self, ApiError> {
        let text = |name: &str, given: Option<String>| match given {
            Some(text) if text.chars().count() > LONGEST => {
                Err(ApiError::malformed(format!("{name}: it has more than {LONGEST} characters")))
            }
            given => Ok(given.filter(|text| !text.trim().is_empty())),
        };
        Ok(Self {
            q: text("q", self.q)?,
            tool: text("tool", self.tool)?,
            person: text("person", self.person)?,
            ..self
        })
    }

    pub(super) fn filter(&self) -> DecisionFilter<'_> {
        DecisionFilter {
            text: self.q.as_deref().map(str::trim),
            tool: self.tool.as_deref().map(str::trim),
            person: self.person.as_deref().map(str::trim),
            outcome: self.outcome,
            from: self.from.map(Timestamp),
            to: self.to.map(Timestamp),
        }
    }
}
