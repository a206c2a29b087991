-- What was used in a day or a month, for budgets: by each person, in each project, and by the
-- tenant. The same use counts in all three.
CREATE TABLE usage (
    tenant TEXT NOT NULL,
    -- '2026-11-19' or '2026-11', as the calendar of the tenant has it.
    period TEXT NOT NULL,
    -- 'person', 'project' or 'tenant'.
    scope TEXT NOT NULL,
    -- The person or the project; empty for the shared account, and for the tenant.
    subject TEXT NOT NULL,
    messages BIGINT NOT NULL,
    tokens BIGINT NOT NULL,
    -- Millionths of a dollar.
    cost_micros BIGINT NOT NULL,
    agent_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant, period, scope, subject)
);

-- Whose budget a turn counts against; NULL for that of the shared account.
ALTER TABLE turns ADD COLUMN person TEXT;
