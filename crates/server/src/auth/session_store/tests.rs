//! Tokens that begin, last and end.

use std::time::Duration;

use super::*;

struct Fixture {
    sessions: Sessions,
    store: Store,
    clock: Clock,
    _dir: Option<tempfile::TempDir>,
}

const DAY: Duration = Duration::from_secs(86_400);

fn week() -> AccessConfig {
    AccessConfig { idle_expiry: DAY * 7, absolute_expiry: DAY * 30 }
}

async fn fixture() -> Fixture {
    lasting(week()).await
}

async fn lasting(lasts: AccessConfig) -> Fixture {
    let dir = tempfile::tempdir().unwrap();
    let location = parlor_test_database::location(&dir.path().join("test.db")).await;
    let store = Store::open(location).await.unwrap();
    let clock = Clock::default();
    let sessions = Sessions::new(store.clone(), clock.clone(), lasts, Fanout::alone());
    Fixture { sessions, store, clock, _dir: Some(dir) }
}

/// Nodes of one PostgreSQL database, whichever engine is tested; none without a server.
async fn nodes(count: usize) -> Vec<Fixture> {
    let Some(location) = parlor_test_database::new_postgres().await else { return Vec::new() };
    let (clock, mut nodes) = (Clock::default(), Vec::new());
    for _ in 0..count {
        let store = Store::open(location.clone()).await.unwrap();
        let sessions = Sessions::new(store.clone(), clock.clone(), week(), Fanout::alone());
        nodes.push(Fixture { sessions, store, clock: clock.clone(), _dir: None });
    }
    nodes
}

/// One on the engine that is tested, and one on PostgreSQL.
async fn on_both_engines() -> Vec<Fixture> {
    let mut fixtures = nodes(1).await;
    fixtures.push(fixture().await);
    fixtures
}

fn home() -> TenantId {
    "home".parse().unwrap()
}

impl Fixture {
    async fn begin(&self) -> SecretString {
        let (tenant, role, name) = (home(), AccessRole::User, "test".to_owned());
        let session = NewSession { tenant, role, name, person: None, device: "test".to_owned() };
        self.sessions.begin(session).await.unwrap()
    }

    async fn find(&self, secret: &SecretString) -> Option<Arc<Session>> {
        self.sessions.find(secret.expose_secret(), TokenKind::Session).await.unwrap()
    }

    /// As the next run of the server finds it.
    fn restarted(self) -> Self {
        let lasts = self.sessions.config.clone();
        let sessions =
            Sessions::new(self.store.clone(), self.clock.clone(), lasts, Fanout::alone());
        Self { sessions, ..self }
    }

