package reporttest

import (
	"encoding/csv"
	"encoding/json"
	"math/big"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"rebatedesk/reports/export"
)

func Exact(m *Model, d decimal.Decimal) *big.Rat { return Rat(m, d.String()) }

// Parse reads an export with the standard library.
func Parse(t rapid.TB, format export.Format, text string) []map[string]string {
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
		return Workbook(t, text).Records()
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
