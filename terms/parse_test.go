package terms

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/tabular"
	"rebatedesk/workbook"
)

const head = "scope,value,product_type,rate,from,to,note\n"

func parse(t *testing.T, text string) File {
	t.Helper()
	f, err := Parse(t.Context(), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestParse(t *testing.T) {
	want := []Term{
		{Scope: ScopeAll, Rate: "0.3", From: affiliate.NewDay(2026, 1, 1), Note: "basic, by mail", Line: 2},
		{Scope: ScopeUID, Value: "4667776811", Product: affiliate.Spot, Rate: "0.350", From: affiliate.NewDay(2026, 3, 1), To: affiliate.NewDay(2026, 5, 31), Line: 4},
	}
	for name, text := range map[string]string{
		"commas":     head + "all,,,0.3,2026-01-01,,\"basic, by mail\"\n\nuid,4667776811,SPOT,0.350,2026-03-01,2026-05-31,\n",
		"byte order": "\ufeff" + head + "all,,,0.3,2026-01-01,,\"basic, by mail\"\n,,,,,,\nuid,4667776811,spot,0.350,2026-03-01,2026-05-31,\n",
		"semicolons": strings.ReplaceAll(head, ",", ";") + "all;;;0.3;2026-01-01;;basic, by mail\r\n\r\nUID; 4667776811 ;SPOT;0.350;2026-03-01;2026-05-31;\r\n",
		"order":      "note,to,from,rate,product_type,value,scope\n\"basic, by mail\",,2026-01-01,0.3,,,all\n\n,2026-05-31,2026-03-01,0.350,SPOT,4667776811,uid",
	} {
		t.Run(name, func(t *testing.T) {
			if got := parse(t, text); !slices.Equal(got.Terms, want) {
				t.Errorf("got %+v\nwant %+v", got.Terms, want)
			}
		})
	}
}

func TestParseFurtherColumns(t *testing.T) {
	got := parse(t, strings.TrimSpace(head)+",account,source,tier_by,tier_from,reference\n"+
		"code,VIP,FUTURES,0.4,2026-01-01,,'=note,second,direct,volume,1000000,https://example.com/a.pdf\n")
	want := Term{Account: "second", Scope: ScopeCode, Value: "VIP", Product: affiliate.Futures, Source: affiliate.Direct, Rate: "0.4",
		From: affiliate.NewDay(2026, 1, 1), TierBy: TierByVolume, TierFrom: "1000000", Note: "=note", Reference: "https://example.com/a.pdf", Line: 2}
	if len(got.Terms) != 1 || got.Terms[0] != want {
		t.Errorf("got %+v\nwant %+v", got.Terms, want)
	}
}

// A share of a sub-affiliate may have a coin. A file without the column keeps it, and one with another coin
// replaces the term.
func TestCoinOfShares(t *testing.T) {
	with := strings.TrimSpace(head) + ",coin\n"
	got := parse(t, with+"sub-affiliate,7,,0.1,2026-01-01,,,usdt\nsub-affiliate,8,,0.1,2026-01-01,,,\n")
	if len(got.Terms) != 2 || got.Terms[0].Coin != "USDT" || got.Terms[1].Coin != "" {
		t.Fatalf("%+v", got.Terms)
	}
	stored := got.Terms
	for i := range stored {
		stored[i].ID, stored[i].Line = int64(i+1), 0
	}
	m, err := parse(t, head+"sub-affiliate,7,,0.1,2026-01-01,,\n").Merge(stored)
	if err != nil || m.Any() {
		t.Errorf("a file without the column: %+v, %v", m, err)
	}
	m, err = parse(t, with+"sub-affiliate,8,,0.1,2026-01-01,,,BTC\n").Merge(stored)
	if err != nil || len(m.Changed) != 1 || m.Changed[0].Before.Coin != "" || m.Changed[0].After.Coin != "BTC" {
		t.Errorf("a coin for a stored share: %+v, %v", m, err)
	}
}

// Each mistake is named with its line and column, and with its mend.
func TestParseNamesEachMistake(t *testing.T) {
	tiers := strings.TrimSpace(head) + ",account,source,tier_by,tier_from\n"
	coins := strings.TrimSpace(head) + ",coin\n"
	for text, want := range map[string]string{
		head + "all,,,1.01,2026-01-01,,":                  "line 2, column 4 (rate): 1.01 is above 1",
		head + "all,,,-0.1,2026-01-01,,":                  "line 2, column 4 (rate): -0.1 is negative",
		head + "all,,,15%,2026-01-01,,":                   `line 2, column 4 (rate): "15%" is a percentage: write the fraction, 0.15`,
		head + "all,,,\"0,15\",2026-01-01,,":              `line 2, column 4 (rate): "0,15" has a comma`,
		head + "all,,,NaN,2026-01-01,,":                   `line 2, column 4 (rate): "NaN" is not a number`,
		head + "all,,,0.1234567890123456789,2026-01-01,,": "line 2, column 4 (rate): 0.1234567890123456789 has more than 18 decimals: round it",
		head + "all,,,,2026-01-01,,":                      "line 2, column 4 (rate): the rate is missing",
		head + "everyone,,,0.1,2026-01-01,,":              `line 2, column 1 (scope): "everyone" is no scope`,
		head + ",,,0.1,2026-01-01,,":                      "line 2, column 1 (scope): the scope is missing",
		head + "all,4667776811,,0.1,2026-01-01,,":         "line 2, column 2 (value)",
		head + "uid,,,0.1,2026-01-01,,":                   "line 2, column 2 (value): the UID is missing",
		head + "code,,,0.1,2026-01-01,,":                  "line 2, column 2 (value): the invite code is missing",
		head + "uid,4.66778E+09,,0.1,2026-01-01,,":        `line 2, column 2 (value): "4.66778E+09" is not a UID`,
		head + "sub-affiliate,a b,,0.1,2026-01-01,,":      `line 2, column 2 (value): "a b" is not a UID`,
		head + "code,A\u202eB,,0.1,2026-01-01,,":          "line 2, column 2 (value): the text has a character without a visible form, or a line break: A[U+202E]B",
		head + "all,,MARGIN,0.1,2026-01-01,,":             `line 2, column 3 (product_type): "MARGIN" is no product`,
		head + "all,,,0.1,,,":                             "line 2, column 5 (from): the first day is missing",
		head + "all,,,0.1,01.02.2026,,":                   `line 2, column 5 (from): "01.02.2026" is not a day`,
		head + "all,,,0.1,2026-02-30,,":                   `line 2, column 5 (from): "2026-02-30" is not a day`,
		head + "all,,,0.1,0206-02-03,,":                   "line 2, column 5 (from): 0206-02-03 is not a day from 2000-01-01",
		head + "all,,,0.1,2026-02-01,2026-01-31,":         "line 2, column 6 (to): the last day 2026-01-31 lies before",
		head + "all,,,0.1,2026-02-01":                     "line 2: 5 cells, but the header names 7 columns",
		head + "\nall,,,\"0.1,2026-02-01,,\n":             "line 3: the quotes are not balanced",
		"":                                                "line 1: the file is empty",
		coins + "all,,,0.1,2026-02-01,,,USDT":             "line 2, column 8 (coin): only a share of a sub-affiliate has a coin",
		coins + "sub-affiliate,,,0.1,2026-02-01,,,US DT":  `line 2, column 8 (coin): "US DT" is no coin`,
		coins + "sub-affiliate,,,0.1,2026-02-01,,,BTC\nsub-affiliate,,,0.1,2026-02-01,,,ETH": `line 3, column 8 (coin): the coin "ETH" contradicts the coin "BTC" in line 2`,
		"\xff\xfes":                              "UTF-16",
		head:                                     "a header and no row below it",
		head + "all,,,0.1,2026-02-01,,M\xfcller": "line 2: character 24 is not UTF-8",
		"scope,value,product_type,rate,from,to,remark\n":                                                "line 1, column 7 (remark): unknown column; a terms file has scope, value",
		"scope,value,product_type,rate,from,to,rate\n":                                                  "line 1, column 7 (rate): the column stands twice, first as column 4",
		"scope,value,product_type,rate,from,note\n":                                                     "line 1: the column to is missing",
		tiers + "all,,,0.1,2026-02-01,,,,agent,,":                                                       `line 2, column 9 (source): "agent" is no source`,
		tiers + "sub-affiliate,,,0.1,2026-02-01,,,,sub,,":                                               "line 2, column 9 (source): a share for a sub-affiliate has no source",
		tiers + "all,,,0.1,2026-02-01,,,,,volume,":                                                      "line 2, column 11 (tier_from): the figure from which the tier applies is missing",
		tiers + "all,,,0.1,2026-02-01,,,,,,100":                                                         "line 2, column 10 (tier_by): the tier from 100 lacks its figure",
		tiers + "all,,,0.1,2026-02-01,,,,,fees,100":                                                     `line 2, column 10 (tier_by): "fees" is no figure for tiers`,
		tiers + "all,,,0.1,2026-02-01,,,,,volume,1 000":                                                 `line 2, column 11 (tier_from): "1 000" is not a plain number`,
		tiers + "all,,,0.1,2026-02-01,,,,,volume,-1":                                                    "line 2, column 11 (tier_from): -1 is negative",
		tiers + "all,,,0.1,2026-02-01,,,,,active_traders,1.5":                                           "line 2, column 11 (tier_from): 1.5 is not a whole number",
		tiers + "uid,1,,0.1,2026-02-01,,,,,active_traders,1":                                            "line 2, column 10 (tier_by): one UID is one trader",
		tiers + "sub-affiliate,1,,0.1,2026-02-01,,,,,active_traders,1":                                  "line 2, column 10 (tier_by): the exchange does not say",
		head + "all,,,0.1,2026-02-01,,\nuid,1,,0.1,2026-02-01,,\nall,,,0.2,2026-02-01,,":                "line 4, column 4 (rate): the rate 0.2 contradicts the rate 0.1 in line 2: both are about all, from 2026-02-01",
		head + "all,,,0.1,2026-02-01,,\nall,,,0.10,2026-02-01,2026-03-01,":                              "line 3, column 6 (to): the term from 2026-02-01 to 2026-03-01 contradicts that from 2026-02-01 in line 2",
		head + "all,,,0.1,2026-02-01,,\nall,,,0.2,2026-02-01,,\nall,,,-1,2026-02-01,,":                  "line 3, column 4 (rate): the rate 0.2 contradicts the rate 0.1 in line 2: both are about all, from 2026-02-01\nline 4",
		tiers + "all,,,0.1,2026-02-01,,,,,volume,100\nall,,,0.2,2026-03-01,,,,,active_traders,5":        "line 3, column 10 (tier_by): the tier by active_traders contradicts the tier by volume in line 2",
		head + "all,,,15%,2026-01-01,,\nall,,MARGIN,0.1,2026-02-01,,\n":                                 "line 2, column 4 (rate): \"15%\" is a percentage: write the fraction, 0.15 for 15 %\nline 3, column 3",
		head + strings.Repeat("x,,,0.1,2026-02-01,,\n", tabular.MaxShown+5):                             "\nand 5 more",
		head + strings.Repeat("all,,,0.1,2026-02-01,,"+strings.Repeat("n", 400)+"\n", MaxFileBytes/400): "the file is larger than 5 MiB",
		head + "all,,,0.1,2026-02-01,," + strings.Repeat("n", maxText+1):                                "line 2, column 7 (note): the text is longer than 500 characters",
		strings.ReplaceAll(head, ",", ";") + "all;;;0,15;2026-01-01;;":                                  `line 2, column 4 (rate): "0,15" has a comma: write a decimal point`,
		head + "all,,,0." + strings.Repeat("1", 60) + ",2026-01-01,,":                                   "line 2, column 4 (rate)",
		head + "\"multi\nline\",,,0.1,2026-01-01,,\nall,,,2,2026-01-01,,":                               "line 4, column 4 (rate): 2 is above 1",
	} {
		f, err := Parse(t.Context(), []byte(text))
		var mistakes tabular.Mistakes
		if !errors.As(err, &mistakes) || len(f.Terms) > 0 || !strings.Contains(err.Error(), want) {
			t.Errorf("%.200q: %+v, %v\nwant %s", text, f.Terms, err, want)
		}
	}
}

// A line that stands twice is one term; its later note counts.
func TestParseRepeatedLines(t *testing.T) {
	got := parse(t, head+"all,,,0.1,2026-02-01,,first\nall,,,0.2,2026-03-01,,\nall,,,0.100,2026-02-01,,second\n")
	if len(got.Terms) != 2 || got.Repeats != 1 || got.Terms[0].Note != "second" || got.Terms[0].Rate != "0.1" {
		t.Errorf("%+v", got)
	}
}

// A terms file may be a workbook, with days as dates and rates as numbers.
func TestParseWorkbook(t *testing.T) {
	number := func(digits string) workbook.Put { return workbook.Put{Number: digits} }
	day := func(serial string) workbook.Put {
		return workbook.Put{Number: serial, Style: workbook.Style{Format: "d/m/yyyy"}}
	}
	text := func(words string) workbook.Put { return workbook.Put{Text: words} }
	write := func(value, from workbook.Put) []byte {
		var file bytes.Buffer
		if err := workbook.Write(&file, workbook.Properties{}, func(w *workbook.Writer) error {
			var header []workbook.Put
			for name := range strings.SplitSeq(strings.TrimSpace(head), ",") {
				header = append(header, text(name))
			}
			return errors.Join(w.Begin(workbook.Sheet{Name: "terms"}), w.Row(header),
				w.Row([]workbook.Put{text("uid"), value, text("SPOT"), number("0.35"), from, day("46173"), text("first line\nsecond_x0041_x0042_")}))
		}); err != nil {
			t.Fatal(err)
		}
		return file.Bytes()
	}
	want := Term{Scope: ScopeUID, Value: "4667776811", Product: affiliate.Spot, Rate: "0.35", From: affiliate.NewDay(2026, 3, 1), To: affiliate.NewDay(2026, 5, 31), Note: "first line\nsecond_x0041_x0042_", Line: 2}
	got, err := Parse(t.Context(), write(number("4.667776811E9"), day("46082")))
	if err != nil || len(got.Terms) != 1 || got.Terms[0] != want {
		t.Errorf("got %+v, %v\nwant %+v", got.Terms, err, want)
	}
	for fault, file := range map[string][]byte{
		"line 2, column 2 (value): \"2026-03-01\" is a date":                         write(day("46082"), day("46082")),
		"line 2, column 5 (from): \"2026-03-01T12:00:00\" is not a day":              write(number("1"), day("46082.5")),
		"line 2, column 5 (from): \"46082\" is not a day of the form YYYY-MM-DD":     write(number("1"), number("46082")),
		"line 2, column 2 (value): \"4667776811123456\" is a number of more than 15": write(number("4667776811123456"), day("46082")),
	} {
		if _, err := Parse(t.Context(), file); err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("%v, want %s", err, fault)
		}
	}
}
