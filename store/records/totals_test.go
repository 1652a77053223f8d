package records_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/store/upkeep"
)

var firstReading = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// span is a record of figures that only grow, in the columns that it has.
type span struct {
	uid                     affiliate.UID
	from, until             affiliate.Millis
	commission, fee, volume affiliate.Number
}

// readings writes readings of one account.
type readings struct {
	testing.TB
	*store.Store
	now   time.Time
	falls []records.Fall
}

func newReadings(t testing.TB) *readings {
	r := &readings{TB: t, now: firstReading}
	r.Store = storetest.Open(t, store.Options{Now: func() time.Time { return r.now }})
	return r
}

// read writes a reading of the days from the last complete one to today, which began at an instant.
func (r *readings) read(began time.Time, complete bool, totals ...affiliate.Total) {
	r.Helper()
	ctx := r.Context()
	r.now = began.Add(time.Minute)
	days := affiliate.Days{First: affiliate.DayOf(began, time.UTC), Last: affiliate.DayOf(began, time.UTC)}
	tx := r.reader()
	before, err := records.LastReading(ctx, tx, "main")
	if err == nil {
		err = tx.Close()
	}
	if err != nil {
		r.Fatal(err)
	}
	if before.Known() {
		days.First = affiliate.DayOf(before.Time(), time.UTC)
	}
	_, falls, err := records.WriteTotals(ctx, r.Store, records.TotalsSlice{Coin: "USDT", Totals: totals, Complete: complete, Slice: records.Slice{
		Account: "main", Stream: affiliate.Stream{Kind: affiliate.Commissions}, Days: days,
		Through: affiliate.MillisOf(began), Read: affiliate.MillisOf(began), Started: began,
	}})
	if err != nil {
		r.Fatal(err)
	}
	r.falls = append(r.falls, falls...)
}

func (r *readings) reader() *store.Tx {
	r.Helper()
	tx, err := r.Store.Read(r.Context())
	if err != nil {
		r.Fatal(err)
	}
	return tx
}

// spans are the stored records with their ends, by user and time.
func (r *readings) spans() (list []span) {
	r.Helper()
	tx := r.reader()
	defer tx.Close()
	ends, err := records.SpanEnds(r.Context(), tx, "main")
	if err != nil {
		r.Fatal(err)
	}
	all := records.CommissionFilter{Days: affiliate.Days{First: affiliate.NewDay(2020, 1, 1), Last: affiliate.NewDay(2030, 1, 1)}}
	for c, err := range records.Commissions(r.Context(), tx, all, records.CommissionOrder{Column: "time"}, 0, 0) {
		if err != nil {
			r.Fatal(err)
		}
		if c.Product != "" || c.Symbol != "" || c.Rate != "" || c.MakerAmount != "" || c.Source != affiliate.Direct || c.Coin != "USDT" {
			r.Errorf("the record %+v says what no reading does", c.Commission)
		}
		list = append(list, span{c.UID, c.DealTime, ends.Of(c.UID, c.DealTime), c.Commission.Commission, c.Fee, c.TakerAmount})
	}
	slices.SortStableFunc(list, func(a, b span) int { return slices.Compare([]string{string(a.uid)}, []string{string(b.uid)}) })
	return list
}

// verified checks the database as webapp verify does.
func (r *readings) verified() {
	r.Helper()
	for result, err := range upkeep.Verify(r.Context(), r.Store) {
		if err != nil {
			r.Fatal(err)
		}
		for _, fault := range result.Faults {
			r.Errorf("%s: %s", result.Check, fault)
		}
	}
}

// at is an instant some hours after the first reading.
func at(hours float64) time.Time {
	return firstReading.Add(time.Duration(hours * float64(time.Hour)))
}

func ms(hours float64) affiliate.Millis { return affiliate.MillisOf(at(hours)) }

func figures(uid affiliate.UID, read float64, commission, fee, volume affiliate.Number) affiliate.Total {
	return affiliate.Total{UID: uid, Joined: ms(-1000), At: ms(read), Commission: commission, Fee: fee, Volume: volume}
}

// What was added between two readings is a record from the one to the other; the first reading is none,
// and so is one that found nothing new.
func TestSpansOfReadings(t *testing.T) {
	storetest.Engines(t, "which totals a statement finds the newest", testSpansOfReadings)
}

func testSpansOfReadings(t *testing.T) {
	r := newReadings(t)
	r.read(at(0), true, figures("1", 0.1, "10", "100", "1000"), figures("2", 0.1, "0", "0", "0"))
	r.read(at(5), true, figures("1", 5.1, "10.0", "100", "1000"), figures("2", 5.1, "0", "0", "0"))
	r.read(at(30), true, figures("1", 30.1, "10.000000000000000001", "101", "1010"), figures("2", 30.1, "0.5", "2", "7"))
	want := []span{
		{"1", ms(5.1), ms(30.1), "0.000000000000000001", "1", "10"},
		{"2", ms(5.1), ms(30.1), "0.5", "2", "7"},
	}
	if got := r.spans(); !slices.Equal(got, want) {
		t.Errorf("the records are %v, not %v", got, want)
	}
	r.verified()
}

