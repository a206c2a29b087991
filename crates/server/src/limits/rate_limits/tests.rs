//! The limits, counted in memory and in the database.
//!
//! What is about several nodes needs PostgreSQL, whichever engine is tested.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use axum::response::IntoResponse;
use parlor_storage::TokensTaken;
use parlor_test_database::new_postgres;
use proptest::prelude::*;
use tokio::task::JoinSet;

use super::*;
use crate::config::{Config, Sources};
use crate::http::errors::ApiError;

fn limits() -> Limits {
    let mut limits = Config::load(&Sources::default()).unwrap().server.limits;
    limits.messages_per_minute = 2;
    limits.address_messages_per_minute = 3;
    limits.project_messages_per_minute = 4;
    limits.tenant_messages_per_minute = 6;
    limits
}

async fn on_sqlite(dir: &tempfile::TempDir) -> Store {
    Store::open(&dir.path().join("parlor.db")).await.unwrap()
}

/// A store for each node of one database; `None` without a server.
async fn nodes<const N: usize>() -> Option<[Store; N]> {
    let location = new_postgres().await?;
    let mut stores = Vec::new();
    for _ in 0..N {
        stores.push(Store::open(location.clone()).await.unwrap());
    }
    stores.try_into().ok()
}

/// In how many seconds the next message is accepted.
fn seconds(taken: Result<(), RateLimitError>) -> Result<(), u64> {
    taken.map_err(|error| match error {
        RateLimitError::RetryAfter(seconds) => seconds,
        RateLimitError::Unavailable(error) => panic!("{error}"),
    })
}

/// N-1, FAULTS 29: the first limit that is reached counts; a refused message counts
/// against none.
async fn every_limit_counts(store: &Store) {
    let clock = Clock::default();
    let limits = RateLimits::new(&limits(), clock.clone(), store);
    let tenant: TenantId = "home".parse().unwrap();
    let projects: Vec<ProjectId> = ["a", "b"].map(|id| id.parse().unwrap()).into();
    let send = async |session: &str, address: u32, project: usize| {
        let address = Some(IpAddr::V4(address.into()));
        let project = Some(&projects[project]);
        seconds(limits.take(&Sender { session, address, tenant: &tenant, project }).await)
    };
    assert_eq!([send("s1", 1, 0).await, send("s1", 1, 0).await], [Ok(()), Ok(())]);
    assert_eq!(send("s1", 2, 1).await, Err(30), "of the session");
    assert_eq!(send("s2", 1, 0).await, Ok(()));
    assert_eq!(send("s2", 1, 1).await, Err(20), "of the address");
    assert_eq!(send("s2", 2, 0).await, Ok(()));
    assert_eq!(send("s3", 3, 0).await, Err(15), "of the project");
    assert_eq!([send("s3", 3, 1).await, send("s4", 4, 1).await], [Ok(()), Ok(())]);
    assert_eq!(send("s5", 5, 1).await, Err(10), "of the tenant");
    let other = "other".parse().unwrap();
    let elsewhere =
        Sender { session: "s9", address: None, tenant: &other, project: Some(&projects[0]) };
    let taken = seconds(limits.take(&elsewhere).await);
    assert_eq!(taken, Ok(()), "another tenant is not disturbed");
    clock.advance(Duration::from_secs(10));
    assert_eq!(send("s5", 5, 1).await, Ok(()), "after the time that the refusal named");
}

/// Y-2: links to share are limited by address; where many may share one, nothing is counted.
async fn links_are_limited_by_address(store: &Store) {
    let limits = RateLimits::new(&limits(), Clock::default(), store);
    let open = async |address: Option<u32>| {
        seconds(limits.take_shared(address.map(|address| IpAddr::V4(address.into()))).await)
    };
    let mut opened = 0;
    // Some come back meanwhile.
    while open(Some(1)).await.is_ok() {
        opened += 1;
        assert!(opened < 10 * SHARED_PER_MINUTE, "there is no limit");
    }
    assert!(opened >= SHARED_PER_MINUTE, "{opened}");
    assert_eq!([open(Some(2)).await, open(None).await], [Ok(()), Ok(())]);
}

#[tokio::test]
async fn every_limit_counts_in_memory() {
    let dir = tempfile::tempdir().unwrap();
    let store = on_sqlite(&dir).await;
    every_limit_counts(&store).await;
    links_are_limited_by_address(&store).await;
}

