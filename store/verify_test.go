package store_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/internal/race"
	"rebatedesk/store"
	"rebatedesk/store/payments"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/store/upkeep"
)

// verify returns the findings by check.
func verify(t failer, s *store.Store) map[string]store.VerifyResult {
	t.Helper()
	findings := map[string]store.VerifyResult{}
	for finding, err := range upkeep.Verify(context.Background(), s) {
		if err != nil {
			t.Fatal(err)
		}
		if finding.Remedy == "" || finding.Seen == "" {
			t.Fatalf("%s does not say what was compared or what to do: %+v", finding.Check, finding)
		}
		findings[finding.Check] = finding
	}
	return findings
}

func unsound(findings map[string]store.VerifyResult) (faults []string) {
	for _, f := range findings {
		for _, fault := range f.Faults {
			faults = append(faults, f.Check+": "+fault)
		}
	}
	return faults
}

// verified returns a store with every kind of data.
func verified(t testing.TB, o store.Options) *store.Store {
	s := storetest.Open(t, o)
	run, err := records.StartRun(t.Context(), s, "main", "test")
	if err != nil {
		t.Fatal(err)
	}
	slice := storetest.DaySlice(affiliate.Days{First: storetest.Day, Last: storetest.Day + 1})
	slice.Run = run
	storetest.Replace(t, s, slice, storetest.Record(1, "1"), storetest.Record(2, "2.50"), storetest.Record(1500, "-3"))
	storetest.Replace(t, s, slice, storetest.Record(1, "1"), storetest.Record(2, "2.75"), storetest.Record(1500, "-3")) // one row is closed
	subs, users := slice, slice
	subs.Stream = affiliate.Stream{Kind: affiliate.SubAffiliates, Product: affiliate.Spot}
	users.Stream = affiliate.Stream{Kind: affiliate.Invitees}
	if _, err := records.ReplaceSubAffiliateDays(t.Context(), s, subs, []affiliate.SubAffiliateDay{
		{UID: "9", Product: affiliate.Spot, Date: storetest.Day, TradingVolume: "10", NetTradingFee: "1", PaidCommission: ""}}); err != nil {
		t.Fatal(err)
	}
	one, two := affiliate.Invitee{UID: "4667776801", InviteCode: "a"}, affiliate.Invitee{UID: "4667776802", RegisterTime: storetest.At(storetest.Day)}
	changed := one
	changed.InviteCode = "b"
	for _, list := range [][]affiliate.Invitee{{one, two}, {changed}} { // the second invitee vanishes
		if _, err := records.ReplaceInvitees(t.Context(), s, users, list); err != nil {
			t.Fatal(err)
		}
	}
	spot, transfers := slice, slice
	spot.Stream, transfers.Stream = affiliate.Stream{Kind: affiliate.SpotBills}, affiliate.Stream{Kind: affiliate.Transfers}
	bill := affiliate.Bill{Wallet: affiliate.SpotWallet, ID: "b1", Coin: "USDT", Business: "rr_agent_reward", Amount: "3.75", Balance: "10", Fees: "0", Created: storetest.At(storetest.Day + 1)}
	other := bill
	other.Amount = "3.5"
	for _, list := range [][]affiliate.Bill{{other}, {bill}} { // one row is closed
		if _, err := payments.ReplaceBills(t.Context(), s, spot, list); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := payments.ReplaceTransfers(t.Context(), s, transfers, []affiliate.Transfer{{Coin: "USDT", Status: "Successful", FromType: "spot", ToType: "p2p", Amount: "3", Time: storetest.At(storetest.Day + 1)}}); err != nil {
		t.Fatal(err)
	}
	rate := records.Rate{Coin: "BTC", Quote: "USDT", Price: "60000.5", At: storetest.At(storetest.Day), Source: "spot ticker", Symbol: "BTCUSDT_SPBL"}
	if _, err := records.AddRates(t.Context(), s, []records.Rate{rate}); err != nil {
		t.Fatal(err)
	}
	if err := records.FinishRun(t.Context(), s, run, 1, 1, ""); err != nil {
		t.Fatal(err)
	}
	return s
}

// verifiedCopy returns a store with what [verified] stores: a copy of base, or on a server the same
// written anew.
func verifiedCopy(t *testing.T, base []byte) *store.Store {
	t.Helper()
	if storetest.Postgres(t) {
		return verified(t, store.Options{})
	}
	path := filepath.Join(t.TempDir(), "copy.db")
	storetest.Done(t, os.WriteFile(path, base, 0o600))
	return storetest.OpenAt(t, path, store.Options{})
}

// Verify finds no fault in data that the store's functions wrote.
func TestVerifyFindsNothingInWhatWasWritten(t *testing.T) {
	t.Parallel()
	race.Skip(t, "random books, one after the other")
	storetest.Engines(t, "statements of the verification", testVerifyFindsNothingInWhatWasWritten)
}

func testVerifyFindsNothingInWhatWasWritten(t *testing.T) {
	for _, name := range []string{"UTC", "America/Santiago"} {
		s := storetest.Open(t, store.Options{Zone: zone(t, name)})
		book := &book{account: "main", rows: map[affiliate.Product][]affiliate.Commission{}}
		rapid.Check(t, func(t *rapid.T) {
			book.write(t, s)
			findings := verify(t, s)
			if faults := unsound(findings); len(faults) > 0 || len(findings) != 13+map[bool]int{true: 0, false: 1}[storetest.Postgres(t)] { // a server has a schema of its owner
				t.Fatalf("%d findings, faults %q", len(findings), faults)
			}
		})
	}
}

func TestVerifyComparesInTheZoneOfTheRollups(t *testing.T) {
	path := filepath.Join(t.TempDir(), "zone.db")
	s := storetest.OpenAt(t, path, store.Options{Zone: zone(t, "Asia/Kathmandu")})
	storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), storetest.Record(1, "1"), storetest.Record(23*60, "2"))
	other := storetest.OpenAt(t, path, store.Options{})
	findings := verify(t, other)
	if faults := unsound(findings); len(faults) > 0 {
		t.Errorf("faults %q", faults)
	}
	if seen := findings["roll-ups"].Seen; seen != "2 days in Asia/Kathmandu" {
		t.Errorf("compared %s", seen)
	}
}

