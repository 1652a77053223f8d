package site

import (
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/reports"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/web"
)

// Season returns ninety days of a simulated programme as they look after some months of
// use: 120 runs, some of them failed; three days that were never collected and one that
// was collected in part; failed months of sub-affiliates; and records restated in every
// possible way.
func Season(t testing.TB) *reports.Service { return theSeason(t) }

var theSeason = once(func(t testing.TB) *reports.Service { return OpenSeason(t, "main") })

// TwoSeasons returns the same for two accounts.
func TwoSeasons(t testing.TB) *reports.Service { return theTwoSeasons(t) }

var theTwoSeasons = once(func(t testing.TB) *reports.Service { return OpenSeason(t, "main", "second") })

// LookedAt returns the address of a server with the season.
func LookedAt(t testing.TB) string { return theSeasonAddress(t) }

var theSeasonAddress = once(func(t testing.TB) string {
	address, _ := Serve(t, web.Options{Reports: Season(t), Version: "0.1.0", Demo: true})
	return address
})

// missing holds the days that were never collected. On the day inPart only spot was
// collected.
var (
	missing = affiliate.Days{First: affiliate.NewDay(2026, 11, 3), Last: affiliate.NewDay(2026, 11, 5)}
	inPart  = affiliate.NewDay(2026, 11, 9)
)

func OpenSeason(t testing.TB, accounts ...affiliate.Account) *reports.Service {
	t.Helper()
	at := Now
	st, err := store.Open(t.Context(), storetest.Empty(t), store.Options{Now: func() time.Time { return at }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	truth := simulator.New(simulator.Options{Seed: 20, Days: 90, Invitees: 140, Records: 1800, Now: ClockAtNow}).Ledger()
	for _, account := range accounts {
		s := seasonOf{t, st, account, affiliate.DayOf(Now, time.UTC), &at}
		if err := st.WantFrom(t.Context(), account, s.today-364); err != nil {
			t.Fatal(err)
		}
		s.runs(120 / len(accounts))
		first, last := restated(truth.Commissions)
		at = Now.Add(-2 * time.Hour)
		s.commissions(first)
		at = Now
		s.commissions(last)
		s.rest(truth)
	}
	return reports.New(st, ClockAtNow)
}

// seasonOf writes the season of one account.
type seasonOf struct {
	testing.TB
	store   *store.Store
	account affiliate.Account
	today   affiliate.Day
	at      *time.Time
}

func (s seasonOf) slice(stream affiliate.Stream, days affiliate.Days) records.Slice {
	return records.Slice{Account: s.account, Stream: stream, Days: days, Started: *s.at, Through: affiliate.MillisOf(*s.at)}
}

// runs writes the log of the given number of runs, one every three hours. Every tenth
// failed, and one ended with its process.
func (s seasonOf) runs(count int) {
	s.Helper()
	for i := count; i > 0; i-- {
		*s.at = Now.Add(-time.Duration(i) * 3 * time.Hour)
		cause, problem := "schedule", ""
		if i == 5 {
			cause = "page"
		}
		run, err := records.StartRun(s.Context(), s.store, s.account, cause)
		if err != nil {
			s.Fatal(err)
		}
		if i%10 == 2 {
			problem = "stopped: the exchange did not answer for ten minutes"
			for _, product := range affiliate.Products() {
				slice := s.slice(affiliate.Stream{Kind: affiliate.SubAffiliates, Product: product},
					affiliate.Days{First: affiliate.NewDay(2026, 10, 1), Last: affiliate.NewDay(2026, 10, 28)})
				slice.Run = run
				s.fail(slice)
			}
		}
		*s.at = s.at.Add(time.Duration(40+i) * time.Second)
		if i == 5 {
			continue
		}
		if err := records.FinishRun(s.Context(), s.store, run, int64(34+i), int64(170+5*i), problem); err != nil {
			s.Fatal(err)
		}
	}
}

func (s seasonOf) fail(slice records.Slice) {
	s.Helper()
	if err := records.FailSlice(s.Context(), s.store, slice, "the exchange answered with a page instead of JSON (HTTP 502)"); err != nil {
		s.Fatal(err)
	}
}

// commissions stores a reading of all days except the missing ones.
func (s seasonOf) commissions(rows []affiliate.Commission) {
	s.Helper()
	for _, product := range affiliate.Products() {
		spans := []affiliate.Days{{First: s.today - 364, Last: missing.First - 1}, {First: missing.Last + 1, Last: inPart - 1}, {First: inPart + 1, Last: s.today}}
		if product == affiliate.Spot {
			spans = append(spans, affiliate.Days{First: inPart, Last: inPart})
		}
		for _, days := range spans {
			var of []affiliate.Commission
			for _, c := range rows {
				if c.Product == product && days.Contains(affiliate.DayOf(c.DealTime.Time(), time.UTC)) {
					of = append(of, c)
				}
			}
			if _, err := records.ReplaceCommissions(s.Context(), s.store, s.slice(affiliate.Stream{Kind: affiliate.Commissions, Product: product}, days), of); err != nil {
				s.Fatal(err)
			}
		}
	}
}

// rest stores invitees and sub-affiliates; every other month of spot fails.
func (s seasonOf) rest(truth simulator.Ledger) {
	s.Helper()
	year := affiliate.Days{First: s.today - 364, Last: s.today}
	if _, err := records.ReplaceInvitees(s.Context(), s.store, s.slice(affiliate.Stream{Kind: affiliate.Invitees}, year), truth.Invitees); err != nil {
		s.Fatal(err)
	}
	for _, product := range affiliate.Products() {
		stream := affiliate.Stream{Kind: affiliate.SubAffiliates, Product: product}
		for first := year.First; first <= year.Last; first += 30 {
			slice := s.slice(stream, affiliate.Days{First: first, Last: min(first+29, year.Last)})
			if product == affiliate.Spot && (first-year.First)%60 == 0 {
				s.fail(slice)
				continue
			}
			of := slices.DeleteFunc(slices.Clone(truth.SubAffiliateDays), func(d affiliate.SubAffiliateDay) bool { return d.Product != product || !slice.Days.Contains(d.Date) })
			if _, err := records.ReplaceSubAffiliateDays(s.Context(), s.store, slice, of); err != nil {
				s.Fatal(err)
			}
		}
	}
}

// restated returns two readings of the records. In the second, every ninth record is
// late, changed, removed or zero, in turn.
func restated(truth []affiliate.Commission) (first, last []affiliate.Commission) {
	for i, c := range truth {
		was, became := c, c
		switch kind := i / 9 % 4; {
		case i%9 != 0 || c.Commission == "" || c.Commission.Decimal().IsZero():
			first, last = append(first, was), append(last, became)
		case kind == 0:
			last = append(last, became)
		case kind == 1:
			was.Commission = affiliate.Number(c.Commission.Decimal().Mul(decimal.New(11, -1)).String())
			first, last = append(first, was), append(last, became)
		case kind == 2:
			first = append(first, was)
		default:
			became.Commission = "0"
			first, last = append(first, was), append(last, became)
		}
	}
	return first, last
}
