package payments

import (
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/books"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	stored "rebatedesk/store/payments"
	"rebatedesk/web/charts"
	"rebatedesk/web/templates/ui"
)

// Addresses of the pages.
const (
	PaymentsPath   = "/payments"
	PayoutRulePath = "/payments/rule"
)

// PaymentLinesView is one page of lines.
type PaymentLinesView struct {
	Report payments.Report
	Links  ui.Links
	Bills  bool // the reader may read bills that are no payments
}

// drawnWith is what a part of the page depends on besides its report.
func (v PaymentLinesView) drawnWith() any {
	type with struct {
		links any
		bills bool
	}
	return with{ui.DrawnWith(v.Links), v.Bills}
}

// several reports whether the lines need a column that names their account.
func (v PaymentLinesView) several() bool { return len(v.Report.Options.Accounts) > 1 }

func amountOf(sum affiliate.Sum, coin affiliate.Coin) affiliate.Amount {
	return affiliate.Amount{Value: sum.Decimal(), Coin: coin}
}

func (v PaymentLinesView) lineAddress(line *payments.PaymentLine) string {
	return payments.LineAddress(line.Key(), v.Links.Query.AsOf)
}

// stateAddress returns the address of the lines of one state.
func (v PaymentLinesView) stateAddress(state books.State) string {
	return v.Links.With(func(q *query.Query) { q.State = string(state) })
}

// states lists the states that a tab offers: those of the range, and the chosen one.
func (v PaymentLinesView) states() (list []books.State) {
	for _, state := range payments.States() {
		if v.Report.States[state] > 0 || v.Links.Query.State == string(state) {
			list = append(list, state)
		}
	}
	return list
}

func (v PaymentLinesView) allLines() (n int) {
	for _, count := range v.Report.States {
		n += count
	}
	return n
}

func openLines(balances []payments.CoinBalance) (n int) {
	for _, b := range balances {
		n += b.Open
	}
	return n
}

// owing returns the balances of the range in which something is outstanding, and owingEver those of
// all time.
func (v PaymentLinesView) owing() []payments.CoinBalance { return owing(v.Report.InRange) }

func (v PaymentLinesView) owingEver() []payments.CoinBalance { return owing(v.Report.Balances) }

func owing(balances []payments.CoinBalance) []payments.CoinBalance {
	return slices.DeleteFunc(slices.Clone(balances), func(b payments.CoinBalance) bool { return b.Open == 0 })
}

// excessMeaning explains the column of what was paid too much.
const excessMeaning = "Paid twice, too much or for no period; accepted lines are left out"

// scope says after a verb which lines the sums of the page are about.
func (v PaymentLinesView) scope() string {
	q := v.Links.Query
	words := ", of all time"
	if q.Range != query.AllTime {
		words = " of what was earned " + phrase.In(q, false)
	}
	if q.State != "" || q.Text != "" || q.Own("kind") != "" {
		words += ", of the lines that the filters choose"
	}
	return words
}

// tooMuch says in a sentence what was paid too much of the lines of the page.
func (v PaymentLinesView) tooMuch() string {
	if words := phrase.TooMuch(payments.Amounts(v.Report.InRange, payments.Excess)); words != "" && !v.ruleless() {
		return phrase.Sentence(words)
	}
	return ""
}

// grown says what part of the sums that are not paid the exchange added after it had paid.
func (v PaymentLinesView) grown() string {
	words := phrase.Grown(payments.Amounts(v.Report.InRange, func(b *payments.CoinBalance) affiliate.Sum { return b.Grown }))
	if words != "" {
		words = "; " + words
	}
	return words
}

// allTime says in a sentence what is not paid and what was paid too much of all time, under the
// filters of account, coin and kind. It is empty if the page is about all time, or there is neither.
func (v PaymentLinesView) allTime() string {
	q := v.Links.Query
	if q.Range == query.AllTime && q.State == "" && q.Text == "" || v.ruleless() {
		return ""
	}
	var parts []string
	if unpaid := payments.Amounts(v.Report.Balances, payments.NotPaid); len(unpaid) > 0 {
		var list []string
		for _, a := range unpaid {
			list = append(list, a.String())
		}
		parts = append(parts, phrase.Listed(list)+" is not paid, in "+phrase.Things(openLines(v.Report.Balances), "open line"))
	}
	if words := phrase.TooMuch(payments.Amounts(v.Report.Balances, payments.Excess)); words != "" {
		parts = append(parts, words)
	}
	if len(parts) == 0 {
		return ""
	}
	return "Of all time, " + strings.Join(parts, "; ") + "."
}

