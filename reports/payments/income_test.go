package payments_test

import (
	"encoding/csv"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/export"
	shown "rebatedesk/reports/payments"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store/payments"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

// received stores bills that pay commission, and prices, each at a time of UTC.
func received(t *testing.T, bills []affiliate.Bill, prices map[string]affiliate.Number) *reporttest.Fixture {
	t.Helper()
	d := reporttest.NewFixture(t, "Asia/Tokyo")
	span := reporttest.Days(-300, 0)
	d.ReadEmpty(span)
	for i := range bills {
		bills[i].Wallet, bills[i].Business = affiliate.SpotWallet, "rr_agent_reward"
	}
	_, err := payments.ReplaceBills(t.Context(), d.DB, d.Slice("main", affiliate.Stream{Kind: affiliate.SpotBills}, span), bills)
	storetest.Done(t, err)
	for at, price := range prices {
		_, err := records.AddRates(t.Context(), d.DB, []records.Rate{{Coin: "BTC", Quote: "USDT", Price: price, At: instant(t, at), Source: "spot ticker", Symbol: "BTCUSDT"}})
		storetest.Done(t, err)
	}
	return d
}

func instant(t *testing.T, text string) affiliate.Millis {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	storetest.Done(t, err)
	return affiliate.MillisOf(at)
}

// rowsOf reads a file by other code than the one that wrote it.
func rowsOf(t *testing.T, d *reporttest.Fixture, kind *export.Kind, asked string) (rows []map[string]string) {
	t.Helper()
	text, _ := d.Export(kind, export.CSV, d.QueryOf(asked, shown.AcceptedOfIncome))
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	storetest.Done(t, err)
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// A bill counts on the day of the reporting zone on which it arrived, at the price of that day, or else at
// one that the file names. What has no value says why.
func TestIncomeAtReceipt(t *testing.T) {
	t.Parallel()
	d := received(t, []affiliate.Bill{
		{ID: "1", Coin: "USDT", Amount: "3", Created: instant(t, "2025-12-31T15:00:00Z")},
		{ID: "2", Coin: "BTC", Amount: "0.001", Created: instant(t, "2026-08-31T14:59:59Z")},
		{ID: "3", Coin: "USDT", Amount: "12.50", Created: instant(t, "2026-08-31T15:00:00Z")},
		{ID: "4", Coin: "BTC", Amount: "0.002", Created: instant(t, "2026-09-03T03:00:00Z")},
		{ID: "5", Coin: "BTC", Amount: "-0.0005", Created: instant(t, "2026-09-04T03:00:00Z")},
		{ID: "6", Coin: "XYZ", Amount: "7", Created: instant(t, "2026-09-05T03:00:00Z")},
	}, map[string]affiliate.Number{"2026-09-03T01:00:00Z": "60000.5", "2026-09-03T14:59:59Z": "61000.5", "2026-09-03T15:00:00Z": "62000", "2026-09-06T01:00:00Z": "70000"})
	const columns = "received_utc received_local coin amount value_usdt price_usdt price_kind price_time_utc no_value bill_id"
	for i, want := range []string{
		"2025-12-31T15:00:00.000Z|2026-01-01T00:00:00.000+09:00|USDT|3|3|1|par|||1",
		"2026-08-31T14:59:59.000Z|2026-08-31T23:59:59.000+09:00|BTC|0.001|60.0005|60000.5|later|2026-09-03T01:00:00.000Z||2",
		"2026-08-31T15:00:00.000Z|2026-09-01T00:00:00.000+09:00|USDT|12.50|12.5|1|par|||3",
		"2026-09-03T03:00:00.000Z|2026-09-03T12:00:00.000+09:00|BTC|0.002|122.001|61000.5|own|2026-09-03T14:59:59.000Z||4",
		"2026-09-04T03:00:00.000Z|2026-09-04T12:00:00.000+09:00|BTC|-0.0005|-31|62000|own|2026-09-03T15:00:00.000Z||5",
		"2026-09-05T03:00:00.000Z|2026-09-05T12:00:00.000+09:00|XYZ|7|||none||no price of XYZ is known|6",
	} {
		row := rowsOf(t, d, shown.IncomeFile, "")[i]
		var got []string
		for _, name := range strings.Fields(columns) {
			got = append(got, row[name])
		}
		if strings.Join(got, "|") != want {
			t.Errorf("row %d is %s, want %s", i+1, strings.Join(got, "|"), want)
		}
	}
	for asked, ids := range map[string]string{
		"from=2026-09-01&to=2026-09-30": "3 4 5 6", "from=2026-08-01&to=2026-08-31": "2", "from=2026-01-01&to=2026-12-31": "1 2 3 4 5 6",
		"from=2025-01-01&to=2025-12-31": "", "coin=BTC": "2 4 5", "coin=btc": "2 4 5",
	} {
		var got []string
		for _, row := range rowsOf(t, d, shown.IncomeFile, asked) {
			got = append(got, row["bill_id"])
		}
		if strings.Join(got, " ") != ids {
			t.Errorf("%s: the bills %q, want %q", asked, got, ids)
		}
	}
	earlier := rowsOf(t, received(t, []affiliate.Bill{{ID: "1", Coin: "BTC", Amount: "0.1", Created: instant(t, "2026-09-05T03:00:00Z")}},
		map[string]affiliate.Number{"2026-09-03T01:00:00Z": "60000"}), shown.IncomeFile, "")[0]
	if earlier["price_kind"] != "earlier" || earlier["value_usdt"] != "6000" {
		t.Errorf("a day without a price, after one with a price: %v", earlier)
	}
}

// The months and years of the page add up to the files of the same days, coin by coin, and the values to
// the value of all coins.
func TestIncomeOfMonths(t *testing.T) {
	t.Parallel()
	d := received(t, []affiliate.Bill{
		{ID: "1", Coin: "USDT", Amount: "3.000000000000000001", Created: instant(t, "2025-12-31T15:00:00Z")},
		{ID: "2", Coin: "BTC", Amount: "0.001000000000000007", Created: instant(t, "2026-08-31T14:59:59Z")},
		{ID: "3", Coin: "BTC", Amount: "0.1", Created: instant(t, "2026-08-31T15:00:00Z")},
		{ID: "4", Coin: "BTC", Amount: "-0.002000000000000003", Created: instant(t, "2026-08-31T16:00:00Z")},
		{ID: "5", Coin: "XYZ", Amount: "7", Created: instant(t, "2025-12-31T14:59:59Z")},
	}, map[string]affiliate.Number{"2026-08-31T01:00:00Z": "60000.333333", "2026-08-31T15:30:00Z": "61000.7"})
	report, err := reports.Ask(t.Context(), d.Service, d.QueryOf("per=25", shown.AcceptedOfIncome), shown.MakeIncome)
	storetest.Done(t, err)
	var names []string
	for _, year := range report.Years {
		for _, of := range append([]shown.IncomeSum{year.IncomeSum}, year.Months...) {
			names = append(names, of.Days.First.String()+" "+of.Days.Last.String())
			rows, total := rowsOf(t, d, shown.IncomeFile, "from="+of.Days.First.String()+"&to="+of.Days.Last.String()), new(big.Rat)
			amounts := map[affiliate.Coin]*big.Rat{}
			for _, row := range rows {
				coin := affiliate.Coin(row["coin"])
				if amounts[coin] == nil {
					amounts[coin] = new(big.Rat)
				}
				amounts[coin].Add(amounts[coin], rational(t, row["amount"]))
				if row["value_usdt"] != "" {
					total.Add(total, rational(t, row["value_usdt"]))
				}
			}
			if len(rows) != of.Bills || len(amounts) != len(of.Coins) || total.Cmp(rational(t, of.Worth.Total.String())) != 0 {
				t.Errorf("%s: %d bills of %d coins worth %s; the file %d, %d and %s", names[len(names)-1], of.Bills, len(of.Coins), of.Worth.Total, len(rows), len(amounts), total.FloatString(20))
			}
			for _, c := range of.Coins {
				if amounts[c.Coin].Cmp(rational(t, c.Sum.String())) != 0 {
					t.Errorf("%s: %s %s; the file %s", names[len(names)-1], c.Sum.String(), c.Coin, amounts[c.Coin].FloatString(20))
				}
			}
		}
	}
	if want := []string{"2026-01-01 2026-09-15", "2026-09-01 2026-09-15", "2026-08-01 2026-08-31", "2026-01-01 2026-01-31", "2025-12-01 2025-12-31"}; !slices.Equal(slices.DeleteFunc(names, func(n string) bool { return n == "2025-01-01 2025-12-31" }), want) {
		t.Errorf("the months are %q, want %q", names, want)
	}
	if missing := report.Total.Worth.Missing; len(missing) != 1 || missing[0].Exact() != "7 XYZ" || len(report.Bills) != 5 || report.Bills[0].ID != "4" {
		t.Errorf("without a price: %v; the bills: %v", missing, report.Bills)
	}
}

func rational(t *testing.T, text string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%q is no number", text)
	}
	return r
}

// The forms have the columns of the documents of their tools, whole times of UTC, and an expense for what was
// taken back. A bill that moves nothing is left out.
func TestIncomeForms(t *testing.T) {
	t.Parallel()
	d := received(t, []affiliate.Bill{
		{ID: "7", Coin: "BTC", Amount: "0.002", Created: instant(t, "2026-09-03T03:04:05Z")},
		{ID: "8", Coin: "XYZ", Amount: "-7.5", Created: instant(t, "2026-09-04T23:00:00Z")},
		{ID: "9", Coin: "USDT", Amount: "0", Created: instant(t, "2026-09-05T23:00:00Z")},
	}, map[string]affiliate.Number{"2026-09-03T01:00:00Z": "60000"})
	for kind, want := range map[*export.Kind]string{
		shown.KoinlyFile: "Date,Sent Amount,Sent Currency,Received Amount,Received Currency,Fee Amount,Fee Currency,Net Worth Amount,Net Worth Currency,Label,Description,TxHash\r\n" +
			"2026-09-03 03:04 UTC,,,0.002,BTC,,,120,USDT,income,\"Affiliate commission of no known period, main, spot bill 7\",spot-7\r\n" +
			"2026-09-04 23:00 UTC,7.5,XYZ,,,,,,,cost,\"Affiliate commission taken back of no known period, main, spot bill 8\",spot-8\r\n",
		shown.CoinTrackingFile: "Type,Buy Amount,Buy Currency,Sell Amount,Sell Currency,Fee,Fee Currency,Exchange,Trade-Group,Comment,Date\r\n" +
			"Income,0.002,BTC,,,,,main spot,Affiliate commission,\"Affiliate commission of no known period, main, spot bill 7\",2026-09-03 03:04:05\r\n" +
			"Other Expense,,,7.5,XYZ,,,main spot,Affiliate commission,\"Affiliate commission taken back of no known period, main, spot bill 8\",2026-09-04 23:00:00\r\n",
	} {
		if got, _ := d.Export(kind, export.CSV, d.QueryOf("", shown.AcceptedOfIncome)); got != want {
			t.Errorf("%s is\n%swant\n%s", kind, got, want)
		}
	}
}

// No text of the exchange becomes a formula in any of the files.
func TestIncomeHasNoFormulas(t *testing.T) {
	t.Parallel()
	hostile := []string{`=HYPERLINK("http://evil.example/","x")`, "+1+cmd|' /C calc'!A0", "-2+3", "@SUM(1+1)", "\t=1+1", "x;=1+1", "x\t@SUM(1)", "\u00a0=1", "＝1+1"}
	var bills []affiliate.Bill
	for i, text := range hostile {
		bills = append(bills, affiliate.Bill{ID: text, Coin: affiliate.Coin(text), Amount: []affiliate.Number{"5", "-5"}[i%2], Created: instant(t, "2026-09-03T03:00:00Z") + affiliate.Millis(i)})
	}
	d := received(t, bills, nil)
	numbers := []string{"amount", "value_usdt", "price_usdt", "Sent Amount", "Received Amount", "Net Worth Amount", "Buy Amount", "Sell Amount"}
	for _, kind := range []*export.Kind{shown.IncomeFile, shown.KoinlyFile, shown.CoinTrackingFile} {
		rows := rowsOf(t, d, kind, "")
		if len(rows) != len(hostile) {
			t.Errorf("%s has %d rows of %d bills", kind, len(rows), len(hostile))
		}
		for _, row := range rows {
			for name, text := range row {
				if strings.HasPrefix(text, "'") { // guarded
					continue
				}
				for _, cell := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(";|\t\r\n", r) }) {
					if cell = strings.TrimLeft(cell, " \u00a0"); !slices.Contains(numbers, name) && cell != "" && strings.ContainsAny(cell[:1], "=+-@") || strings.HasPrefix(cell, "＝") {
						t.Errorf("%s of %s: %q begins a formula", name, kind, text)
					}
				}
			}
		}
	}
}
