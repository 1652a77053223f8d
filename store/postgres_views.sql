-- Views for programs of others, described in docs/operations.md. Their columns are stable: columns may be
-- added at the end, and none is renamed, removed or given another type. A change of this file needs a
-- migration with the line "-- postgres views". A migration that changes the type of a column which
-- a view reads must drop the view before.
--
-- Rows spread over the workers of Citus are those of the newest write that is complete on all of them
-- (settled_ms); on one server that is 0, and rows that are not closed count.
CREATE OR REPLACE VIEW rebatedesk_commissions AS
SELECT
	timestamptz 'epoch' + c.deal_time_ms * interval '1 millisecond' AS deal_time_utc,
	-- fields of commissions
FROM commissions c JOIN accounts a ON a.id = c.account_id
	LEFT JOIN invitees i ON i.account_id = c.account_id AND i.uid = c.uid
	LEFT JOIN people p ON p.uid = c.uid
WHERE c.opened_ms <= (SELECT CASE WHEN settled_ms > 0 THEN settled_ms ELSE 9223372036854775807 END FROM schema_version)
	AND (c.closed_ms IS NULL OR c.closed_ms > (SELECT CASE WHEN settled_ms > 0 THEN settled_ms ELSE 9223372036854775807 END FROM schema_version));
COMMENT ON VIEW rebatedesk_commissions IS 'Live commission records: what the newest believed reading of the exchange returned. The same rows and columns as the export of commissions. NULL: not given.';
COMMENT ON COLUMN rebatedesk_commissions.deal_time_utc IS 'When the trade was made.';
COMMENT ON COLUMN rebatedesk_commissions.account IS 'Affiliate account.';
COMMENT ON COLUMN rebatedesk_commissions.invite_code IS 'Invite code of the invitee: that of the exchange, otherwise ours. NULL: not known.';
COMMENT ON COLUMN rebatedesk_commissions.first_seen_utc IS 'When this record was first read.';

CREATE OR REPLACE VIEW rebatedesk_invitees AS
SELECT
	a.name AS account,
	i.uid AS uid,
	coalesce(nullif(i.invite_code, ''), nullif(p.invite_code, '')) AS invite_code,
	CASE WHEN i.register_ms > 0 THEN timestamptz 'epoch' + i.register_ms * interval '1 millisecond' END AS register_time_utc,
	nullif(i.kyc, '')::boolean AS kyc,
	CASE WHEN i.first_deposit_ms > 0 THEN timestamptz 'epoch' + i.first_deposit_ms * interval '1 millisecond' END AS first_deposit_utc,
	CASE WHEN i.first_trade_ms > 0 THEN timestamptz 'epoch' + i.first_trade_ms * interval '1 millisecond' END AS first_trade_utc,
	CASE WHEN i.last_deposit_ms > 0 THEN timestamptz 'epoch' + i.last_deposit_ms * interval '1 millisecond' END AS last_deposit_utc,
	CASE WHEN i.last_trade_ms > 0 THEN timestamptz 'epoch' + i.last_trade_ms * interval '1 millisecond' END AS last_trade_utc,
	CASE WHEN i.first_seen_ms > 0 THEN timestamptz 'epoch' + i.first_seen_ms * interval '1 millisecond' END AS first_seen_utc,
	CASE WHEN i.last_seen_ms > 0 THEN timestamptz 'epoch' + i.last_seen_ms * interval '1 millisecond' END AS last_seen_utc,
	CASE WHEN i.vanished_ms > 0 THEN timestamptz 'epoch' + i.vanished_ms * interval '1 millisecond' END AS vanished_utc
