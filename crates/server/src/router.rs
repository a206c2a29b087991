//! All routes, in one list.

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{delete, get, post};

use crate::app::App;
use crate::http::errors::ApiError;
use crate::http::{
    blocked_inputs, chat, conversations, edge, events, export, health, images, login, me, pages,
    prompts, recipes, status, web, ws,
};

/// The routes of the server, behind the edge.
pub fn router(app: &Arc<App>) -> Router {
    Router::new()
        // Pages
        .route("/", get(pages::root))
        .route("/login", get(login::form).post(login::log_in))
        .route("/logout", post(login::log_out))
        .route("/chat", get(pages::chat))
        .route("/c/{id}", get(pages::conversation))
        .route("/assets/style.css", get(pages::style))
        .route("/assets/theme.js", get(pages::theme))
        .route("/assets/icon.svg", get(pages::icon))
        .route("/assets/chat.js", get(pages::script))
        .route("/assets/{*name}", get(web::asset))
        // The chat
        .route("/api/chat", post(chat::send))
        .route("/api/conversations", get(conversations::list).post(conversations::create))
        .route(
            "/api/conversations/{id}",
            get(conversations::read).patch(conversations::update).delete(conversations::delete),
        )
        .route("/api/conversations/{id}/events", get(events::follow))
        .route("/api/conversations/{id}/stop", post(conversations::stop))
        .route("/api/conversations/{id}/export", get(export::export))
        .route(
            "/api/conversations/{id}/allowances",
            get(prompts::allowances).delete(prompts::revoke_all),
        )
        .route("/api/conversations/{id}/allowances/{tool}", delete(prompts::revoke))
        .route("/api/prompts", get(prompts::list))
        .route("/api/prompts/{id}", get(prompts::read))
        .route("/api/prompts/{id}/response", post(prompts::respond))
        .route("/api/prompts/{id}/preview", post(prompts::preview))
        .route("/api/prompts/{id}/extend", post(prompts::extend))
        .route("/ws/chat/{tenant}/{project}", get(ws::open))
        .route("/api/images/{id}", get(images::read))
        .route("/api/me", get(me::me))
        // Recipes: /api/recipes and /api/recipes/{id}
        .merge(
            parlor_recipes::router(app.recipes.clone(), recipes::refuse)
                .route_layer(from_fn_with_state(app.clone(), recipes::admit)),
        )
        // For administrators
        .route("/api/admin/blocked-inputs", get(blocked_inputs::list))
        // The name of the same list in earlier versions.
        .route("/api/audit", get(blocked_inputs::list))
        .route("/api/admin/status", get(status::read))
        // For load balancers and monitoring
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .fallback(pages::not_found)
        .method_not_allowed_fallback(|| async { ApiError::wrong_method() })
        .layer(from_fn_with_state(app.clone(), edge::edge))
        .with_state(app.clone())
}
