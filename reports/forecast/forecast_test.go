package forecast_test

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/forecast"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store/audit"
	"rebatedesk/store/people"
	"rebatedesk/store/storetest"
)

func TestForecast(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "UTC")
	d.Steady()
	for _, test := range []struct {
		query                            string
		state                            forecast.State
		earned, expected, low, high, say string
		trials                           int
	}{
		// Today's commission is earned in the first hour, and eleven of its hours are read.
		{"", forecast.SpanOpen, "205", "417", "412", "420", "September 2026 will end at about", 4},
		{"month=2026-09", forecast.SpanOpen, "205", "417", "412", "420", "September 2026 will end at about", 4},
		{"code=spring", forecast.SpanOpen, "55", "112", "105", "115", "September 2026 will end at about", 4},
		{"product=SPOT", forecast.SpanOpen, "150", "305", "300", "310", "September 2026 will end at about", 4},
		{"month=2026-08", forecast.SpanOver, "415", "415", "415", "415", "August 2026 ended at 415.00 USDT.", 0},
		{"month=2026-10", forecast.SpanAhead, "0", "420", "410", "425", "October 2026 will bring about", 3},
		{"from=2026-07-01&to=2026-09-30", forecast.SpanOpen, "1045", "1258", "1250", "1262", "July – September 2026 will end at about", 0},
		{"from=2026-09-08&to=2026-09-21", forecast.SpanOpen, "110", "200", "195", "204", "8–21 Sep 2026 will end at about", 9},
	} {
		e := d.Forecast(test.query).Main()
		switch {
		case e == nil || !e.Known():
			t.Errorf("%s: no forecast: %+v", test.query, e)
			continue
		case e.State != test.state || e.Estimate.Earned.String() != test.earned || len(e.Trials) < min(1, test.trials):
			t.Errorf("%s: %s, earned %s, %d trials", test.query, e.State, e.Estimate.Earned, len(e.Trials))
		}
		for name, pair := range map[string][2]decimal.Decimal{
			"expected": {e.Estimate.Expected, decimal.RequireFromString(test.expected)},
			"low":      {e.Estimate.Low, decimal.RequireFromString(test.low)},
			"high":     {e.Estimate.High, decimal.RequireFromString(test.high)},
		} {
			if pair[0].Sub(pair[1]).Abs().GreaterThan(decimal.NewFromInt(10)) {
				t.Errorf("%s: %s is %s, not about %s", test.query, name, pair[0], pair[1])
			}
		}
		if words := phrase.Forecast(*e); !strings.HasPrefix(words, test.say) {
			t.Errorf("%s: %q", test.query, words)
		}
		for _, trial := range e.Trials {
			came := decimal.Zero
			for day := trial.Estimate.Days.First; day <= trial.Estimate.Days.Last; day++ {
				switch weekend := day.Weekday() == time.Saturday || day.Weekday() == time.Sunday; {
				case test.query == "code=spring" && !weekend:
					came = came.Add(decimal.NewFromInt(5))
				case test.query == "code=spring":
				case test.query == "product=SPOT" || weekend:
					came = came.Add(decimal.NewFromInt(10))
				default:
					came = came.Add(decimal.NewFromInt(15))
				}
			}
			if !trial.Came.Equal(came) || trial.Estimate.Days.Last >= reporttest.Today || trial.On > trial.Estimate.Days.Last {
				t.Errorf("%s: the trial of %v on %s has %s, not %s", test.query, trial.Estimate.Days, trial.On, trial.Came, came)
			}
		}
	}
}

func TestForecastOfASubject(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "UTC")
	d.Steady()
	storetest.Done(t, people.AddTag(t.Context(), d.DB, "main", "4667776801", "vip", audit.Line{Actor: "ann"}))
	month := forecast.MonthOf(reporttest.Today)
	for earned, of := range map[string]forecast.Earnings{
		"205": {Coin: "USDT"}, "150": {Coin: "USDT", Tag: "vip"}, "55": {Coin: "USDT", Code: "spring", Account: "main"},
	} {
		e, err := d.ForecastOf(t.Context(), d.Ask(""), of, month)
		if err != nil || !e.Known() || e.Estimate.Earned.String() != earned || e.Estimate.High.LessThan(e.Estimate.Earned) || len(e.Trials) == 0 {
			t.Errorf("%+v: %+v, %v", of, e, err)
		}
	}
	if e, err := d.ForecastOf(t.Context(), d.Ask(""), forecast.Earnings{}, month); err != nil || !e.Converted || e.Estimate.Earned.String() != "205" {
		t.Errorf("converted: %+v, %v", e, err)
	}
	if e, err := d.ForecastOf(t.Context(), d.Ask(""), forecast.Earnings{Coin: "USDT", Tag: "nobody"}, month); err != nil || e.Lack.Kind != forecast.LackHistory || e.Lack.Have != 0 {
		t.Errorf("of nobody: %+v, %v", e, err)
	}
}

