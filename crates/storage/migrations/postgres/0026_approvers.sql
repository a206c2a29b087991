-- Whose answers to a prompt count (Y-2): the roles of people, separated by spaces, and whether a prompt names
-- who answers it; `public` says who.
ALTER TABLE people ADD COLUMN roles TEXT NOT NULL DEFAULT '';
ALTER TABLE prompts ADD COLUMN limited BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX prompts_limited ON prompts (tenant, status) WHERE limited;
