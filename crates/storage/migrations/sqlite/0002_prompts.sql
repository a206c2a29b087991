-- Questions that wait for a person, and the ledger of what tools were told to do.

CREATE TABLE prompts (
    id TEXT PRIMARY KEY,
    conversation_id TEXT NOT NULL,
    tenant TEXT NOT NULL,
    turn_id TEXT NOT NULL,
    origin TEXT NOT NULL,
    status TEXT NOT NULL,
    -- What the person sees, and what the agent meant.
    public TEXT NOT NULL,
    private TEXT NOT NULL,
    response TEXT,
    answered_by TEXT,
    opened_at BIGINT NOT NULL,
    expires_at BIGINT,
    closed_at BIGINT
);
CREATE INDEX prompts_of_tenant ON prompts (tenant, status, opened_at);
CREATE INDEX prompts_of_conversation ON prompts (conversation_id, status);

CREATE TABLE tool_runs (
    id TEXT PRIMARY KEY,
    conversation_id TEXT NOT NULL,
    turn_id TEXT NOT NULL,
    tool_use_id TEXT NOT NULL,
    server TEXT NOT NULL,
    tool TEXT NOT NULL,
    status TEXT NOT NULL,
    -- The exact bytes that run, and their hash for the audit.
    arguments TEXT NOT NULL,
    arguments_hash TEXT NOT NULL,
    result TEXT,
    proposed_at BIGINT NOT NULL,
    started_at BIGINT,
    finished_at BIGINT
);
CREATE UNIQUE INDEX tool_runs_once ON tool_runs (turn_id, tool_use_id);
