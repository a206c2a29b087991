//! The accept loop: connections in, bounded in number and in time.
//!
//! 1. Each connection has a permit ([`crate::connections`]); without one left, a client
//!    is told to come back. At the system's limit of open files the loop waits, it does not spin.
//! 2. A client has a few seconds for the head of a request, and as long between
//!    two requests. One that is gone without a word is noticed by the kernel.
//! 3. A connection that becomes a WebSocket takes its permit along: it counts
//!    until it ends.
//! 4. Told to stop, the loop ends, streams and WebSockets tell their readers to come back, turns
//!    finish or are ended, and what still runs at the deadline is dropped.
//!
//! HTTP/2 and TLS are a reverse proxy's.

use std::future::{Future, poll_fn};
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
use parlor_wake::{Speaker, word};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use tower::Service;

use crate::app::App;
use crate::auth::{ClientAddress, Peer, notice};
use crate::connections::{ConnectionPermit, Connections};
use crate::http::line::Line;
use crate::lanes::Lanes;
use crate::router::router;

/// Bounds what a head may hold and what waits for a slow reader.
const BUFFER: usize = 64 << 10;
/// How long the kernel tries to reach a client that does not answer.
const GONE_AFTER: Duration = Duration::from_secs(40);
/// How long a stream may take to end by itself after its session has.
const GRACE: Duration = Duration::from_millis(500);
const BACK_OFF: Duration = Duration::from_millis(250);
const SWEEP: Duration = Duration::from_secs(60);

const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\
    Retry-After: 5\r\nContent-Length: 0\r\n\r\n";

/// Serves until `shutdown` is ready, then winds down within the deadline.
pub async fn serve(
    listener: TcpListener,
    app: Arc<App>,
    mut lanes: Lanes,
    shutdown: impl Future<Output = ()>,
) {
    if let Err(error) = app.quotas.load(&app.store).await {
        tracing::warn!(%error, "limits begin anew: what was used could not be read");
    }
    let background = [
        tokio::spawn(notice::watch(app.access.clone(), app.config.server.data_dir.clone())),
        tokio::spawn(sweep(app.clone())),
        tokio::spawn(keep_quotas(app.clone())),
    ];
    let connections = Connections::new(&app.config.server.limits);
    tokio::select! {
        () = accept(&listener, &app, &connections, &mut lanes) => {}
        () = shutdown => {}
    }
    drop(listener);
    wind_down(&app, &connections).await;
    lanes.close().await;
    if let Err(error) = app.quotas.save(&app.store).await {
        tracing::warn!(%error, "used limits could not be stored");
    }
    app.store.close().await;
    app.recipes.close().await;
    background.iter().for_each(tokio::task::JoinHandle::abort);
}

async fn accept(
    listener: &TcpListener,
    app: &Arc<App>,
    connections: &Arc<Connections>,
    lanes: &mut Lanes,
) {
    let router = router(app);
    let trusted = &app.config.server.trusted_proxies;
    let of_peer = |peer: SocketAddr| ClientAddress::of_peer(trusted, peer.ip());
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => match connections.admit(of_peer(peer)) {
                Some(permit) => {
                    let (router, app) = (router.clone(), app.clone());
                    // A stream belongs to the runtime in which it was made.
                    if let Ok(stream) = stream.into_std() {
                        lanes.next().spawn(connection(stream, peer, router, app, permit));
                    }
                }
                None => refuse(&stream),
            },
            // The client was gone before it was served.
            Err(error) if is_about_one_client(&error) => {}
            Err(error) => {
                tracing::error!(%error, "no connection can be accepted; waiting");
                sleep(BACK_OFF).await;
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
    let line = Line::new();
    let requests_line = line.clone();
    let service = service_fn(move |request: Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(Peer(peer));
        request.extensions_mut().insert(permit.clone());
        request.extensions_mut().insert(requests_line.clone());
        router.clone().call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(app.config.server.limits.header_timeout)
        .max_buf_size(BUFFER)
        // One piece at a time is one plain write; that is less work than a list of parts.
        .writev(false)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let mut connection = std::pin::pin!(connection);
    // They wait in a task of their own: this one is woken for every piece of text.
    let (speaker, mut signal) = word();
    let _watch = AbortOnDropHandle::new(tokio::spawn(watch(line, app.stopping.clone(), speaker)));
    // Errors here are clients that went away.
    tokio::select! {
        biased;
        _ = connection.as_mut() => return,
        signal = poll_fn(|cx| signal.poll(cx)) => match signal {
            Signal::Stopping => connection.as_mut().graceful_shutdown(),
            Signal::SessionEnded => {
                connection.as_mut().graceful_shutdown();
                // What its reader has not read by then is not for it any more.
                let _in_time = timeout(GRACE, connection).await;
                return;
            }
        },
    }
    let _gone = connection.await;
}

/// What ends a connection from outside.
#[derive(Debug, Clone, Copy)]
enum Signal {
    /// A session ended that has a stream on it.
    SessionEnded,
    /// The server stops.
    Stopping,
}

async fn watch(line: Line, stopping: CancellationToken, says: Speaker<Signal>) {
    says.say(tokio::select! {
        () = line.session_ended() => Signal::SessionEnded,
        () = stopping.cancelled() => Signal::Stopping,
    });
}

/// Small pieces go out at once; a client that is gone is noticed.
fn prepare(stream: &TcpStream) {
    let _best_effort = stream.set_nodelay(true);
    let socket = socket2::SockRef::from(stream);
    let probes =
        socket2::TcpKeepalive::new().with_time(GONE_AFTER / 2).with_interval(GONE_AFTER / 4);
    let _best_effort = socket.set_tcp_keepalive(&probes);
    #[cfg(target_os = "linux")]
    let _best_effort = socket.set_tcp_user_timeout(Some(GONE_AFTER));
}

/// Whatever fits without waiting; then the connection is closed.
fn refuse(stream: &TcpStream) {
    let _best_effort = stream.try_write(FULL);
}

async fn wind_down(app: &App, connections: &Connections) {
    let deadline = app.config.server.limits.shutdown_deadline;
    let end = Instant::now() + deadline;
    app.stopping.cancel();
    app.chat.shutdown(deadline).await;
    let ended = connections.all_ended();
    if timeout_at(end.max(Instant::now() + BACK_OFF), ended).await.is_err() {
        tracing::warn!("some connections were still open at the deadline");
    }
}

async fn keep_quotas(app: Arc<App>) {
    app.quotas.keep(&app.store).await;
}

/// Now and then, what nobody needs is let go of.
async fn sweep(app: Arc<App>) {
    loop {
        sleep(SWEEP).await;
        app.quotas.forget_rested();
        app.access.refused_logins.log();
        if app.chat.is_idle() {
            app.chat.drop_large_entries();
            // It takes milliseconds, and not those of a thread that serves.
            let _done = tokio::task::spawn_blocking(parlor_heap::give_back).await;
        }
    }
}

fn is_about_one_client(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::Interrupted
    )
}
