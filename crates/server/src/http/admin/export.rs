//! `GET /api/admin/decisions/export`: the decisions that a search finds, as a file, newest first.
//!
//! They are read page by page, when the client has taken the page before, and the file ends with the
//! session. One that ends early does not look whole: lines of JSON end with an error, and a table
//! breaks off, which every browser reports.

use std::io;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream;
use parlor_protocol::PromptOutcome;
use parlor_storage::{DecisionContent, DecisionPage, ListedDecision, PageCursor};
use serde::Deserialize;
use serde_json::{Value, json as value};

use super::decisions::Search;
use crate::app::App;
use crate::auth::{Act, Principal};
use crate::http::body::Parameters;
use crate::http::errors::ApiError;
use crate::http::principal::Admin;
use crate::timestamp::iso;

/// How many are read at once.
const PER_READ: u32 = 500;
/// So that programs for tables read letters with accents.
const BYTE_ORDER_MARK: &str = "\u{feff}";
/// What a cell must not begin with: a program for tables would compute it.
const FORMULA: [char; 7] = ['=', '+', '-', '@', '\t', '\r', '|'];
const COLUMNS: &[&str] = &[
    "at", "outcome", "answered_by", "tool", "server", "project", "origin", "question", "reason",
    "response", "arguments", "proposed", "edited", "remembered", "hidden", "conversation_id",
    "prompt_id", "run_id", "arguments_hash",
];

#[derive(Debug, Deserialize)]
pub(crate) struct Query {
    #[serde(default)]
    format: Format,
    q: Option<String>,
    tool: Option<String>,
    person: Option<String>,
    outcome: Option<PromptOutcome>,
    from: Option<i64>,
    to: Option<i64>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Format {
    /// A table for people.
    #[default]
    Csv,
    /// Lines of JSON, whole.
    Json,
}

struct Export {
    app: Arc<App>,
    principal: Principal,
    search: Search,
    format: Format,
    next: Next,
}

enum Next {
    /// The names of the columns.
    Head,
    Page(Option<PageCursor>),
    Nothing,
}

/// The file.
pub(crate) async fn export(
    State(app): State<Arc<App>>,
    Admin(principal): Admin,
    Parameters(query): Parameters<Query>,
) -> Result<Response, ApiError> {
    let Query { format, q, tool, person, outcome, from, to } = query;
    let search = Search { q, tool, person, outcome, from, to }.checked()?;
    app.access.record(&principal.caller, Act::DecisionsExported, ("", "")).await?;
    let next = match format {
        Format::Csv => Next::Head,
        Format::Json => Next::Page(None),
    };
    let export = Export { app, principal, search, format, next };
    let pieces = stream::unfold(export, |mut export| async move {
        let piece = export.piece().await?;
        Some((piece.map(Bytes::from), export))
    });
    let mut response = Response::new(Body::from_stream(pieces));
    let (kind, name) = match format {
        Format::Csv => ("text/csv; charset=utf-8", "attachment; filename=\"decisions.csv\""),
        Format::Json => ("application/x-ndjson", "attachment; filename=\"decisions.jsonl\""),
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CONTENT_DISPOSITION, HeaderValue::from_static(name));
    Ok(response)
}

impl Export {
    /// The next piece of the file; `None` after the last.
    async fn piece(&mut self) -> Option<io::Result<String>> {
        match std::mem::replace(&mut self.next, Next::Nothing) {
            Next::Nothing => None,
            Next::Head => {
                self.next = Next::Page(None);
                Some(Ok(format!("{BYTE_ORDER_MARK}{}\r\n", COLUMNS.join(","))))
            }
            Next::Page(before) => Some(match (self.page(before).await, self.format) {
                (Ok(page), format) => {
                    let DecisionPage { decisions, next_before } = page;
                    if next_before.is_some() {
                        self.next = Next::Page(next_before);
                    }
                    Ok(decisions.iter().map(|one| line(one, format)).collect())
                }
                (Err(error), Format::Json) => {
                    Ok(format!("{}\n", value!({"error": error.into_body()})))
                }
                (Err(error), Format::Csv) => Err(io::Error::other(error.into_body().message)),
            }),
        }
    }

    async fn page(&self, before: Option<PageCursor>) -> Result<DecisionPage, ApiError> {
        if self.principal.session.is_ended() {
            return Err(ApiError::unauthorized());
        }
        let (store, scope) = (&self.app.store, &self.principal.caller.scope);
        Ok(store.decision_page(scope, self.search.filter(), before.as_ref(), PER_READ).await?)
    }
}

fn line(listed: &ListedDecision, format: Format) -> String {
    match format {
        Format::Json => serde_json::to_string(listed).map(|line| line + "\n").unwrap_or_default(),
        Format::Csv => {
            let cells: Vec<String> = cells(listed).iter().map(|text| cell(text)).collect();
            format!("{}\r\n", cells.join(","))
        }
    }
}

/// The cells, in the order of [`COLUMNS`].
fn cells(listed: &ListedDecision) -> [String; COLUMNS.len()] {
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let content = listed.content.as_ref();
    let said = |of: fn(&DecisionContent) -> &Option<String>| {
        content.map_or_else(String::new, |content| text(of(content)))
    };
    let given = |of: fn(&DecisionContent) -> Option<&Value>| shown(content.and_then(of));
    let outcome = match listed.outcome {
        PromptOutcome::Answered => "answered",
        PromptOutcome::Refused => "refused",
        PromptOutcome::Expired => "expired",
        PromptOutcome::Cancelled => "cancelled",
    };
    [
        iso(listed.at),
        outcome.to_owned(),
        text(&listed.answered_by),
        text(&listed.tool),
        text(&listed.server),
        listed.project.to_string(),
        listed.origin.clone(),
        content.map_or_else(String::new, |content| content.question.clone()),
        said(|content| &content.reason),
        given(|content| content.response.as_ref()),
        given(|content| content.arguments.as_ref()),
        given(|content| content.proposed.as_ref()),
        listed.edited.to_string(),
        listed.remembered.to_string(),
        content.is_none().to_string(),
        content.map_or_else(String::new, |content| content.conversation_id.to_string()),
        content.map_or_else(String::new, |content| content.prompt_id.to_string()),
        said(|content| &content.run_id),
        said(|content| &content.arguments_hash),
    ]
}

/// A text as it is, anything else as JSON.
fn shown(value: Option<&Value>) -> String {
    match value {
        None => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    }
}

/// A cell in quotes (RFC 4180). One that a program for tables would compute is marked as text.
fn cell(text: &str) -> String {
    let is_formula = text.trim_start_matches(' ').starts_with(FORMULA);
    let mark = if is_formula { "'" } else { "" };
    format!("\"{mark}{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Y-4: what an agent or a person wrote is text in a table, whatever it begins with.
    #[test]
    fn no_cell_is_computed() {
        assert_eq!(cell("Delete \"soup\"?"), "\"Delete \"\"soup\"\"?\"");
        for formula in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =cmd|' /C calc'!A0"] {
            assert_eq!(cell(formula), format!("\"'{formula}\""));
        }
        assert_eq!(cell("a\r\n=1"), "\"a\r\n=1\"", "it is inside a cell");
    }
}
