//! What PostgreSQL says about its schema.

/// The version of the server.
pub(crate) const VERSION: &str = "SELECT current_setting('server_version') AS version";

/// The migrations of a component that were applied, with their checksums.
pub(crate) const APPLIED: &str =
    "SELECT version, checksum FROM schema_migrations WHERE component = $1";

/// Whether there is a table of this name.
pub(crate) const HAS_TABLE: &str = "SELECT to_regclass($1) IS NOT NULL AS found";

/// All columns.
pub(crate) const COLUMNS: &str = "SELECT c.relname AS table_name, a.attname AS column_name,
    format_type(a.atttypid, a.atttypmod) AS type_name, NOT a.attnotnull AS nullable,
    COALESCE(a.attnum = ANY(i.indkey), FALSE) AS in_key
    FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
    WHERE c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace
    ORDER BY c.relname, a.attnum";
