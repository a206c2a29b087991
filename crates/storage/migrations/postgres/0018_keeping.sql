-- A conversation that was deleted stays for a while, so that this can be undone. Nobody sees it.
ALTER TABLE conversations ADD COLUMN deleted_at BIGINT;
CREATE INDEX conversations_deleted ON conversations (deleted_at, id) WHERE deleted_at IS NOT NULL;

-- Where somebody has a conversation in their list: on top, or in the archive.
CREATE TABLE list_places (
    conversation_id TEXT COLLATE "C" NOT NULL,
    -- The person; empty for the shared account.
    viewer TEXT COLLATE "C" NOT NULL,
    pinned_at BIGINT,
    archived_at BIGINT,
    PRIMARY KEY (conversation_id, viewer)
);

-- The index of words: an entry for each message that people read, under its id, and one for the
-- title of each conversation, under that of the conversation.
CREATE TABLE search_entries (
    id TEXT COLLATE "C" PRIMARY KEY,
    conversation_id TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    -- Whose it is, and whether it is a title: another tenant's is never read.
    kind TEXT COLLATE "C" NOT NULL,
    words TSVECTOR NOT NULL
);
CREATE INDEX search_of_conversation ON search_entries (conversation_id);
CREATE INDEX search_in_time ON search_entries (kind, at, id);
CREATE INDEX search_words ON search_entries USING GIN (words);
-- What is written: an entry with its words, which takes the place of an older one. Words come
-- folded: lower case, no accents, one space between two.
CREATE VIEW search_writes AS SELECT id, conversation_id, at, '' AS words FROM search_entries;
CREATE FUNCTION write_search_entry() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO search_entries AS e (id, conversation_id, at, kind, words)
        SELECT NEW.id, NEW.conversation_id, NEW.at, k.kind,
            (SELECT COALESCE(CAST(string_agg(w.word || ':' || w.place, ' ') AS TSVECTOR), '')
             FROM string_to_table(NEW.words, ' ') WITH ORDINALITY w (word, place)
             WHERE w.word <> '')
        FROM conversations c CROSS JOIN LATERAL (
            SELECT CASE WHEN NEW.id = NEW.conversation_id THEN 't' ELSE 'm' END
                || encode(convert_to(c.tenant, 'UTF8'), 'hex') AS kind) k
        WHERE c.id = NEW.conversation_id
        ON CONFLICT (id) DO UPDATE SET at = EXCLUDED.at, words = EXCLUDED.words;
    RETURN NEW;
END $$;
CREATE TRIGGER search_entry_comes INSTEAD OF INSERT ON search_writes
    FOR EACH ROW EXECUTE FUNCTION write_search_entry();

-- How far what was there before the index is in it: all with ids below this one.
CREATE TABLE search_progress (
    one BIGINT PRIMARY KEY,
    indexed_below TEXT COLLATE "C" NOT NULL
);
