package reports_test

import (
	"encoding/csv"
	"encoding/json"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"strings"
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
			d := newModelFixture(t, zone)
			rapid.Check(t, func(t *rapid.T) {
				m := draw(t, d, 40)
				values := drawFilters(t)
				q := d.ask(values.Encode())
				q.By = rapid.SampledFrom(figures.Splits()).Draw(t, "by")
				rows := m.matching(q)
				want := m.sums(rows)
				checkOverview(t, d, m, q, rows, want)
				checkExports(t, d, m, q, want)
			})
		})
	}
}

func same(t *rapid.T, what string, got, want map[affiliate.Coin]*sums) {
	t.Helper()
	for coin, w := range want {
		if g := got[coin]; g == nil || !g.equal(w) {
			t.Fatalf("%s: %s %v\nwant %v", what, coin, g, w)
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%s: %d coins, want %d", what, len(got), len(want))
	}
}

func exact(m *model, d decimal.Decimal) *big.Rat { return rat(m, d.String()) }

func checkOverview(t *rapid.T, d *fixture, m *model, q query.Query, rows []record, want map[affiliate.Coin]*sums) {
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
		if w == nil || card.Records != w.records || exact(m, card.Commission.Amount.Value).Cmp(w.commission) != 0 ||
			exact(m, card.Fee.Amount.Value).Cmp(w.fee) != 0 {
			t.Fatalf("card %+v\nwant %v", card, w)
		}
		if i > 0 && card.Records > view.Cards[i-1].Records {
			t.Fatalf("the card of %s with %d records is below one with fewer", card.Coin, card.Records)
		}
	}
	volume := new(big.Rat)
	for _, w := range want {
		volume.Add(volume, w.taker).Add(volume, w.maker)
	}
	if got := exact(m, view.Volume.Amount.Value); got.Cmp(volume) != 0 || view.Volume.Amount.Coin != "" {
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
		people[person{r.account, r.UID}] = true
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
func checkDaily(t *rapid.T, m *model, daily figures.DailySeries, rows []record) {
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
		amount := rat(m, string(r.Commission.Commission))
		addTo(want, pointOf(daily, r.DealTime.Time(), m.zone), amount)
		addTo(layers, layer, amount)
	}
	if len(daily.Parts) != len(layers) {
		t.Fatalf("the series has %d parts, want %d", len(daily.Parts), len(layers))
	}
	for i, day := range daily.Days {
		if want[i] == nil {
			want[i] = new(big.Rat)
		}
		if exact(m, daily.Total[i]).Cmp(want[i]) != 0 {
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
		if got := exact(m, decimal.Sum(decimal.Zero, part.Values...)); got.Cmp(layers[part.Name]) != 0 {
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
func checkExports(t *rapid.T, d *fixture, m *model, q query.Query, want map[affiliate.Coin]*sums) {
	t.Helper()
	formats := rapid.SampledFrom([]export.Format{export.CSV, export.XLSX, export.JSON, export.JSONL})
	for _, kind := range []*export.Kind{commissions.File, commissions.DailyFile} {
		for _, format := range []export.Format{formats.Draw(t, "format")} {
			text, summary := d.export(kind, format, q)
			rows := parse(t, format, text)
			if summary.Rows != int64(len(rows)) {
				t.Fatalf("%s %s: the summary says %d rows, the file has %d", kind, format, summary.Rows, len(rows))
			}
			same(t, kind.Name+" "+string(format), sumsOf(t, m, rows), want)
			said := map[affiliate.Coin]*sums{}
			for _, total := range summary.Sums {
				records := total.Rows
				if kind == commissions.DailyFile {
					records = rat(m, string(total.Of("records"))).Num().Int64()
				}
				said[total.Coin] = &sums{records, rat(m, string(total.Of("fee"))), rat(m, string(total.Of("commission"))),
					rat(m, string(total.Of("taker_amount"))), rat(m, string(total.Of("maker_amount")))}
			}
			same(t, "summary of "+kind.Name, said, want)
		}
	}
}

// parse reads an export with the standard library.
func parse(t rapid.TB, format export.Format, text string) []map[string]string {
	t.Helper()
	var rows []map[string]string
	switch format {
	case export.CSV:
		lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines[1:] {
			row := map[string]string{}
			for i, name := range lines[0] {
				row[name] = line[i]
			}
			rows = append(rows, row)
		}
	case export.JSON:
		var document struct{ Rows []map[string]any }
		decode(t, text, &document)
		for _, o := range document.Rows {
			rows = append(rows, plain(t, o))
		}
	case export.XLSX:
		return workbook(t, text).records()
	case export.JSONL:
		for line := range strings.Lines(text) {
			var object map[string]any
			decode(t, line, &object)
			rows = append(rows, plain(t, object))
		}
	}
	return rows
}

func decode(t rapid.TB, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v in %.300s", err, text)
	}
}

// plain returns an object in the words of CSV.
func plain(t rapid.TB, object map[string]any) map[string]string {
	row := map[string]string{}
	for name, value := range object {
		switch v := value.(type) {
		case nil:
			row[name] = ""
		case string:
			if v == "" {
				t.Fatalf("%s is an empty text, want null", name)
			}
			row[name] = v
		case float64:
			if name != "deal_time_ms" && name != "records" {
				t.Fatalf("%s is a number", name)
			}
			row[name] = strconv.FormatFloat(v, 'f', -1, 64)
		default:
			t.Fatalf("%s is %T", name, v)
		}
	}
	return row
}

func sumsOf(t rapid.TB, m *model, rows []map[string]string) map[affiliate.Coin]*sums {
	t.Helper()
	list := map[affiliate.Coin]*sums{}
	for _, row := range rows {
		coin := affiliate.Coin(row["coin"])
		if list[coin] == nil {
			list[coin] = &sums{0, new(big.Rat), new(big.Rat), new(big.Rat), new(big.Rat)}
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
		list[coin].add(m, records, number("fee"), number("commission"), number("taker_amount"), number("maker_amount"))
	}
	return list
}

// Every order shows every row once, with every page size. The export of the same query
// has the same rows in the same order.
func TestPagesCoverEachRowOnce(t *testing.T) {
	for _, zone := range modelZones {
		t.Run(zone, func(t *testing.T) {
			t.Parallel()
			d := newModelFixture(t, zone)
			rapid.Check(t, func(t *rapid.T) {
				m := draw(t, d, 40)
				values := drawFilters(t)
				column := rapid.SampledFrom(append(commissions.Sorts, "time", "time")).Draw(t, "column")
				descending := rapid.Bool().Draw(t, "descending")
				values.Set("sort", query.Sort{Field: column, Descending: descending}.String())
				values.Set("per", strconv.Itoa(rapid.IntRange(1, 9).Draw(t, "per")))
				rows := checkPages(t, d, m, values)
				for i := 1; i < len(rows); i++ {
					if c := order(d, column, rows[i-1], rows[i]); descending && c < 0 || !descending && c > 0 {
						t.Fatalf("sorted by %s: %+v is before %+v", values.Get("sort"), rows[i-1], rows[i])
					}
				}
				text, _ := d.export(commissions.File, export.CSV, d.ask(values.Encode()))
				lines := parse(t, export.CSV, text)
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
func checkPages(t *rapid.T, d *fixture, m *model, values url.Values) []records.CommissionRow {
	t.Helper()
	q := d.ask(values.Encode())
	want := m.matching(q)
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
			got := map[affiliate.Coin]*sums{}
			for _, total := range view.Totals {
				got[total.Coin] = &sums{total.Records, exact(m, total.Fee), exact(m, total.Commission), exact(m, total.TakerAmount), exact(m, total.MakerAmount)}
			}
			same(t, "totals of the table", got, m.sums(want))
			break
		}
	}
	var shown []record
	for _, row := range all {
		shown = append(shown, record{row.Commission, row.Account, row.InviteCode})
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
	d := newFixture(t, "UTC")
	d.read("main", spot, days(0, 0), trade(today, spot, 1, "1"))
	for query, fails := range map[string]bool{"page=1": false, "page=2": true, "page=1000000000&per=500": true, "range=yesterday&page=1": false} {
		_, err := reports.Ask(t.Context(), d.Service, d.ask(query), commissions.Make)
		if fails != (err != nil) || fails && err.Error() != `page="`+d.ask(query).Values().Get("page")+`": there is one page` {
			t.Errorf("%s: %v", query, err)
		}
	}
}
