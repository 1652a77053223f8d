package months

import (
	"maps"
	"slices"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/books"
	"rebatedesk/reports/months"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/store/closings"
	"rebatedesk/store/outbox"
	"rebatedesk/web/templates/ui"
)

// MonthListView is the list of months.
type MonthListView struct {
	List  months.List
	Links ui.Links
	Token string // of the form; empty: the reader may not close
	Mails bool   // mail can be sent
	Form  ui.Form
	Done  string
}

// closable returns the months that can be closed as complete, the oldest first.
func (v MonthListView) closable() (list []*months.Line) {
	for i := range slices.Backward(v.List.Months) {
		if m := &v.List.Months[i]; m.InForce() == nil && m.Readiness.Ready() {
			list = append(list, m)
		}
	}
	return list
}

// textsOf lists months as the form has them.
func textsOf(list []*months.Line) string {
	names := make([]string, len(list))
	for i, m := range list {
		names[i] = closings.MonthText(m.First())
	}
	return strings.Join(names, " ")
}

// Names of the fields of the forms.
const (
	MonthsField = "months" // with spaces between
	ToField     = "to"
	QueuedField = "queued" // how many mails about the month its sender has seen
)

// owedAddress returns the address of the balance of a month, for the account of a query, by what it knows.
func owedAddress(days affiliate.Days, of query.Query) string {
	q := query.Query{Range: query.Custom, Days: days, Account: of.Account, AsOf: of.AsOf, Compare: query.CompareNone, Page: 1, Per: query.DefaultPer}
	return "/balance?" + q.Values().Encode()
}

func (v MonthListView) zone() *time.Location { return ui.ZoneOf(v.Links.Query) }

// several reports whether the list can be narrowed to one of several accounts.
func (v MonthListView) several() bool { return len(v.List.Known) > 1 }

// answers says in words which month is next, and how the newest closed one stands.
func (v MonthListView) answers() (list []string) {
	var next, newest *months.Line
	for i := range v.List.Months {
		m := &v.List.Months[i]
		switch {
		case m.InForce() != nil:
			if newest == nil {
				newest = m
			}
		case newest == nil && m.Readiness.Over:
			next = m // the oldest that is still open after the newest closed one
			if v.List.Months[0].Readiness.Ready() {
				next = &v.List.Months[0]
			}
		}
	}
	if newest == nil { // nothing is closed: the newest month that is over is the one to close
		next = nil
		for i := range v.List.Months {
			if v.List.Months[i].Readiness.Over {
				next = &v.List.Months[i]
				break
			}
		}
	}
	if next != nil {
		list = append(list, readinessWords(next, v.zone()))
	} else if len(v.List.Months) > 0 && v.List.Months[0].InForce() == nil {
		list = append(list, phrase.MonthLacks(v.List.Months[0].First(), v.List.Months[0].Readiness, v.zone())[0])
	}
	if newest != nil {
		list = append(list, phrase.MonthClosed(newest, v.zone()))
	}
	return list
}

// readinessWords says whether an open month can be closed, or what it lacks first.
func readinessWords(m *months.Line, zone *time.Location) string {
	if m.Readiness.Ready() {
		return phrase.MonthName(m.First()) + earned(m, zone) + " can be closed: all " + phrase.Things(m.Days.Len(), "day") + " are collected and settled."
	}
	lacks := phrase.MonthLacks(m.First(), m.Readiness, zone)
	if !m.Readiness.Over {
		return lacks[0]
	}
	words := phrase.MonthName(m.First()) + " cannot be closed as complete. " + lacks[0]
	if more := len(lacks) - 1; more > 0 {
		words += " " + phrase.Things(more, "other lack") + " on the page of the month."
	}
	return words
}

// earned says what a month brought, in the middle of a sentence; empty: nothing.
func earned(m *months.Line, zone *time.Location) string {
	if len(m.Coins) == 0 {
		return ""
	}
	return " brought " + phrase.MonthTotal(m, zone) + " and"
}

// monthAddress returns the address of a month, in the state and for the account of the list.
func (v MonthListView) monthAddress(first affiliate.Day) string {
	return v.Links.Address(ui.MonthAddress(first), v.Links.Query)
}

func amountOf(sum affiliate.Sum, coin affiliate.Coin) affiliate.Amount {
	return affiliate.Amount{Value: sum.Decimal(), Coin: coin}
}

// amount returns an amount of the store.
func amount(n affiliate.Number, coin affiliate.Coin) affiliate.Amount {
	return affiliate.Amount{Value: n.Decimal(), Coin: coin}
}

