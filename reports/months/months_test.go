package months_test

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/export"
	"rebatedesk/reports/months"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store/closings"
	"rebatedesk/store/storetest"
)

// augustTrades are records around August of two accounts, at all hours, so that each zone has other
// ones in the month. A step changes every fifth record, takes some back and adds others.
func augustTrades(account affiliate.Account, stream affiliate.Stream, step int) (list []affiliate.Commission) {
	for day := reporttest.August - 2; day < reporttest.August+33; day++ {
		for hour := range 8 {
			n := int(day)*8 + hour
			if step > 0 && n%11 == step || step == 0 && n%13 == 1 {
				continue
			}
			c := reporttest.Trade(day, stream, n%5, affiliate.Number(fmt.Sprintf("%d.%018d", n%7, n*7919+len(account))))
			c.DealTime = reporttest.Midnight(day) + affiliate.Millis(hour)*3*3600_000 + affiliate.Millis(n%1000)
			if n%3 == 0 {
				c.Coin = "BTC"
			}
			if n%4 == 0 {
				c.Source = affiliate.SubAgent
			}
			if n%5 == step && step > 0 {
				c.Commission = affiliate.Number(fmt.Sprintf("-0.%018d", n+step))
			}
			list = append(list, c)
		}
	}
	return list
}

// closingSums adds up records of August in a zone, independently of the program.
func closingSums(t testing.TB, zone *time.Location, of map[affiliate.Account][]affiliate.Commission) (list []string) {
	sums, records := map[string]*big.Rat{}, map[string]int{}
	for account, rows := range of {
		for _, c := range rows {
			if at := c.DealTime.Time().In(zone); at.Month() != time.August {
				continue
			}
			key := fmt.Sprintln(account, c.Product, c.Coin, c.Source)
			if sums[key] == nil {
				sums[key] = new(big.Rat)
			}
			sums[key].Add(sums[key], reporttest.Rat(t, string(c.Commission)))
			records[key]++
		}
	}
	for key, sum := range sums {
		list = append(list, fmt.Sprint(key, records[key], " ", sum))
	}
	slices.Sort(list)
	return list
}

func closingSumsOf(t testing.TB, sums []closings.Sum) (list []string) {
	for _, s := range sums {
		list = append(list, fmt.Sprint(fmt.Sprintln(s.Account, s.Product, s.Coin, s.Source), s.Records, " ", reporttest.Rat(t, string(s.Commission))))
	}
	slices.Sort(list)
	return list
}

// What a closing froze is found again as of its instant, whatever the exchange changes later, and
// in another reporting zone. What became known since is the difference.
func TestClosedMonthIsFoundAgain(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"UTC", "Asia/Tokyo"} {
		t.Run(zone, func(t *testing.T) {
			t.Parallel()
			d := reporttest.NewFixture(t, zone)
			desk := d.Service
			accounts, span := []affiliate.Account{"main", "second"}, affiliate.Days{First: reporttest.August - 2, Last: reporttest.August + 32}
			read := func(step int) map[affiliate.Account][]affiliate.Commission {
				of := map[affiliate.Account][]affiliate.Commission{}
				for _, account := range accounts {
					for _, stream := range []affiliate.Stream{reporttest.Spot, reporttest.Futures} {
						rows := augustTrades(account, stream, step)
						d.Read(account, stream, span, rows...)
						of[account] = append(of[account], rows...)
					}
				}
				d.Later(time.Minute)
				return of
			}
			for _, account := range accounts {
				d.Want(account, span.First)
			}
			first := closingSums(t, d.Zone, read(0))
			closed, err := desk.CloseMonth(t.Context(), reporttest.August, true, "no other stream was read", reporttest.ByAnn)
			storetest.Done(t, err)
			if got := closingSumsOf(t, closed.Sums); !slices.Equal(got, first) {
				t.Fatalf("closed at %q, want %q", got, first)
			}
			for step := 1; step < 4; step++ {
				d.Later(time.Hour)
				now := read(step)
				if step == 3 {
					d = reporttest.NewFixtureAt(t, map[string]string{"UTC": "Asia/Tokyo", "Asia/Tokyo": "UTC"}[zone], d.Path)
					d.Later(24 * time.Hour)
					desk = d.Service
				}
				again, err := desk.FrozenSums(t.Context(), closed)
				storetest.Done(t, err)
				if !slices.Equal(again, closed.Sums) {
					t.Fatalf("step %d: found again %+v, closed at %+v", step, again, closed.Sums)
				}
				detail, err := reports.Ask(t.Context(), desk, d.MonthQuery(), months.MakeOne)
				storetest.Done(t, err)
				var sums []closings.Sum
				for _, row := range detail.Rows {
					after := row.Now.Commission
					after.AddSum(row.Closed.Commission.Negated())
					if got := row.After(); got.Cmp(&after) != 0 {
						t.Errorf("step %d: after close %v, want %v", step, got, after)
					}
					sums = append(sums, closings.Sum{Account: row.Account, Product: row.Product, Coin: row.Coin, Source: row.Source, Records: row.Now.Records, Summed: affiliate.Summed[affiliate.Number]{Commission: affiliate.Number(row.Now.Commission.String())}})
				}
				at, err := time.LoadLocation(zone)
				storetest.Done(t, err)
				if got, want := closingSumsOf(t, sums), closingSums(t, at, now); !slices.Equal(got, want) {
					t.Fatalf("step %d: now %q, want %q", step, got, want)
				}
			}
		})
	}
}

