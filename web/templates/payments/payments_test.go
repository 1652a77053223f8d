package payments

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/internal/pagetest"
	"rebatedesk/reports/books"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/payments"
	stored "rebatedesk/store/payments"
	"rebatedesk/web/templates/ui"
)

func sum(text string) (s affiliate.Sum) {
	s.Add(affiliate.Number(text))
	return s
}

func balance(earned, paid, outstanding, pending string, open int) payments.CoinBalance {
	b := payments.CoinBalance{Outstanding: sum(outstanding), Pending: sum(pending)}
	b.Coin, b.Earned, b.Paid, b.Open = "USDT", sum(earned), sum(paid), open
	return b
}

// ahead is what is missing, the part of it that was added after the payment, and what was paid too
// much.
func ahead(missing, grown, excess string) payments.CoinBalance {
	b := balance("300", "300", missing, "0", 0)
	if b.Grown, b.Excess = sum(grown), sum(excess); missing != "0" {
		b.Open = 1
	}
	return b
}

// Each state of the books has words of its own, and none claims more than is known.
func TestAnswers(t *testing.T) {
	whole := coverage.Coverage{Wanted: 5, Collected: 5, Through: affiliate.MillisOf(pagetest.Today.Start(time.UTC))}
	part := coverage.Coverage{Wanted: 5, Collected: 2, Gaps: []coverage.Gap{{}}}
	nothing := coverage.Coverage{Wanted: 5, Gaps: []coverage.Gap{{}}}
	known := []payments.RuleInUse{{Account: "main", Known: true, Source: payments.RuleFound}}
	for name, c := range map[string]struct {
		report payments.Report
		want   string
	}{
		"outstanding": {payments.Report{Earned: whole, Paid: whole, Rules: known, InRange: []payments.CoinBalance{balance("30", "10", "20", "0", 2)}, Balances: []payments.CoinBalance{balance("80", "50", "30", "0", 3)}},
			"Not paid of what was earned in the last 30 days: 20.00 USDT in 2 open lines. Of all time, 30.00 USDT is not paid, in 3 open lines."},
		"both sides": {payments.Report{Earned: whole, Paid: whole, Rules: known, InRange: []payments.CoinBalance{ahead("131.62", "96.4", "194.57")}, Balances: []payments.CoinBalance{ahead("2202.96", "0", "1970.62")}},
			"Not paid of what was earned in the last 30 days: 131.62 USDT in 1 open line; 96.40 USDT of it was added by the exchange after it had paid. 194.57 USDT was paid twice, too much or for no period. " +
				"Of all time, 2,202.96 USDT is not paid, in 1 open line; 1,970.62 USDT was paid twice, too much or for no period."},
		"too much alone": {payments.Report{Earned: whole, Paid: whole, Rules: known, InRange: []payments.CoinBalance{ahead("0", "0", "194.57")}, Balances: []payments.CoinBalance{balance("10", "10", "0", "0", 0)}},
			"Everything that was due of what was earned in the last 30 days is paid. 194.57 USDT was paid twice, too much or for no period."},
		"all paid": {payments.Report{Earned: whole, Paid: whole, Rules: known, Balances: []payments.CoinBalance{balance("10", "10", "0", "0", 0)}}, "Everything that was due of what was earned in the last 30 days is paid."},
		"one side": {payments.Report{Earned: part, Paid: whole, Rules: known, Balances: []payments.CoinBalance{balance("5", "10", "0", "-5", 0)}},
			"Of what is collected on both sides, everything that was due of what was earned in the last 30 days is paid."},
		"pending only": {payments.Report{Earned: whole, Paid: whole, Rules: known, InRange: []payments.CoinBalance{balance("10", "0", "0", "10", 0)}, Balances: []payments.CoinBalance{balance("10", "0", "0", "10", 0)}},
			"Nothing was paid so far, and nothing is known to be overdue. Not due yet or not collected: 10.00 USDT."},
		"no bills": {payments.Report{Earned: whole, Paid: nothing, Balances: []payments.CoinBalance{balance("10", "0", "0", "10", 0)}},
			"No bill of these days is collected, so it is not known what was paid."},
		"no rule": {payments.Report{Earned: whole, Paid: whole, Rules: []payments.RuleInUse{{Account: "main"}}, Balances: []payments.CoinBalance{balance("10", "8", "0", "2", 0)}},
			"What is due is not known: there is no payout rule."},
	} {
		v := PaymentLinesView{Report: c.report, Links: ui.Links{Query: pagetest.Ask(t, "")}}
		if got := plain(pagetest.Text(t, answer(v))); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// plain returns the text of a component without its elements.
func plain(page string) string {
	var text strings.Builder
	for part := range strings.SplitSeq(page, "<") {
		_, after, found := strings.Cut(part, ">")
		if !found {
			after = part
		}
		text.WriteString(after)
	}
	return strings.Join(strings.Fields(text.String()), " ")
}

func TestRestatedWords(t *testing.T) {
	line := payments.PaymentLine{Line: books.Line{Coin: "USDT", Earned: sum("8.5"), WhenPaid: sum("10"), Paid: sum("10"), Bills: []books.Bill{{}}}}
	if got := restatedWords(&line); got != "the exchange lowered what it had paid by 1.50 USDT" {
		t.Error(got)
	}
	if line.Bills = nil; restatedWords(&line) != "" {
		t.Error("without a payment nothing was restated after it")
	}
}

func TestRefusedWords(t *testing.T) {
	words := refusedWords([]stored.Refusal{
		{Account: "main", Stream: affiliate.SpotBills}, {Account: "main", Stream: affiliate.FundingBills}, {Account: "second", Stream: affiliate.SpotBills, FirstDay: pagetest.Today},
	})
	if len(words) != 2 || !strings.Contains(words[0], "spot bills of second from 20 Nov 2026 on") || !strings.Contains(words[1], "main: this key may not read spot bills and funding bills.") {
		t.Errorf("%q", words)
	}
}

// The form composes a rule as the setting writes it, and a rule fills the form.
func TestRuleForm(t *testing.T) {
	for text, fields := range map[string]url.Values{
		"day+8h apart direct=a sub=b,c":   {"period": {"day"}, "delay": {"8h"}, "kinds": {"apart"}, "direct": {"a"}, "sub": {"b, c"}},
		"week+1d within 2h together a,b":  {"period": {"week"}, "delay": {"1d"}, "within": {"2h"}, "kinds": {"together"}, "direct": {"a"}, "sub": {"b"}},
		"hour together":                   {"period": {"hour"}, "kinds": {"together"}},
		"auto":                            {"how": {"auto"}, "period": {"never"}},
		"month+2d apart direct=%3D sub=b": {"period": {"month"}, "delay": {"2d"}, "kinds": {"apart"}, "direct": {"="}, "sub": {"b"}},
	} {
		var form ui.Form
		got := RuleIn(fields, &form)
		if got != text || form.Wrong() {
			t.Errorf("%v is %q with %v, want %q", fields, got, form.Faults, text)
		}
	}
	rule, err := books.ParseRule("week+1d12h within 2h apart direct=x sub=y,z")
	if err != nil {
		t.Fatal(err)
	}
	form := NewRuleForm([]payments.RuleInUse{{Score: books.Score{Rule: rule}}}, pagetest.Today)
	for name, want := range map[string]string{"period": "week", "delay": "1d12h", "within": "2h", "kinds": "apart", "direct": "x", "sub": "y, z", "from": "2026-11-20"} {
		if got := form.Values[name]; got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