// stateLook returns the colours of the state of a month and what it means.
func stateLook(m *months.Line) (class, hint string) {
	switch m.State {
	case months.Closed:
		return "text-success border-success/40", "All days were collected and settled"
	case months.ClosedIncomplete:
		return "text-warning border-warning/40", "Parts were missing, and somebody gave the reason"
	case months.Reopened:
		return "text-warning border-warning/40", "It was closed, and somebody reopened it with a reason"
	case months.Closable:
		return "text-primary border-primary/40", "All days are collected and settled"
	}
	if !m.Readiness.Over {
		return "text-muted border-line", "The month is not over"
	}
	return "text-muted border-line", "It is not collected and settled yet"
}

// changedCoins returns the coins whose sums changed after the close.
func changedCoins(coins []months.MonthCoin) []months.MonthCoin {
	return slices.DeleteFunc(slices.Clone(coins), func(c months.MonthCoin) bool {
		after := c.After()
		return after.Cmp(new(affiliate.Sum)) == 0
	})
}

// shortSum prints a sum, or a change with its sign.
func shortSum(a affiliate.Amount, signed bool) string {
	if signed {
		return phrase.WithSign(a.Value, a.Short())
	}
	return a.Short()
}

// sumWords lists a sum of each coin, exactly.
func sumWords(coins []months.MonthCoin, of func(*months.MonthCoin) affiliate.Sum) string {
	lines := make([]string, len(coins))
	for i := range coins {
		lines[i] = amountOf(of(&coins[i]), coins[i].Coin).Exact()
	}
	return strings.Join(lines, "\n")
}

// signClass is the colour of a change.
func signClass(sum affiliate.Sum) string {
	switch sum.Cmp(new(affiliate.Sum)) {
	case 1:
		return "text-success"
	case -1:
		return "text-error"
	}
	return "text-muted"
}

// whyNotOwed says why nothing is known of what the exchange owes of a month.
func whyNotOwed(m *months.Line) string {
	if m.Owed.Unruled {
		return "there is no payout rule, so nothing is known to be due"
	}
	return "nothing of the month is due yet"
}

// owedExact lists what is owed of each coin, exactly.
func owedExact(m *months.Line) string {
	var lines []string
	for _, a := range m.Owed.Amounts() {
		lines = append(lines, a.Exact())
	}
	return strings.Join(lines, "\n")
}

// filesNote describes the files of the list, and monthNote those of a month.
const (
	filesNote = "A line for each month and coin, digit by digit."
	monthNote = "A line for each account, product, coin and source, digit by digit. The JSON has everything on this page."
)

// MonthView is the page of one month.
type MonthView struct {
	Detail months.Detail
	Links  ui.Links
	Key    string // fingerprint of the key that signs evidence packs; empty: none was made yet
	Token  string // of the forms; empty: the reader may not close
	Form   ui.Form
	Done   string

	CanMail bool
	Mails   []outbox.Attempt // about the month, the newest first
	Queued  int              // how many there are
	To      string           // to whom the last month was sent
}

// mailForm is the form with the address that was used last.
func (v MonthView) mailForm() ui.Form {
	form := v.Form
	if _, given := form.Values[ToField]; !given {
		form.Values = maps.Clone(form.Values)
		if form.Values == nil {
			form.Values = map[string]string{}
		}
		form.Values[ToField] = v.To
	}
	return form
}

// packed reports whether the reader may download the evidence pack of the month, which must be
// closed.
func (v MonthView) packed() bool { return v.Detail.InForce() != nil && !v.Links.NoFiles }

func (v MonthView) zone() *time.Location { return ui.ZoneOf(v.Links.Query) }

func (v MonthView) first() affiliate.Day { return v.Detail.Days.First }

func (v MonthView) name() string { return phrase.MonthName(v.first()) }

func (v MonthView) several() bool { return len(v.Detail.Accounts) > 1 }

// statementsAddress returns the address of the statements of the month.
func (v MonthView) statementsAddress() string {
	return "/statements?month=" + v.first().Format("2006-01")
}

// action returns the address of a form of the month.
func (v MonthView) action(verb string) string { return ui.MonthAddress(v.first()) + "/" + verb }

// neighbour returns the address of the page of the month before or after.
func (v MonthView) neighbour(by int) (address, name string) {
	first := months.DaysOf(v.first() - 1).First
	if by > 0 {
		first = v.Detail.Days.Last + 1
	}
	if first > v.Links.Query.Today {
		return "", ""
	}
	return v.Links.Address(ui.MonthAddress(first), v.Links.Query), phrase.MonthName(first)
}

// answer says in words how the month stands.
func (v MonthView) answer() string {
	if v.Detail.InForce() != nil {
		return phrase.MonthClosed(&v.Detail.Line, v.zone())
	}
	return readinessWords(&v.Detail.Line, v.zone())
}

// reasonLabel names the words with which a month was closed: a reason only if parts were missing.
func reasonLabel(c *closings.Closing) string {
	if c.Complete {
		return "Note: "
	}
	return "Reason: "
}