#[tokio::test]
async fn every_limit_counts_in_the_database() {
    let Some([store]) = nodes().await else { return };
    every_limit_counts(&store).await;
    links_are_limited_by_address(&store).await;
}

/// FAULTS 29: usage survives a restart.
#[tokio::test]
async fn usage_survives_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let store = on_sqlite(&dir).await;
    let clock = Clock::default();
    let tenant: TenantId = "home".parse().unwrap();
    let sender = Sender { session: "s", address: None, tenant: &tenant, project: None };
    let before = RateLimits::new(&limits(), clock.clone(), &store);
    for _ in 0..2 {
        assert_eq!(seconds(before.take(&sender).await), Ok(()));
    }
    before.save().await.unwrap();

    let after = RateLimits::new(&limits(), clock.clone(), &store);
    after.load().await.unwrap();
    assert!(after.take(&sender).await.is_err());
    clock.advance(Duration::from_secs(61));
    after.remove_unused().await.unwrap();
    let Usage::Local(usage) = &after.usage else { panic!("SQLite has one node") };
    assert_eq!(usage.senders(), 0);
    assert_eq!(seconds(after.take(&sender).await), Ok(()));
    after.save().await.unwrap();
    let kept = store.rate_limit_uses(clock.now().0 * 1_000).await.unwrap();
    assert_eq!(kept.len(), 2, "the session and the tenant");
}

/// E-2, FAULTS 29: nodes that count at the same moment do not exceed a limit together, and a
/// refused message counts against none of the others.
#[tokio::test(flavor = "multi_thread")]
async fn nodes_have_one_limit_together() {
    let Some(stores) = nodes::<3>().await else { return };
    let mut config = limits();
    config.messages_per_minute = 600;
    config.tenant_messages_per_minute = 300;
    let began = Instant::now();
    let refilled = |per_minute: u64| began.elapsed().as_secs() * per_minute / 60 + per_minute / 60;
    let mut sent = JoinSet::new();
    for store in &stores {
        let node = Arc::new(RateLimits::new(&config, Clock::default(), store));
        for _ in 0..16 {
            let node = Arc::clone(&node);
            sent.spawn(async move { sent_until_refused(&node, |_| "home".to_owned()).await });
        }
    }
    let accepted: u64 = sent.join_all().await.into_iter().sum();
    assert!((300..=300 + refilled(300)).contains(&accepted), "{accepted}");

    // What is left of the session can be used in other tenants.
    let node = RateLimits::new(&config, Clock::default(), &stores[0]);
    let left = sent_until_refused(&node, |sent| format!("tenant-{}", sent / 300)).await;
    let used = accepted + left;
    assert!((600..=600 + refilled(600)).contains(&used), "{accepted} and {left}");
}

async fn sent_until_refused(node: &RateLimits, tenant: impl Fn(u64) -> String) -> u64 {
    let mut sent = 0;
    while seconds(send(node, &tenant(sent)).await).is_ok() {
        sent += 1;
    }
    sent
}

/// E-2: nodes lock rows in one order, so no two of them wait for each other.
#[tokio::test(flavor = "multi_thread")]
async fn nodes_do_not_wait_for_each_other() {
    let Some(stores) = nodes::<2>().await else { return };
    let bucket = |sender: &str| SenderBucket {
        sender: sender.to_owned(),
        bucket: TokenBucket::per_minute(1_000_000),
    };
    let mut taken = JoinSet::new();
    for task in 0..8 {
        let limits = stores[task % 2].shared_limits().unwrap();
        let usage = InDatabase::new(limits, Clock::default());
        taken.spawn(async move {
            for _ in 0..50 {
                let mut wanted = ["a", "b", "c", "d"].map(bucket);
                wanted.rotate_left(task % 4);
                let taken = usage.take_at(wanted.into(), None).await.unwrap();
                assert_eq!(taken, TokensTaken::All);
            }
        });
    }
    taken.join_all().await;
}

/// Sends as the same session in some tenant.
async fn send(node: &RateLimits, tenant: &str) -> Result<(), RateLimitError> {
    let tenant = tenant.parse().unwrap();
    node.take(&Sender { session: "s", address: None, tenant: &tenant, project: None }).await
}