// Exactly one check finds each kind of corruption, and its text leads to the place.
func TestVerifyFindsCorruption(t *testing.T) {
	t.Parallel()
	race.Skip(t, "damaged databases, one after the other")
	storetest.Engines(t, "statements of the verification, values that only the tables of an engine take", testVerifyFindsCorruption)
}

func testVerifyFindsCorruption(t *testing.T) {
	s := verified(t, store.Options{})
	if faults := unsound(verify(t, s)); len(faults) > 0 {
		t.Fatalf("before: %q", faults)
	}
	var base []byte
	if !storetest.Postgres(t) {
		made, err := upkeep.Backup(t.Context(), s, filepath.Join(t.TempDir(), "base.db"))
		storetest.Done(t, err)
		base, err = os.ReadFile(made.File)
		storetest.Done(t, err)
	}
	for i, c := range []struct{ check, statement, words string }{
		{"roll-ups", `UPDATE commission_days SET commission = '4' WHERE day = '2026-09-01'`,
			"commission_days of 2026-09-01, main SPOT USDT direct: stored 2 records, fee 1.365142, commission 4, taker amount 2275.238, maker amount 0"},
		{"roll-ups", `UPDATE commission_blocks SET lines = unhex(replace(hex(lines), '0206CBD429', '0E06CBD429')) WHERE kind = 'uid' AND span = 'month'`, "commission_blocks of the month 2026-09-01, main SPOT USDT direct, uid 4667776801: stored 7 records"},
		{"roll-ups", `UPDATE commission_days SET fee = '0.6825710' WHERE day = '2026-09-02'`, "stored 1 records, fee 0.6825710,"},
		{"roll-ups", `DELETE FROM commission_days WHERE day = '2026-09-02'`, "2026-09-02, main SPOT USDT direct: nothing is stored; the rows give 1 records"},
		{"roll-ups", `INSERT INTO commission_days (day, account_id, product, coin, source, records, fee, commission, taker_amount, maker_amount) VALUES ('2025-01-01', 1, 'SPOT', 'BTC', 'sub', 1, '1', '1', '1', '1')`, "2025-01-01, main SPOT BTC sub: stored 1 records, fee 1, commission 1, taker amount 1, maker amount 1"},
		{"roll-ups", `UPDATE commission_blocks SET day = 'x' WHERE day = '2026-09-02' AND kind = 'symbol'`, "commission_blocks of the day x, main SPOT USDT direct, symbol BTCUSDT_SPBL: stored 1 records"},
		{"roll-ups", `UPDATE commission_blocks SET names = 9 WHERE span = 'week' AND kind = 'symbol'`, "commission_blocks of the week 2026-08-31, main, shard 0 by symbol: it claims lines of 9 names, and has 1"},
		{"roll-ups", `UPDATE commission_blocks SET lines = unhex('78') WHERE span = 'week' AND kind = 'symbol'`, "the lines of a roll-up are damaged"},
		{"roll-ups", `DELETE FROM commission_blocks WHERE span = 'week'`, "nothing is stored; the rows give 3 records"},
		{"roll-ups", `UPDATE commission_blocks SET lines = CAST(lines || lines AS BLOB) WHERE span = 'week' AND kind = 'symbol'`, "the lines of a roll-up are damaged"},
		{"roll-ups", `DELETE FROM commission_blocks WHERE kind = 'code'`, "commission_blocks of the day 2026-09-01, main SPOT USDT direct, code b: nothing is stored; the rows give 1 records"},
		{"roll-ups", `DELETE FROM commission_blocks WHERE kind = 'pair'`, "commission_blocks of the month 2026-09-01, main SPOT USDT direct, pair 4667776801 BTCUSDT_SPBL: nothing is stored; the rows give"},
		{"roll-ups", `UPDATE commission_blocks SET lines = CAST(substr(lines, 1, length(lines) - 1) || unhex('02') AS BLOB) WHERE kind = 'uid' AND span = 'month'`, ", days "},
		{"roll-ups", `DELETE FROM commissions WHERE deal_time_ms >= 1788307200000`, "there are no rows"},
		{"roll-ups", `UPDATE commission_hours SET sums = replace(sums, '3.75', '3.8') WHERE day = '2026-09-01'`, "commission_hours of 2026-09-01, main USDT direct: stored 3.8 0 0"},
		{"roll-ups", `UPDATE commission_hours SET sums = 'x' WHERE day = '2026-09-01'`, "stored x; the rows give 3.75 0 0"},
		{"roll-ups", `DELETE FROM commission_hours WHERE day = '2026-09-02'`, "commission_hours of 2026-09-02, main USDT direct: nothing is stored; the rows give 0 -3 0"},
		{"roll-ups", `INSERT INTO commission_hours VALUES (1, '2025-01-01', 'BTC', 'sub', '1')`, "commission_hours of 2025-01-01, main BTC sub: stored 1; there are no rows with an amount"},
		{"roll-ups", `UPDATE commission_hours SET day = 'x' WHERE day = '2026-09-02'`, `commission_hours has the day "x"`},
		{"roll-ups", `UPDATE meta SET zone = 'Mars/Olympus'`, `"Mars/Olympus"`},
		{"coverage", `DELETE FROM coverage WHERE stream = 'commissions' AND day = '2026-09-02'`, "of main is of 2026-09-02T01:00:00.000Z, and commissions SPOT was never read on that day"},
		{"coverage", `DELETE FROM coverage WHERE stream = 'sub-affiliates'`, "sub-affiliate day 1 of main"},
		{"coverage", `UPDATE coverage SET through_ms = through_ms - 86399999 + 60000 WHERE stream = 'commissions' AND day = '2026-09-02'`, "was read up to 2026-09-02T00:01:00.001Z only"},
		{"coverage", `UPDATE coverage SET through_ms = through_ms + 1 WHERE stream = 'invitees'`, "beyond its end"},
		{"coverage", `UPDATE coverage SET through_ms = 1 WHERE stream = 'invitees'`, "before its beginning"},
		{"coverage", `INSERT INTO coverage SELECT account_id, 'invitees', '', '2099-01-01', 4070995200000, first_read_ms, last_read_ms, 1, 0, '', read_ms, 0 FROM coverage LIMIT 1`, "in the future"},
		{"coverage", `UPDATE coverage SET last_read_ms = 4070995200000 WHERE stream = 'invitees'`, "in the future"},
		{"coverage", `UPDATE coverage SET first_read_ms = 0 WHERE stream = 'invitees'`, "missing"},
		{"coverage", `UPDATE coverage SET day = 'today' WHERE stream = 'invitees' AND day = '2026-09-02'`, "that is no day"},
		{"coverage", `UPDATE sub_affiliate_days SET date = 'x'`, "no day"},
		{"stamps", `UPDATE commissions SET closed_ms = opened_ms - 1 WHERE closed_ms IS NOT NULL`, "before it was opened"},
		{"stamps", `UPDATE commissions SET opened_ms = opened_ms + 1000000000 WHERE deal_time_ms >= 1788307200000`, "after the last write"},
		{"stamps", `UPDATE sub_affiliate_days SET opened_ms = opened_ms + 1000000000`, "sub-affiliate day 1 of main has the stamp"},
		{"invitees", `UPDATE invitees SET kyc = 'maybe' WHERE uid = '4667776802'`, `has the KYC "maybe"`},
		{"invitees", `UPDATE invitees SET last_seen_ms = 1 WHERE uid = '4667776802'`, "before it was first seen"},
		{"invitees", `UPDATE invitees SET vanished_ms = last_seen_ms WHERE uid = '4667776802'`, "and was seen later"},
		{"invitees", `UPDATE invitees SET last_seen_ms = 0 WHERE uid = '4667776802'`, "when it was last seen is not known"},
		{"invitees", `UPDATE invitees SET register_ms = 0 WHERE uid = '4667776802'`, "from a window that nobody knows"},
		{"invitees, roll-ups", `UPDATE invitees SET invite_code = 'c' WHERE uid = '4667776801'`, `made invite_code "b"; afterwards it was "c"`},
		{"invitees", `UPDATE invitee_changes SET was = 'b' WHERE field = 'invite_code'`, "made invite_code what it was"},
		{"invitees", `UPDATE invitee_changes SET field = 'name' WHERE field = 'invite_code'`, `"name", which no invitee has`},
		{"invitees", `UPDATE invitee_changes SET was = 'soon' WHERE field = 'vanished_ms'`, `was "soon", which is no instant`},
		{"invitees", `UPDATE invitee_changes SET seen_ms = 1 WHERE field = 'invite_code'`, "before the invitee was first seen"},
		{"stamps", `UPDATE coverage SET read_ms = read_ms + 1000000000`, "invitees of 2026-09-01 last read"},
		{"stamps", `UPDATE invitee_changes SET seen_ms = seen_ms + 1000000000`, "of invitee 4667776801 seen"},
		{"stamps", `UPDATE coverage SET failed_ms = first_read_ms + 1000000000 WHERE stream = 'invitees'`, "invitees of 2026-09-01 failed"},
		{"stamps", `UPDATE runs SET finished_ms = finished_ms + 1000000000`, "run 1 finished"},
		{"stamps", `UPDATE slices SET ended_ms = ended_ms + 1000000000 WHERE id = 1`, "slice 1 of run 1 ended"},
		{"rates", `UPDATE rates SET price = '6e4'`, `the rate of "BTC" in "USDT" of 2026-09-01T00:00:00.000Z is "6e4", which is no price`},
		{"rates", `UPDATE rates SET price = '-1'`, `is "-1", which is no price`},
		{"rates", `UPDATE rates SET at_ms = 4070995200000, hour = 4070995200000 / 3600000`, "is of the future"},
		{"stamps", `UPDATE rates SET sampled_ms = sampled_ms + 1000000000`, `the rate of "BTC"`},
		{"rates", `INSERT INTO imported_prices (import_id, coin, day, price, created_ms) VALUES (9, 'BTC', '2026-08-01', '1', 1)`, `the imported price of "BTC" on "2026-08-01" is of import 9, which is none of prices`},
		{"rates", `INSERT INTO people_imports (kind, imported_ms, actor, file, added, changed, unchanged, unknown, undone_ms, undone_by, kept) VALUES ('prices', 1, '', '', 1, 0, 0, 0, 0, '', 0);
			INSERT INTO imported_prices (import_id, coin, day, price, created_ms) VALUES (1, 'BTC', '2026-08-01', '-1', 1)`, `is "-1", which is no price`},
		{"rates", `INSERT INTO people_imports (kind, imported_ms, actor, file, added, changed, unchanged, unknown, undone_ms, undone_by, kept) VALUES ('prices', 1, '', '', 1, 0, 0, 0, 0, '', 0);
			INSERT INTO imported_prices (import_id, coin, day, price, created_ms) VALUES (1, 'BTC', 'x', '1', 1)`, `on "x" is of no day`},
		{"stamps", `INSERT INTO people_imports (kind, imported_ms, actor, file, added, changed, unchanged, unknown, undone_ms, undone_by, kept) VALUES ('people', 4070995200000, '', '', 1, 0, 0, 0, 0, '', 0)`, "import 1 stored"},
		{"integrity", `PRAGMA ignore_check_constraints = ON; UPDATE rates SET hour = hour + 1; PRAGMA ignore_check_constraints = OFF`, "rates"},
		{"amounts", `UPDATE commissions SET rate = '1e-3' WHERE closed_ms IS NULL`, `the rate "1e-3"`},
		{"amounts", `UPDATE commissions SET fee = 'NaN' WHERE closed_ms IS NOT NULL`, `the fee "NaN"`},
		{"amounts", `UPDATE sub_affiliate_days SET trading_volume = '1,000'`, `the trading volume "1,000"`},
		{"amounts", `UPDATE bills SET amount = '1e3' WHERE closed_ms IS NULL`, `bill 2 of main has the amount "1e3"`},
		{"amounts", `UPDATE bills SET balance_after = 'much' WHERE closed_ms IS NOT NULL`, `the balance "much"`},
		{"amounts", `UPDATE transfers SET amount = '--1'`, `transfer 1 of main has the amount "--1"`},
		{"stamps", `UPDATE bills SET closed_ms = opened_ms - 1 WHERE closed_ms IS NOT NULL`, "bill 1 of main was closed"},
		{"stamps", `UPDATE transfers SET opened_ms = opened_ms + 1000000000`, "transfer 1 of main has the stamp"},
		{"coverage", `DELETE FROM coverage WHERE stream = 'spot-bills' AND day = '2026-09-02'`, "bill 2 of main is of 2026-09-02T00:00:00.000Z, and spot-bills was never read on that day"},
		{"coverage", `UPDATE bills SET wallet = 'purse' WHERE closed_ms IS NULL`, `bill 2 of main is of the wallet "purse"`},
		{"coverage", `DELETE FROM coverage WHERE stream = 'transfers'`, "transfer 1 of main"},
		{"references", `UPDATE slices SET run_id = 99 WHERE id = 1`, "slices refers to nothing in runs"},
		{"integrity", `PRAGMA ignore_check_constraints = ON; UPDATE meta SET id = 2; UPDATE meta SET id = 1; INSERT INTO meta (id, zone) VALUES (7, 'UTC'); PRAGMA ignore_check_constraints = OFF`, "meta"},
	} {
		if i%oneIn(t, 3) != 0 || strings.HasPrefix(c.statement, "PRAGMA") && storetest.Postgres(t) {
			continue // PostgreSQL has no way around the conditions of a table
		}
		t.Run(c.check, func(t *testing.T) {
			s := verifiedCopy(t, base)
			if err := storetest.Corrupt(s, c.statement); err != nil {
				t.Fatal(err)
			}
			findings, checks := verify(t, s), strings.Split(c.check, ", ") // the first one has the words
			for name, f := range findings {
				if f.Sound() == slices.Contains(checks, name) {
					t.Errorf("%s: %s finds %q", c.statement, name, f.Faults)
				}
			}
			if said := strings.Join(findings[checks[0]].Faults, "\n"); !strings.Contains(said, c.words) {
				t.Errorf("%s: %q does not say %q", c.statement, said, c.words)
			}
			if c.check == "integrity" && len(findings) != 1 {
				t.Errorf("%d further findings on a broken file", len(findings))
			}
		})
	}
}

