//! Requests to authorization servers, whose addresses a server names: with the same rules for
//! addresses as the server itself, a limit on every answer, and a time.

use std::sync::Arc;
use std::time::Duration;

use parlor_http_client::{describe, read_whole, trusted};
use reqwest::redirect::Policy;
use reqwest::{Client, Request};
use rmcp::transport::auth::{
    OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture, OAuthHttpRedirectPolicy,
    OAuthHttpRequest,
};

use crate::address::PUBLIC_ONLY;
use crate::http::HttpError;
use crate::resolve::HttpEndpoint;

const TIMEOUT: Duration = Duration::from_secs(20);
const MOST_REDIRECTS: usize = 5;
const LARGEST_ANSWER: usize = 1 << 20;

/// A client for requests to authorization servers.
pub(super) struct Requests {
    follow: Client,
    stop: Client,
    allow_private: bool,
}

impl Requests {
    pub(super) fn new(endpoint: &HttpEndpoint) -> Result<Self, HttpError> {
        let allow_private = endpoint.allow_private;
        let follow = Policy::custom(move |attempt| {
            let allowed = allow_private || PUBLIC_ONLY.check(attempt.url()).is_ok();
            if allowed && attempt.previous().len() <= MOST_REDIRECTS {
                attempt.follow()
            } else {
                attempt.stop()
            }
        });
        Ok(Self {
            follow: client(allow_private, follow)?,
            stop: client(allow_private, Policy::none())?,
            allow_private,
        })
    }

    async fn send(&self, request: OAuthHttpRequest) -> Result<http::Response<Vec<u8>>, String> {
        let client = match request.redirect_policy {
            OAuthHttpRedirectPolicy::Follow => &self.follow,
            _ => &self.stop,
        };
        let request = Request::try_from(request.request).map_err(describe)?;
        if !self.allow_private {
            PUBLIC_ONLY.check(request.url()).map_err(|error| error.to_string())?;
        }
        let mut response = client.execute(request).await.map_err(describe)?;
        let body = read_whole(&mut response, LARGEST_ANSWER).await?;
        Ok(http::Response::<reqwest::Body>::from(response).map(|_| body))
    }
}

fn client(allow_private: bool, redirects: Policy) -> Result<Client, HttpError> {
    // No idle connections are kept: while a person logs in, the other side may close one, and a
    // code can be exchanged only once.
    let mut builder = Client::builder()
        .tls_backend_preconfigured(trusted().map_err(HttpError::NotSent)?)
        .timeout(TIMEOUT)
        .pool_max_idle_per_host(0)
        .redirect(redirects);
    if !allow_private {
        builder = builder.no_proxy().dns_resolver(Arc::new(PUBLIC_ONLY));
    }
    builder.build().map_err(|error| HttpError::NotSent(describe(error)))
}

impl OAuthHttpClient for Requests {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move { self.send(request).await.map_err(OAuthHttpClientError::from) })
    }
}