// waiting returns the balances of the coins in which something is pending. A negative sum is no
// claim: it was paid for days whose commission is not collected.
func (v PaymentLinesView) waiting() []payments.CoinBalance {
	return slices.DeleteFunc(slices.Clone(v.Report.InRange), func(b payments.CoinBalance) bool { return b.Pending.Cmp(new(affiliate.Sum)) <= 0 })
}

func pendingOf(balances []payments.CoinBalance) (list []affiliate.Amount) {
	for _, b := range balances {
		list = append(list, amountOf(b.Pending, b.Coin))
	}
	return list
}

// after returns what follows item i of n in a sentence.
func after(i, n int, end string) string {
	switch i {
	case n - 1:
		return end
	case n - 2:
		return " and"
	}
	return ","
}

func isZero(sum affiliate.Sum) bool { return sum.Cmp(new(affiliate.Sum)) == 0 }

// oldestOf returns the open line that has been due longest, or nil.
func oldestOf(balances []payments.CoinBalance) (line *payments.PaymentLine) {
	for i := range balances {
		if of := balances[i].Oldest; of != nil && (line == nil || of.Due < line.Due) {
			line = of
		}
	}
	return line
}

// ruleless reports whether no account has a payout rule.
func (v PaymentLinesView) ruleless() bool {
	return !slices.ContainsFunc(v.Report.Rules, func(r payments.RuleInUse) bool { return r.Known })
}

// paidNothing reports whether no bill of all time counts as a payment.
func (v PaymentLinesView) paidNothing() bool {
	return !slices.ContainsFunc(v.Report.Balances, func(b payments.CoinBalance) bool { return !isZero(b.Paid) })
}

// unread reports whether nothing of a side was read in the range.
func unread(c coverage.Coverage) bool { return c.Wanted > 0 && c.Collected == 0 && !c.Through.Known() }

// ageWords says since when a line is due.
func ageWords(line *payments.PaymentLine, now affiliate.Millis) string {
	return dueWords(line.Due, now)
}

func dueWords(due, now affiliate.Millis) string {
	return "due since " + dayOf(due) + " (" + phrase.Things(books.Age(due, now), "day") + ")"
}

func dayOf(at affiliate.Millis) string { return at.Time().UTC().Format("2 Jan 2006") }

// minuteOf prints an instant in UTC, for a page that names the zone once.
func minuteOf(at affiliate.Millis) string { return at.Time().UTC().Format("2 Jan 2006 15:04") }

// bucketLabel names a range of ages.
func bucketLabel(b books.AgeBucket) string {
	if b.Last == 0 {
		return "Over " + phrase.Count(b.First-1) + " days"
	}
	return phrase.Count(b.First) + "–" + phrase.Count(b.Last) + " days"
}

// restatedWords says what the exchange changed after it had paid; empty if nothing.
func restatedWords(line *payments.PaymentLine) string {
	change := line.Restated()
	if len(line.Bills) == 0 || isZero(change) {
		return ""
	}
	amount := amountOf(change, line.Coin)
	verb := "raised"
	if amount.Value.IsNegative() {
		verb, amount.Value = "lowered", amount.Value.Neg()
	}
	return "the exchange " + verb + " what it had paid by " + amount.String()
}

// verdictClass is the look of a verdict.
func verdictClass(verdict stored.Verdict) string {
	if verdict == stored.Disputed {
		return "text-warning border-warning/40"
	}
	return "text-muted border-line"
}

// verdictLabels name the verdicts for people.
var verdictLabels = map[stored.Verdict]string{stored.Disputed: "Disputed", stored.Accepted: "Accepted", stored.Reopened: "Open again"}

var verdictHints = map[stored.Verdict]string{
	stored.Disputed: "the exchange was asked for the money",
	stored.Accepted: "nothing more is expected, so the line is not outstanding",
}