// A million faults are reported as a short list.
func TestVerifyListsSomeFaults(t *testing.T) {
	storetest.Engines(t, "statements of the verification", testVerifyListsSomeFaults)
}

func testVerifyListsSomeFaults(t *testing.T) {
	s := storetest.Open(t, store.Options{Now: func() time.Time { return time.Date(2026, 9, 3, 0, 0, 0, 0, time.UTC) }})
	var records []affiliate.Commission
	for i := range 30 {
		records = append(records, storetest.Record(i, "1"))
	}
	storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), records...)
	if err := storetest.Corrupt(s, `DELETE FROM coverage`); err != nil {
		t.Fatal(err)
	}
	if f := verify(t, s)["coverage"]; len(f.Faults) != 20 || f.More != 10 {
		t.Errorf("%d faults listed and %d more, want 20 and 10", len(f.Faults), f.More)
	}
}

// Roll-ups are computed from the records, so every damage to them can be repaired.
func TestRebuildMendsRollups(t *testing.T) {
	storetest.Engines(t, "statements that rebuild the roll-ups", testRebuildMendsRollups)
}

func testRebuildMendsRollups(t *testing.T) {
	s := verified(t, store.Options{Zone: zone(t, "Asia/Kathmandu")})
	for _, statement := range []string{
		`UPDATE commission_days SET commission = '4'`, `DELETE FROM commission_days`, `DELETE FROM commission_blocks`, `DELETE FROM commission_hours`,
		`UPDATE commission_blocks SET lines = unhex('78')`, `UPDATE meta SET zone = 'Mars/Olympus'`,
	} {
		if err := storetest.Corrupt(s, statement); err != nil {
			t.Fatal(err)
		}
		if f := verify(t, s)["roll-ups"]; f.Sound() || !strings.Contains(f.Remedy, "webapp verify --rebuild") {
			t.Errorf("%s: %+v", statement, f)
		}
		if err := records.RebuildRollups(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		if faults := unsound(verify(t, s)); len(faults) > 0 {
			t.Errorf("%s and a rebuild: %q", statement, faults)
		}
	}
}
