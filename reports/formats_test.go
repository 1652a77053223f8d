package reports_test

import (
	"cmp"
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"rebatedesk/reports/cohorts"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/invitecodes"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/subaffiliates"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/reports/changes"
	"rebatedesk/reports/export"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/query"
	shownrates "rebatedesk/reports/rates"
	"rebatedesk/reports/returns"
	"rebatedesk/reports/worklist"
	"rebatedesk/store/costs"
)

// kindQueries lists all exports with the queries that a test adds to days and account.
var kindQueries = map[*export.Kind][]string{
	commissions.File:      {"", "coin=USDT", "product=SPOT&source=sub", "code=spring", "q=t_b", "q=É", "sort=-commission", "uid=4667776801"},
	commissions.DailyFile: {"", "coin=BTC", "source=direct", "code=spring", "symbol=BTCUSDT"},
	invitees.File:         {"", "code=spring", "uid=4667776801", "range=all"},
	invitees.ListFile:     {"", "code=spring", "coin=USDT", "compare=previous", "range=all"},
	subaffiliates.File:    {"", "product=SPOT", "uid=7", "q=7"},
	invitecodes.File:      {"", "coin=USDT", "product=FUTURES", "code=spring", "compare=previous"},
	payments.BillFile:     {"", "coin=USDT", "range=all"},
	payments.File:         {"", "coin=USDT", "kind=all", "kind=sub", "state=unexplained", "q=reward", "sort=-difference", "range=all"},
	changes.File:          {"", "since=2026-09-15T12:00:00Z", "since=2026-09-15T12:00:00Z&code=spring", "q=t_b&sort=-difference", "change=new&sort=uid", "range=all&since=2026-09-01"},
	shownrates.File:       {"", "coin=USDT", "code=spring", "q=t_b&sort=-difference", "range=all&sort=paid"},
	worklist.File:         {"", "coin=USDT", "show=all&sort=uid", "owner=-", "reason=milestone", "state=silent&code=spring"},
	returns.File:          {"range=all", "range=all&code=spring", "range=all&sort=-cost"},
	cohorts.File:          {"", "by=week", "coin=BTC", "code=spring", "by=month&uid=4667776801"},
}

// kindsAsked lists the kinds of kindQueries by name.
func kindsAsked() []*export.Kind {
	return slices.SortedFunc(maps.Keys(kindQueries), func(a, b *export.Kind) int { return cmp.Compare(a.Name, b.Name) })
}

// drawExport draws one of all exports and a query to it.
func drawExport(t *rapid.T, d *fixture) (*export.Kind, query.Query) {
	kind := rapid.SampledFrom(kindsAsked()).Draw(t, "kind")
	text := rapid.SampledFrom(kindQueries[kind]).Draw(t, "asks")
	if !strings.Contains(text, "range") {
		text += "&from=" + (today - affiliate.Day(rapid.IntRange(0, 6).Draw(t, "back"))).String() + "&to=" + today.String()
	}
	text += rapid.SampledFrom([]string{"", "&account=main", "&account=other"}).Draw(t, "of")
	return kind, d.askFor(kind, text)
}

// askFor parses a query string as the page of an export does.
func (d *fixture) askFor(kind *export.Kind, text string) query.Query {
	switch kind {
	case cohorts.File:
		return d.cohortQuery(text)
	case invitecodes.File:
		return d.codeQuery(text)
	case invitees.ListFile:
		return d.askInvitees(text)
	case payments.File:
		return d.queryOf(text, payments.Accepted)
	case changes.File:
		return d.queryOf(text, changes.Accepted)
	case payments.BillFile:
		return d.queryOf(text, payments.AcceptedOfBills)
	case shownrates.File:
		return d.queryOf(text, shownrates.Accepted)
	case returns.File:
		return d.queryOf(text, returns.Accepted)
	case worklist.File:
		return d.queryOf(withoutDays(text), worklist.Accepted)
	}
	return d.ask(text)
}