    /// That a session is in use is written down without anyone waiting for it.
    async fn use_is_written(&self, secret: &SecretString) {
        let hash = TokenHash::of(secret.expose_secret()).to_hex();
        let just_now = self.clock.now().0 - 1_000;
        let token = || async { self.store.access().token_by_hash(&hash).await.unwrap().unwrap() };
        while token().await.last_used_at.0 < just_now {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    fn pass(&self, days: u32) {
        self.clock.advance(DAY * days);
    }
}

#[tokio::test]
async fn a_session_is_found_by_its_secret_and_by_nothing_else() {
    let f = fixture().await;
    let secret = f.begin().await;
    let session = f.find(&secret).await.unwrap();
    assert_eq!((session.tenant.clone(), session.role), (home(), AccessRole::User));
    assert!(f.find(&SecretString::from("rvs_x")).await.is_none());
    let as_key = f.sessions.find(secret.expose_secret(), TokenKind::Key).await.unwrap();
    assert!(as_key.is_none(), "a session is no key");
    let hash = TokenHash::of(secret.expose_secret()).to_hex();
    let by_hash = f.sessions.find(&hash, TokenKind::Session).await.unwrap();
    assert!(by_hash.is_none(), "what is stored lets nobody in");
}

/// a session that is ended is over at once, everywhere it is held.
#[tokio::test]
async fn an_ended_session_is_over_at_once() {
    let f = fixture().await;
    let secret = f.begin().await;
    let (first, second) = (f.find(&secret).await.unwrap(), f.find(&secret).await.unwrap());
    f.sessions.end(&first).await.unwrap();
    assert!(second.is_ended());
    assert!(f.find(&secret).await.is_none());
    f.sessions.end(&first).await.unwrap();
}

/// FAULTS 22: a new password ends the sessions of the old one, also when
/// another process sets it.
#[tokio::test]
async fn a_new_password_ends_other_sessions() {
    let f = fixture().await;
    let secret = f.begin().await;
    let held = f.find(&secret).await.unwrap();
    f.store.access().set_password(&home(), AccessRole::User, "hash", f.clock.now()).await.unwrap();
    f.sessions.check_all().await.unwrap();
    assert!(held.is_ended());
    assert!(f.find(&secret).await.is_none());
}

/// E-2, FAULTS 22: a session that another node ended is over with the hint about it, and so are
/// its streams. Others stay, and a token that nobody uses here is not read.
#[tokio::test]
async fn a_session_that_another_node_ended_is_over() {
    for f in on_both_engines().await {
        let (ended, other) = (f.begin().await, f.begin().await);
        let (held, kept) = (f.find(&ended).await.unwrap(), f.find(&other).await.unwrap());
        f.store.access().revoke_token(&home(), &held.id, f.clock.now()).await.unwrap();
        f.sessions.check_token(&kept.id).await.unwrap();
        assert!(!held.is_ended() && !kept.is_ended(), "the hint is about another");
        f.sessions.check_token(&held.id).await.unwrap();
        assert!(held.is_ended() && !kept.is_ended());
        assert!(f.find(&ended).await.is_none());
        f.store.close().await;
        f.sessions.check_token("unknown").await.unwrap();
        assert!(f.sessions.check_token(&kept.id).await.is_err(), "it is read, and that fails");
    }
}

/// E-2, FAULTS 22: a session that is in use on another node does not expire here.
#[tokio::test]
async fn a_session_in_use_on_another_node_does_not_expire() {
    let nodes = nodes(2).await;
    let [here, there] = &nodes[..] else { return };
    let secret = there.begin().await;
    let held = here.find(&secret).await.unwrap();
    for _ in 0..2 {
        there.pass(4);
        there.find(&secret).await.unwrap();
        there.use_is_written(&secret).await;
    }
    here.sessions.end_expired().await.unwrap();
    assert!(!held.is_ended());
    assert!(here.find(&secret).await.is_some());
    here.pass(8);
    here.sessions.end_expired().await.unwrap();
    assert!(held.is_ended(), "nobody used it");
    assert!(there.find(&secret).await.is_none());
}

/// E-2: after a time without hints all tokens are read, many at once.
#[tokio::test]
async fn all_sessions_are_checked_in_batches() {
    for f in on_both_engines().await {
        let mut held = Vec::new();
        for _ in 0..BATCH + 7 {
            held.push(f.find(&f.begin().await).await.unwrap());
        }
        for session in held.iter().step_by(50) {
            f.store.access().revoke_token(&home(), &session.id, f.clock.now()).await.unwrap();
        }
        f.sessions.check_all().await.unwrap();
        for (number, session) in held.iter().enumerate() {
            assert_eq!(session.is_ended(), number % 50 == 0, "{number}");
        }
    }
}

/// Without a hint the database is asked again after a minute.
#[tokio::test]
async fn a_cached_session_is_checked_again() {
    let f = fixture().await;
    let secret = f.begin().await;
    let held = f.find(&secret).await.unwrap();
    f.store.access().set_password(&home(), AccessRole::User, "hash", f.clock.now()).await.unwrap();
    assert!(f.find(&secret).await.is_some());
    f.clock.advance(Duration::from_secs(61));
    assert!(f.find(&secret).await.is_none());
    assert!(held.is_ended());
}

/// FAULTS 22: idle and absolute expiry.
#[tokio::test]
async fn sessions_expire() {
    let f = fixture().await;
    let idle = f.begin().await;
    f.pass(8);
    assert!(f.find(&idle).await.is_none(), "not used for a week");
    let busy = f.begin().await;
    for _ in 0..5 {
        assert!(f.find(&busy).await.is_some());
        f.use_is_written(&busy).await;
        f.pass(6);
    }
    assert!(f.find(&busy).await.is_none(), "thirty days old");
}

const TEN_YEARS: Duration = Duration::from_secs(10 * 365 * 86_400);

/// FAULTS 22: the time of day jumps back or ahead, and nobody is let in for longer, or
/// thrown out.
#[tokio::test]
async fn a_jump_of_the_clock_changes_nothing() {
    let f = fixture().await;
    let back = f.begin().await;
    f.find(&back).await.unwrap();
    f.clock.set_back(TEN_YEARS);
    f.pass(6);
    assert!(f.find(&back).await.is_some());
    f.pass(8);
    assert!(f.find(&back).await.is_none(), "not used for a week");
    assert!(f.find(&back).await.is_none(), "and it does not come back");
    assert!(f.restarted().find(&back).await.is_none(), "not even with the next start");

    let f = fixture().await;
    let ahead = f.begin().await;
    f.find(&ahead).await.unwrap();
    f.clock.set_ahead(TEN_YEARS);
    f.clock.advance(Duration::from_secs(61));
    assert!(f.find(&ahead).await.is_some(), "no week has passed");
}

/// FAULTS 22: an expiry in the far future, stored by an earlier run, lasts no longer than any
/// other session.
#[tokio::test]
async fn an_absurd_end_is_not_believed() {
    let f = fixture().await;
    let secret = f.begin().await;
    f.clock.set_back(TEN_YEARS);
    let f = f.restarted();
    assert!(f.find(&secret).await.is_some());
    for _ in 0..6 {
        f.pass(6);
        f.find(&secret).await;
    }
    assert!(f.find(&secret).await.is_none(), "more than thirty days old");
}

/// FAULTS 22: however short the idle time is, whoever is active stays, also over a
/// restart.
#[tokio::test]
async fn a_short_idle_time_throws_no_active_person_out() {
    let second = Duration::from_secs(1);
    for idle in [60, 30, 5].map(Duration::from_secs) {
        let f = lasting(AccessConfig { idle_expiry: idle, absolute_expiry: second * 86_400 }).await;
        let secret = f.begin().await;
        for _ in 0..20 {
            f.clock.advance(idle / 2);
            assert!(f.find(&secret).await.is_some(), "{idle:?}");
            f.use_is_written(&secret).await;
        }
        let f = f.restarted();
        f.clock.advance(idle / 2);
        assert!(f.find(&secret).await.is_some(), "{idle:?}");
        f.clock.advance(idle + second);
        assert!(f.find(&secret).await.is_none(), "{idle:?}");
    }
}

#[tokio::test]
async fn a_stream_ends_with_its_session_also_if_nobody_asks() {
    let f = fixture().await;
    let secret = f.begin().await;
    let held = f.find(&secret).await.unwrap();
    f.sessions.end_expired().await.unwrap();
    assert!(!held.is_ended());
    f.pass(8);
    f.sessions.end_expired().await.unwrap();
    assert!(held.is_ended());
}

#[tokio::test]
async fn the_key_of_the_environment_is_an_admins() {
    let mut f = fixture().await;
    f.sessions.accept_process_key(&SecretString::from("scripted"), Session::of_environment(home()));
    let found = f.sessions.find("scripted", TokenKind::Key).await.unwrap().unwrap();
    assert_eq!((found.role, found.id.as_str()), (AccessRole::Admin, "environment"));
    assert!(f.sessions.find("scripted", TokenKind::Session).await.unwrap().is_none());
}
