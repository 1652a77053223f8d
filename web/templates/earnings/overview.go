// Package earnings draws the overview, the commissions and the findings that need
// attention.
package earnings

import (
	"slices"
	"weak"

	"rebatedesk/affiliate"
	"rebatedesk/people"
	"rebatedesk/reports"
	"rebatedesk/reports/drivers"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/findings"
	"rebatedesk/reports/forecast"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/months"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/reports/worklist"
	"rebatedesk/web/templates/ui"

	"github.com/a-h/templ"
)

// OverviewView is the front page.
type OverviewView struct {
	Report *reports.Front
	Links  ui.Links
	Closed []months.Line // closed months in the range
	Needs  reports.KeptAttention
	Found  AttentionView // if Needs has a report
}

const (
	coinsShown = 4 // coins in sight
	goalsShown = 2
	longFigure = len("12,345.67") // what the large size has room for on a narrow card
)

// drawnWith returns what the figures depend on besides the series of the chart.
func (v OverviewView) drawnWith(run ui.CollectionRun) any {
	return struct {
		links   any
		report  weak.Pointer[reports.Front]
		found   weak.Pointer[findings.Report]
		day     weak.Pointer[worklist.Day]
		present bool
		next    string // try of what failed
		reading bool
	}{ui.DrawnWith(v.Links), weak.Make(v.Report), weak.Make(v.Needs.Report), weak.Make(v.Needs.Day), v.Needs.Present, run.NextTry(), run.Running}
}

// about names the range, its zone and the state for the printed page.
func (v OverviewView) about() string {
	q := v.Links.Query
	words := phrase.DaysIn(q.Days, ui.ZoneOf(q))
	if q.Past() {
		words += " " + phrase.AsKnown(q)
	}
	return words
}

func (v OverviewView) earning() phrase.EarnedFacts {
	return phrase.EarnedFacts{Report: v.Report.Report, Drivers: v.Report.Drivers, Payments: v.Report.Payments}
}

// earned is the sentence above all else, with the names that the reader may see.
func (v OverviewView) earned(names *people.NameBook) []phrase.Fragment {
	e := v.earning()
	e.Names = names
	return phrase.Earned(e)
}

func (v OverviewView) payments() PaymentsView {
	return PaymentsView{Report: *v.Report.Payments, Links: v.Links}
}

func (v OverviewView) paymentsShown() bool { return v.Report.Payments != nil }

func (v OverviewView) monthShown() bool { return v.Report.Month != nil }

// driversShown reports whether the page says what moved the commission. Drivers compare whole
// ranges, so they do not explain a change of hours.
func (v OverviewView) driversShown() bool {
	return v.Report.Drivers != nil && v.Report.SameHours == nil
}

// driversAddress is the page of what moved the commission in a coin, or in all of them; empty if
// it explains another change.
func (v OverviewView) driversAddress(coin affiliate.Coin) string {
	switch {
	case v.Report.SameHours != nil:
		return ""
	case coin == "":
		return v.Links.Drivers(nil)
	}
	return v.Links.DriversOf(coin)
}

func (v OverviewView) effectsAddress(coin affiliate.Coin) string {
	if address := v.driversAddress(coin); address != "" {
		return address + "#effects"
	}
	return ""
}

// driversLinks are the links of the part about what moved the commission.
func (v OverviewView) driversLinks() ui.Links {
	l := v.Links
	l.Path, l.Query, l.Accepts, l.Compared = ui.DriversPath, v.Report.Drivers.Query, drivers.Accepted, drivers.Accepted.Compared
	return l
}

// month is the forecast of the present month in the unit of the large figure; nil: nothing was
// ever earned.
func (v OverviewView) month() *forecast.Ending {
	if v.Report.Month == nil {
		return nil
	}
	if e := v.Report.Month.Converted; e != nil && e.Known() {
		return e
	}
	return v.Report.Month.Main()
}

// forecastAddress is the page of the forecast, narrowed as the card is.
// tiersAddress is the page of the next tiers of the month.
func (v OverviewView) tiersAddress() string { return v.Links.To("/tiers", "", "") }

func (v OverviewView) forecastAddress() string {
	values := v.Links.Query.Values()
	for name := range values {
		if !slices.Contains(reports.MonthParams, name) {
			values.Del(name)
		}
	}
	if query := values.Encode(); query != "" {
		return "/forecast?" + query
	}
	return "/forecast"
}

// coinsShown reports whether there are coins to tell apart.
func (v OverviewView) coinsShown() bool { return len(v.Report.Cards) > 1 }

// changes reports whether figures are compared. Those of an incomplete range are not.
func (v OverviewView) changes() bool {
	return v.Links.Query.Compare != query.CompareNone && v.Report.Coverage.Complete()
}

// stripChange is a change of a figure of commission records, if it can be told.
func (v OverviewView) stripChange(c figures.Change) figures.Change {
	if !v.changes() {
		return figures.Change{Kind: figures.ChangeNone}
	}
	return c
}

// against says what a change refers to: a figure of the compared days. It is empty if that cannot be
// told.
func (v OverviewView) against(kind figures.ChangeKind, reference string) string {
	days, asked := v.Links.Query.Compare.Days(v.Links.Query.Days)
	if !asked || !ui.Comparable(figures.Change{Kind: kind}) {
		return ""
	}
	words := "against " + reference + " in "
	if v.Report.SameHours != nil {
		words += "the same hours of "
	}
	return words + phrase.Days(days)
}

// incomparable reports whether a coin without a price keeps the totals from being compared.
func (v OverviewView) incomparable() bool {
	valued := v.Report.Valued
	return v.earning().Converted() && valued.Change.Kind == figures.ChangeUnknown && !valued.Comparable()
}

