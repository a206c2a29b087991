//! All routes, in one list.

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{delete, get, patch, post, put};

use crate::app::App;
use crate::http::admin::{acts, configuration, decisions, keys, servers, usage};
use crate::http::errors::ApiError;
use crate::http::external::openai::{chat_completions, models, responses, stored_responses};
use crate::http::external::{agui, ai_sdk};
use crate::http::{
    admin, apps, blocked_inputs, budgets, chat, conversations, edge, embed, events, export,
    export_all, files, health, imports, invitations, link_page, login, logo, mcp, mcp_logins, me,
    metrics, oidc, openapi, pages, people, person_logins, prompts, push, recipe_import, recipes,
    search, sessions, share_links, status, web, ws,
};

/// The routes of the server, behind the edge.
pub fn router(app: &Arc<App>) -> Router {
    Router::new()
        // Pages
        .route("/", get(pages::root))
        .route("/login", get(login::form).post(login::log_in))
        .route("/login/oidc/{provider}", get(oidc::begin))
        .route("/login/oidc/{provider}/callback", get(oidc::finish))
        .route("/logout", post(login::log_out))
        .route("/invite/{token}", get(invitations::page).post(invitations::accept))
        .route("/chat", get(pages::chat))
        .route("/c/{id}", get(pages::conversation))
        .route("/s/{token}", get(link_page::page))
        .route("/waiting", get(pages::waiting))
        .route("/settings", get(pages::settings))
        .route("/admin", get(pages::admin))
        .route("/admin/{tab}", get(pages::admin_tab))
        // A chat inside pages of other sites
        .route("/widget.js", get(embed::script::read))
        .route("/embed/{tenant}/{project}", get(embed::page::read))
        .route("/api/embed/tokens", post(embed::tokens::create))
        .route("/api/embed/sessions", post(embed::tokens::begin).delete(embed::tokens::end))
        .route("/offline", get(pages::offline))
        .route("/sw.js", get(pages::worker))
        .route("/manifest.webmanifest", get(pages::manifest))
        .route("/icons/{name}", get(pages::app_icon))
        .route("/assets/style.css", get(pages::style))
        .route("/assets/offline.js", get(pages::offline_script))
        .route("/assets/theme.js", get(pages::theme))
        .route("/assets/icon.svg", get(pages::icon))
        .route("/assets/chat.js", get(pages::script))
        .route("/assets/mcp_login.js", get(pages::mcp_login_script))
        .route("/assets/{*name}", get(web::asset))
        // The chat
        .route("/api/chat", post(chat::send))
        .route("/api/conversations", get(conversations::list).post(conversations::create))
        .route(
            "/api/conversations/{id}",
            get(conversations::read).patch(conversations::update).delete(conversations::delete),
        )
        .route("/api/conversations/{id}/branch", put(conversations::choose_branch))
        .route("/api/conversations/{id}/events", get(events::follow))
        .route("/api/conversations/{id}/stop", post(conversations::stop))
        .route("/api/conversations/{id}/restore", post(conversations::restore))
        .route("/api/conversations/{id}/export", get(export::export))
        .route(
            "/api/conversations/{id}/allowances",
            get(prompts::allowances).delete(prompts::revoke_all),
        )
        .route("/api/conversations/{id}/allowances/{tool}", delete(prompts::revoke))
        .route("/api/conversations/{id}/apps/{message}/page", get(apps::page))
        .route("/api/conversations/{id}/apps/{message}/call", post(apps::call))
        .route("/api/search", get(search::read))
        .route("/api/conversations/{id}/links", get(share_links::list).post(share_links::make))
        .route("/api/conversations/{id}/links/{link}", delete(share_links::take_back))
        // For whoever has a link to share
        .route("/api/shared/{token}", get(link_page::read))
        .route("/api/shared/{token}/events", get(link_page::follow))
        .route("/api/shared/{token}/images/{image}", get(link_page::image))
        .route("/api/prompts", get(prompts::list))
        .route("/api/prompts/{id}", get(prompts::read))
        .route("/api/prompts/{id}/response", post(prompts::respond))
        .route("/api/prompts/{id}/preview", post(prompts::preview))
        .route("/api/prompts/{id}/extend", post(prompts::extend))
        .route("/ws/chat/{tenant}/{project}", get(ws::open))
        .route("/api/images/{id}", get(files::image))
        .route("/api/files/{id}", get(files::read))
        .route("/api/imports", post(imports::create))
        .route("/api/export", get(export_all::read))
        .route("/api/me", get(me::me))
        .route("/api/me/usage", get(budgets::mine))
        .route("/api/me/password", post(people::change_password))
        .route("/api/me/mcp-logins", get(person_logins::list).post(mcp_logins::finish))
        .route(
            "/api/me/mcp-logins/{project}/{server}",
            post(person_logins::begin).delete(person_logins::log_out),
        )
        .route("/api/push", get(push::read))
        .route("/api/push/subscription", put(push::subscribe).delete(push::unsubscribe))
        .route("/api/push/test", post(push::test))
        .route("/api/sessions", get(sessions::list))
        .route("/api/sessions/{id}", delete(sessions::end))
        .route("/api/projects/{project}/logo", get(logo::read))
        .route("/api/openapi.json", get(openapi::read))
        // External clients
        .route("/agui/{tenant}/info", get(agui::info))
        .route("/agui/{tenant}/agent/{project}/run", post(agui::run))
        .route("/agui/{tenant}/agent/{project}/connect", post(agui::connect))
        .route("/agui/{tenant}/agent/{project}/stop/{thread}", post(agui::stop))
        .route("/v1/models", get(models::list))
        .route("/v1/models/{*model}", get(models::read))
        .route("/v1/chat/completions", post(chat_completions::create))
        .route("/v1/responses", post(responses::create))
        .route("/v1/responses/{id}", get(stored_responses::read).delete(stored_responses::delete))
        .route("/v1/responses/{id}/input_items", get(stored_responses::input_items))
        .route("/v1/responses/{id}/cancel", post(stored_responses::cancel))
        .route("/ai-sdk/{tenant}/{project}", post(ai_sdk::chat))
        .route("/ai-sdk/{tenant}/{project}/{id}/stream", get(ai_sdk::resume))
        .route("/ai-sdk/{tenant}/{project}/{id}/stop", post(ai_sdk::stop))
        // Recipes: /api/recipes and /api/recipes/{id}
        .merge(
            parlor_recipes::router(app.recipes.clone(), recipes::refuse)
                .route_layer(from_fn_with_state(app.clone(), recipes::admit)),
        )
        .route("/api/recipes/import", post(recipe_import::import))
        // Recipes, for MCP clients
        .route("/mcp/recipes", post(mcp::recipes))
        // For administrators
        .route("/api/people", get(people::list))
        .route("/api/people/{id}", patch(people::update))
        .route("/api/people/{id}/sessions", delete(people::end_sessions))
        .route("/api/people/invitations", post(people::invite))
        .route("/api/admin/keys", get(keys::list).post(keys::create))
        .route("/api/admin/keys/{id}", delete(keys::revoke))
        .route("/api/admin/prompts", get(admin::prompts::list))
        .route("/api/admin/decisions", get(decisions::list))
        .route("/api/admin/decisions/export", get(admin::export::export))
        .route("/api/admin/acts", get(acts::list))
        .route("/api/admin/usage", get(usage::read))
        .route("/api/admin/configuration", get(configuration::read))
        .route("/api/admin/mcp/{project}/{server}/restart", post(servers::restart))
        .route("/api/admin/mcp/{project}/{server}/output", get(servers::output))
        .route("/api/admin/blocked-inputs", get(blocked_inputs::list))
        // The name of the same list in earlier versions.
        .route("/api/audit", get(blocked_inputs::list))
        .route("/api/admin/status", get(status::read))
        .route("/api/admin/budgets", get(budgets::list))
        .route(
            "/api/admin/mcp/{project}/{server}/login",
            post(mcp_logins::begin).delete(mcp_logins::log_out),
        )
        .route("/api/admin/mcp/{project}/{server}/logins", get(person_logins::of_people))
        .route("/api/admin/mcp/{project}/{server}/logins/{person}", delete(person_logins::end))
        // The name of /api/me/mcp-logins in earlier versions.
        .route("/api/admin/mcp/login", post(mcp_logins::finish))
        // For authorization servers of MCP servers
        .route("/oauth/callback", get(pages::mcp_login))
        .route("/oauth/client.json", get(mcp_logins::client_metadata))
        // For load balancers and monitoring
        .route("/metrics", get(metrics::read))
        .route("/healthz", get(health::alive))
        .route("/healthz/stream", get(health::streaming))
        .route("/readyz", get(health::ready))
        .fallback(pages::not_found)
        .method_not_allowed_fallback(|| async { ApiError::wrong_method() })
        .layer(from_fn_with_state(app.clone(), edge::edge))
        .with_state(app.clone())
}