// lineColumns are the columns of the lines; the last three are summed.
func lineColumns(v PaymentLinesView) []ui.Column[payments.PaymentLine] {
	type line = payments.PaymentLine
	coin := func(l line) affiliate.Coin { return l.Coin }
	return ui.Present(
		ui.SortColumn("period", "Period (UTC)", "The days or hours that the payment is for, or the time of a payment that belongs to none", func(l line) templ.Component { return linePeriod(l, v) }, ui.Descends, ui.OnPhone(ui.Lead)),
		ui.SortColumn("state", "State", "", func(l line) templ.Component { return ui.Join(stateMark(l.State), verdictMark(l)) }, ui.OnPhone(ui.Note)),
		ui.SortColumn("account", "Account", "", func(l line) templ.Component { return ui.Foreign(string(l.Account)) }, ui.If(v.several())),
		ui.SortColumn("coin", "Coin", "", func(l line) templ.Component { return ui.Foreign(string(l.Coin)) }),
		ui.SortColumn("kind", "Kind", "Direct commissions, those of sub-agents, or both in one sum", func(l line) templ.Component { return ui.Text(ui.KindLabel(l.Kind)) }, ui.OnPhone(ui.Note)),
		ui.SortColumn("due", "Due (UTC)", "When the payment is late, by the payout rule", func(l line) templ.Component {
			if l.State == books.Unexplained || l.Due == 0 {
				return ui.Span("text-muted", "", phrase.Dash)
			}
			return ui.Text(minuteOf(l.Due))
		}, ui.Descends),
		ui.SortColumn("paid_at", "Paid (UTC)", "When the first payment arrived", func(l line) templ.Component {
			if paid := l.FirstPaid(); paid.Known() {
				return ui.Text(minuteOf(paid))
			}
			return ui.Unknown("no payment of this period is known")
		}, ui.Descends),
		ui.SortColumn("bills", "Bills", "Payments of the period", func(l line) templ.Component { return ui.Text(phrase.Count(len(l.Bills))) }, ui.Descends, ui.Nums),
		ui.SortColumn("earned", "Earned", ui.InEachCoin, lineSum, ui.Descends, ui.Nums, ui.OnPhone(ui.NamedNote)).Coined(coin),
		ui.SortColumn("paid", "Paid", ui.InEachCoin, func(l line) templ.Component { return ui.Amount(amountOf(l.Paid, l.Coin)) }, ui.Descends, ui.Nums),
		ui.SortColumn("difference", "Difference", "Paid − earned: what is missing is negative. "+ui.InEachCoin, func(l line) templ.Component {
			return difference(amountOf(l.Difference(), l.Coin), l.State)
		}, ui.Nums, ui.Classed("font-medium"), ui.OnPhone(ui.Figure)).Kept(coin),
	)
}

// footCell returns the sums of a coin.
func footCell(total payments.Totals) func(ui.Column[payments.PaymentLine]) templ.Component {
	return func(c ui.Column[payments.PaymentLine]) templ.Component {
		switch c.Field {
		case "earned":
			return ui.Amount(amountOf(total.Earned, total.Coin))
		case "paid":
			return ui.Amount(amountOf(total.Paid, total.Coin))
		}
		return difference(amountOf(total.Difference, total.Coin), books.Pending)
	}
}

// ageingColumns are the columns of what is outstanding, by the time since it was due.
func ageingColumns() []ui.Column[payments.CoinBalance] {
	list := []ui.Column[payments.CoinBalance]{ui.ForeignColumn("Coin", func(b payments.CoinBalance) affiliate.Coin { return b.Coin }, ui.Names(""))}
	for i, bucket := range books.AgeBuckets() {
		list = append(list, ui.CellColumn(bucketLabel(bucket), func(b payments.CoinBalance) templ.Component { return ageSum(b.Ageing[i], b.Coin) }, ui.Nums))
	}
	return append(list,
		ui.CellColumn("Not paid", func(b payments.CoinBalance) templ.Component { return ui.Amount(amountOf(b.Outstanding, b.Coin)) }, ui.Nums, ui.Classed("font-medium")),
		ui.CellColumn("Paid too much", func(b payments.CoinBalance) templ.Component { return ui.Amount(amountOf(b.Excess, b.Coin)) }, ui.Nums, ui.Hinted(excessMeaning)),
	)
}

// runningDay is a day of the chart of both sums.
type runningDay struct {
	charts.Running
	i int
}

func runningDays(r charts.Running) []runningDay {
	list := make([]runningDay, len(r.Days))
	for i := range list {
		list[i] = runningDay{r, i}
	}
	return list
}

func (d runningDay) amount(of decimal.Decimal) affiliate.Amount {
	return affiliate.Amount{Value: of, Coin: d.Coin}
}

