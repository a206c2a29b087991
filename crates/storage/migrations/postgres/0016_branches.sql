-- Branches. The number of the `start` of the turn that a turn follows; 0 if it is the first of its
-- path. NULL if it follows the turn before it in the log.
ALTER TABLE turns ADD COLUMN parent BIGINT;
-- From this turn on the model reads nothing of others that it was told before.
ALTER TABLE turns ADD COLUMN clears BOOLEAN NOT NULL DEFAULT FALSE;
-- The number of the `start` of the last turn of the current path; NULL as long as there is one line.
ALTER TABLE conversations ADD COLUMN leaf BIGINT;
CREATE INDEX turns_in_order ON turns (conversation_id, start_seq);
-- A path is walked from branch to branch, and not from turn to turn.
CREATE INDEX turns_that_branch ON turns (conversation_id, start_seq, parent) WHERE parent IS NOT NULL;
CREATE INDEX turns_that_clear ON turns (conversation_id, start_seq) WHERE clears;
