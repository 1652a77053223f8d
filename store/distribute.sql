-- Lays the tables out over the workers of Citus. Rows of commissions and of sub-affiliate
-- days are spread by the UID of their invitee; accounts, invitees and people, which they are
-- joined with, are copied to each worker; all other tables remain on the coordinator.
SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true);
-- Workers need the functions of a database that was created before it had the extension, and
-- the collation, which they get with a type.
SELECT create_distributed_function(p.oid::regprocedure) FROM pg_proc p
WHERE p.pronamespace = current_schema()::regnamespace AND p.prorettype <> 'trigger'::regtype
	AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e')
	AND NOT EXISTS (SELECT 1 FROM pg_dist_object WHERE classid = 'pg_proc'::regclass AND objid = p.oid);
CREATE DOMAIN nocase_text AS text COLLATE nocase;
ALTER TABLE commissions DROP CONSTRAINT commissions_account_id_fkey;
ALTER TABLE commissions DROP CONSTRAINT commissions_pkey;
ALTER TABLE commissions ADD PRIMARY KEY (uid, id);
CREATE INDEX commissions_by_id ON commissions (id);
ALTER TABLE sub_affiliate_days DROP CONSTRAINT sub_affiliate_days_account_id_fkey;
ALTER TABLE sub_affiliate_days DROP CONSTRAINT sub_affiliate_days_pkey;
ALTER TABLE sub_affiliate_days ADD PRIMARY KEY (uid, id);
CREATE INDEX sub_affiliate_days_by_id ON sub_affiliate_days (id);
-- Distributed tables come first: they have identity columns, which a table with references
-- from reference tables may not have.
SELECT create_distributed_table('commissions', 'uid');
SELECT create_distributed_table('sub_affiliate_days', 'uid', colocate_with => 'commissions');
SELECT create_reference_table('accounts');
SELECT create_reference_table('invitees');
SELECT create_reference_table('invitee_changes');
SELECT create_reference_table('people');
SELECT create_reference_table('people_changes');
ALTER TABLE commissions ADD CONSTRAINT commissions_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts;
ALTER TABLE sub_affiliate_days ADD CONSTRAINT sub_affiliate_days_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts;
UPDATE schema_version SET settled_ms = (SELECT last_write_ms FROM meta);