func runningColumns() []ui.Column[runningDay] {
	return []ui.Column[runningDay]{
		ui.TextColumn("Up to the end of (UTC)", func(d runningDay) string { return d.Days[d.i].Format("Mon, 2 Jan 2006") }, ui.Names("font-normal")),
		ui.CellColumn("Earned", func(d runningDay) templ.Component { return ui.Amount(d.amount(d.Earned[d.i])) }, ui.Nums),
		ui.CellColumn("Paid", func(d runningDay) templ.Component { return ui.Amount(d.amount(d.Paid[d.i])) }, ui.Nums),
		ui.TextColumn("Paid − earned", func(d runningDay) string { return phrase.WithSign(d.Gap(d.i), d.amount(d.Gap(d.i)).Short()) }, ui.Nums).
			Titled(func(d runningDay) string { return d.amount(d.Gap(d.i)).Exact() }),
		ui.CellColumn("State", func(d runningDay) templ.Component { return ui.When(d.Open[d.i], ui.Text("not all due or collected")) }, ui.Classed("text-muted")),
	}
}

func balanceColumns(v PaymentLinesView) []ui.Column[payments.CoinBalance] {
	return []ui.Column[payments.CoinBalance]{
		ui.ForeignColumn("Coin", func(b payments.CoinBalance) string { return string(b.Coin) }, ui.Names("")),
		ui.CellColumn("Not paid", func(b payments.CoinBalance) templ.Component { return outstanding(b, v) }, ui.Nums, ui.Classed("font-medium")),
		ui.CellColumn("Paid too much", func(b payments.CoinBalance) templ.Component { return excess(b, v) }, ui.Nums, ui.Hinted(excessMeaning)),
		ui.CellColumn("Earned", func(b payments.CoinBalance) templ.Component { return ui.Amount(amountOf(b.Earned, b.Coin)) }, ui.Nums),
		ui.CellColumn("Paid", func(b payments.CoinBalance) templ.Component { return ui.Amount(amountOf(b.Paid, b.Coin)) }, ui.Nums),
		ui.CellColumn("Pending", func(b payments.CoinBalance) templ.Component { return ui.Amount(amountOf(b.Pending, b.Coin)) }, ui.Nums, ui.Hinted(ui.StateWords[string(books.Pending)].Meaning)),
		ui.CellColumn("Oldest open line", func(b payments.CoinBalance) templ.Component { return oldest(b, v) }),
	}
}

func otherColumns() []ui.Column[payments.OtherBills] {
	return []ui.Column[payments.OtherBills]{
		ui.ForeignColumn("Business type", func(other payments.OtherBills) string { return other.Business }, ui.Names("font-normal")),
		ui.ForeignColumn("Coin", func(other payments.OtherBills) string { return string(other.Coin) }),
		ui.TextColumn("Bills", func(other payments.OtherBills) string { return phrase.Count(other.Bills) }, ui.Nums),
		ui.CellColumn("Sum", func(other payments.OtherBills) templ.Component { return ui.Amount(amountOf(other.Sum, other.Coin)) }, ui.Nums),
	}
}

// fromWords says since when a rule holds that is not the first one.
func fromWords(rule payments.RuleInUse) string {
	if rule.From == 0 {
		return ""
	}
	return " from " + rule.From.Format("2 Jan 2006")
}

// filesNote describes the files of the page.
const filesNote = "All lines of the query, whatever the page shows, with exact sums. Amounts are digit by digit."

// chart draws the sums of one coin on consecutive days, each as at the day's end.
func chart(sums payments.RunningSums, now affiliate.Millis) charts.Running {
	r := charts.Running{Coin: sums.Coin}
	today := affiliate.DayOf(now.Time(), time.UTC)
	for i, point := range sums.Points {
		until := max(point.Day, today)
		if i+1 < len(sums.Points) {
			until = sums.Points[i+1].Day - 1
		}
		for day := point.Day; day <= until; day++ {
			r.Days = append(r.Days, day)
			r.Earned, r.Paid = append(r.Earned, point.Earned.Decimal()), append(r.Paid, point.Paid.Decimal())
			r.Open = append(r.Open, point.Pending)
		}
	}
	return r
}

// runningOf returns the sums that the chart shows: of the coin with most lines.
func (v PaymentLinesView) running() payments.RunningSums { return v.Report.Running[0] }

