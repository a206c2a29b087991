//! the key is in no error, no log line and no `Debug`.

use parlor_agents::AgentSettings;
use parlor_agents::llm::anthropic::Anthropic;
use parlor_testkit::Script;
use secrecy::SecretString;

use crate::harness::{Harness, KEY, failure, install_tls};

#[tokio::test]
async fn an_error_that_quotes_the_key_does_not_pass_it_on() {
    let quoted = format!("no such key: {KEY}");
    let statuses = [400, 401, 402, 403, 404, 413, 418, 429, 500, 529];
    let mut scripts: Vec<Script> = statuses
        .into_iter()
        .map(|status| Script::failure_saying(status, "strange_error", &quoted).retry_after(99))
        .collect();
    scripts.push(Script::answer().text("a").error("strange_error", &quoted));
    for script in scripts {
        let events = Harness::new([script]).await.ask("?").await;
        let error = failure(&events);
        for shown in [error.to_string(), format!("{error:?}"), error.user_message().into_owned()] {
            assert!(!shown.contains(KEY), "{shown}");
        }
        assert!(!format!("{events:?}").contains(KEY));
    }
}

#[test]
fn the_client_does_not_print_its_key() {
    install_tls();
    let key = SecretString::from(KEY);
    let client = Anthropic::new(&AgentSettings::default(), None, key).unwrap();
    let shown = format!("{client:?} {client:#?}");
    assert!(!shown.contains(KEY), "{shown}");
}
