package rates

import (
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/a-h/templ"
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

// inFull is the look of a link that fills its cell.
const inFull = "text-link -my-1 inline-block py-1"

func (v RatesView) instant(at affiliate.Millis) templ.Component {
	return ui.Instant(at.Time().In(v.zone()), v.Links.Query)
}

// lineColumns are the columns of the lines.
func lineColumns(v RatesView) []ui.Column[rates.Line] {
	type line = rates.Line
	rate, commission := phrase.DueRate(v.Report)
	exact := func(sum fmt.Stringer) templ.Component { return ui.Number(affiliate.Number(sum.String())) }
	judged := func(l line, then templ.Component) templ.Component {
		return ui.Either(l.Unjudged, ui.Unknown("a fee or a commission is not known"), then)
	}
	return ui.Present(
		ui.SortColumn("account", "Account", "", func(l line) templ.Component { return ui.Foreign(string(l.Account)) }, ui.If(v.several())),
		ui.SortColumn("uid", "UID", "", func(l line) templ.Component {
			return ui.PlainLink(inFull, v.Links.InviteeOf(ui.AccountOf(l.Account, v.several()), l.UID), "", ui.Invitee(l.UID))
		}, ui.OnPhone(ui.Lead)),
		ui.SortColumn("code", "Code", "", func(l line) templ.Component { return ui.ExchangeText(l.Code, "the invite code is not known") }),
		ui.SortColumn("product", "Product", "", func(l line) templ.Component { return ui.Foreign(l.Product.Label()) }, ui.OnPhone(ui.Note)),
		ui.SortColumn("coin", "Coin", "", func(l line) templ.Component { return ui.ExchangeText(string(l.Coin), ui.NotGiven) }),
		ui.SortColumn("from", "From ("+v.zone().String()+")", "The first record of the line", func(l line) templ.Component { return v.instant(l.From) }).Titled(func(l line) string { return l.From.String() }),
		ui.SortColumn("", "To", "The last record of the line", func(l line) templ.Component { return v.instant(l.To) }).Titled(func(l line) string { return l.To.String() }),
		ui.NumberColumn("records", "Records", "", func(l line) templ.Component {
			return ui.PlainLink(inFull, v.lineAddress(l), "", ui.Text(phrase.Count(l.Records)))
		}),
		ui.NumberColumn("fee", "Fee", ui.InEachCoin, func(l line) templ.Component { return exact(&l.Fee) }),
		ui.NumberColumn("agreed", rate, "By the term or, without one, before the change", func(l line) templ.Component { return ui.Text(fraction(l.Agreed)) }, ui.OnPhone(ui.NamedNote)),
		ui.NumberColumn("paid", "Paid", "", func(l line) templ.Component {
			if !l.Paid.Known() {
				return ui.Unknown("these records show no rate of their own")
			}
			return ui.Text(phrase.Fraction(l.Paid))
		}, ui.OnPhone(ui.NamedNote)),
		ui.NumberColumn("due", commission, "Fee × "+v.dueWords()+". "+ui.InEachCoin, func(l line) templ.Component { return judged(l, exact(l.Due)) }),
		ui.NumberColumn("commission", "Commission", ui.InEachCoin, func(l line) templ.Component { return exact(&l.Commission) }),
		ui.SortColumn("difference", "Difference", "Commission less what was due: a loss is negative. "+ui.InEachCoin, func(l line) templ.Component {
			return judged(l, ui.Signed(tone(l.Difference()), l.Difference()))
		}, ui.Nums, ui.Classed("font-medium"), ui.OnPhone(ui.Figure)).Kept(func(l line) affiliate.Coin { return l.Coin }),
		ui.SortColumn("", "Term", "", func(l line) templ.Component {
			if l.Term.ID == 0 {
				return ui.Span("text-muted text-xs", "", "before the change")
			}
			return ui.PlainLink("text-link", v.termsLink(), l.Term.About(), ui.Text(idOf(l.Term)))
		}),
	)
}

// findingColumns are the columns of the findings.
func findingColumns(v RatesView) []ui.Column[rates.Deviation] {
	type finding = rates.Deviation
	due, _ := phrase.DueRate(v.Report)
	return []ui.Column[finding]{
		ui.CellColumn("Who", func(d finding) templ.Component { return findingName(d, v) }, ui.Names(""), ui.OnPhone(ui.Lead)),
		ui.CellColumn("What", func(d finding) templ.Component { return findingKind(d, v) }, ui.OnPhone(ui.Note)),
		ui.TextColumn(due, func(d finding) string { agreed, _ := phrase.DeviationRates(d); return agreed }, ui.Nums, ui.OnPhone(ui.NamedNote)),
		ui.TextColumn("Paid", func(d finding) string { _, paid := phrase.DeviationRates(d); return paid }, ui.Nums, ui.OnPhone(ui.NamedNote)),
		ui.CellColumn("From ("+v.zone().String()+")", func(d finding) templ.Component { return v.instant(d.From) }).Titled(func(d finding) string { return d.From.String() }),
		ui.CellColumn("To", func(d finding) templ.Component { return v.instant(d.To) }).Titled(func(d finding) string { return d.To.String() }),
		ui.CellColumn("Records", func(d finding) templ.Component {
			var counts []templ.Component
			for _, c := range d.Costs {
				counts = append(counts, ui.Span("block", "", phrase.Count(c.Records)))
			}
			return ui.PlainLink("text-link", v.recordsAddress(d), "", ui.Join(counts...))
		}, ui.Nums),
		ui.CellColumn("Fees", findingFees, ui.Nums),
		ui.CellColumn("Difference", findingDifferences, ui.Nums, ui.Classed("font-medium"), ui.OnPhone(ui.Figure)).Kept(nil),
	}
}

// causeLine is a cause of the difference in a coin.
type causeLine struct {
	rates.CauseSum
	coin  affiliate.Coin
	first bool // of its coin
}

func causeLines(b rates.Balance) (list []causeLine) {
	for i, c := range b.Causes {
		list = append(list, causeLine{c, b.Coin, i == 0})
	}
	return list
}

// causeColumns are the columns of the causes.
func causeColumns(v RatesView) []ui.Column[causeLine] {
	return []ui.Column[causeLine]{
		ui.CellColumn("Coin", func(c causeLine) templ.Component { return ui.When(c.first, ui.Foreign(string(c.coin))) }),
		ui.CellColumn("Cause", func(c causeLine) templ.Component {
			name, meaning := phrase.RateCause(c.Cause, v.dueWords())
			return ui.Join(ui.Text(name), ui.Span("text-muted block text-xs whitespace-normal", "", meaning))
		}, ui.OnPhone(ui.Lead)),
		ui.TextColumn("Records", func(c causeLine) string { return phrase.Count(c.Records) }, ui.Nums, ui.OnPhone(ui.NamedNote)),
		ui.CellColumn("Fees", func(c causeLine) templ.Component { return ui.Amount(amountOf(c.Fee, c.coin)) }, ui.Nums),
		ui.CellColumn("Difference", func(c causeLine) templ.Component {
			if c.Cause == rates.AmountUnknown {
				return ui.Unknown("not judged")
			}
			return ui.Signed(tone(c.Difference), c.Difference)
		}, ui.Nums, ui.OnPhone(ui.Figure)).Kept(func(c causeLine) affiliate.Coin { return c.coin }),
	}
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
