-- The key that signs evidence packs. The newest one signs.
CREATE TABLE signing_keys (
	id         INTEGER PRIMARY KEY,
	public_key BLOB    NOT NULL, -- Ed25519, 32 bytes
	sealed     BLOB    NOT NULL, -- its secret, sealed for this public key
	created_ms INTEGER NOT NULL
) STRICT;
