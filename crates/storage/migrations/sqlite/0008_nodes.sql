-- Several servers on one database. On SQLite there is one, and these tables stay empty.

-- The servers that run. One whose last beat is older than the lease is declared dead, and
-- others take over its turns.
CREATE TABLE nodes (
    -- Names the data directory: the same after a restart.
    id TEXT PRIMARY KEY,
    -- Names this run of the server.
    boot TEXT NOT NULL UNIQUE,
    -- For people.
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    -- By the database's clock, in milliseconds since 1970.
    started_at BIGINT NOT NULL,
    beat_at BIGINT NOT NULL,
    -- When it left or was declared dead; it can only join again with another boot.
    dead_at BIGINT
);

-- One row: names this installation where it shares a Redis server with others.
CREATE TABLE installation (
    one BIGINT PRIMARY KEY CHECK (one = 1),
    id TEXT NOT NULL
);

-- The run of the server that takes the turn, and whether it has yet to begin it.
ALTER TABLE turns ADD COLUMN owner TEXT;
ALTER TABLE turns ADD COLUMN handed_over BOOLEAN NOT NULL DEFAULT FALSE;
-- When a person asked for the end of the turn, on whatever node.
ALTER TABLE turns ADD COLUMN stop_at BIGINT;
CREATE INDEX running_turns ON turns (owner) WHERE status = 'running';
CREATE INDEX running_turns_of_tenant ON turns (tenant) WHERE status = 'running';

-- The node that has the files of an agent that is a program.
ALTER TABLE conversations ADD COLUMN home TEXT;

-- Login attempts of an address ('address:…') and failed ones of a tenant ('tenant:…').
CREATE TABLE login_attempts (
    sender TEXT PRIMARY KEY,
    count BIGINT NOT NULL,
    -- The last attempt of an address; the beginning of a tenant's minute. In milliseconds.
    counted_at BIGINT NOT NULL,
    -- When the next attempt is accepted.
    open_at BIGINT NOT NULL
);
