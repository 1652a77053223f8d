package export_test

import (
	"encoding/json"
	"maps"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/reports/export"
	"rebatedesk/reports/query"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store/costs"
)

// drawExport draws one of all exports and a query to it.
func drawExport(t *rapid.T, d *reporttest.Fixture) (*export.Kind, query.Query) {
	kind := rapid.SampledFrom(reporttest.KindsAsked()).Draw(t, "kind")
	text := rapid.SampledFrom(reporttest.KindQueries[kind]).Draw(t, "asks")
	if !strings.Contains(text, "range") {
		text += "&from=" + (reporttest.Today - affiliate.Day(rapid.IntRange(0, 6).Draw(t, "back"))).String() + "&to=" + reporttest.Today.String()
	}
	text += rapid.SampledFrom([]string{"", "&account=main", "&account=other"}).Draw(t, "of")
	return kind, d.AskFor(kind, text)
}

// Every export has the same rows and cells in every format, and its sums equal those of
// its rows exactly.
func TestFormatsAgree(t *testing.T) {
	t.Parallel()
	d := reporttest.NewModelFixture(t, "Asia/Kathmandu")
	d.NewCost(costs.Cost{Scope: costs.OfCode, Value: "spring", Kind: costs.Once, Amount: "0.000000000000000001", Coin: "USDT", First: reporttest.Today - 6})
	rapid.Check(t, func(t *rapid.T) {
		reporttest.Draw(t, d, 8)
		d.AgreeOnly("all,,,0.1,2026-09-01,,,,,", "code,spring,SPOT,0.25,2026-09-12,,,,,")
		reporttest.NewReading(t, d).SubAffiliates()
		kind, q := drawExport(t, d)
		var first []map[string]string
		for i, format := range []export.Format{export.CSV, rapid.SampledFrom([]export.Format{export.JSONL, export.JSON, export.XLSX}).Draw(t, "format")} {
			text, summary := d.Export(kind, format, q)
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
func checkSums(t *rapid.T, d *reporttest.Fixture, kind *export.Kind, summary export.RowTally, rows []map[string]string) {
	t.Helper()
	for _, total := range summary.Sums {
		for _, sum := range total.Columns {
			want := new(big.Rat)
			for _, row := range rows {
				if coin, has := row["coin"]; !has || affiliate.Coin(coin) == total.Coin {
					want.Add(want, reporttest.Rat(d, row[sum.Column]))
				}
			}
			if got := reporttest.Rat(d, string(sum.Sum)); got.Cmp(want) != 0 {
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
		return reporttest.Parse(t, format, text)
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
