-- Logins to MCP servers, encrypted by the server that wrote them.
CREATE TABLE mcp_logins (
    tenant TEXT NOT NULL,
    project TEXT NOT NULL,
    server TEXT NOT NULL,
    sealed BLOB NOT NULL,
    saved_at BIGINT NOT NULL,
    -- While it is in the future, one process renews the login; the others wait.
    renewing_until BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, project, server)
);

-- Logins that were begun: the person is at the login page. `id` is a hash of what brings them back.
CREATE TABLE mcp_login_attempts (
    id TEXT PRIMARY KEY,
    tenant TEXT NOT NULL,
    project TEXT NOT NULL,
    server TEXT NOT NULL,
    session TEXT NOT NULL,
    sealed BLOB NOT NULL,
    expires_at BIGINT NOT NULL
);