// mainCard is the coin with most records.
func (v OverviewView) mainCard() *figures.CoinCard {
	for i := range v.Report.Cards {
		if v.Report.Cards[i].Coin == v.Report.Coin {
			return &v.Report.Cards[i]
		}
	}
	return nil
}

// exactTotal is the converted total to eight decimals.
func (v OverviewView) exactTotal() string {
	total := v.Report.Valued.Amount()
	total.Value = total.Value.RoundBank(8)
	return total.Exact()
}

// coinWorth is what a coin is worth in [figures.ValuedIn], and its share of all coins.
type coinWorth struct {
	affiliate.Amount
	Known bool
	Share figures.Ratio
}

func (v OverviewView) worthOf(coin affiliate.Coin) coinWorth {
	for _, c := range v.Report.Valued.Coins {
		if c.Sum.Coin == coin && (len(c.Days) > 0 || coin == figures.ValuedIn) {
			w := coinWorth{Amount: affiliate.Amount{Value: c.Value, Coin: figures.ValuedIn}, Known: true}
			if len(v.Report.Valued.Missing) == 0 {
				w.Share = v.Report.Valued.Whole().Share(c.Value)
			}
			return w
		}
	}
	return coinWorth{}
}

// comparison says with what the total is compared.
func (v OverviewView) comparison() string {
	q := v.Links.Query
	days, asked := q.Compare.Days(q.Days)
	if !asked {
		return ""
	}
	if hours := v.Report.SameHours; hours != nil {
		if hours.Empty() {
			return "An hour is complete about an hour after its end, since the exchange lists commission late. None of this day is complete yet, so nothing is compared."
		}
		_, reference := v.earning().Change()
		return phrase.Capital(phrase.HoursUpTo(*hours)) + " are compared with the same hours of " + phrase.Days(days) + ", which brought " + reference.Exact() +
			". Later hours count in the amount and not in the change: the exchange lists commission up to an hour late. Counts of people are not compared by hour."
	}
	words := "Compared with " + phrase.Days(days)
	if lengths := phrase.Lengths(q.Days, days); lengths != "" {
		words += ", " + lengths
	}
	words += "."
	if change, _ := v.earning().Change(); change.Open {
		words += " The range is still running; the compared one has whole days."
	}
	if valued := v.Report.Valued; v.earning().Converted() && ui.Comparable(valued.Change) {
		words += " The reference is " + valued.Reference.Amount().Exact() + ui.ReferenceWords(valued.Reference) + "."
	}
	return words
}

// curved reports whether the chart is a line instead of columns.
func (v OverviewView) curved() bool { return len(v.Report.Curve.Parts) > 0 }

// curveTitle names the line and its steps.
func (v OverviewView) curveTitle() string {
	title, curve := v.Report.Curve.Of+" per day", v.Report.Curve
	if len(curve.Steps) > 0 && len(curve.Steps) < v.Report.Query.Days.Len() {
		title = curve.Of + " per week"
	}
	if curve.Unit != "" {
		title += ", " + curve.Unit
	}
	return title
}

// totalTitle says what the large figure is.
func (v OverviewView) totalTitle() string {
	e := v.earning()
	switch {
	case e.Converted():
		return "Commission, all coins"
	case len(v.Report.Cards) > 1:
		return "Commission in " + string(e.Total().Coin) + " only"
	}
	return "Commission"
}

func peopleKnown(c invitees.Cards) bool {
	return c.Registered.Known || c.FirstDepositors.Known || c.FirstTraders.Known || c.ActiveTraders.Known
}

func monthEarned(e *forecast.Ending) affiliate.Amount {
	return affiliate.Amount{Value: e.Estimate.Earned, Coin: e.Coin}
}

// feeColumns are the columns of what invitees paid in each coin.
func feeColumns() []ui.Column[figures.CoinCard] {
	type card = figures.CoinCard
	columns := []ui.Column[card]{ui.ForeignColumn("Coin", func(c card) affiliate.Coin { return c.Coin }, ui.Names(""))}
	for _, m := range affiliate.BesideCommission {
		columns = append(columns, ui.CellColumn(m.Title, func(c card) templ.Component { return ui.Amount(c.Of(m).Amount) }))
	}
	return append(columns,
		ui.CellColumn("Share of fees", func(c card) templ.Component { return ui.Ratio(c.Rate, "there are no fees to divide by") }),
		ui.TextColumn("Records", func(c card) string { return phrase.Count(c.Records) }))
}

// coinColumns are the columns of what each coin earned.
func coinColumns(v OverviewView) []ui.Column[figures.CoinCard] {
	type card = figures.CoinCard
	const unpriced = "no price of the coin is known"
	return []ui.Column[card]{
		ui.CellColumn("Coin", func(c card) templ.Component {
			return ui.LinkTitled("hover:underline", v.Links.With(func(q *query.Query) { q.Coin = c.Coin }), "Only "+string(c.Coin), ui.Foreign(string(c.Coin)))
		}, ui.Names("")),
		ui.CellColumn("Commission", func(c card) templ.Component { return ui.Amount(c.Commission.Amount) }, ui.Classed("font-medium")),
		ui.CellColumn("Change", func(c card) templ.Component { return coinChange(v, c) }, ui.If(v.changes())),
		ui.CellColumn("Share", func(c card) templ.Component { return ui.Ratio(v.worthOf(c.Coin).Share, unpriced) }, ui.Styled("coin-share"), ui.Classed("text-muted")),
		ui.CellColumn("≈ "+string(figures.ValuedIn), func(c card) templ.Component {
			worth := v.worthOf(c.Coin)
			return ui.Either(worth.Known, ui.Amount(worth.Amount), ui.Unknown(unpriced))
		}),
	}
}
