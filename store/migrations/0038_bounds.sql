-- What users are bound to: the text of affiliate.Bound; empty = to nothing, so that they see everything.
ALTER TABLE users ADD COLUMN bound TEXT NOT NULL DEFAULT '';

-- The user whose invitees a subscription is about, as the user is bound when a mail is made; NULL = everybody.
ALTER TABLE subscriptions ADD COLUMN as_user TEXT;
