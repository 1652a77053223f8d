package prices_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/prices"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/tabular"
)

var ann, bob = audit.Line{Actor: "ann", Via: "browser"}, audit.Line{Actor: "bob", Via: "command"}

func parsed(t *testing.T, lines ...string) prices.File {
	t.Helper()
	file, err := prices.ParseFile(t.Context(), []byte("date,coin,price_usdt\n"+strings.Join(lines, "\n")+"\n"))
	storetest.Done(t, err)
	return file
}

// inForce returns the prices of BTC in a few words, as known at an instant.
func inForce(t *testing.T, s *store.Store, at affiliate.Millis) string {
	t.Helper()
	r := storetest.Reader(t, s)
	defer r.Close()
	list, err := prices.Of(t.Context(), r, "BTC", at)
	storetest.Done(t, err)
	var words []string
	for _, p := range list {
		words = append(words, fmt.Sprintf("%s %s %s/%d", p.Day, p.Price.Price, p.Actor, p.Import))
	}
	return strings.Join(words, ", ")
}

// A later import replaces, an undoing gives back what holds without it, a collected price is left alone, and
// each earlier state stays known.
func TestImportsAndUndoings(t *testing.T) {
	storetest.Engines(t, "statements about prices in force, and a partial unique index", testImportsAndUndoings)
}

func testImportsAndUndoings(t *testing.T) {
	s := storetest.Audited(t)
	states := map[affiliate.Millis]string{}
	note := func(want string) {
		t.Helper()
		if got := inForce(t, s, 0); got != want {
			t.Errorf("in force: %s, want %s", got, want)
		}
		at, err := s.LastWrite(t.Context())
		storetest.Done(t, err)
		states[at] = want
	}
	imported := func(by audit.Line, want string, lines ...string) {
		t.Helper()
		done, c, err := prices.Import(t.Context(), s, parsed(t, lines...), "prices.csv", by)
		storetest.Done(t, err)
		if got := fmt.Sprintf("%d: %d new, %d replaced, %d unchanged, %d collected", done.ID, len(c.Added), len(c.Replaced), c.Unchanged, len(c.Collected)); got != want {
			t.Errorf("import %s, want %s", got, want)
		}
	}
	undone := func(id int64, want string) {
		t.Helper()
		done, err := prices.Undo(t.Context(), s, id, bob)
		storetest.Done(t, err)
		if got := fmt.Sprintf("%d removed, %d restored, %d kept", done.Removed, done.Restored, done.Kept); got != want {
			t.Errorf("undoing %d: %s, want %s", id, got, want)
		}
	}
	sample := records.Rate{Coin: "BTC", Quote: "USDT", Price: "60000", At: affiliate.MillisOf(time.Date(2026, 8, 20, 5, 0, 0, 0, time.UTC)), Source: "spot ticker", Symbol: "BTCUSDT_SPBL"}
	_, err := records.AddRates(t.Context(), s, []records.Rate{sample})
	storetest.Done(t, err)
	note("")
	imported(ann, "1: 2 new, 0 replaced, 0 unchanged, 1 collected", "2026-08-18,BTC,58000", "2026-08-19,btc,59000.5", "2026-08-20,BTC,1", "2026-08-19,BTC,59000.50", "2026-08-21,BTC,")
	note("2026-08-18 58000 ann/1, 2026-08-19 59000.5 ann/1")
	imported(bob, "2: 1 new, 1 replaced, 1 unchanged, 0 collected", "2026-08-17,BTC,57000", "2026-08-18,BTC,58000.0", "2026-08-19,BTC,59001")
	note("2026-08-17 57000 bob/2, 2026-08-18 58000 ann/1, 2026-08-19 59001 bob/2")
	imported(bob, "3: 0 new, 1 replaced, 0 unchanged, 0 collected", "2026-08-19,BTC,59002")
	note("2026-08-17 57000 bob/2, 2026-08-18 58000 ann/1, 2026-08-19 59002 bob/3")
	undone(2, "1 removed, 0 restored, 1 kept")
	note("2026-08-18 58000 ann/1, 2026-08-19 59002 bob/3")
	undone(3, "0 removed, 1 restored, 0 kept") // not that of the import that was undone
	note("2026-08-18 58000 ann/1, 2026-08-19 59000.5 ann/1")
	undone(1, "2 removed, 0 restored, 0 kept")
	note("")
	imported(bob, "4: 1 new, 0 replaced, 0 unchanged, 0 collected", "2026-08-19,BTC,7")
	note("2026-08-19 7 bob/4")
	for at, want := range states {
		if got := inForce(t, s, at); got != want {
			t.Errorf("as of %s: %s, want %s", at, got, want)
		}
	}
	for id, want := range map[int64]string{1: "was undone already", 99: "no import 99"} {
		if _, err := prices.Undo(t.Context(), s, id, bob); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("undoing %d again: %v", id, err)
		}
	}
	var said []string
	for _, line := range storetest.AuditLines(t, s, audit.LogQuery{}) {
		said = append(said, line.Actor+" "+line.Action+" "+line.Object)
	}
	if got := strings.Join(said, ", "); !strings.Contains(got, "ann prices imported prices.csv") || !strings.Contains(got, "bob price import undone 3") {
		t.Errorf("the audit log says %s", got)
	}
	r := storetest.Reader(t, s)
	defer r.Close()
	list, err := prices.Imports(t.Context(), r, 0)
	storetest.Done(t, err)
	if len(list) != 4 || list[0].ID != 4 || list[2].Kept != 1 || list[2].UndoBy != "bob" || list[0].Undone.Known() || list[3].Added != 2 {
		t.Errorf("the list of imports is %+v", list)
	}
}

