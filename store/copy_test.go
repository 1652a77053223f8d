package store_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rebatedesk/store"
	"rebatedesk/store/storetest"
	"rebatedesk/store/upkeep"
)

// fill writes values that the engines keep in different ways: empty and missing values,
// bytes, and the number of a row that was removed.
const fill = `
	INSERT INTO users (id, name, folded, role, password, long_password, totp, created_ms) VALUES (3, 'Ann', 'ann', 'admin', 'x', 1, NULL, 7), (9, 'Öl', 'öl', 'viewer', '', 0, '', 7);
	INSERT INTO saved_views (owner, name, path, query, created_ms, updated_ms) VALUES ('ann', 'a', '/', '', 1, 1), ('ann', 'b', '/', '', 1, 1);
	DELETE FROM saved_views WHERE name = 'b';
	INSERT INTO accounts (id, name) VALUES (7, 'asia');
	INSERT INTO bills (account_id, wallet, created_ms, bill_id, coin_id, coin, business_type, amount, balance_after, fees, fill_size, fill_value, opened_ms, closed_ms)
		VALUES (7, 'spot', 1, 'b1', '', 'USDT', 'rr_agent_reward', '0.000000000000000001', '', '', '', '', 1, NULL), (7, 'funding', 2, 'b1', '9', 'BTC', 'öl', '-1', '0', '', '', '', 1, 2);
	INSERT INTO transfers (account_id, time_ms, coin, status, from_type, from_symbol, to_type, to_symbol, amount, opened_ms, closed_ms)
		VALUES (7, 1, 'USDT', 'Successful', 'spot', '', 'isolated_margin', 'BTCUSDT', '1.50', 1, NULL);
	INSERT INTO refused_streams (account_id, stream, since_ms, last_ms, error, first_day) VALUES (7, 'transfers', 1, 2, 'no', NULL), (7, 'spot-bills', 1, 2, 'old', '2026-09-01');
	INSERT INTO payout_rules (account_id, first_day, rule, actor, created_ms, removed_ms) VALUES (NULL, '2026-09-01', 'auto', 'ann', 1, NULL), (7, '2026-09-01', 'day+8h together', 'ann', 1, 2);
	INSERT INTO payment_notes (account_id, coin, kind, from_ms, to_ms, bill, verdict, text, author, created_ms) VALUES (7, 'USDT', 'all', 0, 1, '', 'disputed', 'ticket 4711', 'ann', 1);
	INSERT INTO goals (month, account_id, coin, code, tag, amount, actor, created_ms, removed_ms) VALUES ('2026-09-01', NULL, 'USDT', '', '', '8000', 'ann', 1, NULL), ('2026-09-01', 7, '', 'vip', 'öl', '0.000000000000000001', 'ann', 1, 2);
	INSERT INTO annotations (first_day, last_day, account_id, code, words, author, actor, created_ms, removed_ms) VALUES ('2026-09-01', '2026-09-02', 7, 'vip', 'öl', 'bob', 'ann', 1, NULL), ('2026-09-01', '2026-09-01', NULL, '', 'x', 'ann', 'ann', 1, 2);
	INSERT INTO costs (scope, value, folded, kind, amount, coin, first_day, last_day, note, actor, created_ms, removed_ms) VALUES ('code', 'Öl', 'öl', 'monthly', '0.000000000000000001', 'USDT', '2026-09-01', NULL, '', 'ann', 1, NULL), ('tag', 'x', 'x', 'once', '500', 'USDT', '2026-09-01', '2026-09-01', 'banner', 'ann', 1, 2);
	INSERT INTO kept (kind, account_id, fields, actor, created_ms, removed_ms) VALUES ('budget', NULL, '{"amount":"0.000000000000000001","öl":""}', 'ann', 1, NULL), ('budget', 7, '{}', 'ann', 1, 2);
	INSERT INTO terms (account, scope, value, product, source, tier_by, tier_from, rate, first_day, last_day, coin, note, reference, actor, created_ms, removed_by, removed_ms)
		VALUES ('', 'sub-affiliate', '', '', '', '', '', '0.30', '2026-01-01', NULL, 'USDT', 'öl', '', 'ann', 1, '', NULL), ('asia', 'uid', '4711', 'SPOT', 'direct', 'volume', '1000000', '0.000000000000000001', '2026-01-01', '2026-02-01', '', '', 'https://x', 'ann', 1, 'bob', 2);
	INSERT INTO exchange_accounts (name, base_url, contract_base_url, api_version, locale, keys, trading_keys, created_ms, rotated_ms)
		VALUES ('main', 'https://x', 'https://x', 'v2', 'en', KEYS, EMPTY, 1, 1);
	INSERT INTO mail_server (id, host, port, security, username, password, sender, hello, updated_ms) VALUES (1, 'smtp.example.com', 587, 'mandatory', 'öl', KEYS, 'desk@example.com', '', 1);
	INSERT INTO channels (id, name, kind, address, shown, secret, old_secret, old_until_ms, events, owner, actor, created_ms, updated_ms, since_ms, paused_ms, fault, failing_ms, held_ms, removed_ms)
		VALUES (3, 'Öl', 'webhook', KEYS, 'x …1234', KEYS, KEYS, 9, 'test,month.closed', 'ann@example.com', 'ann', 1, 2, 3, 4, '503 broken', 5, 6, NULL), (4, 'öl', 'email', KEYS, '2 addresses', NULL, NULL, NULL, NULL, NULL, 'ann', 1, 2, 3, NULL, NULL, NULL, NULL, 7);
	INSERT INTO messages (id, subscription_id, scope, every, first_day, last_day, kind, number, made_ms, sender, subject, text, html, picture, brief, event)
		VALUES (5, NULL, 'x', NULL, '2026-09-01', '2026-09-01', 'alert', 0, 1, 'desk@example.com', 'öl', 'x', NULL, KEYS, 'brief', '{"type":"month.closed"}');
	INSERT INTO deliveries (id, message_id, recipient, header_id, state, queued_ms, next_ms, lease, tries, ended_ms, answer, channel_id, posted)
		VALUES (8, 5, 'channel:3', 'msg_1', 'waiting', 1, 2, 3, 4, NULL, '503 broken', 3, 1), (9, 5, 'ann@example.com', '1@x', 'sent', 1, NULL, 1, 1, 2, '250 ok', NULL, 0);
	INSERT INTO channel_facts (channel_id, key, words, page, detail, seen_ms, lasting_ms, message_id) VALUES (3, 'month|2026-08|1', 'öl', '/months', '{"by":"ann"}', 1, 2, 5), (3, 'gap|main|x', 'x', '/', NULL, 1, NULL, NULL);
	INSERT INTO dispatches (id, name, kind, format, every, hour, minute, content, filters, destination, deadline_hours, after_day, failures, next_ms, paused_ms, created_ms, updated_ms, removed_ms)
		VALUES (2, 'warehouse', 'commissions', 'parquet', 'day', 6, 30, 'incremental', 'coin=USDT', 's3://reports/öl', 24, '2026-09-01', 2, 3, NULL, 1, 1, NULL), (5, 'gone', 'bills', 'csv', 'month', 0, 0, 'whole', '', 'file:///x', 1, '2026-08-01', 0, NULL, 4, 1, 1, 9);
	INSERT INTO shipments (id, dispatch_id, first_day, last_day, number, state, forced, queued_ms, lease, leased_ms, tries, as_of_ms, since_ms, complete, ended_ms, file, bytes, row_count, sums, sha256, answer)
		VALUES (6, 2, '2026-09-01', '2026-09-01', 1, 'incomplete', 0, 1, 2, NULL, 1, 7, 6, 0, 8, 'incomplete-x.parquet', 12, 3, '[{"coin":"USDT","commission":"0.000000000000000001"}]', 'ff00', NULL),
			(7, 2, '2026-09-01', '2026-09-01', 2, 'waiting', 1, 1, 3, 9, 2, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, 'the disk is full');
	INSERT INTO markets (id, venue, pair, written_ms) VALUES (4, 'api.example.com', 'BTCUSDT', 7);
	INSERT INTO market_trades (market_id, trade_id, time_ms, tie, price, quantity, side) VALUES (4, '1', 1, 0, '61240.10', '0.000000000000000001', 'buy'), (4, 'x2', 2, 3, '61240.1', '1', '');
	INSERT INTO quarantine (id, account_id, stream, product, day, field, value, reason, record, copies, spared, opened_ms, closed_ms)
		VALUES (3, 7, 'commissions', 'SPOT', '2026-09-01', 'fee', '"öl"', 'is no number', '{"fee":"öl"}', 1, 0, 5, NULL), (4, 7, 'spot-bills', '', '2026-09-02', 'fees', '', 'x', '', 51, 1, 5, 6);
	INSERT INTO market_prices (market_id, time_ms, price) VALUES (4, 1, '0.000000000000000001');
	INSERT INTO market_minutes (market_id, minute_ms, open, high, low, close, volume, trades) VALUES (4, 60000, '1', '2.50', '0.5', '1.0', NULL, 3), (4, 120000, '1', '2', '1', '2', '0.10', 1);
	INSERT INTO market_stretches (market_id, from_ms, to_ms, asked_ms) VALUES (4, 1, 2, 3);
	INSERT INTO asked_pairs (account, pair, asked_ms) VALUES ('Öl', 'BTCUSDT_SPBL', 7)`