// withoutDays removes the range from a query string, for a report about the present.
func withoutDays(text string) string {
	var parts []string
	for part := range strings.SplitSeq(text, "&") {
		if name, _, _ := strings.Cut(part, "="); !slices.Contains([]string{"range", "from", "to"}, name) {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "&")
}

// Every export has the same rows and cells in every format, and its sums equal those of
// its rows exactly.
func TestFormatsAgree(t *testing.T) {
	t.Parallel()
	d := newModelFixture(t, "Asia/Kathmandu")
	d.cost(costs.Cost{Scope: costs.OfCode, Value: "spring", Kind: costs.Once, Amount: "0.000000000000000001", Coin: "USDT", First: today - 6})
	rapid.Check(t, func(t *rapid.T) {
		draw(t, d, 8)
		d.agreeOnly("all,,,0.1,2026-09-01,,,,,", "code,spring,SPOT,0.25,2026-09-12,,,,,")
		newReading(t, d).subAffiliates()
		kind, q := drawExport(t, d)
		var first []map[string]string
		for i, format := range []export.Format{export.CSV, rapid.SampledFrom([]export.Format{export.JSONL, export.JSON, export.XLSX}).Draw(t, "format")} {
			text, summary := d.export(kind, format, q)
			rows := cells(t, format, text)
			if i == 0 {
				first = rows
			}
			if summary.Rows != int64(len(rows)) || len(rows) != len(first) {
				t.Fatalf("%s %s: %d rows, the summary says %d, CSV has %d", kind, format, len(rows), summary.Rows, len(first))
			}
			for n := range rows {
				if !maps.EqualFunc(rows[n], first[n], sameCell) {
					t.Fatalf("%s: row %d of %s is\n%v\nof CSV\n%v", kind, n+1, format, rows[n], first[n])
				}
			}
			checkSums(t, d, kind, summary, first)
		}
	})
}

// sameCell reports whether two cells are equal. A workbook writes numbers in their
// shortest form, and true and false as 1 and 0.
func sameCell(a, b string) bool {
	bits := strings.NewReplacer("true", "1", "false", "0")
	a, b = bits.Replace(a), bits.Replace(b)
	x, isNumber := new(big.Rat).SetString(a)
	y, too := new(big.Rat).SetString(b)
	return a == b || isNumber && too && x.Cmp(y) == 0
}

// checkSums adds up the rows of each coin.
func checkSums(t *rapid.T, d *fixture, kind *export.Kind, summary export.RowTally, rows []map[string]string) {
	t.Helper()
	for _, total := range summary.Sums {
		for _, sum := range total.Columns {
			want := new(big.Rat)
			for _, row := range rows {
				if coin, has := row["coin"]; !has || affiliate.Coin(coin) == total.Coin {
					want.Add(want, rat(d, row[sum.Column]))
				}
			}
			if got := rat(d, string(sum.Sum)); got.Cmp(want) != 0 {
				t.Fatalf("%s: the sum %s of %s is %s, the rows have %s", kind, sum.Column, total.Coin, sum.Sum, want.FloatString(18))
			}
		}
	}
}

// cells returns the rows of an export in the words of CSV, with numbers as they are
// written.
func cells(t *rapid.T, format export.Format, text string) []map[string]string {
	t.Helper()
	var objects []map[string]any
	read := func(text string, into any) {
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		if err := decoder.Decode(into); err != nil {
			t.Fatalf("%v in %.300s", err, text)
		}
	}
	switch format {
	case export.JSON:
		var document struct{ Rows []map[string]any }
		read(text, &document)
		objects = document.Rows
	case export.JSONL:
		for line := range strings.Lines(text) {
			var object map[string]any
			read(line, &object)
			objects = append(objects, object)
		}
	default:
		return parse(t, format, text)
	}
	rows := make([]map[string]string, len(objects))
	for i, object := range objects {
		rows[i] = map[string]string{}
		for name, value := range object {
			rows[i][name] = cell(t, name, value)
		}
	}
	return rows
}

func cell(t *rapid.T, name string, value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return map[bool]string{true: "true", false: "false"}[v]
	}
	t.Fatalf("%s is %T", name, value)
	return ""
}
