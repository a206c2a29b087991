-- Conversations, and one numbered log for each.
-- Columns are TEXT, BIGINT (milliseconds, counters), BOOLEAN and BLOB only, so
-- that the statements serve a second engine unchanged.

CREATE TABLE conversations (
    id TEXT PRIMARY KEY,
    tenant TEXT NOT NULL,
    project TEXT NOT NULL,
    title TEXT NOT NULL,
    mode TEXT NOT NULL,
    -- Which run of which server writes turns here. A takeover increments it,
    -- and whoever writes with an older one is refused.
    epoch BIGINT NOT NULL,
    -- Above every number that was ever shown to anyone.
    next_seq BIGINT NOT NULL,
    next_position BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX conversations_of_tenant ON conversations (tenant, updated_at, id);

CREATE TABLE turns (
    id TEXT PRIMARY KEY,
    conversation_id TEXT NOT NULL,
    tenant TEXT NOT NULL,
    started_by TEXT NOT NULL,
    client_message_id TEXT,
    message_id TEXT NOT NULL,
    start_seq BIGINT NOT NULL,
    epoch BIGINT NOT NULL,
    status TEXT NOT NULL,
    tokens_used BIGINT,
    checkpoint TEXT,
    -- The place and the message of the text that streams next: it is shown
    -- before it is stored, and a crash may leave nothing else of it.
    block_seq BIGINT NOT NULL,
    block_message TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    ended_at BIGINT
);
CREATE INDEX turns_of_conversation ON turns (conversation_id, started_at);
-- A message that is sent twice starts one turn.
CREATE UNIQUE INDEX turns_once ON turns (tenant, started_by, client_message_id);
-- The database itself keeps a second turn out.
CREATE UNIQUE INDEX one_running_turn ON turns (conversation_id) WHERE status = 'running';

-- The log. A row of kind 'block' is a place in which text streamed; its words
-- are in `deltas` until they are in a message. A row of kind 'message' shows
-- the message as it is now.
CREATE TABLE events (
    conversation_id TEXT NOT NULL,
    seq BIGINT NOT NULL,
    turn_id TEXT,
    kind TEXT NOT NULL,
    message_id TEXT,
    body TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (conversation_id, seq)
);

CREATE TABLE deltas (
    conversation_id TEXT NOT NULL,
    block BIGINT NOT NULL,
    part BIGINT NOT NULL,
    raw TEXT NOT NULL,
    clean TEXT NOT NULL,
    PRIMARY KEY (conversation_id, block, part)
);

CREATE TABLE messages (
    id TEXT PRIMARY KEY,
    conversation_id TEXT NOT NULL,
    turn_id TEXT NOT NULL,
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

-- What the model needs, in its own words. No handler of the server reads it.
CREATE TABLE history (
    conversation_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    turn_id TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (conversation_id, position)
);

CREATE TABLE images (
    id TEXT PRIMARY KEY,
    tenant TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    media_type TEXT NOT NULL,
    bytes BLOB NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX images_of_conversation ON images (conversation_id);
