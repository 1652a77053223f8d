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
	INSERT INTO exchange_accounts (name, base_url, contract_base_url, api_version, locale, keys, trading_keys, created_ms, rotated_ms)
		VALUES ('main', 'https://x', 'https://x', 'v2', 'en', KEYS, EMPTY, 1, 1)`

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
