package payments

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"

	"rebatedesk/affiliate"
	"rebatedesk/reports/books"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	stored "rebatedesk/store/payments"
	"rebatedesk/web/templates/ui"
)

// LineView is the page of one line.
type LineView struct {
	Detail payments.Detail
	Bills  bool    // the reader may read bills that are no payments
	Pack   bool    // the reader may download the line as an evidence pack
	Token  string  // empty: no notes can be written
	Form   ui.Form // a refused note

	Reported ui.KnownStates // earlier states that the page can show
}

// packAddress is that of the evidence pack of a line.
func packAddress(key stored.LineKey, asOf time.Time) string {
	return strings.Replace(payments.LineAddress(key, asOf), payments.LinePath, payments.LinePath+".zip", 1)
}

// Title names the line.
func (v LineView) Title() string {
	line := &v.Detail.Line
	return phrase.PaymentPeriod(line.From, line.To) + ", " + affiliate.OneLine(string(line.Coin)) + ", " + phrase.Lowered(ui.KindLabel(line.Kind))
}

// all links to the list of lines.
func (v LineView) all() ui.Links { return ui.Links{Path: PaymentsPath, Query: v.Detail.Query} }

func (v LineView) links() ui.Links {
	subject := slices.DeleteFunc(v.hidden(), func(one ui.Pair) bool { return one.Value == "" })
	return ui.Links{Path: payments.LinePath, Query: v.Detail.Query, Subject: subject, Reported: v.Reported}
}

// recordsAddress returns the address of the commission records of the period.
func (v LineView) recordsAddress() string {
	line, q := v.Detail.Line, v.Detail.Query
	values := query.Query{Range: query.Custom, Days: v.Detail.Records, Account: line.Account, Coin: v.Detail.Coins, AsOf: q.AsOf, Page: 1, Per: query.DefaultPer}
	switch line.Kind {
	case books.Direct:
		values.Source = affiliate.Direct
	case books.Sub:
		values.Source = affiliate.SubAgent
	}
	return "/commissions?" + values.Values().Encode()
}

// recordsWords describes the linked records.
func (v LineView) recordsWords() string {
	words := phrase.DaysIn(v.Detail.Records, v.Detail.Zone)
	if !v.Detail.Exact {
		words += ": these reporting days contain the period and more"
	}
	return words
}

// hidden are the fields that name the line in a form.
func (v LineView) hidden() []ui.Pair {
	key := v.Detail.Line.Key()
	return ui.Pairs("account", string(key.Account), "coin", string(key.Coin), "kind", key.Kind,
		"start", key.From.String(), "end", key.To.String(), "bill", key.Bill)
}

// KeyIn reads the key of a line from an address or a form. It reports false if that names none.
func KeyIn(values url.Values) (key stored.LineKey, ok bool) {
	from, err := time.Parse(time.RFC3339Nano, values.Get("start"))
	if err != nil {
		return key, false
	}
	to, err := time.Parse(time.RFC3339Nano, values.Get("end"))
	if err != nil {
		return key, false
	}
	key = stored.LineKey{Account: affiliate.Account(values.Get("account")), Coin: affiliate.Coin(values.Get("coin")), Kind: values.Get("kind"),
		From: affiliate.MillisOf(from), To: affiliate.MillisOf(to), Bill: values.Get("bill")}
	return key, true
}

// KeyParams are the parameters of an address that name a line.
var KeyParams = []string{"account", "coin", "kind", "start", "end", "bill"}

// lineWords says in a sentence what the line is about.
func lineWords(d payments.Detail) string {
	line := &d.Line
	earned, paid := amountOf(line.Earned, line.Coin).String(), amountOf(line.Paid, line.Coin).String()
	unpaid := line.Unpaid()
	switch line.State {
	case books.Missing:
		return earned + " was earned, nothing was paid, and it is " + ageWords(line, d.Now) + "."
	case books.Short:
		if phrase.GrownOnly(line.Line) {
			return paid + " was paid, all that was earned then. The exchange raised it to " + earned + " later: the " + amountOf(unpaid, line.Coin).String() + " between are not paid, " + ageWords(line, d.Now) + "."
		}
		return earned + " was earned and " + paid + " was paid: " + amountOf(unpaid, line.Coin).String() + " is missing, " + ageWords(line, d.Now) + "."
	case books.Over, books.Twice:
		return earned + " was earned and " + paid + " was paid: " + amountOf(line.Difference(), line.Coin).String() + " more."
	case books.Late:
		return earned + " was paid in full, but after " + minuteOf(line.Due) + " UTC, when it was due."
	case books.Unexplained:
		return paid + " arrived, and belongs to no period by the payout rule."
	case books.Pending:
		if line.Due == 0 {
			return earned + " was earned. When it is due is not known: there is no payout rule."
		}
		if d.Now < line.Due {
			return earned + " was earned, and is due by " + minuteOf(line.Due) + " UTC."
		}
		return earned + " was earned and " + paid + " was paid, as far as both sides are collected."
	}
	return earned + " was earned and paid, in full and on time."
}

