-- The mail server that an administrator entered in the pages, if the settings have none. The password is
-- sealed with the master key, for the server and the user of its row only: it cannot be led to another
-- server by changing it here.
CREATE TABLE mail_server (
	id         INTEGER PRIMARY KEY CHECK (id = 1),
	host       TEXT    NOT NULL,
	port       INTEGER NOT NULL,
	security   TEXT    NOT NULL CHECK (security IN ('tls', 'mandatory', 'opportunistic', 'none')),
	username   TEXT    NOT NULL, -- '' = no sign-in
	password   BLOB    NOT NULL, -- x'' = no sign-in
	sender     TEXT    NOT NULL,
	hello      TEXT    NOT NULL, -- name in EHLO; '' = that of the pages or of the sender
	updated_ms INTEGER NOT NULL
) STRICT;
