-- Who may come in, and who was turned away.

CREATE TABLE passwords (
    tenant TEXT NOT NULL,
    role TEXT NOT NULL,
    hash TEXT NOT NULL,
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, role)
);

-- Sessions and keys are random tokens; only their hashes are here.
CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    tenant TEXT NOT NULL,
    role TEXT NOT NULL,
    name TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT
);
CREATE INDEX tokens_of_tenant ON tokens (tenant, kind, created_at);

CREATE TABLE blocked_inputs (
    id TEXT PRIMARY KEY,
    at BIGINT NOT NULL,
    tenant TEXT NOT NULL,
    project TEXT NOT NULL,
    session TEXT NOT NULL,
    rule TEXT NOT NULL,
    category TEXT NOT NULL,
    action TEXT NOT NULL,
    view TEXT NOT NULL,
    hash TEXT NOT NULL,
    excerpt TEXT NOT NULL
);
CREATE INDEX blocked_inputs_of_tenant ON blocked_inputs (tenant, at);