func verdictChoices() []ui.Pair {
	choices := ui.Pairs("Only a note", "")
	for _, verdict := range stored.Verdicts() {
		choices = append(choices, ui.Pair{Name: verdictLabels[verdict], Value: string(verdict)})
	}
	return choices
}

// walletLabel names a wallet.
func walletLabel(w affiliate.Wallet) string { return phrase.Capital(string(w)) }

// placeOf names an account of the exchange between which a transfer moved.
func placeOf(kind, symbol string) string {
	if symbol == "" {
		return kind
	}
	return kind + " " + symbol
}

// changeSum adds up what the exchange changed.
func changeSum(changes []books.Change) (sum affiliate.Sum) {
	for _, c := range changes {
		sum.AddSum(c.Difference)
	}
	return sum
}

// afterPayment reports whether a change came after the first payment of the line.
func afterPayment(line *payments.PaymentLine, c books.Change) bool {
	return line.FirstPaid().Known() && c.Noticed > line.FirstPaid()
}

func billColumns(line *payments.PaymentLine) []ui.Column[books.Bill] {
	type bill = books.Bill
	return []ui.Column[bill]{
		ui.TextColumn("Arrived (UTC)", func(b bill) string { return phrase.Second(b.Created.Time(), utc) }).Titled(func(b bill) string { return b.Created.String() }),
		ui.TextColumn("Wallet", func(b bill) string { return walletLabel(b.Wallet) }),
		ui.ForeignColumn("Business type", func(b bill) string { return b.Business }),
		ui.CellColumn("Bill", func(b bill) templ.Component { return ui.ForeignStyled("wrap-anywhere", b.ID) }),
		ui.CellColumn("Amount, "+string(line.Coin), func(b bill) templ.Component { return ui.NumberInFull(b.Amount) }, ui.Nums, ui.Classed("font-medium")),
	}
}

func hourColumns(line *payments.PaymentLine) []ui.Column[payments.HourEarned] {
	return []ui.Column[payments.HourEarned]{
		ui.TextColumn("Hour (UTC)", func(hour payments.HourEarned) string { return minuteOf(hour.Start) }, ui.Names("font-normal")),
		ui.ForeignColumn("Source", func(hour payments.HourEarned) string { return hour.Source.Label() }),
		ui.TextColumn("Earned, "+string(line.Coin), func(hour payments.HourEarned) string { return affiliate.Grouped(hour.Sum.String()) }, ui.Nums),
	}
}

func changeColumns(line *payments.PaymentLine) []ui.Column[books.Change] {
	return []ui.Column[books.Change]{
		ui.TextColumn("Noticed (UTC)", func(c books.Change) string { return minuteOf(c.Noticed) }),
		ui.TextColumn("Trade (UTC)", func(c books.Change) string { return minuteOf(c.Deal) }),
		ui.ForeignColumn("Source", func(c books.Change) string { return c.Source.Label() }),
		ui.TextColumn("When", func(c books.Change) string {
			switch {
			case afterPayment(line, c):
				return "after the payment"
			case line.FirstPaid().Known():
				return "before the payment"
			}
			return ""
		}),
		ui.TextColumn("Change, "+string(line.Coin), func(c books.Change) string { return phrase.Signed(c.Difference.Decimal()) }, ui.Nums, ui.Classed("font-medium")),
	}
}

func transferColumns(v LineView) []ui.Column[stored.TransferRow] {
	type transfer = stored.TransferRow
	return []ui.Column[transfer]{
		ui.TextColumn("Time (UTC)", func(t transfer) string { return phrase.Second(t.Time.Time(), utc) }).Titled(func(t transfer) string { return t.Time.String() }),
		ui.ForeignColumn("From", func(t transfer) string { return placeOf(t.FromType, t.FromSymbol) }),
		ui.ForeignColumn("To", func(t transfer) string { return placeOf(t.ToType, t.ToSymbol) }),
		ui.ForeignColumn("Status", func(t transfer) string { return t.Status }),
		ui.CellColumn("Amount, "+string(v.Detail.Line.Coin), func(t transfer) templ.Component { return ui.NumberInFull(t.Amount) }, ui.Nums, ui.Classed("font-medium")),
	}
}
