//! What is secret is not printed.

use std::time::SystemTime;

use secrecy::ExposeSecret as _;

use crate::fake_provider::{FakeProvider, TOKEN, asked, status};
use crate::{SECRET, log_in, provider};

/// X-3: neither a login nor its outcome prints a secret.
#[tokio::test]
async fn logins_print_no_secrets() {
    let fake = FakeProvider::start().await;
    let provider = provider(&fake);
    let begun = provider.begin(SystemTime::now()).await.unwrap();
    let asked = asked(&begun.address);
    let pending = format!("{:?}", begun.pending);
    for name in ["state", "nonce", "code_challenge"] {
        assert!(!pending.contains(&asked[name]), "{pending}");
    }
    let signed_in = log_in(&provider, &fake).await.unwrap();
    let printed = format!("{provider:?} {signed_in:?}");
    for secret in [signed_in.id_token.expose_secret(), SECRET, "eyJ", "access-token"] {
        assert!(!printed.contains(secret), "{printed}");
    }
}

/// X-3: whatever a provider repeats of a request is not in an error.
#[tokio::test]
async fn errors_repeat_nothing() {
    for (code, body) in [
        (400, r#"{"error": "Code-Number-0 is unknown", "error_description": "code-number-0"}"#),
        (401, r#"{"error": "client:secret/of+nobody"}"#),
        (500, "code-number-0"),
        (200, r#"{"id_token": "code-number-0"}"#),
    ] {
        let fake = FakeProvider::start().await;
        fake.answer_with(TOKEN, move || status(code, body));
        let error = log_in(&provider(&fake), &fake).await.unwrap_err();
        let printed = format!("{error} {error:?}").to_lowercase();
        for secret in ["number", "nobody"] {
            assert!(!printed.contains(secret), "{printed}");
        }
    }
}
