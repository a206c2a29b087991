-- The audit as a chain (O-6): each record has an entry that names the one before it by its hash, and is signed with
-- a key that is not in the database.
CREATE TABLE audit_entries (
    tenant TEXT NOT NULL,
    -- 1, 2, 3, … without a gap.
    seq BIGINT NOT NULL,
    -- decision, blocked_input or act, and its id.
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    sealed_at BIGINT NOT NULL,
    -- SHA-256 of the salt and the record.
    digest TEXT NOT NULL,
    -- The hash of the entry before this one, and that of this one.
    previous TEXT NOT NULL,
    hash TEXT NOT NULL,
    -- The public key, and its signature of the hash.
    public_key TEXT NOT NULL,
    signature TEXT NOT NULL,
    PRIMARY KEY (tenant, seq)
);
CREATE UNIQUE INDEX audit_entries_of_record ON audit_entries (kind, id);
CREATE TRIGGER audit_entries_stay BEFORE UPDATE ON audit_entries
BEGIN SELECT RAISE(ABORT, 'audit entries are append-only'); END;
CREATE TRIGGER audit_entries_remain BEFORE DELETE ON audit_entries
BEGIN SELECT RAISE(ABORT, 'audit entries are append-only'); END;

-- Each record as it was sealed, as JSON. The salt keeps others from guessing a record by its digest: a record that was
-- removed on request is gone, and the chain still holds.
CREATE TABLE audit_records (
    tenant TEXT NOT NULL,
    seq BIGINT NOT NULL,
    salt TEXT NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (tenant, seq)
);

-- The last entry of each tenant. Of several servers that seal, the one that moves it wins.
CREATE TABLE audit_heads (
    tenant TEXT PRIMARY KEY,
    seq BIGINT NOT NULL,
    hash TEXT NOT NULL
);

-- How far each server wrote the chain into its file.
CREATE TABLE audit_files (
    node TEXT NOT NULL,
    tenant TEXT NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (node, tenant)
);

-- Records that have no entry yet, written in the transaction of the record.
CREATE TABLE audit_pending (
    number INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    kind TEXT NOT NULL,
    id TEXT NOT NULL
);
CREATE TRIGGER decisions_are_sealed AFTER INSERT ON decisions
BEGIN INSERT INTO audit_pending (tenant, kind, id) VALUES (NEW.tenant, 'decision', NEW.id); END;
CREATE TRIGGER blocked_inputs_are_sealed AFTER INSERT ON blocked_inputs
BEGIN INSERT INTO audit_pending (tenant, kind, id) VALUES (NEW.tenant, 'blocked_input', NEW.id); END;
CREATE TRIGGER admin_acts_are_sealed AFTER INSERT ON admin_acts
BEGIN INSERT INTO audit_pending (tenant, kind, id) VALUES (NEW.tenant, 'act', NEW.id); END;

-- Records of the time before are sealed as they are now.
INSERT INTO audit_pending (tenant, kind, id)
    SELECT tenant, kind, id FROM (
        SELECT tenant, 'decision' AS kind, id, at FROM decisions
        UNION ALL SELECT tenant, 'blocked_input', id, at FROM blocked_inputs
        UNION ALL SELECT tenant, 'act', id, at FROM admin_acts
    ) earlier ORDER BY at, id;
