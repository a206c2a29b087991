-- Files that people attach. The bytes are in `images`, beside the pictures; a picture of a tool and an
-- older one have no name. What the person calls it, and a hash of the bytes.
ALTER TABLE images ADD COLUMN name TEXT;
ALTER TABLE images ADD COLUMN hash TEXT;
-- The text of a PDF, and how many pages it has; the text of others is their bytes.
ALTER TABLE images ADD COLUMN text TEXT;
ALTER TABLE images ADD COLUMN pages BIGINT;
-- Whether models may refuse the file itself: it is restricted.
ALTER TABLE images ADD COLUMN text_only BOOLEAN NOT NULL DEFAULT FALSE;
-- The guardrail's rule that its text matched.
ALTER TABLE images ADD COLUMN suspicious TEXT;
