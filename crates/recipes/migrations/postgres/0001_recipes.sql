-- The same tables as in SQLite, whose file explains them. Texts are compared byte by byte
-- (COLLATE "C"), as there: titles are sorted by their key.

CREATE TABLE recipes (
    id TEXT COLLATE "C" PRIMARY KEY,
    tenant TEXT COLLATE "C" NOT NULL,
    title TEXT NOT NULL,
    title_key TEXT COLLATE "C" NOT NULL,
    description TEXT,
    servings BIGINT,
    prep_time_minutes BIGINT,
    cook_time_minutes BIGINT,
    ingredients TEXT NOT NULL,
    steps TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX one_recipe_of_a_title ON recipes (tenant, title_key);

CREATE TABLE tenants (
    tenant TEXT COLLATE "C" PRIMARY KEY,
    first_used_at BIGINT NOT NULL
);

CREATE TABLE runs (
    tenant TEXT COLLATE "C" NOT NULL,
    run_id TEXT COLLATE "C" NOT NULL,
    tool TEXT NOT NULL,
    arguments TEXT NOT NULL,
    outcome TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (tenant, run_id)
);
CREATE INDEX runs_by_age ON runs (at);
