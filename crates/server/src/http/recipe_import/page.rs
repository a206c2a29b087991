//! Reads a web page for a person, within limits: the address comes from outside (FAULTS 27).
//!
//! 1. Only `http` and `https` on their usual ports, without a name and password in it, and to
//!    public addresses: a name is judged by what it resolves to when the connection is made.
//! 2. Redirects are followed by hand, each checked like the first address.
//! 3. One time limit for everything, and one limit for what is read. Only text is read.
//!
//! Nothing of the person is sent along, and an error never holds anything of the page.

use std::sync::Arc;
use std::time::Duration;

use parlor_http_client::{HostError, PublicOnly, describe, trusted};
use parlor_protocol::ErrorCode;
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode, Url};
use tokio::time::timeout;

use crate::http::errors::ApiError;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// For all redirects and the page itself.
const TIMEOUT: Duration = Duration::from_secs(15);
const REDIRECTS: usize = 5;
/// As large as a body of the recipes' own routes.
const MOST: usize = 2 << 20;
const LONGEST_ADDRESS: usize = 2_000;

const WANTED: &str = "text/html, application/xhtml+xml, application/ld+json, text/plain;q=0.5";
const NAME: &str = concat!("Parlor/", env!("CARGO_PKG_VERSION"), " (recipe import)");

/// Which addresses may be read.
#[derive(Debug, Clone, Copy)]
pub(super) struct PageReader {
    addresses: PublicOnly,
    any_port: bool,
}

impl PageReader {
    /// Public addresses on their usual ports.
    pub(super) fn new() -> Self {
        Self { addresses: PublicOnly::new(), any_port: false }
    }

    /// The text of a page.
    pub(super) async fn read(self, address: &str) -> Result<String, ApiError> {
        let first = self.parsed(address)?;
        match timeout(TIMEOUT, self.follow(first)).await {
            Ok(read) => read,
            Err(_) => Err(unreadable("it took too long")),
        }
    }

    fn parsed(self, address: &str) -> Result<Url, ApiError> {
        let wrong = |why: &str| ApiError::malformed(format!("The address cannot be read: {why}."));
        if address.len() > LONGEST_ADDRESS {
            return Err(wrong("it is too long"));
        }
        let url = Url::parse(address.trim()).map_err(|error| wrong(&error.to_string()))?;
        self.check(&url)?;
        Ok(url)
    }

    /// The rules for an address, which hold for every redirect too.
    fn check(self, url: &Url) -> Result<(), ApiError> {
        if !["http", "https"].contains(&url.scheme()) {
            return Err(ApiError::malformed("The address must begin with https:// or http://."));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(ApiError::malformed("The address must not hold a name or a password."));
        }
        // A port is told only where it is not the usual one.
        if url.port().is_some() && !self.any_port {
            return Err(ApiError::forbidden("Only the usual ports of web pages are read."));
        }
        self.addresses.check(url).map_err(|error| match error {
            HostError::Missing => ApiError::malformed("The address names no host."),
            HostError::NotPublic(_) => not_public(),
        })
    }

    async fn follow(self, first: Url) -> Result<String, ApiError> {
        let client = self.client()?;
        let mut url = first;
        for _ in 0..=REDIRECTS {
            let request = client.get(url.clone()).header(ACCEPT, WANTED);
            // What is packed could unfold to more than the limit.
            let response = request.header(ACCEPT_ENCODING, "identity").send().await;
            let response = response.map_err(refused)?;
            if !response.status().is_redirection() {
                return text(response).await;
            }
            let location = response.headers().get(LOCATION).and_then(|to| to.to_str().ok());
            let next = location.and_then(|to| url.join(to).ok());
            url = next.ok_or_else(|| unreadable("it leads nowhere"))?;
            self.check(&url)?;
        }
        Err(unreadable("it leads on and on"))
    }

    /// A client for one page: nothing is kept between pages of different sites.
    fn client(self) -> Result<Client, ApiError> {
        let trusted = trusted().map_err(|error| {
            tracing::error!(error, "no page can be read");
            ApiError::internal()
        })?;
        Client::builder()
            .tls_backend_preconfigured(trusted)
            .dns_resolver(Arc::new(self.addresses))
            .no_proxy()
            .redirect(Policy::none())
            .referer(false)
            .user_agent(NAME)
            .connect_timeout(CONNECT_TIMEOUT)
            .build()
            .map_err(|error| {
                tracing::error!(error = describe(error), "no page can be read");
                ApiError::internal()
            })
    }
}

