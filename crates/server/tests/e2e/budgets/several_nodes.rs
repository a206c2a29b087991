//! Several nodes keep one budget together.

use futures_util::future::join_all;
use serde_json::json;

use super::{hundred, names, refused, section};
use crate::nodes::cluster::{Channel, Cluster};
use crate::streams::Events;
use crate::test_app::json as body_of;

/// Y-3, E-2: what one node counts the others see at once, and no use is lost between them.
#[tokio::test]
async fn nodes_have_one_budget_together() {
    const TURNS: usize = 10;
    let budgets = section("[tenants.home.budgets.tenant.day]\ntokens = 1050");
    let Some(cluster) = Cluster::with(Channel::Postgres, &budgets).await else { return };
    let (one, other) = tokio::join!(cluster.node("one"), cluster.node("other"));
    cluster.model.always(hundred());
    let turns = (0..TURNS).map(async |turn| {
        let node = if turn % 2 == 0 { &one } else { &other };
        Events::of(node.send(&json!({"message": "hello"})).await).rest().await
    });
    join_all(turns).await;
    let page = other.get("/api/admin/budgets?scope=tenant").send().await.unwrap();
    let used = body_of(page).await["rows"][0]["used"].clone();
    assert_eq!((&used["tokens"], &used["messages"]), (&json!(100 * TURNS), &json!(TURNS)));
    Events::of(one.send(&json!({"message": "hello"})).await).rest().await;
    for node in [&one, &other] {
        let response = node.send(&json!({"message": "hello"})).await;
        assert_eq!(refused(response).await.0, names("tenant", "tokens", "day"));
    }
}
