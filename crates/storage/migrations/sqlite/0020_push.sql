-- Web Push: browsers that are told what waits while they are closed.

-- One row: the key pair that browsers subscribe with, encrypted by the server that made it.
CREATE TABLE push_keys (
    one BIGINT PRIMARY KEY CHECK (one = 1),
    sealed BLOB NOT NULL,
    made_at BIGINT NOT NULL
);

-- Where a browser is reached: at most one for each session, and worth nothing without that.
CREATE TABLE push_subscriptions (
    session TEXT PRIMARY KEY,
    tenant TEXT NOT NULL,
    -- A browser has one endpoint, whoever logs in there.
    endpoint_hash TEXT NOT NULL UNIQUE,
    -- Endpoint and keys, encrypted.
    sealed BLOB NOT NULL,
    -- The language in which it is told.
    language TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    -- Messages that were not taken since the last one that was.
    failures BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX push_subscriptions_of_tenant ON push_subscriptions (tenant);

-- What a browser is still to be told: written with what it is about. The row of a prompt stays while
-- the prompt is open, so that the browser is told of its end.
CREATE TABLE push_messages (
    session TEXT NOT NULL,
    -- The prompt or the turn.
    subject TEXT NOT NULL,
    -- prompt, answer or test.
    kind TEXT NOT NULL,
    conversation_id TEXT,
    -- When it happened.
    at BIGINT NOT NULL,
    -- When it is tried next.
    due_at BIGINT NOT NULL,
    -- Until then one node deals with it.
    claimed_until BIGINT NOT NULL DEFAULT 0,
    attempts BIGINT NOT NULL DEFAULT 0,
    -- When the push service took it.
    sent_at BIGINT,
    PRIMARY KEY (session, subject)
);

-- How many prompts wait is on the badge of every browser that is told something.
CREATE INDEX prompts_open ON prompts (tenant, opened_at) WHERE status = 'open';
