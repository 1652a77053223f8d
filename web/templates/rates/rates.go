package rates

import (
	"net/url"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
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
func (v RatesView) recordsAddress(d rates.Deviation) string {
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

// subjectAddress links to the invitee or code of a finding; empty for the programme.
func (v RatesView) subjectAddress(d rates.Deviation) string {
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
func kindWords(d rates.Deviation) string {
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
func inviteesWords(d rates.Deviation) string {
	if d.Scope == terms.ScopeUID {
		return ""
	}
	return phrase.Things(d.Invitees, "invitee")
}

func fraction(d decimal.Decimal) string { return phrase.Fraction(affiliate.Number(d.String())) }

func columns(v RatesView) []ui.TableColumn {
	rate, commission := phrase.DueRate(v.Report)
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
		ui.TableColumn{Field: "agreed", Label: rate, Numeric: true, Largest: true, Hint: "By the term or, without one, before the change"},
		ui.TableColumn{Field: "paid", Label: "Paid", Numeric: true, Largest: true},
		ui.TableColumn{Field: "due", Label: commission, Numeric: true, Largest: true, Hint: "Fee × " + v.dueWords()},
		ui.TableColumn{Field: "commission", Label: "Commission", Numeric: true, Largest: true},
		ui.TableColumn{Field: "difference", Label: "Difference", Numeric: true, Keep: true, Hint: "Commission less what was due: a loss is negative"},
		ui.TableColumn{Label: "Term"},
	)
}

// Findings of one direction and coin are shown at once until they make most of the amount, but so
// many at least and at most. The others are folded up.
const (
	weightyPercent = 90
	fewestWeighty  = 3
	mostWeighty    = 10
)

// findingsShown is how many of the findings that are folded up the page has.
const findingsShown = 500

// divided divides findings into those that make most of the amount, and the others, in their order.
func divided(list []rates.Deviation) (weighty, light []rates.Deviation) {
	type kind struct {
		over, found bool
		coin        affiliate.Coin
	}
	of := func(d rates.Deviation) (k kind, amount decimal.Decimal) {
		k = kind{over: d.Over, found: d.Break}
		if len(d.Costs) > 0 {
			k.coin, amount = d.Costs[0].Coin, d.Costs[0].Difference.Abs()
		}
		return k, amount
	}
	total, shown, count := map[kind]decimal.Decimal{}, map[kind]decimal.Decimal{}, map[kind]int{}
	for _, d := range list {
		k, amount := of(d)
		total[k] = total[k].Add(amount)
	}
	for _, d := range list {
		k, amount := of(d)
		enough := shown[k].Shift(2).GreaterThanOrEqual(total[k].Mul(decimal.NewFromInt(weightyPercent)))
		if count[k] >= mostWeighty || count[k] >= fewestWeighty && enough {
			light = append(light, d)
			continue
		}
		shown[k], count[k] = shown[k].Add(amount), count[k]+1
		weighty = append(weighty, d)
	}
	return weighty, light
}

// lightWords says how many findings are folded up, and what they cost or brought at most.
func lightWords(list []rates.Deviation) string {
	var coins []affiliate.Coin
	most := map[affiliate.Coin]decimal.Decimal{}
	for _, d := range list {
		for _, c := range d.Costs {
			if _, known := most[c.Coin]; !known {
				coins = append(coins, c.Coin)
			}
			most[c.Coin] = decimal.Max(most[c.Coin], c.Difference.Abs())
		}
	}
	var words []string
	for _, coin := range coins {
		words = append(words, amountOf(most[coin], coin).String())
	}
	return "And " + phrase.Count(len(list)) + " more, of at most " + phrase.Listed(words) + " each"
}

// packAddress is that of the evidence pack of a finding.
func (v RatesView) packAddress(d rates.Deviation) string {
	values := v.Links.Query.Values()
	for _, name := range []string{"sort", "page", "per"} {
		values.Del(name)
	}
	values.Set("finding", d.ID)
	return RatesPath + "/finding.zip?" + values.Encode()
}

func (v RatesView) dueWords() string { return phrase.DueRateWords(v.Report) }

// courseTitle is the title of the chart, with its unit.
func (v RatesView) courseTitle() string {
	step := "per day"
	if steps := v.Report.Course.Steps; len(steps) > 0 && steps[0].Len() > 1 || len(steps) > 1 && steps[1].Len() > 1 {
		step = "per month"
	}
	return "Due and paid share of fees " + step + ", % (" + string(v.Report.Course.Coin) + ")"
}

// course is the chart of the findings, with the names of its curves.
func (v RatesView) course() figures.Lines {
	lines := v.Report.Course.Lines
	lines.Parts = slices.Clone(lines.Parts)
	due, _ := phrase.DueRate(v.Report)
	for i := range lines.Parts {
		lines.Parts[i].Name = map[string]string{rates.CourseDue: due, rates.CoursePaid: "Paid"}[lines.Parts[i].Name]
	}
	return lines
}

// courseWords says whose records are drawn.
func (v RatesView) courseWords() string {
	c := v.Report.Course
	words := "Commission ÷ fees of the " + phrase.Things(c.Invitees, "invitee") + " with findings in " + string(c.Coin)
	switch {
	case c.Invitees == 1:
		words = "Commission ÷ fees of the invitee with findings in " + string(c.Coin)
	case !c.All:
		words = "Commission ÷ fees of the " + phrase.Things(c.Invitees, "invitee") + " with the largest differences in " + string(c.Coin)
	}
	return words + ", in the products that the findings are about."
}

func plural(n int64, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}