// A forecast is refused for any day that it needs and that is not collected, with the days and
// what mends it. Older days do not matter to it.
func TestForecastNeedsCompleteDays(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		missing int
		query   string
		says    []string
	}{
		{-3, "", []string{"No forecast of September 2026 in USDT: 12 Sep 2026 is not completely collected", "webapp collect"}},
		{0, "", []string{"15 Sep 2026 is not"}},
		{-70, "", []string{"7 Jul 2026 is not"}},
		{-70, "month=2026-07", []string{"No figure of July 2026", "7 Jul 2026 is not"}},
		{-150, "", nil},
		{-3, "month=2026-08", nil},
	} {
		d := reporttest.NewFixture(t, "UTC")
		d.Steady(test.missing)
		r := d.Forecast(test.query)
		e := r.Main()
		if e == nil {
			t.Fatalf("%+v: %+v", test, r)
		}
		words := phrase.ForecastLack(*e)
		if e.Known() != (test.says == nil) || (words == "") != e.Known() {
			t.Errorf("%+v: %+v, %q", test, e.Lack, words)
		}
		for _, part := range test.says {
			if !strings.Contains(words, part) {
				t.Errorf("%+v: %q", test, words)
			}
		}
		d.Read("main", reporttest.Spot, reporttest.Days(test.missing, test.missing), reporttest.Trade(reporttest.Today+affiliate.Day(test.missing), reporttest.Spot, 1, "10"))
		if e := d.Forecast(test.query).Main(); !e.Known() {
			t.Errorf("%+v: %+v after it was collected", test, e.Lack)
		}
	}
}

func TestForecastNeedsHistory(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "UTC")
	span := reporttest.Days(-50, 0)
	d.Want("main", reporttest.Days(-200, 0).First)
	d.ReadEmpty(reporttest.Days(-200, -51))
	var rows []affiliate.Commission
	for day := span.First; day <= span.Last; day++ {
		rows = append(rows, reporttest.Trade(day, reporttest.Spot, 1, "10"))
	}
	d.Read("main", reporttest.Spot, span, rows...)
	d.Read("main", reporttest.Futures, span)
	e := d.Forecast("").Main()
	if e == nil || e.Lack.Kind != forecast.LackHistory || e.Lack.Have != 50 || e.Estimate.Earned.String() != "150" {
		t.Fatalf("after 50 days: %+v", e)
	}
	if words := phrase.ForecastLack(*e); !strings.Contains(words, "It has 7 complete weeks since the first commission, and 10 complete weeks are needed") {
		t.Error(words)
	}
	if e := d.Forecast("month=2027-03").Main(); e == nil || e.Lack.Kind != forecast.LackFar {
		t.Errorf("half a year ahead: %+v", e)
	}
	if r := d.Forecast("code=nobody"); r.Main() != nil || r.Empty == "" {
		t.Errorf("of nobody: %+v", r)
	}
}

// The forecast of an earlier instant is the one that was made then.
func TestForecastAsOf(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "Asia/Kathmandu")
	d.Steady()
	d.Now = d.Now.Add(time.Minute)
	at, then := d.Now, d.Forecast("")
	d.Now = d.Now.Add(72 * time.Hour)
	d.Read("main", reporttest.Spot, reporttest.Days(0, 3), reporttest.Trade(reporttest.Today, reporttest.Spot, 1, "10"), reporttest.Trade(reporttest.Today+1, reporttest.Spot, 1, "900"), reporttest.Trade(reporttest.Today+3, reporttest.Spot, 1, "10"))
	d.Read("main", reporttest.Futures, reporttest.Days(0, 3), reporttest.Trade(reporttest.Today, reporttest.Futures, 2, "5"))
	again := d.Forecast("as_of=" + at.Format(time.RFC3339))
	one, other := again.Main(), then.Main()
	if one == nil || again.Days != then.Days || again.State != then.State || !reflect.DeepEqual(one.Trials, other.Trials) || !one.Estimate.Earned.Equal(other.Estimate.Earned) {
		t.Fatalf("as of then\n%+v\nthen\n%+v", one, other)
	}
	// Up to when the running day was read is known to the minute only.
	if off := one.Estimate.Expected.Sub(other.Estimate.Expected).Abs(); off.GreaterThan(decimal.New(5, -2)) {
		t.Errorf("as of then %s is expected, then %s was", one.Estimate.Expected, other.Estimate.Expected)
	}
	if now := d.Forecast(""); now.Main().Estimate.Earned.LessThan(decimal.NewFromInt(1000)) {
		t.Errorf("now %+v", now.Main())
	}
}

// A tag and a UID ask for the invitee with both.
func TestForecastOfATagAndAUID(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "UTC")
	d.Steady()
	storetest.Done(t, people.AddTag(t.Context(), d.DB, "main", "4667776801", "vip", audit.Line{Actor: "ann"}))
	vip, both := d.Forecast("tag=vip"), d.Forecast("tag=vip&uid=4667776801")
	if earned := both.Main().Estimate.Earned; !earned.IsPositive() || !earned.Equal(vip.Main().Estimate.Earned) {
		t.Errorf("%s of the invitee, %s of the tag", earned, vip.Main().Estimate.Earned)
	}
	for _, one := range d.Forecast("tag=vip&uid=4667776802").Coins {
		if !one.Estimate.Earned.IsZero() {
			t.Errorf("%s of an invitee without the tag", one.Estimate.Earned)
		}
	}
}