FROM invitees i JOIN accounts a ON a.id = i.account_id LEFT JOIN people p ON p.uid = i.uid;
COMMENT ON VIEW rebatedesk_invitees IS 'Invitees that the exchange ever listed, as last read. Those known from commission only are not among them.';
COMMENT ON COLUMN rebatedesk_invitees.account IS 'Affiliate account.';
COMMENT ON COLUMN rebatedesk_invitees.uid IS 'UID of the invitee, as text.';
COMMENT ON COLUMN rebatedesk_invitees.invite_code IS 'Invite code: that of the exchange, otherwise ours. NULL: not known.';
COMMENT ON COLUMN rebatedesk_invitees.register_time_utc IS 'When the invitee registered. NULL: not given, as in the columns below.';
COMMENT ON COLUMN rebatedesk_invitees.kyc IS 'Whether the invitee passed KYC.';
COMMENT ON COLUMN rebatedesk_invitees.first_deposit_utc IS 'First deposit.';
COMMENT ON COLUMN rebatedesk_invitees.first_trade_utc IS 'First trade.';
COMMENT ON COLUMN rebatedesk_invitees.last_deposit_utc IS 'Newest deposit.';
COMMENT ON COLUMN rebatedesk_invitees.last_trade_utc IS 'Newest trade.';
COMMENT ON COLUMN rebatedesk_invitees.first_seen_utc IS 'When the invitee was first read.';
COMMENT ON COLUMN rebatedesk_invitees.last_seen_utc IS 'When the invitee was last read.';
COMMENT ON COLUMN rebatedesk_invitees.vanished_utc IS 'Since when the exchange no longer lists the invitee. NULL: it does.';

CREATE OR REPLACE VIEW rebatedesk_sub_affiliate_days AS
SELECT
	a.name AS account,
	d.uid AS sub_affiliate_uid,
	nullif(d.product, '') AS product_type,
	d.date::date AS date,
	nullif(d.trading_volume, '')::numeric AS trading_volume,
	nullif(d.net_trading_fee, '')::numeric AS net_trading_fee,
	nullif(d.paid_commission, '')::numeric AS paid_commission
FROM sub_affiliate_days d JOIN accounts a ON a.id = d.account_id
WHERE d.opened_ms <= (SELECT CASE WHEN settled_ms > 0 THEN settled_ms ELSE 9223372036854775807 END FROM schema_version)
	AND (d.closed_ms IS NULL OR d.closed_ms > (SELECT CASE WHEN settled_ms > 0 THEN settled_ms ELSE 9223372036854775807 END FROM schema_version));
COMMENT ON VIEW rebatedesk_sub_affiliate_days IS 'Live days of sub-affiliates. The same rows and columns as the export of sub-affiliates.';
COMMENT ON COLUMN rebatedesk_sub_affiliate_days.account IS 'Affiliate account.';
COMMENT ON COLUMN rebatedesk_sub_affiliate_days.sub_affiliate_uid IS 'UID of the sub-affiliate, as text.';
COMMENT ON COLUMN rebatedesk_sub_affiliate_days.product_type IS 'Product: SPOT or FUTURES.';
COMMENT ON COLUMN rebatedesk_sub_affiliate_days.date IS 'UTC day.';
COMMENT ON COLUMN rebatedesk_sub_affiliate_days.trading_volume IS 'Volume of the day, in USDT as the exchange gives it. NULL: not given, as in the amounts below.';
COMMENT ON COLUMN rebatedesk_sub_affiliate_days.net_trading_fee IS 'Net fees of the day, in USDT as the exchange gives it.';
COMMENT ON COLUMN rebatedesk_sub_affiliate_days.paid_commission IS 'Commission of the sub-affiliate for the day, in USDT as the exchange gives it.';

CREATE OR REPLACE VIEW rebatedesk_daily AS
SELECT
	d.day::date AS date,
	a.name AS account,
	nullif(d.product, '') AS product_type,
	d.coin AS coin,
	nullif(d.source, '') AS source_type,
	d.records AS records,
	-- sums of commissions
