-- Questions that wait for a person, the ledger of what tools were told to do,
-- and who decided what. The first two replace tables that nothing used yet.

DROP TABLE prompts;
DROP TABLE tool_runs;

CREATE TABLE prompts (
    id TEXT PRIMARY KEY,
    conversation_id TEXT NOT NULL,
    tenant TEXT NOT NULL,
    project TEXT NOT NULL,
    turn_id TEXT NOT NULL,
    -- The asker's own name for the question: after a restart it asks again
    -- under the same name, and finds the row.
    ask_id TEXT NOT NULL,
    -- approval, agent, or mcp:<server>.
    origin TEXT NOT NULL,
    -- Whether the turn waits for it. Otherwise the turn is over, and the
    -- answer begins the next one.
    parks BOOLEAN NOT NULL,
    status TEXT NOT NULL,
    -- What the person sees, and what whoever asks meant.
    public TEXT NOT NULL,
    private TEXT NOT NULL,
    timeout_ms BIGINT,
    -- What the person answered, and what that means to whoever asked.
    response TEXT,
    decision TEXT,
    answered_by TEXT,
    opened_at BIGINT NOT NULL,
    expires_at BIGINT,
    closed_at BIGINT,
    -- Whether its end is in the log.
    told BOOLEAN NOT NULL
);
CREATE UNIQUE INDEX prompts_once ON prompts (turn_id, ask_id);
CREATE INDEX prompts_of_tenant ON prompts (tenant, opened_at, id);
CREATE INDEX prompts_of_conversation ON prompts (conversation_id, status);

CREATE TABLE tool_runs (
    id TEXT PRIMARY KEY,
    conversation_id TEXT NOT NULL,
    turn_id TEXT NOT NULL,
    call_id TEXT NOT NULL,
    server TEXT NOT NULL,
    tool TEXT NOT NULL,
    -- proposed, approved, started, finished, refused, cancelled, outcome_unknown.
    status TEXT NOT NULL,
    -- The exact bytes that run.
    arguments TEXT NOT NULL,
    -- What the model is told came of it.
    result TEXT,
    proposed_at BIGINT NOT NULL,
    started_at BIGINT,
    finished_at BIGINT
);
CREATE UNIQUE INDEX tool_runs_once ON tool_runs (turn_id, call_id);
CREATE INDEX tool_runs_of_conversation ON tool_runs (conversation_id);

-- "Always allow in this conversation": for one tool as it was then.
CREATE TABLE allowances (
    conversation_id TEXT NOT NULL,
    server TEXT NOT NULL,
    tool TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    granted_by TEXT NOT NULL,
    granted_at BIGINT NOT NULL,
    PRIMARY KEY (conversation_id, server, tool)
);

-- Who decided what. Nothing here is ever changed or taken away, also not when
-- the conversation is deleted.
CREATE TABLE decisions (
    id TEXT PRIMARY KEY,
    at BIGINT NOT NULL,
    tenant TEXT NOT NULL,
    project TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    prompt_id TEXT NOT NULL,
    origin TEXT NOT NULL,
    outcome TEXT NOT NULL,
    session TEXT,
    answered_by TEXT,
    question TEXT NOT NULL,
    response TEXT,
    server TEXT,
    tool TEXT,
    run_id TEXT,
    -- SHA-256 of the exact argument bytes, in hex.
    arguments_hash TEXT,
    edited BOOLEAN NOT NULL,
    remembered BOOLEAN NOT NULL
);
CREATE INDEX decisions_of_tenant ON decisions (tenant, at, id);
CREATE TRIGGER decisions_stay BEFORE UPDATE ON decisions
BEGIN SELECT RAISE(ABORT, 'decisions are append-only'); END;
CREATE TRIGGER decisions_remain BEFORE DELETE ON decisions
BEGIN SELECT RAISE(ABORT, 'decisions are append-only'); END;

-- How often a turn went on after a crash: one that takes the server down with
-- it must not do so for ever.
ALTER TABLE turns ADD COLUMN resumes BIGINT NOT NULL DEFAULT 0;
