//! The public address, as browsers reach it: whether this server answers there, whether a proxy in
//! between holds back what streams, and whether the clocks agree.

use std::time::{Duration, SystemTime};

use parlor_http_client::{describe, trusted};
use reqwest::{Client, Response};

use super::finding::Finding;
use crate::config::{Config, PublicUrl};
use crate::http::health::{PAUSE, STREAM};

const PATIENCE: Duration = Duration::from_secs(10);
/// Clocks may differ by so much.
const MINUTE: Duration = Duration::from_secs(60);

pub(super) async fn look(config: &Config) -> Vec<Finding> {
    let about = "public address";
    let own = PublicUrl::of_address(config.server.bind);
    let url = config.server.public_url.as_ref().unwrap_or(&own);
    let mut findings = Vec::new();
    if !url.is_https() && !config.server.bind.ip().is_loopback() {
        findings.push(Finding::warning(
            about,
            format_args!("{} is not encrypted, so anybody in between reads along", url.as_str()),
            "put a proxy with TLS before it (deploy/proxies), and set server.public_url to https://…",
        ));
    }
    let client = match client() {
        Ok(client) => client,
        Err(why) => {
            findings.push(Finding::wrong(about, why, "look at the certificates of this machine"));
            return findings;
        }
    };
    match client.get(format!("{}/healthz", url.as_str())).send().await {
        Err(error) if error.is_connect() || error.is_timeout() => findings.push(Finding::warning(
            about,
            format_args!("nothing answers at {}: {}", url.as_str(), describe(error)),
            "start the server and look again; if it runs, look at the proxy, DNS and the firewall",
        )),
        Err(error) => findings.push(Finding::wrong(
            about,
            format_args!("{}: {}", url.as_str(), describe(error)),
            "look at the proxy, and at its certificate",
        )),
        Ok(response) => findings.extend(answered(about, url, &client, response).await),
    }
    findings
}

fn client() -> Result<Client, String> {
    let tls = trusted()?;
    let client = Client::builder().tls_backend_preconfigured(tls).timeout(PATIENCE);
    client.redirect(reqwest::redirect::Policy::none()).build().map_err(describe)
}

async fn answered(
    about: &str,
    url: &PublicUrl,
    client: &Client,
    response: Response,
) -> Vec<Finding> {
    let (status, clock) = (response.status(), clock(&response));
    let body = response.text().await.unwrap_or_default();
    if status != 200 || body != "ok\n" {
        let what = format!("something else answers at {} ({status})", url.as_str());
        return vec![Finding::wrong(about, what, "let the proxy pass everything on to Parlor")];
    }
    let mut findings = vec![Finding::good(about, format_args!("{} answers", url.as_str()))];
    findings.extend(clock);
    findings.push(streaming(url, client).await);
    findings
}

/// Two lines are written with a pause in between. Whoever holds them back sends both at once.
async fn streaming(url: &PublicUrl, client: &Client) -> Finding {
    let about = "streaming";
    let arrivals = async {
        let mut response = client.get(format!("{}{STREAM}", url.as_str())).send().await?;
        let mut arrivals = Vec::new();
        while response.chunk().await?.is_some() {
            arrivals.push(std::time::Instant::now());
        }
        Ok::<_, reqwest::Error>(arrivals)
    };
    match arrivals.await {
        Err(error) => Finding::warning(
            about,
            describe(error),
            "the server there may be of an older version; otherwise look at the proxy",
        ),
        Ok(arrivals) => {
            let apart = match arrivals.as_slice() {
                [first, .., last] => last.duration_since(*first),
                _ => Duration::ZERO,
            };
            if apart >= PAUSE / 2 {
                Finding::good(about, "text arrives as it is written")
            } else {
                let to_do = "switch its buffering off, as the files in deploy/proxies do";
                Finding::wrong(about, "a proxy holds text back until it is complete", to_do)
            }
        }
    }
}

/// Between this machine and the one that answered.
fn clock(response: &Response) -> Option<Finding> {
    let date = response.headers().get("date")?.to_str().ok()?;
    let there = httpdate::parse_http_date(date).ok()?;
    let here = SystemTime::now();
    let apart = here.duration_since(there).or_else(|_| there.duration_since(here)).ok()?;
    if apart < MINUTE {
        return Some(Finding::good("clock", "it agrees with that of the public address"));
    }
    let what = format!("it differs by {} s from that of the public address", apart.as_secs());
    Some(Finding::warning("clock", what, "let both machines get their time from the network"))
}