/// E-2: rows of senders that are gone do not stay; those in use do.
#[tokio::test]
async fn old_rows_are_deleted() {
    let Some([store]) = nodes().await else { return };
    let clock = Clock::default();
    let node = RateLimits::new(&limits(), clock.clone(), &store);
    send(&node, "home").await.unwrap();
    clock.advance(Duration::from_secs(3_700));
    send(&node, "other").await.unwrap();
    node.remove_unused().await.unwrap();
    let mut kept: Vec<String> =
        store.rate_limit_uses(0).await.unwrap().into_iter().map(|used| used.sender).collect();
    kept.sort();
    assert_eq!(kept, ["session:s", "tenant:other"]);
}

/// N-1: what cannot be counted is not let through.
#[tokio::test]
async fn without_the_database_nothing_is_accepted() {
    let Some([store]) = nodes().await else { return };
    let node = RateLimits::new(&limits(), Clock::default(), &store);
    store.close().await;
    let refused = [send(&node, "home").await, node.take_preview("s").await];
    for refused in refused {
        let response = ApiError::from(refused.unwrap_err()).into_response();
        assert_eq!(response.status(), 503);
    }
}

/// How many messages of one tenant a database counts: `cargo xtask services cargo test
/// --release -p parlor-server --lib -- --ignored --nocapture one_tenant`.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "a measurement, whose result is in the documentation of `take_tokens`"]
async fn messages_of_one_tenant_per_second() {
    const CONNECTIONS: u64 = 16;
    const MESSAGES: u64 = 2_000;
    let Some([store]) = nodes().await else { return };
    let mut config = limits();
    config.messages_per_minute = 1_000_000;
    config.address_messages_per_minute = 1_000_000;
    config.project_messages_per_minute = 10_000_000;
    config.tenant_messages_per_minute = 10_000_000;
    let node = Arc::new(RateLimits::new(&config, Clock::default(), &store));
    let mut sent = JoinSet::new();
    let began = Instant::now();
    for connection in 0..CONNECTIONS {
        let node = node.clone();
        sent.spawn(async move {
            let (tenant, project) = ("home".parse().unwrap(), "recipes".parse().unwrap());
            for n in 0..MESSAGES {
                let sender = u32::try_from(connection * 100 + n % 100).unwrap();
                let (session, address) = (sender.to_string(), Some(IpAddr::V4(sender.into())));
                let (session, project) = (session.as_str(), Some(&project));
                let sender = Sender { session, address, tenant: &tenant, project };
                node.take(&sender).await.unwrap();
            }
        });
    }
    sent.join_all().await;
    let rate = (CONNECTIONS * MESSAGES) as f64 / began.elapsed().as_secs_f64();
    println!("{rate:.0} messages of one tenant per second");
}

/// A message: how many microseconds after the last, and of which of four buckets.
fn messages() -> impl Strategy<Value = Vec<(i64, u8)>> {
    let step = prop_oneof![
        4 => 0..20_000_000_i64,
        1 => Just(0),
        // Somebody sets the clock.
        1 => -120_000_000..120_000_000_i64,
    ];
    prop::collection::vec((step, 1..16_u8), 1..40)
}

fn wanted(story: u64, senders: u8) -> Vec<SenderBucket> {
    let bucket = |sender: usize| SenderBucket {
        sender: format!("{story}:{sender}"),
        bucket: TokenBucket::per_minute([1, 2, 3, 7][sender]),
    };
    (0..4).filter(|sender| senders & (1 << sender) != 0).map(bucket).collect()
}

/// FAULTS 29: a bucket in the database is what it is in memory, to the microsecond.
#[test]
fn both_count_the_same() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let Some([store]) = runtime.block_on(nodes()) else { return };
    let shared = InDatabase::new(store.shared_limits().unwrap(), Clock::default());
    let local = InMemory::new(store, Clock::default());
    let stories = AtomicU64::new(0);
    let config = ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() };
    proptest!(config, |(messages in messages())| {
        let story = stories.fetch_add(1, Ordering::Relaxed);
        let mut now = 1_700_000_000_000_000;
        for (number, (step, senders)) in messages.into_iter().enumerate() {
            now += step;
            let in_memory = local.take_at(wanted(story, senders), now);
            let in_database = shared.take_at(wanted(story, senders), Some(now));
            let expected = match in_memory {
                Ok(()) => TokensTaken::All,
                Err(wait) => TokensTaken::NoneFor(wait),
            };
            let taken = runtime.block_on(in_database).unwrap();
            prop_assert_eq!(taken, expected, "message {}", number);
        }
    });
}
