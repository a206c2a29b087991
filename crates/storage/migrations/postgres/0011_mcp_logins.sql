-- Logins to MCP servers, encrypted by the server that wrote them.
CREATE TABLE mcp_logins (
    tenant TEXT COLLATE "C" NOT NULL,
    project TEXT COLLATE "C" NOT NULL,
    server TEXT COLLATE "C" NOT NULL,
    sealed BYTEA NOT NULL,
    saved_at BIGINT NOT NULL,
    -- While it is in the future, one process renews the login; the others wait.
    renewing_until BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, project, server)
);

-- Logins that were begun: the person is at the login page. `id` is a hash of what brings them back.
CREATE TABLE mcp_login_attempts (
    id TEXT COLLATE "C" PRIMARY KEY,
    tenant TEXT COLLATE "C" NOT NULL,
    project TEXT COLLATE "C" NOT NULL,
    server TEXT COLLATE "C" NOT NULL,
    session TEXT COLLATE "C" NOT NULL,
    sealed BYTEA NOT NULL,
    expires_at BIGINT NOT NULL
);
