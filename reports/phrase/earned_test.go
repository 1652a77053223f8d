package phrase_test

import (
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
)

// What the first line says of payments: nothing while it is not known whether the payments are for
// what was earned.
func TestEarnedSaysWhatIsPaid(t *testing.T) {
	kathmandu, err := time.LoadLocation("Asia/Kathmandu")
	if err != nil {
		t.Fatal(err)
	}
	complete := coverage.Coverage{Wanted: 1, Collected: 1, Through: 1}
	usdt := func(units string) affiliate.Amount {
		return affiliate.Amount{Value: decimal.RequireFromString(units), Coin: "USDT"}
	}
	for name, c := range map[string]struct {
		earned, booked, paid string
		awaited, overdue     []affiliate.Amount
		rules                []payments.RuleInUse
		want                 string
	}{
		"all paid":        {"10", "10", "10", nil, nil, []payments.RuleInUse{{Known: true}}, "All of it is paid."},
		"a part pending":  {"10", "10", "6", []affiliate.Amount{usdt("4")}, nil, []payments.RuleInUse{{Known: true}}, "4.00 USDT of it is not paid yet, and none is overdue."},
		"a part overdue":  {"10", "10", "6", []affiliate.Amount{usdt("4")}, []affiliate.Amount{usdt("1")}, []payments.RuleInUse{{Known: true}}, "4.00 USDT of it is not paid yet, 1.00 USDT of that is overdue."},
		"all overdue":     {"10", "10", "6", []affiliate.Amount{usdt("4")}, []affiliate.Amount{usdt("4")}, []payments.RuleInUse{{Known: true}}, "4.00 USDT of it is not paid yet, all of that is overdue."},
		"paid too much":   {"10", "10", "16", []affiliate.Amount{usdt("4")}, []affiliate.Amount{usdt("1")}, []payments.RuleInUse{{Known: true}}, "4.00 USDT of it is not paid yet, 1.00 USDT of that is overdue; 10.00 USDT was paid twice, too much or for no period."},
		"nothing paid":    {"10", "10", "0", []affiliate.Amount{usdt("10")}, nil, []payments.RuleInUse{{Known: true}}, "None of it is paid yet, and none is overdue."},
		"nothing, late":   {"10", "10", "0", []affiliate.Amount{usdt("10")}, []affiliate.Amount{usdt("3")}, []payments.RuleInUse{{Known: true}}, "None of it is paid yet, and 3.00 USDT is overdue."},
		"a loss accepted": {"10", "10", "9", nil, nil, []payments.RuleInUse{{Known: true}}, ""},
		"other earnings":  {"10", "9", "9", nil, nil, []payments.RuleInUse{{Known: true}}, ""},
		"other days":      {"10", "9", "9", nil, nil, []payments.RuleInUse{{Known: true}}, "What of it is paid is not told: payments go by UTC days, and these are days of Asia/Kathmandu."},
		"a rule unknown":  {"10", "10", "10", nil, nil, []payments.RuleInUse{{Known: true}, {}}, ""},
		"no rule":         {"10", "10", "10", nil, nil, nil, ""},
	} {
		var booked payments.CoinBalance
		booked.Coin = "USDT"
		booked.Earned.Add(affiliate.Number(c.booked))
		booked.Paid.Add(affiliate.Number(c.paid))
		day := affiliate.NewDay(2026, time.October, 6)
		var tooMuch []affiliate.Amount
		if name == "paid too much" {
			tooMuch = append(tooMuch, usdt("10"))
		}
		zone := time.UTC
		if name == "other days" {
			zone = kathmandu
		}
		said := ""
		for _, part := range phrase.Earned(phrase.EarnedFacts{
			Report: overview.Report{
				Query: query.Query{Range: query.Custom, Days: affiliate.Days{First: day, Last: day}, Zone: zone}, Coin: "USDT", Coverage: complete,
				Cards: []figures.CoinCard{{Coin: "USDT", Summed: affiliate.Summed[figures.Figure]{Commission: figures.Figure{Amount: usdt(c.earned)}}}},
			},
			Payments: &payments.Overview{Paid: complete, Rules: c.rules, InRange: []payments.CoinBalance{booked}, Awaited: c.awaited, Overdue: c.overdue, TooMuch: tooMuch},
		}) {
			said += part.Text
		}
		rest, ok := strings.CutPrefix(said, "Earned 10.00 USDT on 6 Oct 2026.")
		if !ok || strings.TrimSpace(rest) != c.want {
			t.Errorf("%s: %q, want %q", name, said, c.want)
		}
	}
}

