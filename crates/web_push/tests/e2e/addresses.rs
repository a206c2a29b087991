//! Messages go to public addresses alone (FAULTS 27).

use parlor_web_push::{AllowedServices, PushError};

use crate::browser::Browser;
use crate::push_service::{PushService, status};
use crate::{local_sender, options, sender};

fn not_allowed(host: &str) -> Result<(), PushError> {
    Err(PushError::NotAllowed { host: host.to_owned() })
}

/// FAULTS 27: a name is judged when the message is sent, by where it leads.
#[tokio::test]
async fn a_name_that_leads_to_this_machine_is_refused() {
    let service = PushService::start(|_| status(201)).await;
    let port = service.origin.rsplit_once(':').unwrap().1;
    let subscription = Browser::new().subscription(&format!("https://localhost:{port}/push/a"));
    let public = sender(AllowedServices::Public);
    let outcome = public.send(&subscription, b"hello", &options()).await;
    assert_eq!(outcome, not_allowed("localhost"));
    // With the switch the connection is made, and fails because nobody speaks TLS there.
    let outcome = local_sender().send(&subscription, b"hello", &options()).await;
    assert!(matches!(outcome, Err(PushError::Unreachable { .. })), "{outcome:?}");
    assert!(service.take().is_empty());
}

/// FAULTS 27: a subscription that was stored while loopback was allowed is not used any more.
#[tokio::test]
async fn what_is_allowed_is_checked_again_when_sending() {
    let service = PushService::start(|_| status(201)).await;
    let subscription = Browser::new().subscription(&service.endpoint());
    let public = sender(AllowedServices::Public);
    let outcome = public.send(&subscription, b"hello", &options()).await;
    assert_eq!(outcome, not_allowed("127.0.0.1"));
    assert!(service.take().is_empty());
    assert_eq!(local_sender().send(&subscription, b"hello", &options()).await, Ok(()));
    assert_eq!(service.take().len(), 1);
}
