-- Recipes of all tenants, and what is needed to change each of them once.
-- Columns are TEXT and BIGINT (milliseconds, counts) only, so that the
-- statements serve a second engine unchanged.

CREATE TABLE recipes (
    id TEXT PRIMARY KEY,
    tenant TEXT NOT NULL,
    title TEXT NOT NULL,
    -- The title in the one spelling by which titles are compared and sorted.
    title_key TEXT NOT NULL,
    description TEXT,
    servings BIGINT,
    prep_time_minutes BIGINT,
    cook_time_minutes BIGINT,
    -- Lists in JSON: they are read and written as a whole.
    ingredients TEXT NOT NULL,
    steps TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX one_recipe_of_a_title ON recipes (tenant, title_key);

-- Who has been here: a tenant gets the samples once, also if it deletes them.
CREATE TABLE tenants (
    tenant TEXT PRIMARY KEY,
    first_used_at BIGINT NOT NULL
);

-- Changes that carried a run id, written together with the change.
CREATE TABLE runs (
    tenant TEXT NOT NULL,
    run_id TEXT NOT NULL,
    tool TEXT NOT NULL,
    arguments TEXT NOT NULL,
    outcome TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (tenant, run_id)
);
CREATE INDEX runs_by_age ON runs (at);
