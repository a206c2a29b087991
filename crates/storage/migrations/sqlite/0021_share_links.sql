-- Links with which a conversation is shared (Y-2). Whoever has the token of one reads what it shares, and
-- nothing else; only the hash of the token is stored. A link that was taken back is gone.
CREATE TABLE share_links (
    id TEXT PRIMARY KEY,
    hash TEXT NOT NULL,
    tenant TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    -- Who made it: a person, or NULL for the shared account; and their name.
    person TEXT,
    name TEXT NOT NULL,
    -- Who may open it: `tenant` or `anyone`.
    audience TEXT NOT NULL,
    -- The last number of the log that it shows, with the title and the end of the path as they were then;
    -- NULL if it shows what follows too.
    until BIGINT,
    title TEXT,
    leaf BIGINT,
    -- Whether it shows what tools gave back.
    results BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    opened BIGINT NOT NULL DEFAULT 0,
    last_opened_at BIGINT
);
CREATE UNIQUE INDEX share_links_by_hash ON share_links (hash);
CREATE INDEX share_links_of_conversation ON share_links (conversation_id);