// chartCoins are the coins between which the chart can switch.
func (v PaymentLinesView) chartCoins() (coins []affiliate.Coin) {
	for _, b := range v.Report.Balances {
		coins = append(coins, b.Coin)
	}
	return coins
}

func drawing(r charts.Running) ui.Chart {
	return ui.Chart{ID: "running-chart", Label: charts.DescribeRunning(r), Still: charts.StillRunning(r), Data: charts.DrawRunning(r)}
}

// share prints how much of the payments in a coin a rule explains, rounded down: only all of
// them are 100 %.
func share(coin books.CoinScore) string {
	return phrase.Percent(payments.ExplainedShare(coin).Decimal().Shift(2).RoundFloor(1))
}

// scoreWords says how many payments a rule explains.
func scoreWords(score books.Score) string {
	return "explains " + phrase.Count(score.Explained) + " of " + phrase.Things(score.Bills, "payment") + " to the last digit"
}

// sourceWords says where a rule comes from.
func sourceWords(rule payments.RuleInUse, zone *time.Location) string {
	switch {
	case rule.Fixed != nil && rule.Source == payments.RuleFound:
		return "Found in the data, as " + fixedBy(rule, zone)
	case rule.Fixed != nil:
		return "Fixed by hand, as " + fixedBy(rule, zone)
	case rule.Source == payments.RuleSet:
		return "From the setting PAYOUT_RULE"
	}
	return "Found in the data"
}

// foundWords says where a rule comes from, and what it and the runner-up explain.
func foundWords(rule payments.RuleInUse, zone *time.Location) string {
	words := sourceWords(rule, zone) + "; it " + scoreWords(rule.Score)
	var shares []string
	for _, coin := range rule.Score.Coins {
		shares = append(shares, affiliate.OneLine(string(coin.Coin))+phrase.Space+share(coin))
	}
	if len(shares) > 0 {
		words += " (" + strings.Join(shares, ", ") + ")"
	}
	if rule.RunnerUp != nil {
		words += ". The runner-up " + scoreWords(*rule.RunnerUp)
	}
	return words + "."
}

func fixedBy(rule payments.RuleInUse, zone *time.Location) string {
	words := "set"
	if rule.Fixed.Actor != "" {
		words += " by " + affiliate.OneLine(rule.Fixed.Actor)
	}
	return words + " on " + phrase.Clock(rule.Fixed.Created.Time(), zone)
}

// noRuleWords says why there is no rule.
func noRuleWords(rule payments.RuleInUse) string {
	if rule.Score.Bills == 0 {
		return "No payment is stored that could be compared with what was earned, so no payout rule can be found."
	}
	return "No payout rule explains enough of the payments. The best try " + scoreWords(rule.Score) + ": " + phrase.Lowered(phrase.PayoutRule(rule.Score.Rule)) + "."
}

// refusedWords says which streams of an account are refused.
func refusedWords(refused []stored.Refusal) (words []string) {
	of := map[affiliate.Account][]affiliate.Stream{}
	var accounts []affiliate.Account
	for _, r := range refused {
		if r.Partial() {
			words = append(words, "The exchange gives "+phrase.Stream(affiliate.Stream{Kind: r.Stream})+" of "+affiliate.OneLine(string(r.Account))+
				" from "+r.FirstDay.Format("2 Jan 2006")+" on. Earlier payments cannot be read.")
			continue
		}
		if of[r.Account] == nil {
			accounts = append(accounts, r.Account)
		}
		of[r.Account] = append(of[r.Account], affiliate.Stream{Kind: r.Stream})
	}
	for _, account := range accounts {
		words = append(words, affiliate.OneLine(string(account))+": "+phrase.Lowered(phrase.Refused(of[account]))+" "+phrase.RefusedHint)
	}
	return words
}

// otherWords says what the other bills are.
func otherWords(others []payments.OtherBills) string {
	n := 0
	for _, other := range others {
		n += other.Bills
	}
	return phrase.Things(n, "bill") + " that count as no payment of commission, without trades"
}

// billsFile returns the address of all bills of the query's days as a file.
func (v PaymentLinesView) billsFile(ending string) string {
	q := v.Links.Query
	return v.Links.Address("/payments/bills"+ending, query.Query{Range: q.Range, Days: q.Days, Usual: q.Usual, Account: q.Account, Coin: q.Coin,
		AsOf: q.AsOf, Page: 1, Per: query.DefaultPer})
}
