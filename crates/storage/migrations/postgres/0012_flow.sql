-- Whose words a result holds (own, others; NULL in older rows counts as others), whether it holds what is
-- not public, and what was read, in a word.
ALTER TABLE tool_runs ADD COLUMN content TEXT COLLATE "C";
ALTER TABLE tool_runs ADD COLUMN private BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE tool_runs ADD COLUMN origin TEXT COLLATE "C";
-- The guardrail found that it reads like orders.
ALTER TABLE tool_runs ADD COLUMN suspicious BOOLEAN NOT NULL DEFAULT FALSE;
-- The model was not told the result: a person is asked, or said no.
ALTER TABLE tool_runs ADD COLUMN withheld BOOLEAN NOT NULL DEFAULT FALSE;
-- The model reads nothing of it any longer: the person cleared the context after it.
ALTER TABLE tool_runs ADD COLUMN cleared BOOLEAN NOT NULL DEFAULT FALSE;
-- What others wrote that may be behind the call that was decided on, as JSON.
ALTER TABLE decisions ADD COLUMN sources TEXT;
-- What the model was told is read for every call: from the index alone, since results are long.
CREATE INDEX tool_runs_told ON tool_runs
    (conversation_id, status, withheld, cleared, content, finished_at, id, private, suspicious, server, tool, origin);
