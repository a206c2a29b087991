-- The schema that SQLite reaches with its migrations 1 to 7; they explain its tables
-- and columns. Texts are compared byte by byte (COLLATE "C"), as in SQLite: pages of lists
-- and the order of ids depend on it.

CREATE TABLE conversations (
    id TEXT COLLATE "C" PRIMARY KEY,
    tenant TEXT COLLATE "C" NOT NULL,
    project TEXT COLLATE "C" NOT NULL,
    title TEXT NOT NULL,
    mode TEXT NOT NULL,
    epoch BIGINT NOT NULL,
    next_seq BIGINT NOT NULL,
    next_position BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX conversations_of_tenant ON conversations (tenant, updated_at, id);

CREATE TABLE turns (
    id TEXT COLLATE "C" PRIMARY KEY,
    conversation_id TEXT COLLATE "C" NOT NULL,
    tenant TEXT COLLATE "C" NOT NULL,
    started_by TEXT NOT NULL,
    client_message_id TEXT COLLATE "C",
    message_id TEXT COLLATE "C" NOT NULL,
    start_seq BIGINT NOT NULL,
    epoch BIGINT NOT NULL,
    status TEXT NOT NULL,
    tokens_used BIGINT,
    checkpoint TEXT,
    block_seq BIGINT NOT NULL,
    block_message TEXT COLLATE "C" NOT NULL,
    started_at BIGINT NOT NULL,
    ended_at BIGINT,
    resumes BIGINT NOT NULL DEFAULT 0,
    cost_micros BIGINT
) WITH (fillfactor = 80);
CREATE INDEX turns_of_conversation ON turns (conversation_id, started_at);
CREATE INDEX turns_of_tenant ON turns (tenant, started_at);
CREATE UNIQUE INDEX turns_once ON turns (tenant, started_by, client_message_id);
CREATE UNIQUE INDEX one_running_turn ON turns (conversation_id) WHERE status = 'running';

CREATE TABLE events (
    conversation_id TEXT COLLATE "C" NOT NULL,
    seq BIGINT NOT NULL,
    turn_id TEXT COLLATE "C",
    kind TEXT NOT NULL,
    message_id TEXT COLLATE "C",
    body TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (conversation_id, seq)
);

-- Rows live for the length of an answer: many dead ones, and none worth keeping.
CREATE TABLE deltas (
    conversation_id TEXT COLLATE "C" NOT NULL,
    block BIGINT NOT NULL,
    part BIGINT NOT NULL,
    raw TEXT NOT NULL,
    clean TEXT NOT NULL,
    PRIMARY KEY (conversation_id, block, part)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);

CREATE TABLE messages (
    id TEXT COLLATE "C" PRIMARY KEY,
    conversation_id TEXT COLLATE "C" NOT NULL,
    turn_id TEXT COLLATE "C" NOT NULL,
    seq BIGINT NOT NULL,
    role TEXT NOT NULL,
    message_type TEXT NOT NULL,
    content TEXT NOT NULL,
    data TEXT,
    options TEXT,
    questions TEXT,
    metadata TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX messages_of_conversation ON messages (conversation_id, seq);

CREATE TABLE history (
    conversation_id TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    turn_id TEXT COLLATE "C" NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (conversation_id, position)
);

CREATE TABLE images (
    id TEXT COLLATE "C" PRIMARY KEY,
    tenant TEXT COLLATE "C" NOT NULL,
    conversation_id TEXT COLLATE "C" NOT NULL,
    media_type TEXT NOT NULL,
    bytes BYTEA NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX images_of_conversation ON images (conversation_id);

CREATE TABLE prompts (
    id TEXT COLLATE "C" PRIMARY KEY,
    conversation_id TEXT COLLATE "C" NOT NULL,
    tenant TEXT COLLATE "C" NOT NULL,
    project TEXT COLLATE "C" NOT NULL,
    turn_id TEXT COLLATE "C" NOT NULL,
    ask_id TEXT COLLATE "C" NOT NULL,
    origin TEXT NOT NULL,
    parks BOOLEAN NOT NULL,
    status TEXT NOT NULL,
    public TEXT NOT NULL,
    private TEXT NOT NULL,
    timeout_ms BIGINT,
    response TEXT,
    decision TEXT,
    answered_by TEXT,
    opened_at BIGINT NOT NULL,
    expires_at BIGINT,
    closed_at BIGINT,
    told BOOLEAN NOT NULL,
    reason TEXT,
    allowed_call TEXT,
    allowed_preview TEXT
);
CREATE UNIQUE INDEX prompts_once ON prompts (turn_id, ask_id);
CREATE INDEX prompts_of_tenant ON prompts (tenant, opened_at, id);
CREATE INDEX prompts_of_conversation ON prompts (conversation_id, status);

CREATE TABLE tool_runs (
    id TEXT COLLATE "C" PRIMARY KEY,
    conversation_id TEXT COLLATE "C" NOT NULL,
    turn_id TEXT COLLATE "C" NOT NULL,
    call_id TEXT COLLATE "C" NOT NULL,
    server TEXT NOT NULL,
    tool TEXT NOT NULL,
    status TEXT NOT NULL,
    arguments TEXT NOT NULL,
    result TEXT,
    proposed_at BIGINT NOT NULL,
    started_at BIGINT,
    finished_at BIGINT
);
CREATE UNIQUE INDEX tool_runs_once ON tool_runs (turn_id, call_id);
CREATE INDEX tool_runs_of_conversation ON tool_runs (conversation_id);

CREATE TABLE allowances (
    conversation_id TEXT COLLATE "C" NOT NULL,
    server TEXT COLLATE "C" NOT NULL,
    tool TEXT COLLATE "C" NOT NULL,
    fingerprint TEXT NOT NULL,
    granted_by TEXT NOT NULL,
    granted_at BIGINT NOT NULL,
    PRIMARY KEY (conversation_id, server, tool)
);

CREATE TABLE decisions (
    id TEXT COLLATE "C" PRIMARY KEY,
    at BIGINT NOT NULL,
    tenant TEXT COLLATE "C" NOT NULL,
    project TEXT COLLATE "C" NOT NULL,
    conversation_id TEXT COLLATE "C" NOT NULL,
    prompt_id TEXT COLLATE "C" NOT NULL,
    origin TEXT NOT NULL,
    outcome TEXT NOT NULL,
    session TEXT,
    answered_by TEXT,
    question TEXT NOT NULL,
    response TEXT,
    server TEXT,
    tool TEXT,
    run_id TEXT COLLATE "C",
    arguments_hash TEXT,
    edited BOOLEAN NOT NULL,
    remembered BOOLEAN NOT NULL,
    reason TEXT,
    proposed TEXT,
    arguments TEXT
);
CREATE INDEX decisions_of_tenant ON decisions (tenant, at, id);
CREATE FUNCTION refuse_change_of_decisions() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'decisions are append-only'; END $$;
CREATE TRIGGER decisions_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON decisions
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_decisions();

CREATE TABLE passwords (
    tenant TEXT COLLATE "C" NOT NULL,
    role TEXT NOT NULL,
    hash TEXT NOT NULL,
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, role)
);

CREATE TABLE tokens (
    id TEXT COLLATE "C" PRIMARY KEY,
    hash TEXT COLLATE "C" NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    tenant TEXT COLLATE "C" NOT NULL,
    role TEXT NOT NULL,
    name TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT
);
CREATE INDEX tokens_of_tenant ON tokens (tenant, kind, created_at);

CREATE TABLE blocked_inputs (
    id TEXT COLLATE "C" PRIMARY KEY,
    at BIGINT NOT NULL,
    tenant TEXT COLLATE "C" NOT NULL,
    project TEXT COLLATE "C" NOT NULL,
    session TEXT NOT NULL,
    rule TEXT NOT NULL,
    category TEXT NOT NULL,
    action TEXT NOT NULL,
    view TEXT NOT NULL,
    hash TEXT NOT NULL,
    excerpt TEXT NOT NULL
);
CREATE INDEX blocked_inputs_of_tenant ON blocked_inputs (tenant, at);

CREATE TABLE quotas (
    sender TEXT COLLATE "C" PRIMARY KEY,
    rested_at BIGINT NOT NULL
);
