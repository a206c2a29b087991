-- How much of their limits senders have used, so that a restart does not give
-- them anew. Rows whose time has come are deleted.
CREATE TABLE quotas (
    -- Who: 'session:…', 'address:…', 'project:…' or 'tenant:…'.
    sender TEXT PRIMARY KEY,
    -- From when on it is as if nothing had been sent, in microseconds since 1970.
    rested_at BIGINT NOT NULL
);
