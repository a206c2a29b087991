//! `[server.metrics]`, the format of the log, and webhooks.

use parlor_storage::WebhookEvent;

use super::{error, load};
use crate::config::{LogFormat, MetricLabels, WebhookContent};

const PLACE: &str = "tenants.home.webhooks.pager";
const SECRET: &str = "secret = \"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\"";

/// O-3: metrics and log, from the file and from the environment; a token that could be guessed is
/// refused, and none is shown.
#[test]
fn metrics_and_log_are_set() {
    let file = "[server]\nlog_format = \"json\"\n[server.metrics]\nlabels = \"none\"";
    let server = load(file, &[("PARLOR_METRICS_TOKEN", "0123456789abcdef")]).unwrap();
    assert_eq!(server.server.log_format, LogFormat::Json);
    assert_eq!(server.server.metrics.labels, MetricLabels::None);
    assert!(server.server.metrics.token.is_some());
    let shown: Vec<String> = server.effective.values().map(|value| format!("{value:?}")).collect();
    let shown = shown.join("\n");
    assert!(shown.contains("server.metrics.token") && !shown.contains("0123456789abcdef"));
    for (text, words) in [
        ("[server.metrics]\ntoken = \"short\"", "server.metrics.token: it must have at least 16"),
        ("[server.metrics]\nlabels = \"people\"", "`projects`, `tenants`, `none`"),
        ("[server]\nlog_format = \"xml\"", "`text` or `json`"),
    ] {
        let message = error(text, &[]);
        assert!(message.contains(words), "{text}: {message}");
    }
}

/// O-3: a webhook is checked before anything is sent, and its secret is not shown.
#[test]
fn a_webhook_is_checked() {
    let with = |settings: &str| format!("[{PLACE}]\n{settings}");
    let right = format!("url = \"https://pager.example.org/in\"\n{SECRET}");
    let config = load(&with(&right), &[]).unwrap();
    let webhook = &config.tenants.values().next().unwrap().webhooks["pager"];
    assert_eq!(webhook.events, WebhookEvent::ALL);
    assert_eq!((webhook.content, webhook.project.as_ref()), (WebhookContent::None, None));
    let shown: Vec<String> = config.effective.values().map(|value| format!("{value:?}")).collect();
    assert!(!shown.join("\n").contains("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"));
    let private = format!("url = \"http://10.0.0.7/in\"\nallow_private_addresses = true\n{SECRET}");
    assert!(load(&with(&private), &[]).is_ok());
    for (settings, words) in [
        (SECRET.to_owned(), ".url: it is missing"),
        ("url = \"https://pager.example.org\"".to_owned(), ".secret: it is missing"),
        (format!("url = \"http://pager.example.org\"\n{SECRET}"), "must begin with https://"),
        (format!("url = \"https://10.0.0.7/in\"\n{SECRET}"), "allow_private_addresses = true"),
        (format!("url = \"https://a:b@pager.example.org\"\n{SECRET}"), "would be in the log"),
        (format!("{right}\nproject = \"x\""), "there is no project 'x'"),
        (format!("{right}\nevents = [\"prompt.open\"]"), "'prompt.open' is no event; there are"),
        (format!("{right}\nevents = []"), "it must be told of something"),
        (format!("{right}\ncontents = \"full\""), "did you mean `content`?"),
    ] {
        let message = error(&with(&settings), &[]);
        assert!(message.contains(words), "{settings}: {message}");
    }
    assert!(error("[tenants.home.webhooks.\"a b\"]", &[]).contains("a name has 1 to 64"));
}