// Without prices the sentence names amounts of several coins and compares one of them, and says which.
func TestEarnedSaysWhichCoinIsCompared(t *testing.T) {
	day := affiliate.NewDay(2026, time.October, 6)
	card := func(coin affiliate.Coin, now, before int64) figures.CoinCard {
		f := figures.Figure{Amount: affiliate.Amount{Value: decimal.NewFromInt(now), Coin: coin}, Reference: affiliate.Amount{Value: decimal.NewFromInt(before), Coin: coin}}
		f.Change = figures.ChangeOf("USDT", f.Amount.Value, f.Reference.Value)
		return figures.CoinCard{Coin: coin, Summed: affiliate.Summed[figures.Figure]{Commission: f}}
	}
	for want, cards := range map[string][]figures.CoinCard{
		"Earned 10.00 USDT and 2 BTC on 6 Oct 2026, 50.0\u00a0% less of USDT than before.":  {card("USDT", 10, 20), card("BTC", 2, 1)},
		"Earned 10.00 USDT and 2 BTC on 6 Oct 2026, as much of USDT as before.":             {card("USDT", 10, 10), card("BTC", 2, 1)},
		"Earned 10.00 USDT and 2 BTC on 6 Oct 2026, and nothing of USDT before.":            {card("USDT", 10, 0), card("BTC", 2, 1)},
		"Earned 4,000.00 USDT and 2 BTC on 6 Oct 2026, 40 times as much of USDT as before.": {card("USDT", 4000, 100), card("BTC", 2, 1)},
		"Earned 10.00 USDT on 6 Oct 2026, 50.0\u00a0% less than before.":                    {card("USDT", 10, 20)},
	} {
		said := ""
		for _, part := range phrase.Earned(phrase.EarnedFacts{Report: overview.Report{
			Query: query.Query{Range: query.Custom, Days: affiliate.Days{First: day, Last: day}, Zone: time.UTC, Compare: query.ComparePrevious}, Coin: "USDT",
			Coverage: coverage.Coverage{Wanted: 1, Collected: 1, Through: 1}, Cards: cards,
		}}) {
			said += part.Text
		}
		if said != want {
			t.Errorf("%q, want %q", said, want)
		}
	}
}

// A converted amount says which of its days are at an imported price, and which at one from after them.
func TestEarnedSaysLaterPrices(t *testing.T) {
	day, at := affiliate.NewDay(2026, time.October, 6), affiliate.MillisOf(time.Date(2026, 11, 29, 11, 0, 0, 0, time.UTC))
	for want, kinds := range map[string][]figures.RateKind{
		"Earned 30.00 USDT (2 coins, converted) from 6 Oct 2026 to 8 Oct 2026":                                                                        {figures.RateOwn, figures.RateEarlier},
		"Earned 30.00 USDT (2 coins, converted at first known prices, of 29 Nov 2026) from 6 Oct 2026 to 8 Oct 2026":                                  {figures.RateFirst, figures.RateFirst},
		"Earned 30.00 USDT (2 coins, converted, 1 day at first known prices, of 29 Nov 2026) from 6 Oct 2026 to 8 Oct 2026":                           {figures.RateFirst, figures.RateOwn},
		"Earned 30.00 USDT (2 coins, converted at imported prices) from 6 Oct 2026 to 8 Oct 2026":                                                     {figures.RateImported, figures.RateImported},
		"Earned 30.00 USDT (2 coins, converted, 1 day at imported prices) from 6 Oct 2026 to 8 Oct 2026":                                              {figures.RateImported, figures.RateOwn},
		"Earned 30.00 USDT (2 coins, converted, 1 day at imported prices, 1 day at first known prices, of 29 Nov 2026) from 6 Oct 2026 to 8 Oct 2026": {figures.RateImported, figures.RateFirst},
	} {
		eth := figures.ValuedCoin{Sum: affiliate.Amount{Value: decimal.NewFromInt(1), Coin: "ETH"}, Value: decimal.NewFromInt(20)}
		for i, kind := range kinds {
			eth.Days = append(eth.Days, figures.DayRate{Day: day + affiliate.Day(i), Kind: kind, Price: "20", At: at, Imported: kind == figures.RateImported})
		}
		said := ""
		for _, part := range phrase.Earned(phrase.EarnedFacts{Report: overview.Report{
			Query: query.Query{Range: query.Custom, Days: affiliate.Days{First: day, Last: day + 2}, Zone: time.UTC}, Coverage: coverage.Coverage{Wanted: 1, Collected: 1, Through: 1},
			Cards:  []figures.CoinCard{{Coin: "USDT"}, {Coin: "ETH"}},
			Valued: figures.ValuedFigure{Valuation: figures.Valuation{Total: decimal.NewFromInt(30), Coins: []figures.ValuedCoin{{Sum: affiliate.Amount{Value: decimal.NewFromInt(10), Coin: "USDT"}, Value: decimal.NewFromInt(10)}, eth}}},
		}}) {
			said += part.Text
		}
		if said != want+"." {
			t.Errorf("%q, want %q", said, want)
		}
	}
}
