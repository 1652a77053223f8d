package store_test

import (
	"context"
	"fmt"
	"math/big"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/internal/race"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/store/sums"
	"rebatedesk/store/upkeep"
)

// zones lists zones of every kind: behind and ahead of UTC, by fractions of an hour, and
// with days that have no midnight (Santiago, on 6 September 2026).
var zones = []string{"UTC", "Asia/Kathmandu", "America/Santiago", "Pacific/Kiritimati", "America/St_Johns"}

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// end is an instant after all writes.
const end = affiliate.Millis(1) << 60

// number draws an amount in any spelling, or occasionally an unknown one.
func number(t *rapid.T, mayLack bool) affiliate.Number {
	if mayLack && rapid.IntRange(0, 9).Draw(t, "unknown") == 0 {
		return ""
	}
	return affiliate.Number(rapid.StringMatching(`-?[0-9]{1,6}(\.[0-9]{1,18})?|[0-9]{15,20}\.[0-9]{18}`).Draw(t, "number"))
}

// commission draws a record of the days, sometimes at their edges.
func commission(t *rapid.T, product affiliate.Product, days affiliate.Days) affiliate.Commission {
	span := days.Range(time.UTC)
	from, to := int64(affiliate.MillisOf(span.From)), int64(affiliate.MillisOf(span.To))
	hour := (from + rapid.Int64Range(0, (to-from)/3_600_000-1).Draw(t, "hour")*3_600_000)
	return affiliate.Commission{
		DealTime: affiliate.Millis(hour + rapid.SampledFrom([]int64{0, 0, 1, 900_000, 1_800_000, 3_599_999}).Draw(t, "ms")),
		UID:      affiliate.UID(rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, "uid")),
		Product:  product, Symbol: rapid.SampledFrom([]string{"BTCUSDT_SPBL", "ETHUSDT_SPBL"}).Draw(t, "symbol"),
		Source: rapid.SampledFrom([]affiliate.Source{"direct", "sub", "3"}).Draw(t, "source"),
		Coin:   rapid.SampledFrom([]affiliate.Coin{"USDT", "BTC"}).Draw(t, "coin"),
		Fee:    number(t, false), Commission: number(t, false),
		TakerAmount: number(t, true), MakerAmount: number(t, true), Rate: number(t, true),
	}
}

// book holds the expected content, kept independently of the program.
type book struct {
	account affiliate.Account
	rows    map[affiliate.Product][]affiliate.Commission
}

// write replaces a random slice with random records, in the store and in the book.
func (b *book) write(t *rapid.T, s *store.Store) {
	product := rapid.SampledFrom(affiliate.Products()).Draw(t, "product")
	// The slices are close together so that they meet, and cross the edges of months.
	first := storetest.Day + affiliate.Day(rapid.SampledFrom([]int{0, 1, 2, 3, 4, 5, 6, 7, -33, -2, 28, 60}).Draw(t, "first day"))
	days := affiliate.Days{First: first, Last: first + affiliate.Day(rapid.IntRange(0, 3).Draw(t, "days"))}
	var rows []affiliate.Commission
	for range rapid.IntRange(0, 8).Draw(t, "records") {
		rows = append(rows, commission(t, product, days))
	}
	span := days.Range(time.UTC)
	for _, c := range b.rows[product] { // some of the old records stay
		if span.Contains(c.DealTime) && rapid.Bool().Draw(t, "stays") {
			rows = append(rows, c)
		}
	}
	slice := storetest.DaySlice(days)
	slice.Account, slice.Stream.Product = b.account, product
	if _, err := records.ReplaceCommissions(context.Background(), s, slice, slices.Clone(rows)); err != nil {
		t.Fatal(err)
	}
	b.rows[product] = append(slices.DeleteFunc(b.rows[product], func(c affiliate.Commission) bool { return span.Contains(c.DealTime) }), rows...)
}

// failer is a test of package testing or of rapid.
type failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

type figures struct {
	records                       int64
	fee, commission, taker, maker *big.Rat
}

