-- Conversations of clients that name them by ids of their own (AG-UI, AI SDK, OpenAI). The id is
-- chosen by the client and may be guessed: it names a conversation only to the session or key
-- that began it.
CREATE TABLE external_conversations (
    tenant TEXT NOT NULL,
    principal TEXT NOT NULL,
    surface TEXT NOT NULL,
    project TEXT NOT NULL,
    external_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    PRIMARY KEY (tenant, principal, surface, project, external_id)
);
CREATE INDEX external_conversations_of ON external_conversations (conversation_id);

-- The hash of the request that began the turn, for clients that repeat a request and do not name
-- their messages.
ALTER TABLE turns ADD COLUMN request_hash TEXT;
CREATE INDEX turns_by_request ON turns (tenant, started_by, request_hash)
    WHERE request_hash IS NOT NULL;
-- The tools that the client has for this turn, as JSON; its calls wait for the client.
ALTER TABLE turns ADD COLUMN client_tools TEXT;
