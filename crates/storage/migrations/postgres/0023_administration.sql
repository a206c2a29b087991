-- What turns took, by project and hour in which they ended: administrators read figures of weeks, which must
-- not need every turn. `figure` is a count (turns, tokens, cost_micros, stopped, interrupted), an error
-- (error:CODE), or how many turns needed so long for their first words (first:BUCKET) and in all (took:BUCKET).
-- An hour has several rows of a figure: turns that end at the same moment do not wait for each other.
CREATE TABLE turn_figures (
    tenant TEXT COLLATE "C" NOT NULL,
    project TEXT COLLATE "C" NOT NULL,
    -- When the hour began, in milliseconds since 1970.
    hour BIGINT NOT NULL,
    figure TEXT COLLATE "C" NOT NULL,
    shard BIGINT NOT NULL,
    amount BIGINT NOT NULL,
    PRIMARY KEY (tenant, hour, project, figure, shard)
) WITH (fillfactor = 80);

-- The turns of the time before, as far as they say it.
INSERT INTO turn_figures (tenant, project, hour, figure, shard, amount)
    SELECT c.tenant, c.project, t.ended_at / 3600000 * 3600000, 'turns', 0, COUNT(*)
    FROM turns t JOIN conversations c ON c.id = t.conversation_id WHERE t.ended_at IS NOT NULL
    GROUP BY c.tenant, c.project, t.ended_at / 3600000;
INSERT INTO turn_figures (tenant, project, hour, figure, shard, amount)
    SELECT c.tenant, c.project, t.ended_at / 3600000 * 3600000, 'tokens', 0, CAST(SUM(t.tokens_used) AS BIGINT)
    FROM turns t JOIN conversations c ON c.id = t.conversation_id
    WHERE t.ended_at IS NOT NULL AND t.tokens_used IS NOT NULL
    GROUP BY c.tenant, c.project, t.ended_at / 3600000;
INSERT INTO turn_figures (tenant, project, hour, figure, shard, amount)
    SELECT c.tenant, c.project, t.ended_at / 3600000 * 3600000, 'cost_micros', 0, CAST(SUM(t.cost_micros) AS BIGINT)
    FROM turns t JOIN conversations c ON c.id = t.conversation_id
    WHERE t.ended_at IS NOT NULL AND t.cost_micros IS NOT NULL
    GROUP BY c.tenant, c.project, t.ended_at / 3600000;

-- What administrators did that changes who may come in, or what runs. Only ever added to.
CREATE TABLE admin_acts (
    id TEXT COLLATE "C" PRIMARY KEY,
    at BIGINT NOT NULL,
    tenant TEXT COLLATE "C" NOT NULL,
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
CREATE FUNCTION refuse_change_of_admin_acts() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'admin acts are append-only'; END $$;
CREATE TRIGGER admin_acts_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON admin_acts
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_admin_acts();