func zeroFigures() *figures {
	return &figures{0, new(big.Rat), new(big.Rat), new(big.Rat), new(big.Rat)}
}

func (f *figures) addFigures(o *figures) {
	f.records += o.records
	f.fee.Add(f.fee, o.fee)
	f.commission.Add(f.commission, o.commission)
	f.taker.Add(f.taker, o.taker)
	f.maker.Add(f.maker, o.maker)
}

func (f *figures) add(t failer, c affiliate.Commission) {
	if f.fee == nil {
		*f = *zeroFigures()
	}
	f.records++
	f.fee.Add(f.fee, rat(t, c.Fee))
	f.commission.Add(f.commission, rat(t, c.Commission))
	f.taker.Add(f.taker, rat(t, c.TakerAmount))
	f.maker.Add(f.maker, rat(t, c.MakerAmount))
}

// is reports whether sums equal the figures.
func (f *figures) is(t failer, s sums.Sums) bool {
	t.Helper()
	return f != nil && s.Records == f.records && rat(t, s.Fee).Cmp(f.fee) == 0 && rat(t, s.Commission).Cmp(f.commission) == 0 &&
		rat(t, s.TakerAmount).Cmp(f.taker) == 0 && rat(t, s.MakerAmount).Cmp(f.maker) == 0
}

func rat(t failer, n affiliate.Number) *big.Rat {
	if !n.Known() {
		return new(big.Rat)
	}
	value, ok := new(big.Rat).SetString(string(n))
	if !ok {
		t.Fatalf("%q is not a number", n)
	}
	return value
}

// matching returns the records that match the filter.
func (b *book) matching(f records.CommissionFilter, z *time.Location) []affiliate.Commission {
	var list []affiliate.Commission
	for _, c := range slices.Concat(b.rows[affiliate.Spot], b.rows[affiliate.Futures]) {
		if f.Days.Contains(affiliate.DayOf(c.DealTime.Time(), z)) && (f.Product == "" || c.Product == f.Product) &&
			(f.Coin == "" || c.Coin == f.Coin) && (f.Source == "" || c.Source == f.Source) && (f.UID == "" || c.UID == f.UID) &&
			(f.Symbol == "" || c.Symbol == f.Symbol) && (f.Code == "" || codeOf[c.UID] == f.Code) {
			list = append(list, c)
		}
	}
	return list
}

// codeOf holds the invite codes of the users in the books; user 3 is unknown.
var codeOf = map[affiliate.UID]string{"1": "welcome", "2": "vip"}

// registered holds their registration times: before the records and among them.
var registered = map[affiliate.UID]affiliate.Millis{
	"1": affiliate.MillisOf((storetest.Day - 50).Start(time.UTC)), "2": affiliate.MillisOf((storetest.Day + 2).Start(time.UTC)) + 1,
}

func anyFilter(t *rapid.T, account affiliate.Account) records.CommissionFilter {
	first := storetest.Day + affiliate.Day(rapid.OneOf(rapid.IntRange(-2, 12), rapid.IntRange(-70, 65)).Draw(t, "filter from"))
	days := rapid.OneOf(rapid.IntRange(0, 14), rapid.IntRange(0, 140)).Draw(t, "filter days")
	f := records.CommissionFilter{Account: account, Days: affiliate.Days{First: first, Last: first + affiliate.Day(days)}}
	f.Product = rapid.SampledFrom([]affiliate.Product{"", "", "SPOT", "FUTURES"}).Draw(t, "filter product")
	f.Coin = rapid.SampledFrom([]affiliate.Coin{"", "", "USDT", "BTC"}).Draw(t, "filter coin")
	f.Source = rapid.SampledFrom([]affiliate.Source{"", "", "direct", "sub", "3"}).Draw(t, "filter source")
	f.UID = rapid.SampledFrom([]affiliate.UID{"", "", "1", "2", "3", "4"}).Draw(t, "filter uid")
	f.Symbol = rapid.SampledFrom([]string{"", "", "", "BTCUSDT_SPBL"}).Draw(t, "filter symbol")
	f.Code = rapid.SampledFrom([]string{"", "", "", "welcome", "vip", "none"}).Draw(t, "filter code")
	return f
}