// A copy has the same rows, byte by byte, in the other engine and back. Numbers that rows
// had are not given again, and a database with rows is not written over.
func TestCopyThereAndBack(t *testing.T) {
	for engine, empty := range storetest.Servers(t) {
		t.Run(engine, func(t *testing.T) { copyThereAndBack(t, empty(t), empty(t)) })
	}
}

func copyThereAndBack(t *testing.T, there, into string) {
	ctx := context.Background()
	first := filepath.Join(t.TempDir(), "first.db")
	st := storetest.OpenAt(t, first, store.Options{})
	if _, err := st.Writer().Exec(strings.NewReplacer("KEYS", "x'00ff10'", "EMPTY", "x''", "'öl', 'viewer', '', 0, ''", "'öl', 'viewer', '', 0, x''").Replace(fill)); err != nil {
		t.Fatal(err)
	}
	storetest.Replace(t, st, storetest.DaySlice(storetest.OneDay), spread(3)...)
	back := filepath.Join(t.TempDir(), "back.db")
	silent := func(upkeep.CopyProgress) {}
	if _, err := upkeep.CopyInto(ctx, st, there, store.Options{}, silent); err != nil {
		t.Fatal(err)
	}
	onServer := storetest.OpenAt(t, there, store.Options{})
	if _, err := upkeep.CopyInto(ctx, onServer, back, store.Options{}, silent); err != nil {
		t.Fatal(err)
	}
	again := storetest.OpenAt(t, back, store.Options{})
	for _, query := range []string{
		`SELECT * FROM users ORDER BY id`, `SELECT * FROM saved_views ORDER BY id`, `SELECT * FROM exchange_accounts`, `SELECT * FROM meta`,
		`SELECT * FROM bills ORDER BY id`, `SELECT * FROM transfers ORDER BY id`, `SELECT * FROM refused_streams ORDER BY stream`,
		`SELECT * FROM commission_hours ORDER BY account_id, day, coin, source`, `SELECT * FROM payout_rules ORDER BY id`, `SELECT * FROM payment_notes ORDER BY id`, `SELECT * FROM goals ORDER BY id`, `SELECT * FROM annotations ORDER BY id`, `SELECT * FROM costs ORDER BY id`, `SELECT * FROM kept ORDER BY id`, `SELECT * FROM terms ORDER BY id`,
		`SELECT * FROM channels ORDER BY id`, `SELECT * FROM messages ORDER BY id`, `SELECT * FROM deliveries ORDER BY id`, `SELECT * FROM channel_facts ORDER BY key`,
		`SELECT * FROM dispatches ORDER BY id`, `SELECT * FROM shipments ORDER BY id`,
		`SELECT * FROM markets`, `SELECT * FROM market_trades ORDER BY trade_id`, `SELECT * FROM market_prices`, `SELECT * FROM market_minutes ORDER BY minute_ms`, `SELECT * FROM market_stretches`, `SELECT * FROM asked_pairs`,
		`SELECT * FROM quarantine ORDER BY id`, `SELECT * FROM mail_server`,
	} {
		var seen [][]string
		for _, s := range []*store.Store{st, onServer, again} {
			lines, err := storetest.Lines(s, query)
			storetest.Done(t, err)
			seen = append(seen, lines)
		}
		if !slices.Equal(seen[0], seen[1]) || !slices.Equal(seen[0], seen[2]) {
			t.Errorf("%s: %q", query, seen)
		}
	}
	for _, s := range []*store.Store{onServer, again} {
		var totp int
		storetest.Done(t, s.Readers().QueryRow(`SELECT count(*) FROM users WHERE totp IS NULL`).Scan(&totp))
		var next int64
		storetest.Done(t, s.Writer().QueryRow(`INSERT INTO saved_views (owner, name, path, query, created_ms, updated_ms) VALUES ('ann', 'c', '/', '', 1, 1) RETURNING id`).Scan(&next))
		if totp != 1 || next != 3 {
			t.Errorf("%s: %d users without a code, the next number is %d; want 1 and 3", s.Path(), totp, next)
		}
	}
	for from, place := range map[*store.Store]string{st: there, onServer: back} {
		if _, err := upkeep.CopyInto(ctx, from, place, store.Options{}, silent); !errors.Is(err, store.ErrNotEmpty) {
			t.Errorf("%s: %v", place, err)
		}
	}
	stopped, stop := context.WithCancel(ctx)
	if _, err := upkeep.CopyInto(stopped, st, into, store.Options{}, func(upkeep.CopyProgress) { stop() }); err == nil {
		t.Error("a stopped copy succeeded")
	}
	if _, err := upkeep.CopyInto(ctx, st, into, store.Options{}, silent); err != nil {
		t.Errorf("after a stopped copy: %v", err)
	}
}
