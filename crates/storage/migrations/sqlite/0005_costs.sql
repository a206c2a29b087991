-- What a turn cost, in millionths of a dollar, where its agent says so.
ALTER TABLE turns ADD COLUMN cost_micros BIGINT;
-- What happened lately, for admins.
CREATE INDEX turns_of_tenant ON turns (tenant, started_at);
