//! As much of a browser as a login needs: cookies with their paths and sites, redirects, pages that
//! lead on, links and forms.

use std::collections::BTreeMap;

use reqwest::redirect::Policy;
use reqwest::{Client, Response, Url};

/// More would be a circle.
const MOST_STEPS: usize = 20;

pub(super) struct Browser {
    client: Client,
    cookies: Vec<Cookie>,
    /// The page that is open.
    pub(super) page: Page,
}

/// A page.
#[derive(Debug, Clone)]
pub(super) struct Page {
    pub(super) url: Url,
    pub(super) status: u16,
    pub(super) text: String,
}

#[derive(Debug)]
struct Cookie {
    host: String,
    path: String,
    name: String,
    value: String,
    strict: bool,
}

impl Browser {
    pub(super) fn new() -> Self {
        let page = Page { url: Url::parse("about:blank").unwrap(), status: 0, text: String::new() };
        let client = Client::builder().redirect(Policy::none()).no_proxy().build().unwrap();
        Self { client, cookies: Vec::new(), page }
    }

    /// Types an address.
    pub(super) async fn open(&mut self, url: &str) -> &Page {
        let url = Url::parse(url).unwrap();
        self.page.url = Url::parse("about:blank").unwrap();
        self.go(url, None).await
    }

    /// Follows the link with this text.
    pub(super) async fn click(&mut self, text: &str) -> &Page {
        let html = &self.page.text;
        let before = html.split(&format!(">{text}</a>")).next().filter(|part| *part != html);
        let before = before.unwrap_or_else(|| panic!("no link {text:?}: {:?}", self.page));
        let href = before.rsplit("href=\"").next().unwrap().split('"').next().unwrap();
        let url = self.page.url.join(&href.replace("&amp;", "&")).unwrap();
        self.go(url, None).await
    }

    /// Fills in and sends the first form of the page.
    pub(super) async fn submit(&mut self, values: &[(&str, &str)]) -> &Page {
        let html = self.page.text.clone();
        let form = html.split("<form").nth(1).unwrap_or_else(|| panic!("no form: {html}"));
        let form = form.split("</form>").next().unwrap();
        let action = attribute(form, "action").unwrap_or_default().replace("&amp;", "&");
        let mut fields = BTreeMap::new();
        for input in form.split("<input").skip(1) {
            let input = input.split('>').next().unwrap();
            if let Some(name) = attribute(input, "name") {
                fields.insert(name, attribute(input, "value").unwrap_or_default());
            }
        }
        fields.extend(values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let url = self.page.url.join(&action).unwrap();
        self.go(url, Some(fields)).await
    }

    /// The names of the cookies of a host.
    pub(super) fn cookies_of(&self, host: &str) -> Vec<&str> {
        self.cookies.iter().filter(|c| c.host == host).map(|c| c.name.as_str()).collect()
    }

    /// Another browser with the same cookies would be a thief.
    pub(super) fn cookie(&self, name: &str) -> Option<String> {
        self.cookies.iter().find(|cookie| cookie.name == name).map(|cookie| cookie.value.clone())
    }

    pub(super) fn set_cookie(&mut self, host: &str, line: &str) {
        self.keep(host, line);
    }

    /// A navigation: redirects continue it, with the site that began it; a page that leads on
    /// begins another.
    async fn go(&mut self, mut url: Url, mut form: Option<BTreeMap<String, String>>) -> &Page {
        let mut sites = vec![site(&self.page.url)];
        for _ in 0..MOST_STEPS {
            let response = self.send(&url, form.take(), &sites).await;
            sites.push(site(&url));
            let header = |name: &str| {
                response.headers().get(name).map(|value| value.to_str().unwrap().to_owned())
            };
            let (location, refresh) = (header("location"), header("refresh"));
            let status = response.status().as_u16();
            if let Some(location) = location.filter(|_| (300..400).contains(&status)) {
                url = url.join(&location).unwrap();
                continue;
            }
            self.page = Page { url, status, text: response.text().await.unwrap() };
            let Some(next) = refresh.as_deref().and_then(|text| text.strip_prefix("0; url="))
            else {
                return &self.page;
            };
            url = self.page.url.join(next).unwrap();
            sites = vec![site(&self.page.url)];
        }
        panic!("it goes in circles at {url}");
    }

    async fn send(
        &mut self,
        url: &Url,
        form: Option<BTreeMap<String, String>>,
        sites: &[String],
    ) -> Response {
        let host = url.host_str().unwrap().to_owned();
        let is_same_site = sites.iter().all(|from| from.is_empty() || *from == site(url));
        let fits = |cookie: &&Cookie| {
            let below = url.path().starts_with(&cookie.path);
            cookie.host == host && below && (is_same_site || !cookie.strict)
        };
        let cookies = self.cookies.iter().filter(fits);
        let cookies: Vec<_> = cookies.map(|c| format!("{}={}", c.name, c.value)).collect();
        let request = match form {
            Some(fields) => {
                let body = url::form_urlencoded::Serializer::new(String::new())
                    .extend_pairs(fields)
                    .finish();
                let request = self.client.post(url.clone()).body(body);
                request.header("content-type", "application/x-www-form-urlencoded")
            }
            None => self.client.get(url.clone()).header("accept", "text/html"),
        };
        let response = request.header("cookie", cookies.join("; ")).send().await.unwrap();
        for line in response.headers().get_all("set-cookie") {
            self.keep(&host, line.to_str().unwrap());
        }
        response
    }

    fn keep(&mut self, host: &str, line: &str) {
        let (pair, attributes) = line.split_once(';').unwrap_or((line, ""));
        let (name, value) = pair.split_once('=').unwrap();
        let attribute = |wanted: &str| {
            attributes.split(';').find_map(|attribute| {
                let (name, value) = attribute.trim().split_once('=').unwrap_or((attribute, ""));
                name.trim().eq_ignore_ascii_case(wanted).then(|| value.to_owned())
            })
        };
        assert!(line.len() <= 4096, "a browser would not keep {name}");
        let path = attribute("path").unwrap_or_else(|| "/".to_owned());
        self.cookies.retain(|c| !(c.host == host && c.name == name && c.path == path));
        let is_over = attribute("max-age").is_some_and(|age| age == "0")
            || attribute("expires").is_some_and(|at| at.contains("1970"));
        if !is_over {
            self.cookies.push(Cookie {
                host: host.to_owned(),
                path,
                name: name.to_owned(),
                value: value.to_owned(),
                strict: attribute("samesite").is_some_and(|of| of.eq_ignore_ascii_case("strict")),
            });
        }
    }
}

fn site(url: &Url) -> String {
    url.host_str().unwrap_or_default().to_owned()
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let value = tag.split(&format!("{name}=\"")).nth(1)?;
    Some(value.split('"').next()?.to_owned())
}
