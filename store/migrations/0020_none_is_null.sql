-- A day or an instant that is not there is NULL, where it was 0 or an empty text.
-- Records of the exchange stay as they are: there are millions of them, and those of
-- one stretch are compared by equality, which NULL has none of.
DROP INDEX intents_sent;

ALTER TABLE accounts ADD COLUMN known TEXT;
UPDATE accounts SET known = nullif(wanted_from, '');
ALTER TABLE accounts DROP COLUMN wanted_from;
ALTER TABLE accounts RENAME COLUMN known TO wanted_from;

ALTER TABLE runs ADD COLUMN known INTEGER;
UPDATE runs SET known = nullif(finished_ms, 0);
ALTER TABLE runs DROP COLUMN finished_ms;
ALTER TABLE runs RENAME COLUMN known TO finished_ms;

ALTER TABLE invitee_notes ADD COLUMN known INTEGER;
UPDATE invitee_notes SET known = nullif(deleted_ms, 0);
ALTER TABLE invitee_notes DROP COLUMN deleted_ms;
ALTER TABLE invitee_notes RENAME COLUMN known TO deleted_ms;

ALTER TABLE users ADD COLUMN known INTEGER;
UPDATE users SET known = nullif(signed_in_ms, 0);
ALTER TABLE users DROP COLUMN signed_in_ms;
ALTER TABLE users RENAME COLUMN known TO signed_in_ms;

ALTER TABLE users ADD COLUMN known INTEGER;
UPDATE users SET known = nullif(disabled_ms, 0);
ALTER TABLE users DROP COLUMN disabled_ms;
ALTER TABLE users RENAME COLUMN known TO disabled_ms;

ALTER TABLE tokens ADD COLUMN known INTEGER;
UPDATE tokens SET known = nullif(used_ms, 0);
ALTER TABLE tokens DROP COLUMN used_ms;
ALTER TABLE tokens RENAME COLUMN known TO used_ms;

ALTER TABLE tokens ADD COLUMN known INTEGER;
UPDATE tokens SET known = nullif(revoked_ms, 0);
ALTER TABLE tokens DROP COLUMN revoked_ms;
ALTER TABLE tokens RENAME COLUMN known TO revoked_ms;

ALTER TABLE tokens ADD COLUMN known INTEGER;
UPDATE tokens SET known = nullif(expires_ms, 0);
ALTER TABLE tokens DROP COLUMN expires_ms;
ALTER TABLE tokens RENAME COLUMN known TO expires_ms;

ALTER TABLE devices ADD COLUMN known INTEGER;
UPDATE devices SET known = nullif(first_ms, 0);
ALTER TABLE devices DROP COLUMN first_ms;
ALTER TABLE devices RENAME COLUMN known TO first_ms;

ALTER TABLE exchange_accounts ADD COLUMN known INTEGER;
UPDATE exchange_accounts SET known = nullif(disabled_ms, 0);
ALTER TABLE exchange_accounts DROP COLUMN disabled_ms;
ALTER TABLE exchange_accounts RENAME COLUMN known TO disabled_ms;

ALTER TABLE backups ADD COLUMN known INTEGER;
UPDATE backups SET known = nullif(ended_ms, 0);
ALTER TABLE backups DROP COLUMN ended_ms;
ALTER TABLE backups RENAME COLUMN known TO ended_ms;

ALTER TABLE backups ADD COLUMN known INTEGER;
UPDATE backups SET known = nullif(drilled_ms, 0);
ALTER TABLE backups DROP COLUMN drilled_ms;
ALTER TABLE backups RENAME COLUMN known TO drilled_ms;

ALTER TABLE backups ADD COLUMN known INTEGER;
UPDATE backups SET known = nullif(removed_ms, 0);
ALTER TABLE backups DROP COLUMN removed_ms;
ALTER TABLE backups RENAME COLUMN known TO removed_ms;

ALTER TABLE intents ADD COLUMN known INTEGER;
UPDATE intents SET known = nullif(sent_ms, 0);
ALTER TABLE intents DROP COLUMN sent_ms;
ALTER TABLE intents RENAME COLUMN known TO sent_ms;

ALTER TABLE intent_orders ADD COLUMN known INTEGER;
UPDATE intent_orders SET known = nullif(at_ms, 0);
ALTER TABLE intent_orders DROP COLUMN at_ms;
ALTER TABLE intent_orders RENAME COLUMN known TO at_ms;

ALTER TABLE intent_orders ADD COLUMN known INTEGER;
UPDATE intent_orders SET known = nullif(overridden_ms, 0);
ALTER TABLE intent_orders DROP COLUMN overridden_ms;
ALTER TABLE intent_orders RENAME COLUMN known TO overridden_ms;

CREATE INDEX intents_sent ON intents (sent_ms) WHERE sent_ms IS NOT NULL;
