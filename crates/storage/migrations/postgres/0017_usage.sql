-- What was used in a day or a month, for budgets: by each person, in each project, and by the
-- tenant. The same use counts in all three.
CREATE TABLE usage (
    tenant TEXT COLLATE "C" NOT NULL,
    -- '2026-11-19' or '2026-11', as the calendar of the tenant has it.
    period TEXT COLLATE "C" NOT NULL,
    -- 'person', 'project' or 'tenant'.
    scope TEXT COLLATE "C" NOT NULL,
    -- The person or the project; empty for the shared account, and for the tenant.
    subject TEXT COLLATE "C" NOT NULL,
    messages BIGINT NOT NULL,
    tokens BIGINT NOT NULL,
    -- Millionths of a dollar.
    cost_micros BIGINT NOT NULL,
    agent_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant, period, scope, subject)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);

-- Whose budget a turn counts against; NULL for that of the shared account.
ALTER TABLE turns ADD COLUMN person TEXT;
