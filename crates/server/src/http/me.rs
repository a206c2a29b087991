//! `GET /api/me`: the principal, its projects and its limits.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::Response;
use parlor_chat::Caller;
use parlor_protocol::{LoginName, PersonId, ProjectId, RoleName, TenantId};
use parlor_recipes::SampleLanguage;
use parlor_storage::{AccessRole, TokenKind};
use serde::Serialize;

use super::errors::ApiError;
use super::json;
use super::locale::Locale;
use crate::app::App;
use crate::auth::Principal;
use crate::config::{
    Accent, Config, LookConfig, OnReload, ShareLinks, Suggestion, TenantConfig, Words,
};

#[derive(Serialize)]
struct Me<'a> {
    role: AccessRole,
    tenant: &'a TenantId,
    /// The name of the session or key.
    name: &'a str,
    /// `session`, `key` or `visitor`.
    kind: &'static str,
    /// Who it is; none for the shared account.
    #[serde(skip_serializing_if = "Option::is_none")]
    person: Option<MyPerson<'a>>,
    /// Whether administrators read the conversations that people have to themselves.
    admins_read_conversations: bool,
    /// Who may open links to conversations: `off`, `tenant` or `anyone`.
    share_links: ShareLinks,
    default_project: &'a ProjectId,
    projects: Vec<Project<'a>>,
    limits: Limits,
    locale: Locale,
}

#[derive(Serialize)]
struct MyPerson<'a> {
    id: PersonId,
    name: &'a str,
    /// What they log in with, and their roles: prompts may name who answers them.
    #[serde(skip_serializing_if = "Option::is_none")]
    login: Option<LoginName>,
    roles: Vec<RoleName>,
}

#[derive(Serialize)]
struct Project<'a> {
    id: &'a ProjectId,
    name: &'a str,
    on_reload: OnReload,
    /// Whether Recipe Vault is among its tools.
    recipe_vault: bool,
    /// What is configured of how it looks.
    #[serde(skip_serializing_if = "Option::is_none")]
    look: Option<Look<'a>>,
    message_chars: usize,
    /// Whether its model looks at pictures.
    takes_pictures: bool,
    /// What answers, for administrators: people do not see what runs behind a project.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
}

#[derive(Serialize)]
struct Look<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    greeting: Option<&'a Words>,
    #[serde(skip_serializing_if = "Option::is_none")]
    intro: Option<&'a Words>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestions: Option<&'a [Suggestion]>,
    /// The address of the logo.
    #[serde(skip_serializing_if = "Option::is_none")]
    logo: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    accent: Option<Accent>,
}

#[derive(Serialize)]
struct Limits {
    messages_per_minute: u32,
    message_chars: usize,
    image_bytes: usize,
    /// Files of a message; the largest; all together; pages of a PDF; characters of text.
    files: u32,
    file_bytes: usize,
    files_bytes: usize,
    pdf_pages: u32,
    file_chars: usize,
    body_bytes: usize,
    frame_bytes: usize,
    /// For how long the deletion of a conversation can be undone; 0 if it cannot.
    undo_deletion_seconds: u64,
}

/// The principal, its projects and its limits.
pub(crate) async fn me(
    State(app): State<Arc<App>>,
    principal: Principal,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let caller = &principal.caller;
    let tenant = app.config.tenants.get(&caller.tenant).ok_or_else(ApiError::not_found)?;
    welcome(&app, caller, tenant, &headers).await;
    json(&Me {
        role: caller.role,
        tenant: &caller.tenant,
        name: &principal.session.name,
        person: person(&app, &principal).await?,
        kind: match principal.session.kind {
            TokenKind::Session => "session",
            TokenKind::Key => "key",
            TokenKind::Visitor => "visitor",
        },
        admins_read_conversations: tenant.admins_read_conversations,
        share_links: tenant.share_links,
        default_project: caller.scope.only_project().unwrap_or(&tenant.default_project),
        projects: projects(&app, caller, tenant),
        limits: limits(&app.config, tenant),
        locale: Locale::of(&headers),
    })
}

/// The sample recipes are in the language of who reads first. A client that does not say its
/// language leaves that to the next one.
async fn welcome(app: &App, caller: &Caller, tenant: &TenantConfig, headers: &HeaderMap) {
    let has_recipes = tenant.projects.values().any(|project| project.recipe_vault);
    if !has_recipes || !headers.contains_key(header::ACCEPT_LANGUAGE) {
        return;
    }
    let language = match Locale::of(headers) {
        Locale::En => SampleLanguage::English,
        Locale::Pt => SampleLanguage::Portuguese,
    };
    // Whoever needs the recipes is told what is wrong with them.
    if let Err(error) = app.recipes.first_use(&caller.tenant, language).await {
        tracing::warn!(%error, "failed to add the sample recipes");
    }
}

fn projects<'a>(app: &App, caller: &Caller, tenant: &'a TenantConfig) -> Vec<Project<'a>> {
    let described = |id: &ProjectId| {
        let project = app.chat.projects().get(&caller.tenant, id)?;
        let agent = project.agent.describe();
        Some(format!("{}: {}", agent.kind, agent.model))
    };
    let takes_pictures = |id: &ProjectId| {
        let project = app.chat.projects().get(&caller.tenant, id);
        project.is_none_or(|project| project.agent.takes().pictures)
    };
    tenant
        .projects
        .iter()
        .filter(|(id, _)| caller.scope.has_project(id))
        .map(|(id, project)| Project {
            id,
            name: &project.name,
            on_reload: project.on_reload,
            recipe_vault: project.recipe_vault,
            look: look(id, &project.look),
            message_chars: project.guard.max_chars,
            takes_pictures: takes_pictures(id),
            agent: described(id).filter(|_| caller.role == AccessRole::Admin),
        })
        .collect()
}

fn look<'a>(project: &ProjectId, look: &'a LookConfig) -> Option<Look<'a>> {
    (*look != LookConfig::default()).then(|| Look {
        greeting: look.greeting.as_ref(),
        intro: look.intro.as_ref(),
        suggestions: look.suggestions.as_deref(),
        logo: look.logo.as_ref().map(|_| format!("/api/projects/{project}/logo")),
        accent: look.accent,
    })
}

/// N-1: the browser applies the same limits.
fn limits(config: &Config, tenant: &TenantConfig) -> Limits {
    let project = tenant.projects.get(&tenant.default_project);
    let limits = &config.server.limits;
    Limits {
        messages_per_minute: limits.messages_per_minute,
        message_chars: project.map_or(0, |project| project.guard.max_chars),
        image_bytes: limits.image,
        files: limits.files,
        file_bytes: limits.file,
        files_bytes: limits.files_together,
        pdf_pages: limits.pdf_pages,
        file_chars: limits.file_text,
        body_bytes: limits.body,
        frame_bytes: limits.frame,
        undo_deletion_seconds: config.storage.undo_deletion.as_secs(),
    }
}

async fn person<'a>(app: &App, principal: &'a Principal) -> Result<Option<MyPerson<'a>>, ApiError> {
    let Some(own) = &principal.session.person else { return Ok(None) };
    let (id, name) = (own.id, own.name.as_str());
    // Whom another site named has no account.
    if principal.session.kind == TokenKind::Visitor {
        return Ok(Some(MyPerson { id, name, login: None, roles: Vec::new() }));
    }
    let row = app.store.people().find(&principal.caller.tenant, id).await?;
    Ok(Some(MyPerson { id, name, login: Some(row.login), roles: row.roles }))
}
