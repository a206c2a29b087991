-- Webhooks: other systems that are told of prompts and of blocked inputs.

-- Those that the configuration has, written by each server that starts: a write that opens or closes
-- a prompt finds here whom to tell.
CREATE TABLE webhooks (
    tenant TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    -- Empty for all projects of the tenant.
    project TEXT COLLATE "C" NOT NULL,
    -- With a comma before and after each.
    events TEXT NOT NULL,
    PRIMARY KEY (tenant, name)
);

-- What they are still to be told: written with what it is about, removed when it was taken.
CREATE TABLE webhook_messages (
    tenant TEXT COLLATE "C" NOT NULL,
    webhook TEXT COLLATE "C" NOT NULL,
    -- The prompt or the blocked input.
    subject TEXT COLLATE "C" NOT NULL,
    event TEXT COLLATE "C" NOT NULL,
    project TEXT COLLATE "C" NOT NULL,
    conversation_id TEXT COLLATE "C",
    -- When it happened.
    at BIGINT NOT NULL,
    -- When it is tried next.
    due_at BIGINT NOT NULL,
    -- Until then one node deals with it.
    claimed_until BIGINT NOT NULL DEFAULT 0,
    attempts BIGINT NOT NULL DEFAULT 0,
    -- Why it was not taken.
    problem TEXT,
    PRIMARY KEY (tenant, webhook, subject, event)
);
CREATE INDEX webhook_messages_due ON webhook_messages (tenant, webhook, due_at);
