//! the key is in no error, no log line and no `Debug`.

use parlor_models::{Anthropic, ModelSettings, Openai};
use parlor_testkit::Script;
use secrecy::SecretString;

use crate::harness::{BOTH, Harness, KEY, failure, install_tls};

#[tokio::test]
async fn an_error_that_quotes_the_key_does_not_pass_it_on() {
    let quoted = format!("no such key: {KEY}");
    let statuses = [400, 401, 402, 403, 404, 413, 418, 429, 500, 529];
    let refusals = || {
        let refusal = |status| Script::failure_saying(status, "strange_error", &quoted);
        let refusals = statuses.into_iter().map(refusal).map(|script| script.retry_after(99));
        refusals.chain([Script::answer().text("a").error("strange_error", &quoted)])
    };
    for (kind, script) in BOTH.iter().flat_map(|kind| refusals().map(move |s| (*kind, s))) {
        let events = Harness::over(kind, [script], |_| {}).await.ask("?").await;
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
    let settings = ModelSettings::default();
    let anthropic = Anthropic::new(&settings, None, Some(SecretString::from(KEY))).unwrap();
    let address = format!("http://me:{KEY}@127.0.0.1:9/{KEY}");
    let openai = Openai::new(&settings, Some(&address), Some(SecretString::from(KEY))).unwrap();
    let shown = format!("{anthropic:?} {anthropic:#?} {openai:?} {openai:#?}");
    assert!(!shown.contains(KEY), "{shown}");
}
