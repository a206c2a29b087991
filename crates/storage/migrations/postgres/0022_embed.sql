-- Chats inside pages of other sites. A visitor is whom a site says somebody is: no account of the tenant, and
-- not the same person for another site or project.
CREATE TABLE visitors (
    id TEXT PRIMARY KEY,
    tenant TEXT NOT NULL,
    project TEXT NOT NULL,
    -- The origin of the site.
    origin TEXT NOT NULL,
    -- The site's own id of them; NULL for somebody whom it does not know.
    subject TEXT,
    name TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX visitors_of_site ON visitors (tenant, project, origin, subject);

-- Tokens that a site got with its key, for one page, once.
CREATE TABLE embed_tokens (
    hash TEXT PRIMARY KEY,
    tenant TEXT NOT NULL,
    project TEXT NOT NULL,
    origin TEXT NOT NULL,
    -- NULL for somebody whom the site does not know.
    visitor TEXT,
    -- The hash of the key.
    issuer TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT
);
CREATE INDEX embed_tokens_by_end ON embed_tokens (expires_at);

-- For the session of a visitor: the hash of the key, with which it ends.
ALTER TABLE tokens ADD COLUMN issuer TEXT;
