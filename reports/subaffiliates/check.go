package subaffiliates

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// CrossCheck compares the exchange's report on sub-affiliates (4.19) with our commission
// records of source sub (4.17), on finished UTC days.
//
// The two need not agree. The net fee is the same in both: the fee of the trades made
// through sub-affiliates. The payments to the sub-affiliates and the commission of our
// records are two separate payments out of that fee. The document does not say that the two
// lists cover the same trades, nor the unit of the first. Differences are computed as if
// that unit were [figures.ValuedIn], in which our records of other coins are valued at the
// rates of their days.
type CrossCheck struct {
	Days    affiliate.Days // UTC; empty if no day of the range is over
	ByMonth bool           // Steps are calendar months, not days
	TooLong bool           // no check: see checkReach
	Totals  []CheckLine    // over all Days, by product
	Steps   []CheckLine    // by step, newest first, and product; only those that have or lack something
}

// CheckLine is both sides of one product over some days.
type CheckLine struct {
	Days          affiliate.Days
	Product       affiliate.Product
	Reported      Figures
	ReportedWhole bool             // collected completely
	Ours          []figures.Totals // per coin
	OursWhole     bool             // collected completely
	Fee           CheckDifference
	Paid          CheckDifference
}

// CheckDifference is the exchange's report, taken as [figures.ValuedIn], minus the value of
// our records.
type CheckDifference struct {
	Value   decimal.Decimal  // in ValuedIn; exact
	Valued  []affiliate.Coin // coins of our records, converted by rates
	Unknown string           // why the difference is unknown; empty if it is known
}

const (
	// checkDays is the largest number of days with one line each; longer ranges are checked
	// by month.
	checkDays = 92
	// checkReach is the largest number of days checked if the reporting zone is not UTC: no
	// roll-up is in UTC days then, and every record is read.
	checkReach = 92
)

// checkSubAffiliates compares both lists over the days that the period has read. A search
// for a UID narrows neither: our records do not say through which sub-affiliate they came.
func checkSubAffiliates(ctx context.Context, q *snapshot.Snapshot, zone *time.Location, read subAffiliatePeriod) (CrossCheck, error) {
	check := CrossCheck{Days: q.Days, ByMonth: q.Days.Len() > checkDays}
	check.Days.Last = min(q.Days.Last, affiliate.DayOf(q.Now, time.UTC)-1)
	if check.Days.Len() == 0 {
		return check, nil
	}
	if zone.String() != time.UTC.String() && check.Days.Len() > checkReach {
		check.TooLong = true
		return check, nil
	}
	sides, err := readSides(ctx, q, check.Days, read)
	if err != nil {
		return check, fmt.Errorf("checking sub-affiliates: %w", err)
	}
	steps := stepsOf(check.Days, check.ByMonth)
	for _, product := range affiliate.Products() {
		if affiliate.AsksFor(q.Product, product) {
			check.Totals = append(check.Totals, sides.line(check.Days, product))
		}
	}
	for i := len(steps) - 1; i >= 0; i-- {
		for _, total := range check.Totals {
			if line := sides.line(steps[i], total.Product); line.tells() {
				check.Steps = append(check.Steps, line)
			}
		}
	}
	return check, nil
}

// tells reports whether a line has any content.
func (l CheckLine) tells() bool {
	return l.Reported.Records > 0 || len(l.Ours) > 0 || !l.ReportedWhole || !l.OursWhole
}

// checkSides holds both lists of the days.
type checkSides struct {
	reported []sums.SubAffiliateDaySums
	ours     []sums.DaySums
	cover    map[affiliate.StreamKind]*coverage.Map
	rates    map[affiliate.Coin]map[affiliate.Day]affiliate.Number // for the days of our records; a coin without any has none
}