async fn text(mut response: Response) -> Result<String, ApiError> {
    match response.status() {
        status if status.is_success() => {}
        StatusCode::NOT_FOUND | StatusCode::GONE => {
            return Err(ApiError::new(ErrorCode::NotFound, "There is no page at this address."));
        }
        status => return Err(unreadable(&format!("it was answered with {}", status.as_u16()))),
    }
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if !kind.is_none_or(is_text) {
        return Err(unreadable("it is no text"));
    }
    let mut page = Vec::new();
    while let Some(part) = response.chunk().await.map_err(refused)? {
        if page.len() + part.len() > MOST {
            return Err(ApiError::new(
                ErrorCode::TooLarge,
                format!("The page is larger than {MOST} bytes."),
            ));
        }
        page.extend_from_slice(&part);
    }
    Ok(String::from_utf8_lossy(&page).into_owned())
}

fn is_text(kind: &str) -> bool {
    let essence = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence.starts_with("text/") || essence.ends_with("json") || essence.ends_with("+xml")
}

fn not_public() -> ApiError {
    ApiError::forbidden("This address leads to this machine or to a private network.")
}

fn unreadable(why: &str) -> ApiError {
    ApiError::new(ErrorCode::Unavailable, format!("The page cannot be read: {why}."))
}

/// The error of a connection; a name that leads to a private address is one of them.
fn refused(error: reqwest::Error) -> ApiError {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    while let Some(error) = cause {
        if error.is::<parlor_http_client::NotPublic>() {
            return not_public();
        }
        cause = error.source();
    }
    tracing::info!(error = describe(error), "a page for a recipe could not be read");
    unreadable("the site does not answer as it should")
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::http::header;
    use axum::response::Redirect;
    use axum::routing::get;
    use tokio::net::TcpListener;

    use super::*;

    /// A site on this machine, and a reader that may read there.
    async fn site() -> (String, PageReader) {
        crate::start::install_tls();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let routes = Router::new()
            .route("/page", get(|| async { ([(header::CONTENT_TYPE, "text/html")], "<p>é") }))
            .route("/moved", get(|| async { Redirect::temporary("/page") }))
            .route("/loop", get(|| async { Redirect::temporary("/loop") }))
            .route("/inside", get(|| async { Redirect::temporary("http://169.254.169.254/") }))
            .route("/file", get(|| async { Redirect::temporary("file:///etc/passwd") }))
            .route("/picture", get(|| async { ([(header::CONTENT_TYPE, "image/png")], "x") }))
            .route("/large", get(|| async { "x".repeat(MOST + 1) }))
            .route("/broken", get(|| async { StatusCode::INTERNAL_SERVER_ERROR }));
        tokio::spawn(async move { axum::serve(listener, routes).await });
        (origin, PageReader { addresses: PublicOnly::new().or_loopback(), any_port: true })
    }

    fn code(result: Result<String, ApiError>) -> ErrorCode {
        result.unwrap_err().into_body().code
    }

    /// A page is read, also behind a redirect; nothing else is.
    #[tokio::test]
    async fn a_page_is_read_within_limits() {
        let (origin, reader) = site().await;
        for path in ["page", "moved"] {
            assert_eq!(reader.read(&format!("{origin}/{path}")).await.unwrap(), "<p>é");
        }
        for (path, expected) in [
            ("nothing", ErrorCode::NotFound),
            ("loop", ErrorCode::Unavailable),
            ("picture", ErrorCode::Unavailable),
            ("broken", ErrorCode::Unavailable),
            ("large", ErrorCode::TooLarge),
            ("inside", ErrorCode::Forbidden),
            ("file", ErrorCode::Malformed),
        ] {
            assert_eq!(code(reader.read(&format!("{origin}/{path}")).await), expected, "{path}");
        }
    }

    /// FAULTS 27: this machine and private networks are not read, however they are spelled.
    #[tokio::test]
    async fn only_public_addresses_are_read() {
        let (origin, _) = site().await;
        let reader = PageReader::new();
        for (address, expected) in [
            (origin.as_str(), ErrorCode::Forbidden),
            ("http://127.0.0.1/", ErrorCode::Forbidden),
            ("http://0x7f.1/", ErrorCode::Forbidden),
            ("http://[::1]/", ErrorCode::Forbidden),
            ("http://169.254.169.254/latest/", ErrorCode::Forbidden),
            ("http://localhost/", ErrorCode::Forbidden),
            ("https://example.org:8443/", ErrorCode::Forbidden),
            ("https://ana:secret@example.org/", ErrorCode::Malformed),
            ("ftp://example.org/", ErrorCode::Malformed),
            ("soup", ErrorCode::Malformed),
            ("", ErrorCode::Malformed),
        ] {
            assert_eq!(code(reader.read(address).await), expected, "{address}");
        }
    }
}
