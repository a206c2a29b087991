//! The store on a real file: one process, several processes, and after a restart.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may fail")]

use std::path::PathBuf;

use parlor_protocol::{ErrorCode, TenantId};
use parlor_recipes::{
    Change, Content, Recipe, RecipeError, RecipeId, RecipeInput, RecipeStore, Refusal, Run, RunId,
    preview,
};
use parlor_test_database::location;
use serde_json::{Value, json};

fn tenant(id: &str) -> TenantId {
    id.parse().unwrap()
}

fn input(value: Value) -> RecipeInput {
    serde_json::from_value(value).unwrap()
}

fn content(title: &str) -> Content {
    input(json!({
        "title": title,
        "ingredients": [{"name": "water", "quantity": "1/2", "unit": "l"}, {"name": "salt"}],
        "steps": [{"instruction": "Boil it.", "duration_minutes": 5}],
    }))
    .complete()
    .unwrap()
}

struct Scene {
    store: RecipeStore,
    path: PathBuf,
    home: TenantId,
    _dir: tempfile::TempDir,
}

impl Scene {
    async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("recipes.db");
        let store = RecipeStore::open(location(&path).await).await.unwrap();
        Self { store, path, home: tenant("home"), _dir: dir }
    }

    async fn change(&self, change: Change) -> Result<Recipe, RecipeError> {
        self.store.change(&self.home, change, None).await
    }

    async fn create(&self, title: &str) -> Recipe {
        self.change(Change::Create(content(title))).await.unwrap()
    }

    async fn titles(&self, tenant: &TenantId) -> Vec<String> {
        let list = self.store.list(tenant).await.unwrap();
        list.into_iter().map(|summary| summary.title).collect()
    }
}

fn refusal(result: Result<Recipe, RecipeError>) -> Refusal {
    match result {
        Err(RecipeError::Refused(refusal)) => refusal,
        other => panic!("{other:?}"),
    }
}

/// recipes are created, read, updated, replaced and deleted.
#[tokio::test]
async fn a_recipe_from_creation_to_deletion() {
    let scene = Scene::new().await;
    let made = scene.create("Broth").await;
    assert_eq!(scene.store.get(&scene.home, made.id).await.unwrap(), made);
    assert_eq!(made.created_at, made.updated_at);

    let update = Change::Update(made.id, input(json!({"servings": 3})));
    let updated = scene.change(update).await.unwrap();
    assert_eq!(updated.content, {
        let mut expected = made.content.clone();
        expected.servings = Some(3);
        expected
    });
    assert!(updated.updated_at >= made.updated_at && updated.created_at == made.created_at);

    let replaced = scene.change(Change::Replace(made.id, content("Stock"), None)).await.unwrap();
    assert_eq!((replaced.id, replaced.content.servings), (made.id, None));
    assert_eq!(scene.store.get(&scene.home, made.id).await.unwrap(), replaced);

    assert_eq!(scene.change(Change::Delete(made.id)).await.unwrap(), replaced);
    let gone = Refusal::NotFound { id: made.id.to_string() };
    assert_eq!(refusal(scene.change(Change::Delete(made.id)).await), gone);
    assert_eq!(refusal(scene.store.get(&scene.home, made.id).await), gone);
    assert_eq!(
        gone.to_string(),
        format!("There is no recipe with the id {}; list the recipes to see their ids.", made.id)
    );
}

/// titles are unique within a tenant, ignoring case and spelling.
#[tokio::test]
async fn a_title_is_taken_once() {
    let scene = Scene::new().await;
    let first = scene.create("Feijão Tropeiro").await;
    let taken = Refusal::TitleTaken { title: "Feijão Tropeiro".into(), id: first.id.to_string() };
    for same in ["feijão tropeiro", "FEIJÃO  TROPEIRO", "Feija\u{303}o Tropeiro"] {
        assert_eq!(refusal(scene.change(Change::Create(content(same))).await), taken, "{same}");
    }
    let other = scene.create("Feijão").await;
    let rename = |id, title: &str| Change::Update(id, input(json!({"title": title})));
    assert_eq!(refusal(scene.change(rename(other.id, "FEIJÃO TROPEIRO")).await), taken);
    assert_eq!(
        refusal(scene.change(Change::Replace(other.id, content("feijão tropeiro"), None)).await),
        taken
    );
    let itself = scene.change(rename(first.id, "feijão TROPEIRO")).await.unwrap();
    assert_eq!(itself.content.title, "feijão TROPEIRO");
    let elsewhere = Change::Create(content("Feijão"));
    scene.store.change(&tenant("other"), elsewhere, None).await.unwrap();
}

