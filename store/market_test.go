package store_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// A market is what the benchmarks read: 400 days of 5,000 invitees of whom few
// trade much, each in favourite pairs of 40, in three coins.
const (
	marketInvitees = 5000
	marketDays     = 400
	sliceDays      = 8
)

var (
	marketFirst = affiliate.NewDay(2025, time.October, 17)
	marketLast  = marketFirst + marketDays - 1
)

func marketUID(n int) affiliate.UID { return affiliate.UID(strconv.Itoa(4_600_000_000 + n*7919)) }

// marketSizes are the sizes in rows; REBATEDESK_BENCH_ROWS bounds them.
func marketSizes(b *testing.B) []int {
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

// marketDir is where databases are kept for the whole run, or for the next one.
var marketDir string

func TestMain(m *testing.M) {
	code := m.Run()
	if marketDir != "" && marketDir != os.Getenv("REBATEDESK_BENCH_DIR") {
		_ = os.RemoveAll(marketDir) // temporary, and the process ends
	}
	os.Exit(code)
}

// marketPath is the database of a size, filled where it is not there yet.
func marketPath(b *testing.B, size int) string {
	b.Helper()
	if marketDir == "" {
		marketDir = os.Getenv("REBATEDESK_BENCH_DIR")
	}
	if marketDir == "" {
		var err error
		if marketDir, err = os.MkdirTemp("", "rebatedesk-bench-"); err != nil {
			b.Fatal(err)
		}
	}
	path := filepath.Join(marketDir, fmt.Sprintf("market-%d.db", size))
	if _, err := os.Stat(path); err == nil {
		return path
	}
	unfinished := path + ".part"
	for _, end := range []string{"", "-wal", "-shm"} {
		_ = os.Remove(unfinished + end) // of a run that was interrupted, if any
	}
	start := time.Now()
	fillMarket(b, unfinished, size)
	b.Logf("filled %d rows in %s", size, time.Since(start).Round(time.Second))
	if err := os.Rename(unfinished, path); err != nil {
		b.Fatal(err)
	}
	return path
}

func marketStore(b *testing.B, size int) *store.Store {
	b.Helper()
	return openAt(b, marketPath(b, size), store.Options{})
}

func fillMarket(b *testing.B, path string, size int) {
	b.Helper()
	s, err := store.Open(b.Context(), path, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	who := rand.NewZipf(random, 1.05, 6, marketInvitees-1)
	slice := daySlice(affiliate.Days{First: marketFirst, Last: marketLast})
	slice.Stream = affiliate.Stream{Kind: affiliate.Invitees}
	if _, err := s.ReplaceInvitees(b.Context(), slice, marketPeople()); err != nil {
		b.Fatal(err)
	}
	for first := marketFirst; first <= marketLast; first += sliceDays {
		for i, product := range affiliate.Products() {
			slice := daySlice(affiliate.Days{First: first, Last: first + sliceDays - 1})
			slice.Stream.Product = product
			var records []affiliate.Commission
			for range size * sliceDays / marketDays * (3 - i) / 5 { // 3 of 5 spot, 2 of 5 futures
				records = append(records, trade(random, int(who.Uint64()), product, slice.Range()))
			}
			slices.SortFunc(records, func(a, b affiliate.Commission) int { return cmp.Compare(a.DealTime, b.DealTime) })
			if _, err := s.ReplaceCommissions(b.Context(), slice, records); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
}

// marketPeople register over the whole time, under twenty codes.
func marketPeople() []affiliate.Invitee {
	people := make([]affiliate.Invitee, marketInvitees)
	for n := range people {
		day := marketFirst + affiliate.Day(n*7%marketDays)
		people[n] = affiliate.Invitee{UID: marketUID(n), InviteCode: fmt.Sprint("code", n%20), RegisterTime: affiliate.MillisOf(day.Start(time.UTC))}
	}
	return people
}

// trade is a record of an invitee within the span.
func trade(random *rand.Rand, n int, product affiliate.Product, span affiliate.Range) affiliate.Commission {
	pair := (n*13 + random.IntN(1+n%8)) % 20
	c := affiliate.Commission{
		DealTime: affiliate.MillisOf(span.From) + affiliate.Millis(random.Int64N(span.To.Sub(span.From).Milliseconds())),
		UID:      marketUID(n), Product: product, Symbol: fmt.Sprintf("PAIR%02dUSDT_SPBL", pair), Source: affiliate.Direct, Coin: "USDT",
		TakerAmount: amount(random, 5_000_000, 3), MakerAmount: amount(random, 2_000_000, 3),
		Fee: amount(random, 3_000_000, 6), Rate: "0.1", Commission: amount(random, 30_000_000, 8),
	}
	if product == affiliate.Futures {
		c.Symbol = fmt.Sprintf("cmt_pair%02dusdt", pair)
	}
	if n%5 == 0 {
		c.Source = "sub"
	}
	switch pair % 10 {
	case 8:
		c.Coin = "BTC"
	case 9:
		c.Coin = "USDC"
	}
	return c
}

func amount(random *rand.Rand, below int64, decimals int) affiliate.Number {
	units := fmt.Sprintf("%0*d", decimals+1, random.Int64N(below))
	return affiliate.Number(units[:len(units)-decimals] + "." + units[len(units)-decimals:])
}

// durations are measured one by one.
type durations []time.Duration

func (d *durations) measure(f func()) {
	start := time.Now()
	f()
	*d = append(*d, time.Since(start))
}

func (d durations) p95() time.Duration {
	sorted := slices.Sorted(slices.Values(d))
	return sorted[(len(sorted)*95+99)/100-1]
}

// sqlite3 measures a query of the command line tool, its start included; 0
// where there is none.
func sqlite3(b *testing.B, path, query string) time.Duration {
	b.Helper()
	if _, err := exec.LookPath("sqlite3"); err != nil {
		b.Log("sqlite3 is not installed: no comparison")
		return 0
	}
	start := time.Now()
	out, err := exec.Command("sqlite3", "-readonly", path, query).CombinedOutput()
	if err != nil || len(bytes.TrimSpace(out)) == 0 {
		b.Fatalf("sqlite3: %v: %s", err, out)
	}
	return time.Since(start)
}
