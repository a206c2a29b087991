//! The accept loop and the shutdown.
//!
//! 1. Each connection has a permit ([`crate::limits::connections`]); without a free
//!    one the client gets a 503. At the system's limit of open files the loop waits
//!    instead of spinning.
//! 2. A client has a few seconds for the head of a request, and as long between two
//!    requests. TCP keep-alive finds clients that disappeared.
//! 3. A connection that becomes a WebSocket keeps its permit and its guard.
//! 4. On shutdown the loop ends, streams and WebSockets tell their clients to
//!    reconnect, turns finish or are ended, and what still runs at the deadline is
//!    dropped.
//!
//! HTTP/2 and TLS are left to a reverse proxy.

use std::future::Future;
use std::io;
use std::net::{self, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tower::Service;

use crate::app::App;
use crate::auth::{change_file, changes_elsewhere};
use crate::client_address::{ClientAddress, PeerAddress};
use crate::clock::earlier;
use crate::http::stream_end::{ConnectionGuard, StreamEnd};
use crate::limits::connections::{ConnectionPermit, Connections};
use crate::push;
use crate::router::router;
use crate::webhooks;
use crate::worker_threads::WorkerThreads;

/// Limits the head of a request, and what waits for a slow reader.
const BUFFER: usize = 64 << 10;
/// How long the kernel tries to reach a client that does not respond.
const TCP_TIMEOUT: Duration = Duration::from_secs(40);
/// How long a stream may take to end after its session has.
const SESSION_END_GRACE: Duration = Duration::from_millis(500);
const ACCEPT_BACKOFF: Duration = Duration::from_millis(250);
const CLEAN_UP_EVERY: Duration = Duration::from_secs(60);
/// How long figures of turns are kept, and how often older ones are removed, in clean-ups.
const FIGURES_ARE_KEPT: Duration = Duration::from_secs(400 * 86_400);
const FIGURES_EVERY: u64 = 60;

const NO_CONNECTIONS_LEFT: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\
    Retry-After: 5\r\nContent-Length: 0\r\n\r\n";

/// Serves until `shutdown` is ready, then shuts down within the deadline.
pub async fn serve(
    listener: TcpListener,
    app: Arc<App>,
    mut workers: WorkerThreads,
    shutdown: impl Future<Output = ()>,
) {
    if let Err(error) = app.rate_limits.load().await {
        tracing::warn!(%error, "failed to load rate limits; they start unused");
    }
    let background = [
        tokio::spawn(change_file::watch(app.access.clone(), app.config.server.data_dir.clone())),
        tokio::spawn(changes_elsewhere::watch(app.access.clone(), app.fanout.clone())),
        tokio::spawn(clean_up(app.clone())),
        tokio::spawn(save_rate_limits(app.clone())),
        tokio::spawn(webhooks::run(app.webhooks.clone(), app.store.clone(), app.stopping.clone())),
    ];
    let push = tokio::spawn(push::send_all(app.push.clone(), app.stopping.clone()));
    let connections = Connections::new(&app.config.server.limits);
    tokio::select! {
        () = accept(&listener, &app, &connections, &mut workers) => {}
        () = shutdown => {}
    }
    drop(listener);
    shut_down(&app, &connections).await;
    workers.close().await;
    // What is being sent is stored as sent before the database closes.
    drop(push.await);
    if let Err(error) = app.rate_limits.save().await {
        tracing::warn!(%error, "failed to store rate limits");
    }
    app.store.close().await;
    app.recipes.close().await;
    background.iter().for_each(tokio::task::JoinHandle::abort);
}

async fn accept(
    listener: &TcpListener,
    app: &Arc<App>,
    connections: &Arc<Connections>,
    workers: &mut WorkerThreads,
) {
    let router = router(app);
    let trusted = &app.config.server.trusted_proxies;
    let of_peer = |peer: SocketAddr| ClientAddress::of_peer(trusted, peer.ip());
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => match connections.admit(of_peer(peer)) {
                Some(permit) => {
                    let (router, app) = (router.clone(), app.clone());
                    // A tokio stream belongs to one runtime, and this one is another.
                    if let Ok(stream) = stream.into_std() {
                        workers.next().spawn(connection(stream, peer, router, app, permit));
                    }
                }
                None => {
                    app.metrics.refused_connections.add(1);
                    refuse(&stream);
                }
            },
            // The client disconnected before it was accepted.
            Err(error) if is_client_error(&error) => {}
            Err(error) => {
                tracing::error!(%error, "failed to accept a connection; retrying");
                sleep(ACCEPT_BACKOFF).await;
            }
        }
    }
}

