package payments

import (
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/web/templates/ui"
)

// BalancePath is the address of the page.
const BalancePath = "/balance"

// AccountPath is the address of the statement of account, without the ending of a form.
const AccountPath = "/balance/account"

// accountPack is the address of the signed pack, which has all kinds.
func (v BalanceView) accountPack() string {
	q := v.Links.Query
	q.SetOwn("kind", "")
	return v.Links.Address(AccountPath+".zip", q)
}

// BalanceView is what the exchange owes on balance.
type BalanceView struct {
	Report payments.Balance
	Links  ui.Links
}

// several reports whether the rows need a column that names their account.
func (v BalanceView) several() bool { return len(v.Report.Options.Accounts) > 1 }

// ruleless reports whether no account of the query has a payout rule.
func (v BalanceView) ruleless() bool { return len(v.Report.Rows) == 0 && len(v.Report.Unruled) > 0 }

// unsettled returns the coins in which more than the tolerance is owed, in either direction.
func (v BalanceView) unsettled() []payments.BalanceRow {
	return slices.DeleteFunc(slices.Clone(v.Report.Coins), func(r payments.BalanceRow) bool { return r.Settled() })
}

// balanceParts are the parts of a balance, with what they are called on the page.
var balanceParts = []struct {
	payments.Part
	label, clause, meaning string
}{
	{payments.MissingPart, "Missing", "not paid at all", "Due, and no payment has arrived"},
	{payments.UnderpaidPart, "Underpaid", "underpaid", "Paid less than was known to be earned when it was paid"},
	{payments.RestatedPart, "Restated", "restated since it was paid", "Earned as known now, less earned as known when it was paid: the exchange changed its records after it had paid"},
	{payments.ExcessPart, "Paid too much", "paid too much", "Paid twice, more than was known to be earned, or for no period; it is taken off"},
}

// partAddress returns the address of the lines behind a part of a row.
func (v BalanceView) partAddress(r *payments.BalanceRow, part payments.Part) string {
	q := v.Links.Query
	q.SetOwn("part", string(part))
	q.Coin = affiliate.Choose([]affiliate.Coin{r.Coin})
	if r.Account != "" {
		q.Account = r.Account
	}
	return ui.Links{Path: PaymentsPath, Query: q}.Here()
}

func owedOf(r *payments.BalanceRow) affiliate.Amount { return amountOf(r.Owed(), r.Coin) }

// negated returns what is owed to the exchange as a positive worth.
func negated(v figures.Valuation) decimal.Decimal { return v.Amount().Value.Neg() }

// converted reports whether several coins can be told as one sum.
func converted(v figures.Valuation, coins int) bool {
	return coins > 1 && v.Known() && len(v.Missing) == 0
}

// partsWords says of which parts a balance consists: "1,300 missing, 20 underpaid, less 50 paid too much".
func partsWords(r *payments.BalanceRow) string {
	var parts []string
	for _, part := range balanceParts {
		amount := amountOf(part.Of(&r.Balance), r.Coin)
		if amount.Value.IsZero() {
			continue
		}
		words := phrase.WithSign(amount.Value, amount.Short()) + phrase.Space + string(r.Coin) + " " + part.clause
		switch {
		case part.Part == payments.ExcessPart && amount.Value.IsPositive():
			words = "less " + amount.String() + " " + part.clause
		case amount.Value.IsPositive():
			words = amount.String() + " " + part.clause
		}
		parts = append(parts, words)
	}
	return strings.Join(parts, ", ")
}

// oldestDue returns since when something is owed, or 0.
func (v BalanceView) oldestDue() (oldest affiliate.Millis) {
	for i := range v.Report.Rows {
		if due := v.Report.Rows[i].OldestDue; due.Known() && (oldest == 0 || due < oldest) {
			oldest = due
		}
	}
	return oldest
}

