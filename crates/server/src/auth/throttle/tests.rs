//! Attempts, counted in memory and in the database.
//!
//! Each story is played on both. The one in the database needs PostgreSQL, whichever engine is
//! tested.

use std::sync::Arc;
use std::time::Instant;

use parlor_test_database::new_postgres;
use proptest::prelude::*;
use tokio::task::JoinSet;

use super::*;
use crate::clock::Moment;

/// When the stories begin, in milliseconds.
const START: i64 = 1_700_000_000_000;
const SECOND: i64 = 1_000;

fn home() -> TenantId {
    "home".parse().unwrap()
}

/// The shared account of a tenant.
fn shared(tenant: &TenantId) -> Target<'_> {
    Target { tenant, name: None }
}

fn address(n: u32) -> IpAddr {
    IpAddr::V4(n.into())
}

/// A throttle for each node of one database; none without a server.
async fn nodes(count: usize) -> Vec<Throttle> {
    let Some(location) = new_postgres().await else { return Vec::new() };
    let mut nodes = Vec::new();
    for _ in 0..count {
        let store = Store::open(location.clone()).await.unwrap();
        nodes.push(Throttle::new(&store, Clock::default()));
        assert!(matches!(nodes.last(), Some(Throttle::Shared(_))));
    }
    nodes
}

/// One in memory, and one in a database if there is a server.
async fn throttles() -> Vec<Throttle> {
    let mut throttles = nodes(1).await;
    throttles.push(Throttle::Local(InMemory::new(Clock::default())));
    throttles
}

impl Throttle {
    async fn begin_at(&self, from: IpAddr, tenant: &TenantId, now: i64) -> Attempt {
        self.begin_for(from, Target { tenant, name: None }, now).await
    }

    async fn begin_for(&self, from: IpAddr, target: Target<'_>, now: i64) -> Attempt {
        match self {
            Self::Local(throttle) => throttle.begin_at(from, target, Moment::from_millis(now)),
            Self::Shared(throttle) => throttle.begin_at(from, target, Some(now)).await.unwrap(),
        }
    }

    async fn failed_at(&self, target: Target<'_>, now: i64) {
        match self {
            Self::Local(throttle) => throttle.failed_at(target, Moment::from_millis(now)),
            Self::Shared(throttle) => throttle.failed_at(target, Some(now)).await.unwrap(),
        }
    }

    async fn is_accepted(&self, from: IpAddr, now: i64) -> bool {
        matches!(self.begin_at(from, &home(), now).await, Attempt::CheckAfter(_))
    }
}

/// each guess delays the next one longer, up to a maximum.
#[tokio::test]
async fn an_address_waits_longer_after_each_failure() {
    for throttle in throttles().await {
        let mut now = START;
        let mut pauses = Vec::new();
        for _ in 0..12 {
            if let Attempt::RetryAfter(pause) = throttle.begin_at(address(1), &home(), now).await {
                pauses.push(pause.as_secs());
                now += i64::try_from(pause.as_millis()).unwrap();
                assert!(throttle.is_accepted(address(1), now).await);
            }
        }
        assert_eq!(pauses, [1, 2, 4, 8, 16, 30, 30], "{throttle:?}");
        let other = throttle.begin_at(address(2), &home(), now).await;
        assert_eq!(other, Attempt::CheckAfter(Duration::ZERO));
    }
}

/// FAULTS 23: a hundred parallel attempts are not a hundred guesses.
#[tokio::test]
async fn attempts_count_when_they_begin() {
    for throttle in throttles().await {
        let mut accepted = 0;
        for _ in 0..100 {
            accepted += u32::from(throttle.is_accepted(address(1), START).await);
        }
        assert_eq!(accepted, FREE, "{throttle:?}");
    }
}

/// E-2, FAULTS 23: nor are they on three nodes, also if they come at the same moment.
#[tokio::test(flavor = "multi_thread")]
async fn nodes_count_attempts_together() {
    let nodes: Vec<Arc<Throttle>> = nodes(3).await.into_iter().map(Arc::new).collect();
    if nodes.is_empty() {
        return;
    }
    // Connections are opened by the first attempts; then they come at the same moment.
    for n in 0..10 {
        let began = Instant::now();
        let mut attempts = JoinSet::new();
        for attempt in 0..48 {
            let node = Arc::clone(&nodes[attempt % 3]);
            attempts.spawn(async move { node.begin(address(n), shared(&home())).await.unwrap() });
        }
        let attempts = attempts.join_all().await;
        let accepted = attempts.iter().filter(|a| matches!(a, Attempt::CheckAfter(_))).count();
        // The first pause lasts for a second.
        let most = 5 + usize::try_from(began.elapsed().as_secs()).unwrap();
        assert!((5..=most).contains(&accepted), "{accepted}");
    }
}

#[tokio::test]
async fn a_correct_password_clears_the_address_and_so_does_time() {
    for throttle in throttles().await {
        for _ in 0..FREE {
            assert!(throttle.is_accepted(address(1), START).await);
        }
        assert!(!throttle.is_accepted(address(1), START).await);
        throttle.succeeded(address(1)).await.unwrap();
        for _ in 0..FREE {
            assert!(throttle.is_accepted(address(1), START).await);
        }
        let tomorrow = START + 86_400 * SECOND;
        for _ in 0..FREE {
            assert!(throttle.is_accepted(address(1), tomorrow).await);
        }
    }
}