// A closing has what was paid otherwise than agreed, with its amount.
// A month that was closed before the program knew an amount has no sum of it, which is not zero: in files, in JSON,
// and in the pack. What is known now is shown.
func TestClosingWithoutAnAmount(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "UTC")
	d.Read("main", reporttest.Spot, affiliate.Days{First: reporttest.August - 2, Last: reporttest.August + 32}, augustTrades("main", reporttest.Spot, 0)...)
	d.Later(time.Minute)
	known, err := d.DB.LastWrite(t.Context())
	storetest.Done(t, err)
	closing := closings.Closing{Month: reporttest.August, Zone: "UTC", Known: known}
	closing.Sums, err = d.FrozenSums(t.Context(), closing)
	storetest.Done(t, err)
	for i := range closing.Sums {
		if closing.Sums[i].Fee == "" {
			t.Fatalf("the sum %+v", closing.Sums[i])
		}
		closing.Sums[i].Fee = ""
	}
	_, err = closings.CloseMonth(t.Context(), d.DB, closing, closings.Details{}, reporttest.ByAnn)
	storetest.Done(t, err)

	text, tally := d.Export(months.OneFile, export.CSV, d.MonthQuery())
	for _, row := range reporttest.Parse(d, export.CSV, text) {
		if row["fee_closed"] != "" || row["fee_now"] == "" || row["commission_closed"] == "" || row["commission_closed"] != row["commission_now"] || row["after_close"] != "0" {
			t.Errorf("a row of the month is %v", row)
		}
	}
	if tally.Rows != int64(len(closing.Sums)) || tally.Rows == 0 {
		t.Errorf("%d rows of %d sums", tally.Rows, len(closing.Sums))
	}
	if text, _ = d.Export(months.OneFile, export.JSON, d.MonthQuery()); !strings.Contains(text, `"fee_closed":null`) || strings.Contains(text, `"fee_closed":"`) || !strings.Contains(text, `"commission_closed":"`) {
		t.Errorf("the month is %.600s", text)
	}
	pack, err := d.OpenMonthPack(t.Context(), reporttest.August)
	members := reporttest.MembersOf(t, reporttest.Packed(t, pack, err))
	if text := members["closing.json"]; strings.Contains(text, `"fee"`) || !strings.Contains(text, `"commission": "`) || !strings.Contains(text, `"maker_amount": "`) {
		t.Errorf("the closing is %s", text)
	}
	if text := members["closing.txt"]; strings.Contains(text, "Fees") || !strings.Contains(text, "Commission") {
		t.Errorf("the closing is %s", text)
	}
}

func TestClosingHasRateFindings(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "UTC")
	span := affiliate.Days{First: reporttest.August, Last: reporttest.August + 30}
	d.Want("main", span.First)
	var rows []affiliate.Commission
	for day := span.First; day <= span.Last; day++ {
		c := reporttest.Trade(day, reporttest.Spot, 1, "25")
		c.Fee, c.Rate = "100", "0.25"
		rows = append(rows, c)
	}
	d.Read("main", reporttest.Spot, span, rows...)
	d.Agree("scope,value,product_type,rate,from,to", "all,,,0.30,2026-08-01,")
	d.Later(time.Minute)
	desk := d.Service
	closed, err := desk.CloseMonth(t.Context(), reporttest.August, true, "futures are not read", reporttest.ByAnn)
	storetest.Done(t, err)
	r, err := d.DB.Read(t.Context())
	storetest.Done(t, err)
	defer r.Close()
	details, err := closings.ReadDetails(t.Context(), r, closed.ID)
	storetest.Done(t, err)
	n := slices.IndexFunc(details.Findings, func(f closings.Finding) bool { return f.Kind == "rate" })
	if n < 0 || details.Findings[n].Records != 31 || reporttest.Rat(t, string(details.Findings[n].Amount)).Cmp(big.NewRat(-155, 1)) != 0 || !strings.Contains(details.Findings[n].Words, "Less was paid than agreed for ") {
		t.Errorf("the findings are %+v", details.Findings)
	}
}
