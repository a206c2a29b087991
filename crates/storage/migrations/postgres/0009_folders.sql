-- The folder that an editor had open when it began the conversation; NULL for one that
-- began in a browser. Editors list conversations by it.
ALTER TABLE conversations ADD COLUMN folder TEXT COLLATE "C";