func readSides(ctx context.Context, q *snapshot.Snapshot, days affiliate.Days, read subAffiliatePeriod) (s checkSides, err error) {
	s.reported = read.Daily
	if q.UID != "" || q.Text != "" {
		f := records.SubAffiliateFilter{Days: days, Account: q.Account, Product: q.Product, AsOf: q.AsOfMillis()}
		if s.reported, err = sums.BySubAffiliateDay(ctx, q.Tx, f); err != nil {
			return s, err
		}
	}
	s.ours, err = sums.UTCDaySums(ctx, q.Tx, records.CommissionFilter{
		Days: days, Account: q.Account, Product: q.Product, Source: affiliate.SubAgent, Members: q.Members, AsOf: q.AsOfMillis()})
	if err != nil {
		return s, err
	}
	s.cover = map[affiliate.StreamKind]*coverage.Map{}
	for _, kind := range []affiliate.StreamKind{affiliate.SubAffiliates, affiliate.Commissions} {
		if s.cover[kind], err = q.ReadCoverage(ctx, kind, days); err != nil {
			return s, err
		}
	}
	s.rates, err = checkRates(ctx, q, s.ours)
	return s, err
}

// checkRates returns the rates of the days on which there is anything to value.
func checkRates(ctx context.Context, q *snapshot.Snapshot, totals []sums.DaySums) (map[affiliate.Coin]map[affiliate.Day]affiliate.Number, error) {
	days := map[affiliate.Coin][]affiliate.Day{}
	for _, d := range totals { // ordered by day
		if list := days[d.Coin]; d.Coin != figures.ValuedIn && (len(list) == 0 || list[len(list)-1] != d.Day) {
			days[d.Coin] = append(list, d.Day)
		}
	}
	rates := map[affiliate.Coin]map[affiliate.Day]affiliate.Number{}
	for coin, days := range days {
		list, err := q.DayRates(ctx, coin, days)
		if err != nil {
			return nil, err
		}
		for _, rate := range list {
			if rates[coin] == nil {
				rates[coin] = map[affiliate.Day]affiliate.Number{}
			}
			rates[coin][rate.Day] = rate.Price
		}
	}
	return rates, nil
}

func (s checkSides) line(days affiliate.Days, product affiliate.Product) CheckLine {
	line := CheckLine{Days: days, Product: product}
	var reported figureSums
	for _, d := range s.reported {
		if d.Product == product && days.Contains(d.Day) {
			reported.add(d.SubAffiliateSums)
		}
	}
	var ours []sums.DaySums
	for _, d := range s.ours {
		if d.Product == product && days.Contains(d.Day) {
			ours = append(ours, d)
		}
	}
	line.Reported, line.Ours = reported.figures(), figures.TotalsOf(ours)
	line.ReportedWhole = s.cover[affiliate.SubAffiliates].OfProduct(product).Summary(days).Complete()
	line.OursWhole = s.cover[affiliate.Commissions].OfProduct(product).Summary(days).Complete()
	line.Fee = s.difference(line, line.Reported.Fee, ours, func(d sums.DaySums) affiliate.Number { return d.Fee })
	line.Paid = s.difference(line, line.Reported.Paid, ours, func(d sums.DaySums) affiliate.Number { return d.Commission })
	return line
}

func (s checkSides) difference(line CheckLine, reported affiliate.Number, ours []sums.DaySums, of func(sums.DaySums) affiliate.Number) (diff CheckDifference) {
	switch {
	case !line.ReportedWhole || !line.OursWhole:
		return CheckDifference{Unknown: "not collected completely on both sides"}
	case line.Reported.Records > 0 && !reported.Known():
		return CheckDifference{Unknown: "the exchange did not give the amount"}
	case reported.Known():
		diff.Value = reported.Decimal()
	}
	for _, d := range ours {
		amount := of(d)
		if !amount.Known() || amount.IsZero() {
			continue
		}
		price := affiliate.Number("1")
		if d.Coin != figures.ValuedIn {
			if price = s.rates[d.Coin][d.Day]; !price.Known() {
				return CheckDifference{Unknown: "no price is known for " + string(d.Coin)}
			}
			if !slices.Contains(diff.Valued, d.Coin) {
				diff.Valued = append(diff.Valued, d.Coin)
			}
		}
		diff.Value = diff.Value.Sub(affiliate.Times(amount.Decimal(), price.Decimal()))
	}
	return diff
}

// stepsOf divides days into single days or into calendar months.
func stepsOf(days affiliate.Days, byMonth bool) []affiliate.Days {
	var steps []affiliate.Days
	for day := days.First; day <= days.Last; {
		step := affiliate.Days{First: day, Last: day}
		if byMonth {
			year, month, _ := day.Date()
			step.Last = min(affiliate.NewDay(year, month+1, 1)-1, days.Last)
		}
		steps = append(steps, step)
		day = step.Last + 1
	}
	return steps
}
