-- A code over what gives a row its rights, made with a key derived from the master key: whoever can
-- write the database but has no key cannot make a row that signs in. NULL = it does not sign in. Rows
-- of before get theirs once, from the program, which has the key.
ALTER TABLE users ADD COLUMN mac BLOB;
ALTER TABLE users ADD COLUMN changed_ms INTEGER NOT NULL DEFAULT 0; -- stamp of the newest change of what mac is over; a line of the audit log has it too
ALTER TABLE recovery_codes ADD COLUMN mac BLOB;
ALTER TABLE sessions ADD COLUMN mac BLOB;
ALTER TABLE tokens ADD COLUMN mac BLOB; -- NULL once it is revoked
