-- Logins to MCP servers that each person makes for themselves, encrypted by the server that wrote
-- them.
CREATE TABLE mcp_person_logins (
    tenant TEXT COLLATE "C" NOT NULL,
    project TEXT COLLATE "C" NOT NULL,
    server TEXT COLLATE "C" NOT NULL,
    person TEXT COLLATE "C" NOT NULL,
    -- Another one with each login: a connection that was opened with an older one is not used.
    id TEXT COLLATE "C" NOT NULL,
    sealed BYTEA NOT NULL,
    logged_in_at BIGINT NOT NULL,
    -- What the server refused: nothing (NULL), everything (''), or what needs these scopes.
    refused TEXT COLLATE "C",
    -- While it is in the future, one process renews the login; the others wait.
    renewing_until BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, project, server, person)
);
CREATE INDEX mcp_person_logins_of_person ON mcp_person_logins (person);

-- Who is at the login page for themselves; NULL for an administrator, for a project.
ALTER TABLE mcp_login_attempts ADD COLUMN person TEXT COLLATE "C";
