-- What turns took, by project and hour in which they ended: administrators read figures of weeks, which must
-- not need every turn. `figure` is a count (turns, tokens, cost_micros, stopped, interrupted), an error
-- (error:CODE), or how many turns needed so long for their first words (first:BUCKET) and in all (took:BUCKET).
-- An hour has several rows of a figure: turns that end at the same moment do not wait for each other.
CREATE TABLE turn_figures (
    tenant TEXT NOT NULL,
    project TEXT NOT NULL,
    -- When the hour began, in milliseconds since 1970.
    hour BIGINT NOT NULL,
    figure TEXT NOT NULL,
    shard BIGINT NOT NULL,
    amount BIGINT NOT NULL,
    PRIMARY KEY (tenant, hour, project, figure, shard)
) WITHOUT ROWID;

-- The turns of the time before, as far as they say it.
INSERT INTO turn_figures (tenant, project, hour, figure, shard, amount)
    SELECT c.tenant, c.project, t.ended_at / 3600000 * 3600000, 'turns', 0, COUNT(*)
    FROM turns t JOIN conversations c ON c.id = t.conversation_id WHERE t.ended_at IS NOT NULL
    GROUP BY c.tenant, c.project, t.ended_at / 3600000;
INSERT INTO turn_figures (tenant, project, hour, figure, shard, amount)
    SELECT c.tenant, c.project, t.ended_at / 3600000 * 3600000, 'tokens', 0, SUM(t.tokens_used)
    FROM turns t JOIN conversations c ON c.id = t.conversation_id
    WHERE t.ended_at IS NOT NULL AND t.tokens_used IS NOT NULL
    GROUP BY c.tenant, c.project, t.ended_at / 3600000;
INSERT INTO turn_figures (tenant, project, hour, figure, shard, amount)
    SELECT c.tenant, c.project, t.ended_at / 3600000 * 3600000, 'cost_micros', 0, SUM(t.cost_micros)
    FROM turns t JOIN conversations c ON c.id = t.conversation_id
    WHERE t.ended_at IS NOT NULL AND t.cost_micros IS NOT NULL
    GROUP BY c.tenant, c.project, t.ended_at / 3600000;

-- What administrators did that changes who may come in, or what runs. Only ever added to.
CREATE TABLE admin_acts (
    id TEXT PRIMARY KEY,
    at BIGINT NOT NULL,
    tenant TEXT NOT NULL,
    -- The session or key, whose name, and the person if it is one's.
    session TEXT NOT NULL,
    name TEXT NOT NULL,
    person TEXT,
    act TEXT NOT NULL,
    -- Whom or what it was about, by id and by name.
    subject TEXT NOT NULL,
    subject_name TEXT NOT NULL
);
CREATE INDEX admin_acts_of_tenant ON admin_acts (tenant, at, id);
CREATE TRIGGER admin_acts_stay BEFORE UPDATE ON admin_acts
BEGIN SELECT RAISE(ABORT, 'admin acts are append-only'); END;
CREATE TRIGGER admin_acts_remain BEFORE DELETE ON admin_acts
BEGIN SELECT RAISE(ABORT, 'admin acts are append-only'); END;