// What is wrong with a file is named by line and column, and nothing of it is stored.
func TestFaultyPriceFiles(t *testing.T) {
	s := storetest.Audited(t)
	for text, want := range map[string]string{
		"date,coin,price_usdt\n2026-08-01,BTC,\"1,5\"\n":                               "line 2, column 3 (price_usdt): the price \"1,5\" has a comma",
		"date,coin,price_usdt\n2026-08-01,BTC,0\n":                                     "line 2, column 3 (price_usdt): the price 0 is not above zero",
		"date,coin,price_usdt\n2026-08-01,BTC,-1\n":                                    "is not above zero",
		"date,coin,price_usdt\n2026-08-01,BTC,$5\n":                                    "is not a plain number",
		"date,coin,price_usdt\n2026-08-01,BTC,1.1234567890123456789\n":                 "at most 18 decimals",
		"date,coin,price_usdt\n2026-08-01,USDT,1\n":                                    "line 2, column 2 (coin): prices are in USDT",
		"date,coin,price_usdt\n2026-08-01,,1\n":                                        "the coin is missing",
		"date,coin,price_usdt\n2026-08-01,B T C,1\n":                                   "is no coin",
		"date,coin,price_usdt\n01.08.2026,BTC,1\n":                                     "line 2, column 1 (date): \"01.08.2026\" is not a day of the form YYYY-MM-DD",
		"date,coin,price_usdt\n1026-08-01,BTC,1\n":                                     "check the year",
		"date,coin,price_usdt\n,BTC,1\n":                                               "the day is missing",
		"date,coin,price_usdt\n2026-08-01,BTC,1\n2026-08-01,btc,2\n":                   "line 3, column 3 (price_usdt): the price 2 contradicts the price 1 of BTC on 2026-08-01 in line 2",
		"coin,price_usdt,date\nBTC,1,2026-08-31\nBTC,1,2026-09-01\nBTC,1,2027-01-01\n": "line 3, column 3 (date): 2026-09-01 is not over: the last day that can have a price is 2026-08-31",
		"date,coin\n2026-08-01,BTC\n":                                                  "the column price_usdt is missing",
		"date,coin,price_usdt,source\n2026-08-01,BTC,1,x\n":                            "line 1, column 4 (source): unknown column",
		"date,coin,price_usdt\n":                                                       "no row below it",
	} {
		file, err := prices.ParseFile(t.Context(), []byte(text))
		if err == nil {
			_, _, err = prices.Import(t.Context(), s, file, "prices.csv", ann)
		}
		if _, ok := errors.AsType[tabular.Mistakes](err); !ok || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if got := inForce(t, s, 0); got != "" {
		t.Errorf("faulty files left %s", got)
	}
}

// A written file reads as the same prices.
func TestPriceFileIsReadAsWritten(t *testing.T) {
	want := parsed(t, "2026-08-18,BTC,58000.10", "2026-08-19,ETH,0.000000000000000001").Prices
	var out strings.Builder
	storetest.Done(t, prices.WriteFile(&out, want))
	got, err := prices.ParseFile(t.Context(), []byte(out.String()))
	if err != nil || fmt.Sprint(got.Prices) != fmt.Sprint(want) {
		t.Errorf("%v, want %v (%v)", got.Prices, want, err)
	}
}