FROM commission_days d JOIN accounts a ON a.id = d.account_id CROSS JOIN meta m;
COMMENT ON VIEW rebatedesk_daily IS 'Sums of live commission records by reporting day. The same rows and columns as the export daily, and the zone.';
COMMENT ON COLUMN rebatedesk_daily.date IS 'Reporting day, in the zone of time_zone.';
COMMENT ON COLUMN rebatedesk_daily.account IS 'Affiliate account.';
COMMENT ON COLUMN rebatedesk_daily.product_type IS 'Product: SPOT or FUTURES.';
COMMENT ON COLUMN rebatedesk_daily.coin IS 'Coin of fee and commission. Never add amounts of two coins.';
COMMENT ON COLUMN rebatedesk_daily.source_type IS 'direct or sub, see rebatedesk_commissions.';
COMMENT ON COLUMN rebatedesk_daily.records IS 'Number of records.';
COMMENT ON COLUMN rebatedesk_daily.fee IS 'Sum of fees, in the coin; exact.';
COMMENT ON COLUMN rebatedesk_daily.commission IS 'Sum of commission, in the coin; exact.';
COMMENT ON COLUMN rebatedesk_daily.taker_amount IS 'Sum of volume as taker, in the quote currency; exact.';
COMMENT ON COLUMN rebatedesk_daily.maker_amount IS 'Sum of volume as maker, in the quote currency; exact.';
COMMENT ON COLUMN rebatedesk_daily.time_zone IS 'IANA name of the zone of the reporting days: TIMEZONE of the process that wrote last.';
-- words of fields

CREATE OR REPLACE VIEW rebatedesk_coverage AS
SELECT
	a.name AS account,
	v.stream AS stream,
	nullif(v.product, '') AS product_type,
	v.day::date AS date,
	v.through_ms >= ((v.day::date - date '1970-01-01') + 1) * 86400000::bigint AND q.records IS NULL AS collected,
	CASE WHEN v.through_ms > 0 THEN timestamptz 'epoch' + v.through_ms * interval '1 millisecond' END AS collected_until_utc,
	CASE WHEN v.first_read_ms > 0 THEN timestamptz 'epoch' + v.first_read_ms * interval '1 millisecond' END AS first_read_utc,
	CASE WHEN v.last_read_ms > 0 THEN timestamptz 'epoch' + v.last_read_ms * interval '1 millisecond' END AS last_read_utc,
	v.agreed AS agreed,
	CASE WHEN v.failed_ms > 0 THEN timestamptz 'epoch' + v.failed_ms * interval '1 millisecond' END AS failed_utc,
	nullif(v.error, '') AS error,
	coalesce(q.records, 0) AS quarantined
FROM coverage v JOIN accounts a ON a.id = v.account_id
	LEFT JOIN (
		SELECT account_id, stream, product, day, sum(copies)::bigint AS records FROM quarantine WHERE closed_ms IS NULL AND spared = 0 GROUP BY account_id, stream, product, day
	) q ON q.account_id = v.account_id AND q.stream = v.stream AND q.product = v.product AND q.day = v.day;
COMMENT ON VIEW rebatedesk_coverage IS 'How far each UTC day of each stream was read. A day without a row was never read.';
COMMENT ON COLUMN rebatedesk_coverage.account IS 'Affiliate account.';
COMMENT ON COLUMN rebatedesk_coverage.stream IS 'commissions, invitees, sub-affiliates, spot-bills, funding-bills or transfers.';
COMMENT ON COLUMN rebatedesk_coverage.product_type IS 'Product of the stream. NULL: the stream has none.';
COMMENT ON COLUMN rebatedesk_coverage.date IS 'UTC day.';
COMMENT ON COLUMN rebatedesk_coverage.collected IS 'Whether the day was read to its end, and all of it could be read.';
COMMENT ON COLUMN rebatedesk_coverage.collected_until_utc IS 'The day was read up to this instant. NULL: it was not read.';
COMMENT ON COLUMN rebatedesk_coverage.first_read_utc IS 'When the day was first read. NULL: never.';
COMMENT ON COLUMN rebatedesk_coverage.last_read_utc IS 'When the day was last read. NULL: never.';
COMMENT ON COLUMN rebatedesk_coverage.agreed IS 'How many readings in a row found the same; from 2 on the day counts as verified.';
COMMENT ON COLUMN rebatedesk_coverage.failed_utc IS 'When the newest try failed. NULL: it did not.';
COMMENT ON COLUMN rebatedesk_coverage.error IS 'Why it failed.';
COMMENT ON COLUMN rebatedesk_coverage.quarantined IS 'Records of the day that could not be read.';
