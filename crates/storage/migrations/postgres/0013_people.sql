-- People with accounts of their own. Beside them a tenant has one shared account, whose sessions,
-- keys and conversations name no person, as all rows that are older than this.
CREATE TABLE people (
    id TEXT PRIMARY KEY,
    tenant TEXT NOT NULL,
    -- What they log in with: their name in lower case.
    login TEXT NOT NULL,
    name TEXT NOT NULL,
    email TEXT,
    role TEXT NOT NULL,
    -- NULL for whoever logs in elsewhere.
    password_hash TEXT,
    created_at BIGINT NOT NULL,
    -- While it is set, nothing of theirs lets anybody in.
    disabled_at BIGINT
);
CREATE UNIQUE INDEX people_by_login ON people (tenant, login);

-- Who a person is at a login provider.
CREATE TABLE identities (
    tenant TEXT NOT NULL,
    provider TEXT NOT NULL,
    subject TEXT NOT NULL,
    person TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, provider, subject)
);
CREATE INDEX identities_of_person ON identities (person);

-- Links that work once. `hash` is that of the token in the link.
CREATE TABLE invitations (
    hash TEXT PRIMARY KEY,
    tenant TEXT NOT NULL,
    role TEXT NOT NULL,
    email TEXT,
    invited_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT,
    person TEXT
);

-- Whose session or key it is, and on what: "Firefox on Linux".
ALTER TABLE tokens ADD COLUMN person TEXT;
ALTER TABLE tokens ADD COLUMN device TEXT;
CREATE INDEX tokens_of_person ON tokens (person) WHERE person IS NOT NULL;

-- Whose conversation it is, and who sees it.
ALTER TABLE conversations ADD COLUMN person TEXT;
ALTER TABLE conversations ADD COLUMN visibility TEXT NOT NULL DEFAULT 'tenant';

-- Who wrote what the guardrail noticed, and who decided.
ALTER TABLE blocked_inputs ADD COLUMN person TEXT;
ALTER TABLE decisions ADD COLUMN person TEXT;