/// a tenant neither reads nor changes the recipes of another.
#[tokio::test]
async fn tenants_are_apart() {
    let scene = Scene::new().await;
    let (mine, other) = (scene.create("Broth").await, tenant("other"));
    let not_found = Refusal::NotFound { id: mine.id.to_string() };
    assert!(!scene.titles(&other).await.contains(&"Broth".to_owned()));
    assert_eq!(refusal(scene.store.get(&other, mine.id).await), not_found);
    for change in [
        Change::Delete(mine.id),
        Change::Replace(mine.id, content("Mine"), None),
        Change::Update(mine.id, input(json!({"title": "Mine"}))),
    ] {
        assert_eq!(refusal(scene.store.change(&other, change, None).await), not_found);
    }
    assert_eq!(scene.store.get(&scene.home, mine.id).await.unwrap(), mine);
}

/// a tenant gets the samples on first use, and never again.
#[tokio::test]
async fn samples_come_once() {
    let scene = Scene::new().await;
    let titles = scene.titles(&scene.home).await;
    for sample in ["Tomato Soup", "Chocolate Chip Cookies", "Feijoada"] {
        assert!(titles.contains(&sample.to_owned()), "{titles:?}");
    }
    assert!(titles.is_sorted_by_key(|title| title.to_lowercase()), "{titles:?}");
    for summary in scene.store.list(&scene.home).await.unwrap() {
        scene.change(Change::Delete(summary.id)).await.unwrap();
    }
    assert!(scene.titles(&scene.home).await.is_empty());
    scene.store.close().await;
    let again = RecipeStore::open(location(&scene.path).await).await.unwrap();
    assert!(again.list(&scene.home).await.unwrap().is_empty());
    assert_eq!(again.list(&tenant("other")).await.unwrap().len(), titles.len());
}

/// A list is read as a whole, so its length is limited.
#[tokio::test]
async fn a_tenant_has_a_thousand_recipes_at_most() {
    let scene = Scene::new().await;
    let there = scene.titles(&scene.home).await.len();
    for n in there..1000 {
        scene.create(&format!("Dish {n}")).await;
    }
    let full = refusal(scene.change(Change::Create(content("One more"))).await);
    assert_eq!(full, Refusal::Full { most: 1000 });
    assert!(full.to_string().ends_with("delete one first."), "{full}");
    assert_eq!(scene.titles(&scene.home).await.len(), 1000);
    scene.store.change(&tenant("other"), Change::Create(content("One more")), None).await.unwrap();
}

/// DESIGN idea 8: a repeated run returns the first result and changes nothing, also from another
/// process and after other changes; other arguments are an error.
#[tokio::test]
async fn a_run_happens_once() {
    let scene = Scene::new().await;
    let other_side = RecipeStore::open(location(&scene.path).await).await.unwrap();
    let id = RunId::try_from(&json!("run-1")).unwrap();
    let arguments = json!({"title": "Broth", "ingredients": [], "steps": []});
    let run = Run { id: &id, tool: "create_recipe", arguments: &arguments };
    let create = || Change::Create(content("Broth"));
    let first = scene.store.change(&scene.home, create(), Some(run)).await.unwrap();
    let rename = Change::Update(first.id, input(json!({"title": "Stock"})));
    scene.change(rename).await.unwrap();
    let before = scene.titles(&scene.home).await;
    for store in [&scene.store, &other_side] {
        let again = store.change(&scene.home, create(), Some(run)).await.unwrap();
        assert_eq!(again, first);
    }
    let reordered = json!({"steps": [], "title": "Broth", "ingredients": []});
    let same = Run { arguments: &reordered, ..run };
    assert_eq!(scene.store.change(&scene.home, create(), Some(same)).await.unwrap(), first);

    let changed = json!({"title": "Other", "ingredients": [], "steps": []});
    for reused in [Run { arguments: &changed, ..run }, Run { tool: "delete_recipe", ..run }] {
        let error = scene.store.change(&scene.home, create(), Some(reused)).await.unwrap_err();
        assert!(matches!(error, RecipeError::RunReused(_)), "{error}");
    }
    assert_eq!(scene.titles(&scene.home).await, before);
    let elsewhere = scene.store.change(&tenant("other"), create(), Some(run)).await.unwrap();
    assert_ne!(elsewhere.id, first.id, "a run id is a tenant's own");
}

