//! The schema: one file for each step from an empty database to this version.

use std::sync::LazyLock;

use parlor_database::Migrations;

/// The migrations. A released file never changes: see [`Migrations`].
pub(crate) static MIGRATIONS: LazyLock<Migrations> = LazyLock::new(|| {
    let sqlite = [
        (1, "conversations", include_str!("../migrations/sqlite/0001_conversations.sql")),
        (2, "prompts", include_str!("../migrations/sqlite/0002_prompts.sql")),
        (3, "access", include_str!("../migrations/sqlite/0003_access.sql")),
        (4, "ledger", include_str!("../migrations/sqlite/0004_ledger.sql")),
        (5, "costs", include_str!("../migrations/sqlite/0005_costs.sql")),
        (6, "allowed calls", include_str!("../migrations/sqlite/0006_allowed_calls.sql")),
        (7, "quotas", include_str!("../migrations/sqlite/0007_quotas.sql")),
        (8, "nodes", include_str!("../migrations/sqlite/0008_nodes.sql")),
        (9, "folders", include_str!("../migrations/sqlite/0009_folders.sql")),
        (10, "external clients", include_str!("../migrations/sqlite/0010_external_clients.sql")),
        (11, "mcp logins", include_str!("../migrations/sqlite/0011_mcp_logins.sql")),
        (12, "flow", include_str!("../migrations/sqlite/0012_flow.sql")),
        (13, "people", include_str!("../migrations/sqlite/0013_people.sql")),
        (16, "branches", include_str!("../migrations/sqlite/0016_branches.sql")),
        (17, "usage", include_str!("../migrations/sqlite/0017_usage.sql")),
        (18, "keeping", include_str!("../migrations/sqlite/0018_keeping.sql")),
        (19, "files", include_str!("../migrations/sqlite/0019_files.sql")),
        (20, "push", include_str!("../migrations/sqlite/0020_push.sql")),
        (21, "share links", include_str!("../migrations/sqlite/0021_share_links.sql")),
        (22, "embed", include_str!("../migrations/sqlite/0022_embed.sql")),
        (23, "administration", include_str!("../migrations/sqlite/0023_administration.sql")),
        (24, "person logins", include_str!("../migrations/sqlite/0024_person_logins.sql")),
        (26, "approvers", include_str!("../migrations/sqlite/0026_approvers.sql")),
        (27, "webhooks", include_str!("../migrations/sqlite/0027_webhooks.sql")),
        (28, "audit chain", include_str!("../migrations/sqlite/0028_audit_chain.sql")),
    ];
    let postgres = [
        (7, "schema", include_str!("../migrations/postgres/0007_schema.sql")),
        (8, "nodes", include_str!("../migrations/postgres/0008_nodes.sql")),
        (9, "folders", include_str!("../migrations/postgres/0009_folders.sql")),
        (10, "external clients", include_str!("../migrations/postgres/0010_external_clients.sql")),
        (11, "mcp logins", include_str!("../migrations/postgres/0011_mcp_logins.sql")),
        (12, "flow", include_str!("../migrations/postgres/0012_flow.sql")),
        (13, "people", include_str!("../migrations/postgres/0013_people.sql")),
        (16, "branches", include_str!("../migrations/postgres/0016_branches.sql")),
        (17, "usage", include_str!("../migrations/postgres/0017_usage.sql")),
        (18, "keeping", include_str!("../migrations/postgres/0018_keeping.sql")),
        (19, "files", include_str!("../migrations/postgres/0019_files.sql")),
        (20, "push", include_str!("../migrations/postgres/0020_push.sql")),
        (21, "share links", include_str!("../migrations/postgres/0021_share_links.sql")),
        (22, "embed", include_str!("../migrations/postgres/0022_embed.sql")),
        (23, "administration", include_str!("../migrations/postgres/0023_administration.sql")),
        (24, "person logins", include_str!("../migrations/postgres/0024_person_logins.sql")),
        (26, "approvers", include_str!("../migrations/postgres/0026_approvers.sql")),
        (27, "webhooks", include_str!("../migrations/postgres/0027_webhooks.sql")),
        (28, "audit chain", include_str!("../migrations/postgres/0028_audit_chain.sql")),
    ];
    Migrations::new("chat", sqlite, postgres)
});

#[cfg(test)]
mod tests {
    use sqlx::migrate::Migrator;

    use super::*;

    /// The beginnings of the SHA-384 of each file, as databases out there have them.
    const RELEASED: [&str; 25] = [
        "9f76f9d19ac5d70c", "6b33ade10b2bbc38", "e17fc43b9006823c", "c842e04867e646b8",
        "0299af784d2a7c87", "84f785891941946a", "5e9e1405a237eef8", "96d6b46e5fb7bc99",
        "3cf264bdc4f2943f", "f398fb6138a0a5b7", "a2ef0cd7eb12e79b", "80734480f2313eb0",
        "28a9c42b76c5576c", "5fa1a5c9fcd1d172", "c45a3f13381be68a", "d35bed49a5ab8449",
        "00a1f7f19e71fe64", "0ba7d86089eb273a", "d1170c671075ec06", "80f6bed2ae4d1aa2",
        "897004d1b67aca0b", "f19bc57d2ce6222e", "808c514e8ebb01b4", "2a1f61b6f26261fb",
        "d21de9f04c21f5b4",
    ];

    /// FAULTS 7: a database of every earlier version opens: what it remembers of its
    /// migrations is what this version has.
    #[test]
    fn released_migrations_are_unchanged() {
        let checksums: Vec<String> = MIGRATIONS
            .sqlite()
            .iter()
            .map(|migration| migration.checksum.iter().map(|byte| format!("{byte:02x}")).collect())
            .collect();
        assert_eq!(checksums.len(), RELEASED.len());
        for (checksum, released) in checksums.iter().zip(RELEASED) {
            assert!(checksum.starts_with(released), "{checksum} is not {released}…");
        }
    }

    /// Every file of the folder is embedded, as sqlx itself would read it.
    #[tokio::test]
    async fn all_files_are_embedded() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/migrations/sqlite");
        let files = Migrator::new(std::path::Path::new(folder)).await.unwrap();
        let facts = |migrations: &Migrator| -> Vec<_> {
            let facts = migrations.iter().map(|m| {
                (m.version, m.description.clone(), m.migration_type, m.no_tx, m.checksum.clone())
            });
            facts.collect()
        };
        assert_eq!(facts(MIGRATIONS.sqlite()), facts(&files));
    }
}