// Who joined after the previous complete reading began opens at 0, from when it joined; everybody else who
// is seen for the first time has an opening balance.
func TestNewcomersOpenAtZero(t *testing.T) {
	r := newReadings(t)
	joined := func(uid affiliate.UID, joins, read float64, commission affiliate.Number) affiliate.Total {
		return affiliate.Total{UID: uid, Joined: ms(joins), At: ms(read), Commission: commission, Fee: "1", Volume: "1"}
	}
	r.read(at(0), true, figures("1", 0.1, "5", "5", "5"))
	r.read(at(10), false, joined("2", 4, 10.1, "3")) // breaks off
	unknown := joined("5", 0, 20.1, "9")
	unknown.Joined = 0
	r.read(at(20), true, figures("1", 20.1, "5", "5", "5"), joined("2", 4, 20.1, "4"), joined("3", 12, 20.1, "8"), joined("4", -5, 20.1, "7"), unknown,
		joined("6", 20.2, 20.1, "6"), joined("7", 15, 20.1, "0")) // 6 by a clock that is ahead of the answer's
	r.read(at(30), true, joined("7", 15, 30.1, "2"))
	want := []span{
		{"2", ms(4), ms(10.1), "3", "1", "1"}, {"2", ms(10.1), ms(20.1), "1", "0", "0"},
		{"3", ms(12), ms(20.1), "8", "1", "1"},
		{"6", ms(0), ms(20.1), "6", "1", "1"},
		{"7", ms(15), ms(20.1), "0", "1", "1"}, {"7", ms(20.1), ms(30.1), "2", "0", "0"},
	}
	if got := r.spans(); !slices.Equal(got, want) {
		t.Errorf("the records are\n%v, not\n%v", got, want)
	}
	r.verified()
}

// A fall is said and takes nothing back. The highest figure stays the mark, and a figure below its mark is
// left empty in a record of others that rose.
func TestFallsOfFigures(t *testing.T) {
	r := newReadings(t)
	for i, f := range [][3]affiliate.Number{
		{"10", "100", "1000"}, {"20", "110", "1100"}, {"12", "120", "1200"}, {"15", "120", "1200"}, {"", "125", "1200"}, {"14", "", "1300"}, {"26", "130", "1300"},
	} {
		hours := float64(10 * i)
		r.read(at(hours), true, figures("1", hours+0.1, f[0], f[1], f[2]))
	}
	want := []span{
		{"1", ms(0.1), ms(10.1), "10", "10", "100"},
		{"1", ms(10.1), ms(20.1), "", "10", "100"},
		{"1", ms(30.1), ms(40.1), "", "5", "0"},
		{"1", ms(40.1), ms(50.1), "", "", "100"},
		{"1", ms(50.1), ms(60.1), "6", "5", "0"},
	}
	if got := r.spans(); !slices.Equal(got, want) {
		t.Errorf("the records are\n%v, not\n%v", got, want)
	}
	if fell := []records.Fall{{UID: "1", Figure: "commission", Before: "20", After: "12"}}; !slices.Equal(r.falls, fell) {
		t.Errorf("falls are %v, not %v", r.falls, fell)
	}
	r.verified()
}

// However readings end, and whoever they miss, the records of an invitee add up to its highest figure less
// its first one, they follow each other without a gap, and none is negative.
func TestSpansAddUpWhateverHappens(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 58))
			r := newReadings(t)
			const invitees = 6
			var now, first, most [invitees]decimal.Decimal
			var seen [invitees]bool
			for n := range 25 {
				hours := float64(n * 7)
				var totals []affiliate.Total
				for i := range now {
					switch rng.IntN(8) {
					case 0: // falls
						now[i] = now[i].Sub(decimal.New(rng.Int64N(50), -2))
					case 1, 2, 3, 4:
						now[i] = now[i].Add(decimal.New(rng.Int64N(1_000_000), -18))
					}
					if rng.IntN(6) == 0 {
						continue // is not read
					}
					if !seen[i] {
						seen[i], first[i], most[i] = true, now[i], now[i]
					}
					most[i] = decimal.Max(most[i], now[i])
					text := affiliate.Number(now[i].String())
					totals = append(totals, figures(affiliate.UID(fmt.Sprint(100+i)), hours+float64(i)/100, text, text, text))
				}
				r.read(at(hours), rng.IntN(3) > 0, totals...)
			}
			sums, end := map[affiliate.UID]decimal.Decimal{}, map[affiliate.UID]affiliate.Millis{}
			for _, one := range r.spans() {
				for _, figure := range []affiliate.Number{one.commission, one.fee, one.volume} {
					if figure.Decimal().IsNegative() || figure != one.commission {
						t.Errorf("the record %v has %s", one, figure)
					}
				}
				if one.from < end[one.uid] || one.until <= one.from {
					t.Errorf("the record %v begins before the end of the one before, %s", one, end[one.uid])
				}
				end[one.uid] = one.until
				sums[one.uid] = sums[one.uid].Add(one.commission.Decimal())
			}
			for i := range now {
				if got, want := sums[affiliate.UID(fmt.Sprint(100+i))], most[i].Sub(first[i]); !got.Equal(want) {
					t.Errorf("the records of %d add up to %s, not to %s", 100+i, got, want)
				}
			}
			r.verified()
		})
	}
}
