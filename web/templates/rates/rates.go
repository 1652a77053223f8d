package rates

import (
	"net/url"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/reports/rates"
	"rebatedesk/terms"
	"rebatedesk/web/templates/ui"
)

// RatesView is one page of lines.
type RatesView struct {
	Report rates.Report
	Links  ui.Links
}

func (v RatesView) zone() *time.Location { return ui.ZoneOf(v.Links.Query) }

// several reports whether lines need a column that names their account.
func (v RatesView) several() bool { return len(v.Report.Options.Accounts) > 1 }

// drawnWith is what a part of the page depends on besides its report.
func (v RatesView) drawnWith() any { return ui.DrawnWith(v.Links) }

// filesNote describes the files of the page.
const filesNote = "All lines of the query, whatever the page shows, digit by digit. Records paid as agreed are among them."

func amountOf(d decimal.Decimal, coin affiliate.Coin) affiliate.Amount {
	return affiliate.Amount{Value: d, Coin: coin}
}

// tone colours an amount that was lost or won.
func tone(d decimal.Decimal) string {
	switch d.Sign() {
	case -1:
		return "text-error"
	case 1:
		return "text-success"
	}
	return ""
}

// recordsAddress returns the address of the records of a finding.
func (v RatesView) recordsAddress(d rates.RateDeviation) string {
	q := query.Query{Range: query.Custom, Days: d.Days, Product: d.Product, Page: 1, Per: query.DefaultPer, AsOf: v.Links.Query.AsOf,
		Source: v.Links.Query.Source, Symbol: v.Links.Query.Symbol}
	if v.several() {
		q.Account = d.Account
	}
	switch d.Scope {
	case terms.ScopeUID:
		q.UID = affiliate.UID(d.Value)
	case terms.ScopeCode:
		q.Code = affiliate.Choose([]string{d.Value})
	}
	if len(d.Costs) == 1 {
		q.Coin = d.Costs[0].Coin
	}
	return "/commissions?" + q.Values().Encode()
}

// subjectAddress returns the address of whom a finding concerns; empty for the programme.
func (v RatesView) subjectAddress(d rates.RateDeviation) string {
	links := v.Links
	switch d.Scope {
	case terms.ScopeUID:
		return links.InviteeOf(ui.AccountOf(d.Account, v.several()), affiliate.UID(d.Value))
	case terms.ScopeCode:
		return links.Coded(affiliate.Choose([]string{d.Value}))
	}
	return ""
}

// lineAddress returns the address of the records of a line.
func (v RatesView) lineAddress(l rates.Line) string {
	q := query.Query{Range: query.Custom, Days: l.Days, UID: l.UID, Product: l.Product, Coin: l.Coin, Source: v.Links.Query.Source,
		Symbol: v.Links.Query.Symbol, Page: 1, Per: query.DefaultPer, AsOf: v.Links.Query.AsOf}
	if v.several() {
		q.Account = l.Account
	}
	return "/commissions?" + q.Values().Encode()
}

// termsLink returns the address of the page of terms.
func (v RatesView) termsLink() string {
	if v.Links.Query.AsOf.IsZero() {
		return TermsPath
	}
	return TermsPath + "?" + url.Values{"as_of": {v.Links.Query.AsOf.UTC().Format(time.RFC3339Nano)}}.Encode()
}

// kindWords says what a finding is.
func kindWords(d rates.RateDeviation) string {
	switch {
	case d.Break && d.Over:
		return "Rate raised"
	case d.Break:
		return "Rate lowered"
	case d.Over:
		return "Overpaid"
	}
	return "Underpaid"
}

// inviteesWords counts the invitees of a finding about several.
func inviteesWords(d rates.RateDeviation) string {
	if d.Scope == terms.ScopeUID {
		return ""
	}
	return phrase.Things(d.Invitees, "invitee")
}

func fraction(d decimal.Decimal) string { return phrase.Fraction(affiliate.Number(d.String())) }

func columns(v RatesView) []ui.TableColumn {
	var list []ui.TableColumn
	if v.several() {
		list = append(list, ui.TableColumn{Field: "account", Label: "Account"})
	}
	return append(list,
		ui.TableColumn{Field: "uid", Label: "UID"},
		ui.TableColumn{Field: "code", Label: "Code"},
		ui.TableColumn{Field: "product", Label: "Product"},
		ui.TableColumn{Field: "coin", Label: "Coin"},
		ui.TableColumn{Field: "from", Label: "From (" + v.zone().String() + ")", Hint: "The first record of the line"},
		ui.TableColumn{Label: "To", Hint: "The last record of the line"},
		ui.TableColumn{Field: "records", Label: "Records", Numeric: true, Largest: true},
		ui.TableColumn{Field: "fee", Label: "Fee", Numeric: true, Largest: true},
		ui.TableColumn{Field: "agreed", Label: "Agreed", Numeric: true, Largest: true, Hint: "By the term or, without one, before the change"},
		ui.TableColumn{Field: "paid", Label: "Paid", Numeric: true, Largest: true},
		ui.TableColumn{Field: "due", Label: "Agreed commission", Numeric: true, Largest: true, Hint: "Fee × agreed rate"},
		ui.TableColumn{Field: "commission", Label: "Commission", Numeric: true, Largest: true},
		ui.TableColumn{Field: "difference", Label: "Difference", Numeric: true, Keep: true, Hint: "Commission − agreed commission: a loss is negative"},
		ui.TableColumn{Label: "Term"},
	)
}

// findingsShown is how many findings the page shows.
const findingsShown = 100

func shownFindings(v RatesView) []rates.RateDeviation {
	return v.Report.Deviations[:min(len(v.Report.Deviations), findingsShown)]
}

func findingsWords(v RatesView) string {
	words := phrase.Things(len(v.Report.Deviations), "finding")
	if n := len(v.Report.Deviations); n > findingsShown {
		words += "; the most costly are shown, the files have every line"
	}
	return words
}

func plural(n int64, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}
