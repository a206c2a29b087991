//! The tables of this crate, as a copy into another database and `parlor db check` need them.
//!
//! Every table and column of the schema is listed; a test compares both, on either engine.

use parlor_database::transfer::{Component, Rule, Table};

use super::open::MIGRATIONS;

/// The tables of this crate.
pub fn component() -> Component {
    Component { migrations: &MIGRATIONS, tables: TABLES, not_copied: &[], rules: RULES }
}

const TABLES: &[Table] = &[
    Table::new("recipes", &["id"])
        .texts(&["id", "tenant", "title", "title_key", "description", "ingredients", "steps"])
        .integers(&[
            "servings", "prep_time_minutes", "cook_time_minutes", "created_at", "updated_at",
        ]),
    Table::new("tenants", &["tenant"]).texts(&["tenant"]).integers(&["first_used_at"]),
    Table::new("runs", &["tenant", "run_id"])
        .texts(&["tenant", "run_id", "tool", "arguments", "outcome"])
        .integers(&["at"]),
];

const RULES: &[Rule] = &[Rule {
    rule: "every recipe is of a tenant that was here",
    broken: "FROM recipes r WHERE NOT EXISTS (SELECT 1 FROM tenants t WHERE t.tenant = r.tenant)",
}];

#[cfg(test)]
mod tests {
    use parlor_database::{Connections, Database};

    use super::*;

    /// E-4: every table and column of the schema is copied, or excepted with a reason.
    #[tokio::test]
    async fn the_list_is_the_schema() {
        let dir = tempfile::tempdir().unwrap();
        let location = parlor_test_database::location(&dir.path().join("recipes.db")).await;
        let connections = Connections { sqlite_readers: 1, postgres: 2 };
        let component = component();
        let opened = Database::open(&location, component.migrations, connections).await;
        let schema = opened.unwrap().schema().await.unwrap();
        assert_eq!(component.missing(&schema), [""; 0], "listed, but not as the schema has it");
        assert_eq!(component.unlisted(&schema), [""; 0], "not copied, and no reason is given");
    }
}
