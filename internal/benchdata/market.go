// Package benchdata creates the databases for benchmarks: the same programme with 100,000,
// 1,000,000 and 10,000,000 commission records.
package benchdata

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
)

// A market is 400 days of 5,000 invitees, few of whom trade much, each in favourite pairs
// out of 40, in three coins. A fifth of them came through one of fifty sub-affiliates.
const (
	invitees      = 5000
	codes         = 20
	subAffiliates = 50
	days          = 400
	sliceDays     = 8
)

// Kind says how the records of a market were paid.
type Kind string

// Kinds of markets. Nearly all benchmarks use the random one, whose amounts differ most.
const (
	Random Kind = "market" // fee and commission are drawn apart, so that no two records have one rate
	Steady Kind = "steady" // each invitee has one rate for each product, but for a few records
)

// First and Last are the UTC days of the market.
var (
	First = affiliate.NewDay(2025, time.October, 17)
	Last  = First + days - 1
)

// UID returns the UID of invitee n; invitee 0 trades most.
func UID(n int) affiliate.UID { return affiliate.UID(strconv.Itoa(4_600_000_000 + n*7919)) }

// SubAffiliateUID returns the UID of sub-affiliate n.
func SubAffiliateUID(n int) affiliate.UID {
	return affiliate.UID(strconv.Itoa(6_400_000_000 + n*7919))
}

// Sizes returns the sizes in records; REBATEDESK_BENCH_ROWS limits them.
func Sizes(b *testing.B) []int {
	b.Helper()
	most := 10_000_000
	if text := os.Getenv("REBATEDESK_BENCH_ROWS"); text != "" {
		var err error
		if most, err = strconv.Atoi(text); err != nil {
			b.Fatal(err)
		}
	}
	return slices.DeleteFunc([]int{100_000, 1_000_000, 10_000_000}, func(n int) bool { return n > most })
}

// dir is where databases are kept for the whole run or, if REBATEDESK_BENCH_DIR names it,
// for later runs too.
var dir string

// Remove removes the databases that are not kept.
func Remove() {
	if dir != "" && dir != os.Getenv("REBATEDESK_BENCH_DIR") {
		_ = os.RemoveAll(dir) // temporary, and the process ends anyway
	}
}

// Path returns the database of a size and fills it if it does not exist, or copies a kept one
// of an earlier schema. The largest takes some minutes and four gigabytes. Its name has the
// version of the schema, so that programs of two versions can share a folder.
func Path(b *testing.B, size int) string {
	b.Helper()
	return PathOf(b, Random, size)
}

// PathOf is [Path] for a kind of market.
func PathOf(b *testing.B, of Kind, size int) string {
	b.Helper()
	if dir == "" {
		dir = os.Getenv("REBATEDESK_BENCH_DIR")
	}
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "rebatedesk-bench-"); err != nil {
			b.Fatal(err)
		}
	}
	path := filepath.Join(dir, fmt.Sprintf("%s-%d-%d.db", of, size, schema(b)))
	if _, err := os.Stat(path); err == nil {
		return path
	}
	unfinished := path + ".part"
	for _, end := range []string{"", "-wal", "-shm"} {
		_ = os.Remove(unfinished + end) // of a run that was interrupted, if any
	}
	start := time.Now()
	make, done := func(ctx context.Context, path string, size int) error { return fill(ctx, path, size, of) }, "filled"
	if earlier := kept(of, size, schema(b)); earlier != "" {
		done = "brought up to date"
		make = func(ctx context.Context, path string, _ int) error { return update(ctx, earlier, path) }
	}
	if err := make(b.Context(), unfinished, size); err != nil {
		b.Fatal(err)
	}
	b.Logf("%s %d rows in %s", done, size, time.Since(start).Round(time.Second))
	if err := os.Rename(unfinished, path); err != nil {
		b.Fatal(err)
	}
	return path
}

// schema returns the version of the schema, which is the number of migrations.
func schema(b *testing.B) int {
	b.Helper()
	names, err := fs.Glob(store.Migrations, "migrations/*.sql")
	if err != nil {
		b.Fatal(err)
	}
	return len(names)
}

// kept returns the database of a size with the newest schema before version, if nobody is
// writing to it; empty: none.
func kept(of Kind, size, version int) string {
	names := []string{fmt.Sprintf("%s-%d.db", of, size)} // before names had the version
	for earlier := 1; earlier < version; earlier++ {
		names = append(names, fmt.Sprintf("%s-%d-%d.db", of, size, earlier))
	}
	for _, name := range slices.Backward(names) {
		path := filepath.Join(dir, name)
		_, err := os.Stat(path)
		log, logErr := os.Stat(path + "-wal")
		if err == nil && (logErr != nil || log.Size() == 0) {
			return path
		}
	}
	return ""
}

// update copies a database and brings its schema and its roll-ups up to date.
func update(ctx context.Context, from, to string) (err error) {
	if err := copyFile(from, to); err != nil {
		return err
	}
	s, err := store.Open(ctx, to, store.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return records.MakeRollups(ctx, s)
}

func copyFile(from, to string) (err error) {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	_, err = io.Copy(target, source)
	return err
}