async fn connection(
    stream: net::TcpStream,
    peer: SocketAddr,
    router: Router,
    app: Arc<App>,
    permit: ConnectionPermit,
) {
    let Ok(stream) = TcpStream::from_std(stream) else { return };
    prepare(&stream);
    let _counted = app.metrics.connections.begin();
    let guard = ConnectionGuard::new(app.stopping.clone());
    let requests_guard = guard.clone();
    let service = service_fn(move |request: Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(PeerAddress(peer));
        request.extensions_mut().insert(permit.clone());
        request.extensions_mut().insert(requests_guard.clone());
        router.clone().call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(app.config.server.limits.header_timeout)
        .max_buf_size(BUFFER)
        // A plain write costs less than a vectored one for single pieces.
        .writev(false)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let mut connection = std::pin::pin!(connection);
    // The result says only that the client disconnected.
    let end = tokio::select! {
        biased;
        _ = connection.as_mut() => return,
        end = guard.end() => end,
    };
    connection.as_mut().graceful_shutdown();
    match end {
        // What the client has not read by then must not reach it.
        StreamEnd::SessionEnded => drop(timeout(SESSION_END_GRACE, connection).await),
        StreamEnd::ServerStopping | StreamEnd::ConversationGone => drop(connection.await),
    }
}

/// Sends small pieces at once, and finds clients that disappeared.
fn prepare(stream: &TcpStream) {
    let _best_effort = stream.set_nodelay(true);
    let socket = socket2::SockRef::from(stream);
    let probes =
        socket2::TcpKeepalive::new().with_time(TCP_TIMEOUT / 2).with_interval(TCP_TIMEOUT / 4);
    let _best_effort = socket.set_tcp_keepalive(&probes);
    #[cfg(target_os = "linux")]
    let _best_effort = socket.set_tcp_user_timeout(Some(TCP_TIMEOUT));
}

/// Writes what fits without waiting; then the connection is dropped.
fn refuse(stream: &TcpStream) {
    let _best_effort = stream.try_write(NO_CONNECTIONS_LEFT);
}

async fn shut_down(app: &App, connections: &Connections) {
    let deadline = app.config.server.limits.shutdown_deadline;
    let end = Instant::now() + deadline;
    app.stopping.cancel();
    app.chat.shutdown(deadline).await;
    let ended = connections.all_ended();
    if timeout_at(end.max(Instant::now() + ACCEPT_BACKOFF), ended).await.is_err() {
        tracing::warn!("closing connections that were still open at the shutdown deadline");
    }
}

async fn save_rate_limits(app: Arc<App>) {
    app.rate_limits.save_changes().await;
}

/// Frees what is no longer needed, now and then.
async fn clean_up(app: Arc<App>) {
    for round in 0_u64.. {
        sleep(CLEAN_UP_EVERY).await;
        forget_old_rows(&app).await;
        if round % FIGURES_EVERY == 0 {
            forget_figures(&app).await;
        }
        app.access.refused_logins.log();
        if app.chat.is_idle() {
            app.chat.drop_large_entries();
            // It takes milliseconds, which no stream should wait for.
            let _done = tokio::task::spawn_blocking(parlor_malloc::trim).await;
        }
    }
}

async fn forget_figures(app: &App) {
    let kept_from = earlier(app.access.now(), FIGURES_ARE_KEPT);
    for tenant in app.config.tenants.keys() {
        if let Err(error) = app.store.forget_turn_figures(tenant, kept_from).await {
            tracing::warn!(%error, "failed to remove old figures of turns; retrying");
        }
    }
}

async fn forget_old_rows(app: &App) {
    if let Err(error) = app.rate_limits.remove_unused().await {
        tracing::warn!(%error, "failed to remove unused rate limits; retrying");
    }
    if let Err(error) = app.push.forget_ended().await {
        tracing::warn!(%error, "failed to forget push subscriptions of sessions that are over; retrying");
    }
    if let Err(error) = app.access.forget_old_attempts().await {
        tracing::warn!(%error, "failed to remove old login attempts; retrying");
    }
    if let Err(error) = app.chat.projects().budgets().remove_old(&app.store).await {
        tracing::warn!(%error, "failed to remove old usage; retrying");
    }
}

fn is_client_error(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::Interrupted
    )
}