// check compares every kind of sum under the filter with the book.
func (b *book) check(t failer, s *store.Store, f records.CommissionFilter) {
	t.Helper()
	days := map[sums.DaySums]*figures{}
	people := map[sums.InviteeSums]*figures{}
	traders := map[affiliate.UID]bool{}
	var uncoded int64
	for _, c := range b.matching(f, s.Zone()) {
		day := sums.DaySums{Day: affiliate.DayOf(c.DealTime.Time(), s.Zone()), Account: b.account, Product: c.Product, Coin: c.Coin, Source: c.Source}
		person := sums.InviteeSums{Account: b.account, UID: c.UID, Coin: c.Coin}
		if days[day] == nil {
			days[day] = new(figures)
		}
		if people[person] == nil {
			people[person] = new(figures)
		}
		days[day].add(t, c)
		people[person].add(t, c)
		traders[c.UID] = true
		if codeOf[c.UID] == "" {
			uncoded++
		}
	}
	asOf := f
	asOf.AsOf = end // the same state, computed from the rows
	for _, f := range []records.CommissionFilter{f, asOf} {
		b.checkDays(t, s, f, days)
		b.checkPeople(t, s, f, people, int64(len(traders)), uncoded)
		b.checkRankings(t, s, f)
		b.checkDayTraders(t, s, f)
		b.checkWeekTraders(t, s, f)
		b.checkCohorts(t, s, f, sums.CohortWeek)
		b.checkCohorts(t, s, f, sums.CohortMonth)
	}
}

func (b *book) checkDays(t failer, s *store.Store, f records.CommissionFilter, want map[sums.DaySums]*figures) {
	t.Helper()
	r, err := s.Read(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got, err := sums.ByDay(context.Background(), r, f)
	if err != nil || len(got) != len(want) {
		t.Fatalf("%+v: %d lines of days, want %d (%v)", f, len(got), len(want), err)
	}
	for i, line := range got {
		if i > 0 && got[i-1].Day > line.Day {
			t.Fatalf("%+v: day %s after %s", f, line.Day, got[i-1].Day)
		}
		totals := line.Sums
		line.Sums = sums.Sums{}
		w := want[line]
		if !w.is(t, totals) {
			t.Fatalf("%+v: %+v is %+v, want %+v", f, line, totals, w)
		}
	}
}

func (b *book) checkPeople(t failer, s *store.Store, f records.CommissionFilter, want map[sums.InviteeSums]*figures, traders, uncoded int64) {
	t.Helper()
	r, err := s.Read(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got, err := sums.ByInvitee(context.Background(), r, f)
	if err != nil || len(got) != len(want) {
		t.Fatalf("%+v: %d lines of invitees, want %d (%v)", f, len(got), len(want), err)
	}
	for _, line := range got {
		totals := line.Sums
		line.Sums = sums.Sums{}
		if w := want[line]; !w.is(t, totals) {
			t.Fatalf("%+v: %+v is %+v, want %+v", f, line, totals, w)
		}
	}
	if n, err := sums.ActiveTraders(context.Background(), r, f); err != nil || n != traders {
		t.Fatalf("%+v: %d active traders, want %d (%v)", f, n, traders, err)
	}
	if n, err := sums.UnknownCodes(context.Background(), r, f); err != nil || n != uncoded {
		t.Fatalf("%+v: %d records without a code, want %d (%v)", f, n, uncoded, err)
	}
}

// withCodes stores the invitees of a book.
func (b *book) withCodes(t failer, s *store.Store) {
	t.Helper()
	var invitees []affiliate.Invitee
	for uid, code := range codeOf {
		invitees = append(invitees, affiliate.Invitee{UID: uid, InviteCode: code, RegisterTime: registered[uid]})
	}
	slice := storetest.DaySlice(storetest.OneDay)
	slice.Account, slice.Stream = b.account, affiliate.Stream{Kind: affiliate.Invitees}
	if _, err := records.ReplaceInvitees(context.Background(), s, slice, invitees); err != nil {
		t.Fatal(err)
	}
}

// After any writes in any order, roll-ups and rows give the sums of an independent
// computation, by day of any zone.
func TestSumsEqualTheRows(t *testing.T) {
	t.Parallel()
	race.Skip(t, "sums of random records, by one goroutine")
	storetest.Engines(t, "statements of roll-ups, texts with odd characters", testSumsEqualTheRows)
}

func testSumsEqualTheRows(t *testing.T) {
	stores := make([]*store.Store, len(zones))
	for i, name := range zones {
		stores[i] = storetest.Open(t, store.Options{Zone: zone(t, name)})
		storetest.Replace(t, stores[i], storetest.DaySlice(storetest.OneDay), storetest.Record(1, "1")) // in a separate account, because a few checks may not draw each zone
	}
	accounts := 0
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(stores).Draw(t, "zone")
		accounts++ // each check has a separate account in one database
		b := &book{affiliate.Account(fmt.Sprint("account ", accounts)), map[affiliate.Product][]affiliate.Commission{}}
		b.withCodes(t, s)
		for range rapid.IntRange(1, 5).Draw(t, "writes") {
			b.write(t, s)
		}
		b.check(t, s, records.CommissionFilter{Account: b.account, Days: storetest.AnyDays})
		b.check(t, s, anyFilter(t, b.account))
		b.check(t, s, anyFilter(t, b.account))
	})
	for _, s := range stores {
		if err := upkeep.CheckIntegrity(context.Background(), s); err != nil {
			t.Error(err)
		}
		rollupsAreThoseOfTheRows(t, s)
	}
}

