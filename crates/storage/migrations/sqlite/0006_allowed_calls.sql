-- A person may change the arguments of a call before allowing it, and say why it
-- is not allowed. Both stay with the prompt, as people see them.
ALTER TABLE prompts ADD COLUMN reason TEXT;
ALTER TABLE prompts ADD COLUMN allowed_call TEXT;
ALTER TABLE prompts ADD COLUMN allowed_preview TEXT;

-- Who decided what, in words too: what was asked about if that is not what ran,
-- and what ran, masked as in an approval.
ALTER TABLE decisions ADD COLUMN reason TEXT;
ALTER TABLE decisions ADD COLUMN proposed TEXT;
ALTER TABLE decisions ADD COLUMN arguments TEXT;