// reasons are the sentences on why the month was or can be closed, or what it lacks.
func (v MonthView) reasons() []string {
	if c := v.Detail.InForce(); c != nil {
		return c.Proof
	}
	if v.Detail.Readiness.Ready() {
		return phrase.MonthProof(v.first(), v.Detail.Readiness)
	}
	return phrase.MonthLacks(v.first(), v.Detail.Readiness, v.zone())
}

// proofTitle heads the proof.
func (v MonthView) proofTitle() string {
	switch c := v.Detail.InForce(); {
	case c != nil && c.Complete:
		return "Why it was complete"
	case c != nil:
		return "What was missing"
	case v.Detail.Readiness.Ready():
		return "Why it is complete"
	}
	return "What it lacks"
}

// listsHint says of when the lists of the page are.
func (v MonthView) listsHint() string {
	if c := v.Detail.InForce(); c != nil {
		return "As closed, known at " + phrase.Clock(c.Known.Time(), v.zone())
	}
	return "As a closing would freeze it now"
}

// changesAddress returns the address of all changes after the close.
func (v MonthView) changesAddress() string {
	c := v.Detail.InForce()
	q := query.Query{Range: query.Custom, Days: v.Detail.Days, Account: v.Links.Query.Account, Since: c.Known.Time(), Until: v.Links.Query.AsOf,
		Compare: query.CompareNone, Page: 1, Per: query.DefaultPer, Zone: v.zone(), Today: v.Links.Query.Today}
	return "/changes?" + q.Values().Encode()
}

// recordsAddress returns the address of the records of the month, as closed or as of now.
func (v MonthView) recordsAddress(asClosed bool) string {
	q := query.Query{Range: query.Custom, Days: v.Detail.Days, Account: v.Links.Query.Account, Compare: query.CompareNone, Page: 1, Per: query.DefaultPer}
	if c := v.Detail.Closing; asClosed && c != nil {
		q.AsOf = c.Known.Time()
	}
	return "/commissions?" + q.Values().Encode()
}

// paymentsAddress returns the address of the payments of the month.
func (v MonthView) paymentsAddress() string {
	values := query.Query{Range: query.Custom, Days: v.Detail.Days, Account: v.Links.Query.Account, Page: 1, Per: query.DefaultPer}
	if c := v.Detail.InForce(); c != nil {
		values.AsOf = c.Known.Time()
	}
	return "/payments?" + values.Values().Encode()
}

// owedWords says what the exchange owes of the month on balance.
func (v MonthView) owedWords() string { return phrase.OnBalance(v.Detail.Owed, "of "+v.name()) }

// shownPayments is how many open lines the page shows.
const shownPayments = 20

// payments returns the shown open lines, and how many more there are.
func (v MonthView) payments() (list []closings.Payment, more int) {
	all := v.Detail.Details.Payments
	n := min(shownPayments, len(all))
	return all[:n], len(all) - n
}

// openWords counts the open lines by their states.
func (v MonthView) openWords() string {
	count := map[string]int{}
	var order []string
	for _, p := range v.Detail.Details.Payments {
		if count[p.State] == 0 {
			order = append(order, p.State)
		}
		count[p.State]++
	}
	var parts []string
	for _, state := range order {
		parts = append(parts, phrase.Count(count[state])+" "+strings.ToLower(ui.StateLabel(state)))
	}
	return phrase.Listed(parts)
}

func paymentPeriod(p closings.Payment) string { return phrase.PaymentPeriod(p.From, p.To) }

func stateLabel(p closings.Payment) string { return ui.StateLabel(p.State) }

func kindLabel(p closings.Payment) string { return ui.KindLabel(books.Kind(p.Kind)) }

// coverageNote says what is wrong with a stream, in a word; empty if nothing is.
func coverageNote(c closings.Coverage) string {
	var parts []string
	if c.Missing > 0 {
		parts = append(parts, phrase.Count(c.Missing)+" not collected")
	}
	if c.Failed > 0 {
		parts = append(parts, phrase.Count(c.Failed)+" failed")
	}
	if c.Beyond > 0 {
		parts = append(parts, phrase.Count(c.Beyond)+" not given by the exchange")
	}
	return strings.Join(parts, ", ")
}

// findingKind names a finding.
func findingKind(f closings.Finding) string { return phrase.Capital(f.Kind) }

// moreChanges is how many changes are not listed.
func (v MonthView) moreChanges() int64 {
	return v.Detail.Changes.Count - int64(len(v.Detail.Changes.Lines))
}

// wasReopened reports whether the newest closing was reopened.
func (v MonthView) wasReopened() bool { return v.Detail.Closing != nil && !v.Detail.Closing.InForce() }

// Names of the fields of the forms.
const (
	ReasonField     = "reason"
	IncompleteField = "incomplete"
)