// rollupsAreThoseOfTheRows rebuilds the roll-ups and expects no change.
func rollupsAreThoseOfTheRows(t testing.TB, s *store.Store) {
	t.Helper()
	tables := func() (lines []string) {
		for _, table := range []string{`SELECT * FROM commission_days ORDER BY 1, 2, 3, 4, 5`,
			`SELECT * FROM commission_hours ORDER BY 1, 2, 3, 4`,
			`SELECT kind, span, day, account_id, shard, names, lines FROM commission_blocks ORDER BY 1, 2, 3, 4, 5`} {
			stored, err := storetest.Lines(s, table)
			if err != nil || len(stored) == 0 {
				t.Fatalf("%s: %d lines (%v)", table, len(stored), err)
			}
			lines = append(lines, stored...)
		}
		return lines
	}
	kept := tables() // all tables before the rebuild
	if err := records.RebuildRollups(context.Background(), s); err != nil {
		t.Fatal(err)
	}
	if made := tables(); !slices.Equal(kept, made) {
		t.Fatalf("%d lines before, %d after the rebuild, and they differ", len(kept), len(made))
	}
}

// A database that is opened in another zone answers in this zone: from its rows until the
// next write, and from its roll-ups afterwards. Programs in different zones on one
// database both get right answers.
func TestChangingTheZone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	b := &book{"main", map[affiliate.Product][]affiliate.Commission{}}
	filters := []records.CommissionFilter{}
	s := storetest.OpenAt(t, path, store.Options{Zone: zone(t, zones[0])})
	b.withCodes(t, s)
	written := false
	rapid.Check(t, func(t *rapid.T) {
		if len(filters) < 10 {
			filters = append(filters, anyFilter(t, "main"))
		}
		if !written {
			for range 8 {
				b.write(t, s)
			}
			written = true
		}
	})
	for _, name := range append(zones, zones[0]) {
		s := storetest.OpenAt(t, path, store.Options{Zone: zone(t, name)})
		b.check(t, s, records.CommissionFilter{Account: "main", Days: storetest.AnyDays})
		for _, f := range filters {
			b.check(t, s, f)
		}
		written = false
		rapid.Check(t, func(t *rapid.T) {
			if !written {
				b.write(t, s)
				written = true
			}
		})
		rollupsAreThoseOfTheRows(t, s)
		for _, f := range filters {
			b.check(t, s, f)
		}
	}
}
