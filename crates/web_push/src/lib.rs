//! Web Push: a short message to a browser that is closed, by way of the push service of its vendor.
//!
//! 1. A browser subscribes with the server's public key ([`VapidKeys::public_key`]) and sends what
//!    it got: [`Subscription::parse`] checks it.
//! 2. [`Sender::send`] encrypts a message for that browser ([`encrypt`], RFC 8291): the push service
//!    cannot read it.
//! 3. It signs a token for the push service (RFC 8292) and posts the message to the endpoint of
//!    the subscription (RFC 8030), if its address is public.
//! 4. A [`PushError`] says what to do: delete the subscription, wait, or send less.
//!
//! Secrets: the private key, and of a subscription everything but the host of its endpoint. None of
//! them is in an error or in `Debug`.
//!
//! Must never contain: storage, what is sent and when, a retry.

mod encryption;
mod endpoint;
mod error;
mod options;
mod sender;
mod subscription;
mod vapid;

pub use encryption::{LARGEST_PAYLOAD, encrypt};
pub use endpoint::{AllowedServices, EndpointError};
pub use error::PushError;
pub use options::{PushOptions, Topic, Urgency};
pub use sender::{NoClient, Sender};
pub use subscription::{Subscription, SubscriptionError};
pub use vapid::{Contact, ContactError, VapidKeys, VapidKeysError};