/// Guesses from many addresses delay everyone and refuse nobody.
#[tokio::test]
async fn a_tenant_under_attack_is_slow_and_open() {
    for throttle in throttles().await {
        for n in 0..MANY_FAILURES {
            throttle.begin_at(address(n), &home(), START).await;
            throttle.failed_at(shared(&home()), START).await;
        }
        let attacked = throttle.begin_at(address(9_999), &home(), START).await;
        assert_eq!(attacked, Attempt::CheckAfter(DELAY), "{throttle:?}");
        let other = "other".parse().unwrap();
        let quiet = throttle.begin_at(address(9_998), &other, START).await;
        assert_eq!(quiet, Attempt::CheckAfter(Duration::ZERO));
        let later = throttle.begin_at(address(9_997), &home(), START + 60 * SECOND).await;
        assert_eq!(later, Attempt::CheckAfter(Duration::ZERO));
    }
}

/// Y-1: guesses at one name from many addresses delay whoever logs in with it, and nobody else.
#[tokio::test]
async fn a_name_under_attack_is_slow_and_open() {
    for throttle in throttles().await {
        let home = home();
        let named = |name| Target { tenant: &home, name: Some(name) };
        for n in 0..MANY_OF_A_NAME {
            throttle.begin_for(address(n), named("ana"), START).await;
            throttle.failed_at(named("ana"), START).await;
        }
        let delay = async |n, target| throttle.begin_for(address(n), target, START).await;
        assert_eq!(delay(9_999, named("ana")).await, Attempt::CheckAfter(DELAY), "{throttle:?}");
        for quiet in [named("bob"), shared(&home)] {
            assert_eq!(delay(9_998, quiet).await, Attempt::CheckAfter(Duration::ZERO));
        }
        let later = throttle.begin_for(address(9_997), named("ana"), START + 60 * SECOND).await;
        assert_eq!(later, Attempt::CheckAfter(Duration::ZERO));
    }
}

/// E-2: the clock of the database can be set back; nobody is locked out for longer than a minute
/// and a half.
#[tokio::test]
async fn a_clock_that_is_set_back_locks_nobody_out() {
    for node in nodes(1).await {
        for _ in 0..FREE {
            assert!(node.is_accepted(address(1), START).await);
        }
        let Attempt::RetryAfter(wait) = node.begin_at(address(1), &home(), START - 60_000).await
        else {
            panic!("a minute is not enough")
        };
        assert_eq!(wait, Duration::from_secs(61));
        assert!(node.is_accepted(address(1), START - 86_400 * SECOND).await);
    }
}

/// E-2: rows of addresses and tenants that are quiet do not stay.
#[tokio::test]
async fn old_attempts_are_deleted() {
    for node in nodes(1).await {
        for _ in 0..FREE + 1 {
            node.begin(address(1), shared(&home())).await.unwrap();
        }
        node.forget_old().await.unwrap();
        let refused = node.begin(address(1), shared(&home())).await.unwrap();
        assert!(matches!(refused, Attempt::RetryAfter(_)), "it is not old");

        let old = address(2);
        node.begin_at(old, &home(), START).await;
        node.failed_at(shared(&home()), START).await;
        node.forget_old().await.unwrap();
        // Whoever was forgotten can have all free attempts at the same old time.
        for _ in 0..FREE {
            assert!(node.is_accepted(old, START).await);
        }
    }
}

/// What happens, so many milliseconds after the last.
#[derive(Debug, Clone, Copy)]
enum Step {
    Begin { address: u32, target: usize },
    Succeed { address: u32 },
    Fail { target: usize },
}

fn steps() -> impl Strategy<Value = Vec<(i64, Step)>> {
    let after = prop_oneof![
        4 => 0..3 * SECOND,
        2 => Just(0),
        1 => 0..40 * SECOND,
        1 => Just(15 * 60 * SECOND),
    ];
    let step = prop_oneof![
        8 => (0..2_u32, 0..4_usize).prop_map(|(address, target)| Step::Begin { address, target }),
        1 => (0..2_u32).prop_map(|address| Step::Succeed { address }),
        6 => (0..4_usize).prop_map(|target| Step::Fail { target }),
    ];
    prop::collection::vec((after, step), 1..120)
}

/// FAULTS 23: attempts in the database are what they are in memory, to the millisecond.
#[test]
fn both_count_the_same() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let Some(shared) = runtime.block_on(nodes(1)).pop() else { return };
    let local = Throttle::Local(InMemory::new(Clock::default()));
    let tenants: [TenantId; 2] = ["home", "other"].map(|id| id.parse().unwrap());
    let targets = [(0, None), (1, None), (0, Some("ana")), (1, Some("ana"))]
        .map(|(tenant, name): (usize, _)| Target { tenant: &tenants[tenant], name });
    let config = ProptestConfig { cases: 48, failure_persistence: None, ..Default::default() };
    // Each story begins when the one before is forgotten.
    let time = std::cell::Cell::new(START);
    proptest!(config, |(steps in steps())| {
        time.set(time.get() + 86_400 * SECOND);
        for (number, (after, step)) in steps.into_iter().enumerate() {
            let now = time.get() + after;
            time.set(now);
            let outcomes = [&local, &shared].map(|throttle| {
                runtime.block_on(async {
                    match step {
                        Step::Begin { address: n, target } => {
                            let begun = throttle.begin_for(address(n), targets[target], now);
                            return Some(begun.await);
                        }
                        Step::Succeed { address: n } => {
                            throttle.succeeded(address(n)).await.unwrap();
                        }
                        Step::Fail { target } => throttle.failed_at(targets[target], now).await,
                    }
                    None
                })
            });
            prop_assert_eq!(outcomes[0], outcomes[1], "step {} at {}", number, now - START);
        }
    });
}
