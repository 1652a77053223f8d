package commissions_test

import (
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/export"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/query"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store/records"
)

// modelZones are zones whose days begin within a UTC day and within an hour.
var modelZones = []string{"America/Los_Angeles", "Asia/Kathmandu"}

// For any records and any query, every place that shows a total shows exactly the same
// one.
func TestTotalsAgreeEverywhere(t *testing.T) {
	for _, zone := range modelZones {
		t.Run(zone, func(t *testing.T) {
			t.Parallel()
			d := reporttest.NewModelFixture(t, zone)
			rapid.Check(t, func(t *rapid.T) {
				m := reporttest.Draw(t, d, 40)
				values := reporttest.DrawFilters(t)
				q := d.Ask(values.Encode())
				q.By = rapid.SampledFrom(figures.Splits()).Draw(t, "by")
				rows := m.Matching(q)
				want := m.Sums(rows)
				checkOverview(t, d, m, q, rows, want)
				checkExports(t, d, m, q, want)
			})
		})
	}
}

func same(t *rapid.T, what string, got, want map[affiliate.Coin]*reporttest.Sums) {
	t.Helper()
	for coin, w := range want {
		if g := got[coin]; g == nil || !g.Equal(w) {
			t.Fatalf("%s: %s %v\nwant %v", what, coin, g, w)
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%s: %d coins, want %d", what, len(got), len(want))
	}
}

func checkOverview(t *rapid.T, d *reporttest.Fixture, m *reporttest.Model, q query.Query, rows []reporttest.Record, want map[affiliate.Coin]*reporttest.Sums) {
	t.Helper()
	view, err := reports.Ask(d.Context(), d.Service, q, overview.Make)
	if err != nil {
		t.Fatal(err)
	}
	if len(view.Cards) != len(want) {
		t.Fatalf("%d cards, want %d", len(view.Cards), len(want))
	}
	for i, card := range view.Cards {
		w := want[card.Coin]
		if w == nil || card.Records != w.Records || reporttest.Exact(m, card.Commission.Amount.Value).Cmp(w.Commission) != 0 ||
			reporttest.Exact(m, card.Fee.Amount.Value).Cmp(w.Fee) != 0 {
			t.Fatalf("card %+v\nwant %v", card, w)
		}
		if i > 0 && card.Records > view.Cards[i-1].Records {
			t.Fatalf("the card of %s with %d records is below one with fewer", card.Coin, card.Records)
		}
	}
	volume := new(big.Rat)
	for _, w := range want {
		volume.Add(volume, w.Taker).Add(volume, w.Maker)
	}
	if got := reporttest.Exact(m, view.Volume.Amount.Value); got.Cmp(volume) != 0 || view.Volume.Amount.Coin != "" {
		t.Fatalf("the volume is %v, want %s of no coin", view.Volume, volume.FloatString(18))
	}
	if len(rows) == 0 {
		if view.Empty == "" || view.Rankings != nil || view.Splits != nil {
			t.Fatalf("no record matches, but the overview shows %q and ranks %d", view.Empty, len(view.Rankings))
		}
		return
	}
	if view.Empty != "" || view.Coin != view.Cards[0].Coin && q.Coin == "" {
		t.Fatalf("the overview covers %s and shows %q", view.Coin, view.Empty)
	}
	checkDaily(t, m, view.Daily, rows)
	checkRankings(t, m, view, rows)
	type person struct {
		account affiliate.Account
		uid     affiliate.UID
	}
	people := map[person]bool{}
	for _, r := range rows {
		people[person{r.Account, r.UID}] = true
	}
	if n := view.Invitees.ActiveTraders.N; n != int64(len(people)) {
		t.Fatalf("%d active traders, want %d", n, len(people))
	}
}

// pointOf returns the point of a series to which an instant belongs: its hour if the series is of
// hours, else its day.
func pointOf(daily figures.DailySeries, at time.Time, zone *time.Location) int {
	if daily.Hours != nil {
		return slices.IndexFunc(daily.Hours, func(hour affiliate.Range) bool { return !at.Before(hour.From) && at.Before(hour.To) })
	}
	return slices.Index(daily.Days, affiliate.DayOf(at, zone))
}

// checkDaily adds up the series in both directions.
func checkDaily(t *rapid.T, m *reporttest.Model, daily figures.DailySeries, rows []reporttest.Record) {
	t.Helper()
	want := map[int]*big.Rat{} // by point
	layers := map[string]*big.Rat{}
	for _, r := range rows {
		if r.Coin != daily.Coin {
			continue
		}
		layer := r.Product.Label()
		if daily.By == figures.BySource {
			layer = r.Source.Label()
		}
		amount := reporttest.Rat(m, string(r.Commission.Commission))
		addTo(want, pointOf(daily, r.DealTime.Time(), m.Zone), amount)
		addTo(layers, layer, amount)
	}
	if len(daily.Parts) != len(layers) {
		t.Fatalf("the series has %d parts, want %d", len(daily.Parts), len(layers))
	}
	for i, day := range daily.Days {
		if want[i] == nil {
			want[i] = new(big.Rat)
		}
		if reporttest.Exact(m, daily.Total[i]).Cmp(want[i]) != 0 {
			t.Fatalf("point %d, of %s, is %s, want %s", i, day, daily.Total[i], want[i].FloatString(18))
		}
		var stack decimal.Decimal
		for _, part := range daily.Parts {
			stack = stack.Add(part.Values[i])
		}
		if !stack.Equal(daily.Total[i]) {
			t.Fatalf("%s: the parts are %s, the total %s", day, stack, daily.Total[i])
		}
	}
	for _, part := range daily.Parts {
		if got := reporttest.Exact(m, decimal.Sum(decimal.Zero, part.Values...)); got.Cmp(layers[part.Name]) != 0 {
			t.Fatalf("%s: %s, want %s", part.Name, got.FloatString(18), layers[part.Name].FloatString(18))
		}
	}
}

func addTo[K comparable](sums map[K]*big.Rat, key K, amount *big.Rat) {
	if sums[key] == nil {
		sums[key] = new(big.Rat)
	}
	sums[key].Add(sums[key], amount)
}

// checkExports adds up the rows of each export in one format; TestFormatsAgree compares
// the formats.
func checkExports(t *rapid.T, d *reporttest.Fixture, m *reporttest.Model, q query.Query, want map[affiliate.Coin]*reporttest.Sums) {
	t.Helper()
	formats := rapid.SampledFrom([]export.Format{export.CSV, export.XLSX, export.JSON, export.JSONL})
	for _, kind := range []*export.Kind{commissions.File, commissions.DailyFile} {
		for _, format := range []export.Format{formats.Draw(t, "format")} {
			text, summary := d.Export(kind, format, q)
			rows := reporttest.Parse(t, format, text)
			if summary.Rows != int64(len(rows)) {
				t.Fatalf("%s %s: the summary says %d rows, the file has %d", kind, format, summary.Rows, len(rows))
			}
			same(t, kind.Name+" "+string(format), sumsOf(t, m, rows), want)
			said := map[affiliate.Coin]*reporttest.Sums{}
			for _, total := range summary.Sums {
				records := total.Rows
				if kind == commissions.DailyFile {
					records = reporttest.Rat(m, string(total.Of("records"))).Num().Int64()
				}
				said[total.Coin] = &reporttest.Sums{Records: records, Fee: reporttest.Rat(m, string(total.Of("fee"))), Commission: reporttest.Rat(m, string(total.Of("commission"))),
					Taker: reporttest.Rat(m, string(total.Of("taker_amount"))), Maker: reporttest.Rat(m, string(total.Of("maker_amount")))}
			}
			same(t, "summary of "+kind.Name, said, want)
		}
	}
}

func sumsOf(t rapid.TB, m *reporttest.Model, rows []map[string]string) map[affiliate.Coin]*reporttest.Sums {
	t.Helper()
	list := map[affiliate.Coin]*reporttest.Sums{}
	for _, row := range rows {
		coin := affiliate.Coin(row["coin"])
		if list[coin] == nil {
			list[coin] = &reporttest.Sums{Records: 0, Fee: new(big.Rat), Commission: new(big.Rat), Taker: new(big.Rat), Maker: new(big.Rat)}
		}
		records := int64(1)
		if text, ok := row["records"]; ok {
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil || n < 1 {
				t.Fatalf("records are %q", text)
			}
			records = n
		}
		number := func(name string) affiliate.Number { return affiliate.Number(row[name]) }
		list[coin].Add(m, records, number("fee"), number("commission"), number("taker_amount"), number("maker_amount"))
	}
	return list
}

// Every order shows every row once, with every page size. The export of the same query
// has the same rows in the same order.
func TestPagesCoverEachRowOnce(t *testing.T) {
	for _, zone := range modelZones {
		t.Run(zone, func(t *testing.T) {
			t.Parallel()
			d := reporttest.NewModelFixture(t, zone)
			rapid.Check(t, func(t *rapid.T) {
				m := reporttest.Draw(t, d, 40)
				values := reporttest.DrawFilters(t)
				column := rapid.SampledFrom(append(commissions.Sorts, "time", "time")).Draw(t, "column")
				descending := rapid.Bool().Draw(t, "descending")
				values.Set("sort", query.Sort{Field: column, Descending: descending}.String())
				values.Set("per", strconv.Itoa(rapid.IntRange(1, 9).Draw(t, "per")))
				rows := checkPages(t, d, m, values)
				for i := 1; i < len(rows); i++ {
					// Amounts of several coins have no order: each coin has its own rows.
					if a, b := rows[i-1].Coin, rows[i].Coin; a != b && slices.Contains([]string{"fee", "commission"}, column) {
						if figures.CompareCoins(a, b) > 0 {
							t.Fatalf("sorted by %s: %s is before %s", values.Get("sort"), a, b)
						}
						continue
					}
					if c := order(d, column, rows[i-1], rows[i]); descending && c < 0 || !descending && c > 0 {
						t.Fatalf("sorted by %s: %+v is before %+v", values.Get("sort"), rows[i-1], rows[i])
					}
				}
				text, _ := d.Export(commissions.File, export.CSV, d.Ask(values.Encode()))
				lines := reporttest.Parse(t, export.CSV, text)
				for i, row := range rows {
					if l := lines[i]; l["deal_time_utc"] != row.DealTime.String() || l["uid"] != string(row.UID) || l["commission"] != string(row.Commission.Commission) {
						t.Fatalf("line %d of the export is %v, the page has %+v", i+1, l, row)
					}
				}
			})
		})
	}
}

// checkPages reads all pages of a query, checks their sizes, compares them with the
// model, and returns their rows.
func checkPages(t *rapid.T, d *reporttest.Fixture, m *reporttest.Model, values url.Values) []records.CommissionRow {
	t.Helper()
	q := d.Ask(values.Encode())
	want := m.Matching(q)
	var all []records.CommissionRow
	for page := 1; ; page++ {
		q.Page = page
		view, err := reports.Ask(d.Context(), d.Service, q, commissions.Make)
		if err != nil {
			t.Fatal(err)
		}
		if view.Records != int64(len(want)) || view.Pages != max(1, (len(want)+q.Per-1)/q.Per) {
			t.Fatalf("%d records on %d pages, want %d by %d", view.Records, view.Pages, len(want), q.Per)
		}
		if n := len(view.Rows); page < view.Pages && n != q.Per || n > q.Per {
			t.Fatalf("page %d of %d has %d rows", page, view.Pages, n)
		}
		all = append(all, view.Rows...)
		if page == view.Pages {
			got := map[affiliate.Coin]*reporttest.Sums{}
			for _, total := range view.Totals {
				got[total.Coin] = &reporttest.Sums{Records: total.Records, Fee: reporttest.Exact(m, total.Fee), Commission: reporttest.Exact(m, total.Commission), Taker: reporttest.Exact(m, total.TakerAmount), Maker: reporttest.Exact(m, total.MakerAmount)}
			}
			same(t, "totals of the table", got, m.Sums(want))
			break
		}
	}
	var shown []reporttest.Record
	for _, row := range all {
		shown = append(shown, reporttest.Record{Commission: row.Commission, Account: row.Account, Code: row.InviteCode})
	}
	left := slices.Clone(want)
	for _, r := range shown {
		i := slices.Index(left, r)
		if i < 0 {
			t.Fatalf("%+v is shown too often, or should not be shown", r)
		}
		left = slices.Delete(left, i, i+1)
	}
	if len(left) > 0 {
		t.Fatalf("%d rows are not shown, such as %+v", len(left), left[0])
	}
	return all
}

func TestPageBeyondTheLast(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.Read("main", reporttest.Spot, reporttest.Days(0, 0), reporttest.Trade(reporttest.Today, reporttest.Spot, 1, "1"))
	for query, fails := range map[string]bool{"page=1": false, "page=2": true, "page=1000000000&per=500": true, "range=yesterday&page=1": false} {
		_, err := reports.Ask(t.Context(), d.Service, d.Ask(query), commissions.Make)
		if fails != (err != nil) || fails && err.Error() != `page="`+d.Ask(query).Values().Get("page")+`": there is one page` {
			t.Errorf("%s: %v", query, err)
		}
	}
}
