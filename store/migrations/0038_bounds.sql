-- What users are bound to: the text of affiliate.Bound; empty = to nothing, so that they see everything.
ALTER TABLE users ADD COLUMN bound TEXT NOT NULL DEFAULT '';

-- As which user a subscription sees the data, by what the user is bound to when a mail is made; NULL = everything.
ALTER TABLE subscriptions ADD COLUMN sees_user INTEGER REFERENCES users (id);

-- To what a message was limited when it was made, as of users.
ALTER TABLE messages ADD COLUMN bound TEXT NOT NULL DEFAULT '';
