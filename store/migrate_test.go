package store_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"rebatedesk/internal/soak"
	"rebatedesk/store"
	"rebatedesk/store/storetest"
	"rebatedesk/store/upkeep"
)

// A server, a command and an export may open a new database at the same time.
func TestOpeningTogether(t *testing.T) {
	for range 5 {
		path := filepath.Join(t.TempDir(), "new.db")
		failures := make([]error, 8)
		var openers sync.WaitGroup
		for i := range failures {
			openers.Go(func() {
				s, err := store.Open(context.Background(), path, store.Options{})
				if err == nil {
					err = errors.Join(upkeep.CheckIntegrity(context.Background(), s), s.Close())
				}
				failures[i] = err
			})
		}
		openers.Wait()
		if err := errors.Join(failures...); err != nil {
			t.Fatal(err)
		}
	}
}

// A migration succeeds on a connection whose schema another process has changed meanwhile.
func TestSoakMigratingBesideAnother(t *testing.T) {
	t.Parallel()
	files, err := store.Migrations.ReadDir("migrations")
	if err != nil {
		t.Fatal(err)
	}
	const read = 3 // several later migrations change tables of this version
	step := soak.Times(12, 1)
	for later := read + 1; later < len(files); later += step {
		if err := store.MigrateBeside(t.Context(), filepath.Join(t.TempDir(), "old.db"), read, later); err != nil {
			t.Errorf("meanwhile at version %d: %v", later, err)
		}
	}
}

// A value for which 0 or an empty text meant absence is NULL after the migration, and
// everything else is unchanged.
func TestOldMissingValuesBecomeNull(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.db")
	err := store.MakeOld(t.Context(), path, 19, `
		INSERT INTO accounts (id, name, wanted_from) VALUES (1, 'a', ''), (2, 'b', '2026-09-07');
		INSERT INTO runs (id, account_id, cause, started_ms, finished_ms) VALUES (1, 1, 'x', 1, 0), (2, 1, 'x', 1, 7);
		INSERT INTO invitee_notes (id, account_id, uid, author, text, created_ms, deleted_ms) VALUES (1, 1, '7', '', 'x', 1, 0), (2, 1, '7', '', 'x', 1, 7);
		INSERT INTO users (id, name, folded, role, password, long_password, created_ms, signed_in_ms, disabled_ms) VALUES (1, 'a', 'a', 'admin', '', 0, 1, 0, 0), (2, 'b', 'b', 'admin', '', 0, 1, 7, 7);
		INSERT INTO tokens (id, hash, user_id, name, scopes, created_ms, used_ms, revoked_ms, expires_ms) VALUES (1, x'01', 1, 'a', '', 1, 0, 0, 0), (2, x'02', 1, 'b', '', 1, 7, 7, 7);
		INSERT INTO devices (hash, user_id, used_ms, first_ms) VALUES (x'01', 1, 1, 0), (x'02', 1, 1, 7);
		INSERT INTO exchange_accounts (name, base_url, contract_base_url, api_version, locale, keys, trading_keys, created_ms, rotated_ms, disabled_ms) VALUES
			('a', '', '', '', '', x'', x'', 1, 1, 0), ('b', '', '', '', '', x'', x'', 1, 1, 7);
		INSERT INTO backups (id, started_ms, file, ended_ms, drilled_ms, removed_ms) VALUES (1, 1, '', 0, 0, 0), (2, 1, '', 7, 7, 7);
		INSERT INTO intents (id, account, kind, pair, source, again, typed, actor, via, made_ms, sent_ms) VALUES ('a', '', '', '', '', 0, '', '', '', 1, 0), ('b', '', '', '', '', 0, '', '', '', 1, 7);
		INSERT INTO intent_orders (intent_id, n, side, type, force, price, quantity, trigger_price, action, match, margin, client_id, order_id, worth, coin, state, status, code, message, class, rule,
			at_ms, verdict, reason, decided_by, overridden_ms) VALUES
			('a', 0, '', '', '', '', '', '', '', '', 0, '', '', '', '', 'intent', 0, '', '', '', '', 0, '', '', '', 0),
			('b', 0, '', '', '', '', '', '', '', '', 0, '', '', '', '', 'placed', 0, '', '', '', '', 7, '', '', '', 7)`)
	if err != nil {
		t.Fatal(err)
	}
	s := storetest.OpenAt(t, path, store.Options{})
	for table, columns := range map[string][]string{
		"accounts": {"wanted_from"}, "runs": {"finished_ms"}, "invitee_notes": {"deleted_ms"}, "users": {"signed_in_ms", "disabled_ms"}, "tokens": {"used_ms", "revoked_ms", "expires_ms"},
		"devices": {"first_ms"}, "exchange_accounts": {"disabled_ms"}, "backups": {"ended_ms", "drilled_ms", "removed_ms"}, "intents": {"sent_ms"}, "intent_orders": {"at_ms", "overridden_ms"},
	} {
		for _, column := range columns {
			want := "7"
			if column == "wanted_from" {
				want = "2026-09-07"
			}
			lines, err := storetest.Lines(s, `SELECT coalesce(`+column+`, 'none') FROM `+table+` ORDER BY 1`)
			if err != nil || !slices.Equal(lines, []string{want, "none"}) {
				t.Errorf("%s.%s: %q (%v)", table, column, lines, err)
			}
		}
	}
}

// A day is stored as text in all columns of tables. Views for other programs have dates.
func TestDaysAreText(t *testing.T) { storetest.Engines(t, "types of columns", testDaysAreText) }

func testDaysAreText(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	columns := `SELECT t.name AS tab, c.name AS col, c.type AS typ FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'`
	if storetest.Postgres(t) {
		columns = `SELECT table_name AS tab, column_name AS col, upper(data_type) AS typ FROM information_schema.columns WHERE table_schema = current_schema() AND table_name NOT LIKE 'rebatedesk\_%'`
	}
	lines, err := storetest.Lines(s, `
		SELECT tab, col, typ FROM (`+columns+`) AS c
		WHERE (col IN ('day', 'date', 'wanted_from') OR col LIKE '%\_day' ESCAPE '\') AND col <> 'month_day' ORDER BY 1, 2`)
	if err != nil || len(lines) < 8 {
		t.Fatal(lines, err)
	}
	for _, line := range lines {
		if !strings.HasSuffix(line, " TEXT") {
			t.Error(line)
		}
	}
}