// acceptedWords says what of the balance a user has accepted.
func (v BalanceView) acceptedWords() string {
	var list []string
	for _, r := range v.Report.Coins {
		if amount := amountOf(r.Accepted, r.Coin); !amount.Value.IsZero() {
			list = append(list, amount.String())
		}
	}
	if len(list) == 0 {
		return ""
	}
	return "Of this, " + phrase.Listed(list) + " is of lines that were accepted as they are. The balance contains it, since the books do; a claim leaves it out."
}

// toleranceWords says up to what an account counts as settled.
func (v BalanceView) toleranceWords() string {
	var list []string
	for _, r := range v.Report.Coins {
		if r.Tolerance.Known() {
			list = append(list, affiliate.Amount{Value: r.Tolerance.Decimal(), Coin: r.Coin}.String())
		}
	}
	if len(list) == 0 {
		return "No tolerance is set: a balance of any size counts. The setting BALANCE_TOLERANCE gives one by coin."
	}
	return "Settled means up to " + phrase.Listed(list) + " in either direction (setting BALANCE_TOLERANCE). Nothing is left out of any sum."
}

// unruledWords names the accounts of which nothing is known to be due.
func (v BalanceView) unruledWords() string {
	var names []string
	for _, account := range v.Report.Unruled {
		names = append(names, affiliate.OneLine(string(account)))
	}
	if len(names) == 0 {
		return ""
	}
	return "No payout rule is known for " + phrase.Listed(names) + ", so nothing of it is known to be due."
}

func balanceOfColumns(v BalanceView) []ui.Column[payments.BalanceRow] {
	type row = payments.BalanceRow
	coin := func(r row) affiliate.Coin { return r.Coin }
	list := []ui.Column[row]{
		ui.ForeignColumn("Account", func(r row) string { return affiliate.OneLine(string(r.Account)) }, ui.If(v.several()), ui.OnPhone(ui.Note)),
		ui.ForeignColumn("Coin", func(r row) string { return string(r.Coin) }, ui.Names(""), ui.OnPhone(ui.Lead)),
		ui.CellColumn("Earned", func(r row) templ.Component { return ui.Amount(amountOf(r.Earned, r.Coin)) }, ui.Nums, ui.Hinted("Commission of the periods that are due")),
		ui.CellColumn("Paid", func(r row) templ.Component { return ui.Amount(amountOf(r.Paid, r.Coin)) }, ui.Nums, ui.Hinted("What was paid for them, or for no period")),
	}
	for _, part := range balanceParts {
		list = append(list, ui.CellColumn(part.label, func(r row) templ.Component {
			return balancePart(v, r, part.Part)
		}, ui.Nums, ui.Hinted(part.meaning), ui.OnPhone(ui.NamedNote)).
			Toned(func(r row) string { return ui.ClassIf(r.Lines[part.Part] == 0, "max-sm:hidden!") }))
	}
	list = append(list,
		ui.CellColumn("Balance", func(r row) templ.Component { return balanceSum(r) }, ui.Nums, ui.Classed("font-medium"), ui.Hinted("Earned − paid. Positive: the exchange owes"), ui.OnPhone(ui.Figure)).Coined(coin),
		ui.CellColumn("Due since (UTC)", func(r row) templ.Component {
			if !r.OldestDue.Known() {
				return ui.Span("text-muted", "", phrase.Dash)
			}
			return ui.Text(dayOf(r.OldestDue))
		}, ui.Hinted("When the oldest line for which something is owed was due")),
	)
	return ui.Present(list...)
}

// rangeWords says of which periods the balance is.
func (v BalanceView) rangeWords() string {
	if v.Links.Query.Range == query.AllTime {
		return "all periods that are due"
	}
	return "the periods " + phrase.In(v.Links.Query, false) + " that are due"
}

// balanceFilesNote describes the files of the page.
const balanceFilesNote = "A row for each account and coin. Amounts are digit by digit: balance = earned − paid = missing + underpaid + restated − excess."
