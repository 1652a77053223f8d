package estimate_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"golang.org/x/sync/errgroup"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator/programme"
	"rebatedesk/internal/soak"
	"rebatedesk/reports/estimate"
)

// The months that are tested, and the day on which the history begins.
var (
	testedFrom = affiliate.NewDay(2025, time.November, 1)
	testedTo   = affiliate.NewDay(2026, time.October, 31)
	knownFrom  = affiliate.NewDay(2025, time.July, 1)
)

// simulated returns what a simulated programme brings by day and coin. Programmes differ in
// the number of their people and records: from six records a day to ninety.
func simulated(seed int64) map[affiliate.Coin]estimate.PastDays {
	days := affiliate.Days{First: knownFrom, Last: testedTo}
	records := programme.NewRecords(programme.New(programme.Plan{
		Seed: seed, Days: days.Len(), Start: (days.Last + 1).Start(time.UTC).Add(time.Hour),
		Invitees: 60 + int(seed*37%500), Records: 3_000 + int(seed*7_919%40_000),
	}))
	series := map[affiliate.Coin]estimate.PastDays{}
	for _, rows := range records.Rows {
		for _, row := range rows {
			c := records.Commission(row)
			h, ok := series[c.Coin]
			if !ok {
				h = estimate.PastDays{First: days.First, Amounts: make([]decimal.Decimal, days.Len())}
				series[c.Coin] = h
			}
			i := affiliate.DayOf(c.DealTime.Time(), time.UTC) - h.First
			h.Amounts[i] = h.Amounts[i].Add(c.Commission.Decimal())
		}
	}
	return series
}

// tested lists the months that are tested.
func tested() (list []affiliate.Days) {
	for first := testedFrom; first < testedTo; {
		year, month, _ := first.Date()
		next := affiliate.NewDay(year, month+1, 1)
		list = append(list, affiliate.Days{First: first, Last: next - 1})
		first = next
	}
	return list
}

// score adds up how well the forecasts of one day of the month did.
type score struct {
	held, of                int
	width, off, month, pace float64 // relative to an average month of the programme
}

func (s *score) add(o score) {
	s.held, s.of = s.held+o.held, s.of+o.of
	s.width, s.off, s.month, s.pace = s.width+o.width, s.off+o.off, s.month+o.month, s.pace+o.pace
}

func (s *score) line(name string) string {
	percent := func(sum float64) string { return fmt.Sprintf("%.1f %%", 100*sum/float64(s.of)) }
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s |", name, percent(float64(s.held)), percent(s.width), percent(s.off), percent(s.month), percent(s.pace))
}

// forecast estimates a month at the beginning of one of its days, and compares it with what
// came and with two simple methods.
func forecast(h estimate.PastDays, month affiliate.Days, on affiliate.Day, average decimal.Decimal) (s score, err error) {
	e, err := estimate.Make(h.Until(on), estimate.Begun{}, month)
	if err != nil {
		return s, err
	}
	came := h.Sum(month)
	if s.of = 1; !came.LessThan(e.Low) && !came.GreaterThan(e.High) {
		s.held = 1
	}
	year, number, day := on.Date()
	before := min(affiliate.NewDay(year, number-1, day), affiliate.NewDay(year, number, 1)-1)
	off := func(d decimal.Decimal) float64 { return d.Sub(came).Abs().Div(average).InexactFloat64() }
	s.width = e.High.Sub(e.Low).Div(average).InexactFloat64()
	s.off = off(e.Expected)
	s.month = off(e.Earned.Add(h.Sum(affiliate.Days{First: before, Last: affiliate.NewDay(year, number, 1) - 1})))
	s.pace = off(e.Earned.Mul(decimal.NewFromInt(int64(month.Len()))).Div(decimal.NewFromInt(int64(on - month.First))))
	return s, nil
}

// On these days of the month, of these coins: the one in which most is earned, and one in
// which a single trade can outweigh a month.
var (
	testedDays  = []affiliate.Day{5, 10, 15, 20, 25}
	testedCoins = []affiliate.Coin{"USDT", "BTC"}
)

// TestSoakRangeHolds makes the forecasts of twelve months of simulated programmes. The constants
// of the method were chosen on programmes with the seeds 1 to 50.
func TestSoakRangeHolds(t *testing.T) {
	t.Parallel()
	programmes := soak.Times(12, 50)
	all := make([]map[affiliate.Coin][]score, programmes)
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0))
	for i := range all {
		work.Go(func() (err error) {
			all[i] = map[affiliate.Coin][]score{}
			series := simulated(1001 + int64(i))
			for _, coin := range testedCoins {
				h, scores := series[coin], make([]score, len(testedDays))
				average := h.Sum(affiliate.Days{First: testedFrom, Last: testedTo}).Div(decimal.NewFromInt(int64(len(tested()))))
				for _, month := range tested() {
					for k, day := range testedDays {
						one, err := forecast(h, month, month.First+day-1, average)
						if err != nil {
							return fmt.Errorf("programme %d, %s, %s: %w", i, coin, month.First, err)
						}
						scores[k].add(one)
					}
				}
				all[i][coin] = scores
			}
			return nil
		})
	}
	if err := work.Wait(); err != nil {
		t.Fatal(err)
	}
	var table []string
	for _, coin := range testedCoins {
		var sum score
		for k, day := range testedDays {
			var at score
			for _, one := range all {
				at.add(one[coin][k])
			}
			sum.add(at)
			table = append(table, at.line(fmt.Sprintf("%s, day %d", coin, day)))
		}
		table = append(table, sum.line(fmt.Sprintf("**%s, all**", coin)))
		if held := 100 * float64(sum.held) / float64(sum.of); held < 75 || held > 85 {
			t.Errorf("in %s the range held in %.1f %% of %d forecasts, not in 75 to 85 %%", coin, held, sum.of)
		}
		if sum.off >= sum.month || sum.off >= sum.pace {
			t.Errorf("in %s a simple method came closer: %s", coin, sum.line("all"))
		}
	}
	text := strings.Join(table, "\n")
	t.Log("\n" + text)
	inDoc(t, text)
}