/// DESIGN idea 8: a refusal is an outcome too, and a delete takes effect once.
#[tokio::test]
async fn a_refused_run_stays_refused() {
    let scene = Scene::new().await;
    let broth = scene.create("Broth").await;
    let id = RunId::try_from(&json!("run-2")).unwrap();
    let arguments = json!({"title": "broth"});
    let run = Run { id: &id, tool: "create_recipe", arguments: &arguments };
    let create = || Change::Create(content("broth"));
    let first = refusal(scene.store.change(&scene.home, create(), Some(run)).await);
    assert!(matches!(first, Refusal::TitleTaken { .. }));

    let id = RunId::try_from(&json!("run-3")).unwrap();
    let arguments = json!({"recipe_id": broth.id});
    let delete = Run { id: &id, tool: "delete_recipe", arguments: &arguments };
    for _ in 0..2 {
        let gone = Change::Delete(broth.id);
        assert_eq!(scene.store.change(&scene.home, gone, Some(delete)).await.unwrap(), broth);
    }
    assert_eq!(refusal(scene.store.change(&scene.home, create(), Some(run)).await), first);
    assert!(!scene.titles(&scene.home).await.contains(&"broth".to_owned()));
}

/// Several processes open a new file and write at the same time: nothing is lost, nothing is stored
/// twice, and one run has one outcome.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_write_at_once() {
    const SIDES: usize = 6;
    const EACH: usize = 8;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("recipes.db");
    let sides = (0..SIDES).map(|side| {
        let path = path.clone();
        tokio::spawn(async move {
            let store = RecipeStore::open(location(&path).await).await.unwrap();
            let home = tenant("home");
            let id = RunId::try_from(&json!("common-run")).unwrap();
            let arguments = json!({});
            let run = Run { id: &id, tool: "create_recipe", arguments: &arguments };
            for n in 0..EACH {
                let own = Change::Create(content(&format!("Dish {side}.{n}")));
                store.change(&home, own, None).await.unwrap();
            }
            let common = Change::Create(content("Common"));
            store.change(&home, common, Some(run)).await.unwrap().id
        })
    });
    let mut outcomes: Vec<RecipeId> = Vec::new();
    for side in sides.collect::<Vec<_>>() {
        outcomes.push(side.await.unwrap());
    }
    assert!(outcomes.iter().all(|id| *id == outcomes[0]), "{outcomes:?}");
    let store = RecipeStore::open(location(&path).await).await.unwrap();
    let titles: Vec<String> =
        store.list(&tenant("home")).await.unwrap().into_iter().map(|s| s.title).collect();
    let count = |start: &str| titles.iter().filter(|title| title.starts_with(start)).count();
    assert_eq!((count("Dish"), count("Common"), count("Tomato Soup")), (SIDES * EACH, 1, 1));
}

/// P-7: a dry run returns the result of a change, and changes nothing.
#[tokio::test]
async fn a_dry_run_changes_nothing() {
    let scene = Scene::new().await;
    let broth = scene.create("Broth").await;
    let list = scene.store.list(&scene.home).await.unwrap();
    let update = input(json!({"title": "Stock", "prep_time_minutes": 90, "steps": []}));
    let update = scene.store.dry_run(&scene.home, Change::Update(broth.id, update)).await.unwrap();
    let shown = preview(update.before.as_ref(), update.after.as_ref());
    assert_eq!(
        serde_json::to_value(shown).unwrap(),
        json!({
            "kind": "record",
            "old": {"title": "Broth", "ingredients": ["1/2 l water", "salt"],
                    "steps": ["Boil it. (5 min)"]},
            "new": {"title": "Stock", "preparation": "1 h 30 min",
                    "ingredients": ["1/2 l water", "salt"], "steps": []},
        })
    );
    let delete = scene.store.dry_run(&scene.home, Change::Delete(broth.id)).await.unwrap();
    assert_eq!((delete.before, delete.after), (Some(broth.clone()), None));
    let new = scene.store.dry_run(&scene.home, Change::Create(content("New"))).await.unwrap();
    assert_eq!((new.before, new.after.unwrap().content), (None, content("New")));
    let taken = Change::Update(broth.id, input(json!({"title": "tomato soup"})));
    let error = scene.store.dry_run(&scene.home, taken).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::TitleTaken);
    assert_eq!(scene.store.list(&scene.home).await.unwrap(), list);
    assert_eq!(scene.store.get(&scene.home, broth.id).await.unwrap(), broth);
}

/// A database of a newer version is refused. On PostgreSQL a test of that engine does this.
#[tokio::test]
async fn a_newer_database_is_refused() {
    if parlor_test_database::is_postgres() {
        return;
    }
    let scene = Scene::new().await;
    scene.store.close().await;
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&scene.path);
    let mut newer = sqlx::ConnectOptions::connect(&options).await.unwrap();
    sqlx::query(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (99, 'later', TRUE, x'00', 0)",
    )
    .execute(&mut newer)
    .await
    .unwrap();
    let error = RecipeStore::open(location(&scene.path).await).await.unwrap_err();
    assert!(error.to_string().contains("newer version of Parlor (schema 99"), "{error}");
}
