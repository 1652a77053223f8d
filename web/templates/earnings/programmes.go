package earnings

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/programmes"
	"rebatedesk/reports/query"
	"rebatedesk/web/templates/ui"

	"github.com/a-h/templ"
)

// ProgrammesPath is the address of the programmes side by side.
const ProgrammesPath = "/programmes"

// programmesView is the page of the programmes.
type programmesView struct {
	Report programmes.Report
	Links  ui.Links
}

// columns are the total, if there are several programmes, and the programmes.
func (v programmesView) columns() []programmes.Column {
	if len(v.Report.Programmes) == 1 {
		return v.Report.Programmes
	}
	return append([]programmes.Column{v.Report.Total}, v.Report.Programmes...)
}

func columnName(p programmes.Column) string {
	if p.Account == "" {
		return "All programmes"
	}
	return string(p.Account)
}

// alone returns the address of the page for one programme.
func (v programmesView) alone(account affiliate.Account) string {
	return v.Links.With(func(q *query.Query) { q.Account = account })
}

// unequal says which programmes lack days of the range that others have: they seem to earn less.
func (v programmesView) unequal() string {
	var late []string
	for _, p := range v.Report.Programmes {
		if !p.Coverage.Complete() {
			late = append(late, string(p.Account))
		}
	}
	if len(late) == 0 || len(late) == len(v.Report.Programmes) {
		return ""
	}
	return " Days of " + phrase.Listed(late) + " are not collected, so the programmes cannot be compared as a whole."
}

// single reports whether there is one programme only, whatever the query.
func (v programmesView) single() bool { return len(v.Report.Options.Accounts) <= 1 }

// answer says in words what all programmes earned together, and which earned most.
func (v programmesView) answer() string {
	r := v.Report
	total := r.Total.Valued.Amount().Short() + " " + string(figures.ValuedIn)
	if len(r.Programmes) == 1 {
		return fmt.Sprintf("%s earned %s, converted%s.", r.Programmes[0].Account, total, phrase.OtherPrices(r.Total.Valued, v.Links.Query.Zone))
	}
	most, names := r.Programmes[0], []string{}
	for _, p := range r.Programmes {
		if p.Valued.Total.GreaterThan(most.Valued.Total) {
			most, names = p, nil
		}
		if p.Valued.Total.Equal(most.Valued.Total) {
			names = append(names, string(p.Account))
		}
	}
	words := fmt.Sprintf("%s earned %s together, converted%s", phrase.Things(len(r.Programmes), "programme"), total, phrase.OtherPrices(r.Total.Valued, v.Links.Query.Zone))
	if !most.Share.Known {
		return words + "."
	}
	amount := most.Valued.Amount().Short() + " " + string(figures.ValuedIn)
	share := phrase.Share(most.Share)
	if most.Share.OfPositive {
		share += " of the positive sums"
	}
	switch len(names) {
	case 1:
		return words + fmt.Sprintf("; %s earned most: %s, %s.", names[0], amount, share)
	case len(r.Programmes):
		return words + fmt.Sprintf("; each earned %s, %s.", amount, share)
	default:
		return words + fmt.Sprintf("; %s earned most: %s, %s each.", phrase.Listed(names), amount, share)
	}
}

// figure is a row of the table: what it has of each programme.
type figure struct {
	name string
	of   func(programmes.Column) templ.Component
}

const noFees = "the exchange does not tell fees"

// tellsFees reports whether the fees of a column are told, of all its programmes.
func tellsFees(c programmes.Column) bool { return c.Sheet == nil || c.Sheet.Fees }

// severalExchanges reports whether a programme is of another exchange than the first one, or of one with limits.
func (v programmesView) severalExchanges() bool {
	return slices.ContainsFunc(v.Report.Programmes, func(c programmes.Column) bool {
		return c.Sheet != nil && (c.Sheet != v.Report.Programmes[0].Sheet || c.Sheet.Limited())
	})
}

func exchangeOf(c programmes.Column) templ.Component {
	if c.Sheet == nil {
		return ui.Text("")
	}
	return ui.Text(c.Sheet.Title)
}

func notTold(c programmes.Column) templ.Component {
	if c.Sheet == nil {
		return ui.Text("")
	}
	return ui.Text(cmp.Or(phrase.UnknownColumns(c.Sheet), "nothing"))
}

// completeUpTo is the instant up to which everything of the range is collected.
func completeUpTo(c programmes.Column, zone *time.Location) templ.Component {
	if !c.Coverage.Through.Known() {
		return ui.Unknown("a stream was not read yet")
	}
	return ui.Text(phrase.Clock(c.Coverage.Through.Time(), zone))
}

// figures are the rows of the table.
func (v programmesView) figures() []figure {
	type programme = programmes.Column
	zone := ui.ZoneOf(v.Links.Query)
	ratio := func(r figures.Ratio, unknown string) templ.Component {
		return ui.Either(r.Known, ui.Text(phrase.Share(r)), ui.Unknown(unknown))
	}
	list := []figure{
		{"Commission, converted to " + string(figures.ValuedIn), func(c programme) templ.Component {
			return ui.Span("font-medium", phrase.Valuation(c.Valued, zone), c.Valued.Amount().Short())
		}},
		{"Share of all programmes", func(c programme) templ.Component { return ratio(c.Share, phrase.NoShare) }},
	}
	for _, coin := range v.Report.Coins {
		list = append(list, figure{"Commission, " + string(coin), func(c programme) templ.Component {
			return ui.Amount(affiliate.Amount{Value: c.In(coin).Commission, Coin: coin})
		}})
	}
	for _, coin := range v.Report.Coins {
		list = append(list, figure{"Fees paid by invitees, " + string(coin), func(c programme) templ.Component {
			return ui.Either(tellsFees(c), ui.Amount(affiliate.Amount{Value: c.In(coin).Fee, Coin: coin}), ui.Unknown(noFees))
		}}, figure{"Share of fees, " + string(coin), func(c programme) templ.Component {
			if !tellsFees(c) {
				return ui.Unknown(noFees)
			}
			return ratio(c.Rate(coin), "no fees were paid in this coin")
		}})
	}
	if v.severalExchanges() {
		list = slices.Insert(list, 0, figure{"Exchange", func(c programme) templ.Component { return exchangeOf(c) }})
		list = append(list, figure{"Not told", func(c programme) templ.Component { return notTold(c) }})
	}
	return append(list,
		figure{"Complete up to", func(c programme) templ.Component { return completeUpTo(c, zone) }},
		figure{"Volume, about in quote currency", func(c programme) templ.Component { return ui.Amount(affiliate.Amount{Value: c.Volume}) }},
		figure{"Registered", func(c programme) templ.Component { return ui.CountOf(c.Registered) }},
		figure{"Active traders", func(c programme) templ.Component { return ui.CountOf(c.ActiveTraders) }},
		figure{"Outstanding payments, of all time", func(c programme) templ.Component { return owed(c, c.Outstanding) }},
		figure{"Paid too much, of all time", func(c programme) templ.Component { return owed(c, c.Excess) }},
		figure{"Days collected", func(c programme) templ.Component { return daysCollected(c, zone) }},
	)
}