// Every engine gives the same forecasts.
func TestForecastOnEngines(t *testing.T) {
	servers := storetest.Servers(t)
	t.Parallel()
	path := filepath.Join(t.TempDir(), "desk.db")
	storetest.Place(t, path)
	all := func(d *reporttest.Fixture) (list []forecast.Report) {
		d.Steady()
		storetest.Done(t, people.AddTag(t.Context(), d.DB, "main", "4667776801", "vip", audit.Line{Actor: "ann"}))
		for _, text := range []string{"", "code=spring", "tag=vip", "month=2026-08", "from=2026-07-01&to=2026-09-30", "as_of=" + reporttest.Noon.Add(30*time.Second).Format(time.RFC3339)} {
			list = append(list, d.Forecast(text))
		}
		return list
	}
	want := all(reporttest.NewFixtureAt(t, "Asia/Kathmandu", path))
	for engine, empty := range servers {
		got := all(reporttest.NewFixtureAt(t, "Asia/Kathmandu", empty(t)))
		for i := range want {
			if !slices.EqualFunc(got[i].Coins, want[i].Coins, func(a, b forecast.Ending) bool { return reflect.DeepEqual(a, b) }) || got[i].State != want[i].State {
				t.Errorf("%s gives\n%+v\nSQLite gives\n%+v", engine, got[i].Coins, want[i].Coins)
			}
		}
	}
}

// The sentence is of all coins, converted, unless one is asked for or one has no price: then it is of
// one coin and does not say otherwise.
func TestHeadline(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "UTC")
	span := reporttest.Days(-200, 0)
	d.Want("main", span.First)
	d.ReadEmpty(span)
	var rows []affiliate.Commission
	for day := span.First; day <= span.Last; day++ {
		for _, coin := range []affiliate.Coin{"USDT", "BTC"} {
			c := reporttest.Trade(day, reporttest.Spot, 1, "2")
			c.Coin = coin
			rows = append(rows, c)
		}
	}
	d.Read("main", reporttest.Spot, span, rows...)
	headline := func(asked string) (*forecast.Ending, string) {
		t.Helper()
		r, err := reports.Ask(t.Context(), d.Service, d.QueryOf(asked, forecast.Accepted), forecast.Make)
		if err != nil {
			t.Fatal(err)
		}
		return r.Headline(), phrase.Forecast(*r.Headline())
	}
	if e, words := headline(""); e.Converted || strings.Contains(words, "all coins") {
		t.Errorf("without a price: %q", words)
	}
	d.Sample("BTC", "72000")
	if e, words := headline(""); !e.Converted || !strings.Contains(words, "USDT (all coins, converted), likely") {
		t.Errorf("of all coins: %q", words)
	}
	for _, coin := range []affiliate.Coin{"USDT", "BTC"} {
		if e, words := headline("coin=" + string(coin)); e.Converted || e.Coin != coin || strings.Contains(words, "all coins") || !strings.Contains(words, phrase.Space+string(coin)) {
			t.Errorf("of %s: %q", coin, words)
		}
	}
}

// BenchmarkForecast opens the page after each write, as the first reader after a collection
// does: 400 days with six coins, two products and two sources. The aim of a page after a write
// is 60 ms.
func BenchmarkForecast(b *testing.B) {
	d := reporttest.NewFixture(b, "UTC")
	span := reporttest.Days(-400, 0)
	d.Want("main", span.First)
	for _, stream := range []affiliate.Stream{reporttest.Spot, reporttest.Futures} {
		var rows []affiliate.Commission
		for day := span.First; day <= span.Last; day++ {
			for n, coin := range []affiliate.Coin{"USDT", "BTC", "ETH", "USDC", "SOL", "XRP"} {
				for _, source := range []affiliate.Source{affiliate.Direct, affiliate.SubAgent} {
					c := reporttest.Trade(day, stream, n, affiliate.Number(fmt.Sprintf("%d.%04d", 1+n, int(day)*7919%10_000)))
					c.Coin, c.Source = coin, source
					rows = append(rows, c)
				}
			}
		}
		d.Read("main", stream, span, rows...)
	}
	d.Sample("BTC", "72000")
	asked := d.QueryOf("", forecast.Accepted)
	for n := 0; b.Loop(); n++ {
		b.StopTimer()
		d.Read("main", reporttest.Spot, reporttest.Days(0, 0), reporttest.Trade(reporttest.Today, reporttest.Spot, 1, affiliate.Number(fmt.Sprint(n+1))))
		b.StartTimer()
		r, err := reports.Ask(b.Context(), d.Service, asked, forecast.Make)
		if err != nil || !r.Main().Known() || !r.Converted.Known() {
			b.Fatal(r, err)
		}
	}
}
