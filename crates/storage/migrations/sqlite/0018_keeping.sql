-- A conversation that was deleted stays for a while, so that this can be undone. Nobody sees it.
ALTER TABLE conversations ADD COLUMN deleted_at BIGINT;
CREATE INDEX conversations_deleted ON conversations (deleted_at, id) WHERE deleted_at IS NOT NULL;

-- Where somebody has a conversation in their list: on top, or in the archive.
CREATE TABLE list_places (
    conversation_id TEXT NOT NULL,
    -- The person; empty for the shared account.
    viewer TEXT NOT NULL,
    pinned_at BIGINT,
    archived_at BIGINT,
    PRIMARY KEY (conversation_id, viewer)
);

-- The index of words: an entry for each message that people read, under its id, and one for the
-- title of each conversation, under that of the conversation. `number` is the time of an entry,
-- and tells entries of one moment apart: the newest are found first, without sorting.
CREATE TABLE search_entries (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    conversation_id TEXT NOT NULL,
    at BIGINT NOT NULL
);
CREATE INDEX search_of_conversation ON search_entries (conversation_id);
-- Words come folded: lower case, no accents, one space between two.
CREATE VIRTUAL TABLE search_words USING fts5 (
    words, content = '', contentless_delete = 1, prefix = '2 3',
    tokenize = "unicode61 remove_diacritics 0"
);
CREATE TRIGGER search_entry_leaves AFTER DELETE ON search_entries BEGIN
    DELETE FROM search_words WHERE rowid = old.number;
END;
-- What is written: an entry with its words, which takes the place of an older one.
CREATE VIEW search_writes AS SELECT id, conversation_id, at, '' AS words FROM search_entries;
CREATE TRIGGER search_entry_comes INSTEAD OF INSERT ON search_writes BEGIN
    DELETE FROM search_entries WHERE id = new.id;
    INSERT INTO search_entries (number, id, conversation_id, at)
        SELECT COALESCE((SELECT MAX(e.number) + 1 FROM search_entries e
                WHERE e.number BETWEEN new.at * 2097152 AND new.at * 2097152 + 2097150),
            new.at * 2097152), new.id, new.conversation_id, new.at
        FROM conversations c WHERE c.id = new.conversation_id;
    -- The first word says whose it is, and whether it is a title: another tenant's is never read.
    INSERT INTO search_words (rowid, words)
        SELECT e.number, CASE WHEN e.id = e.conversation_id THEN 't' ELSE 'm' END
            || LOWER(HEX(c.tenant)) || ' ' || new.words
        FROM search_entries e JOIN conversations c ON c.id = e.conversation_id
        WHERE e.id = new.id;
END;

-- How far what was there before the index is in it: all with ids below this one.
CREATE TABLE search_progress (
    one BIGINT PRIMARY KEY,
    indexed_below TEXT NOT NULL
);
