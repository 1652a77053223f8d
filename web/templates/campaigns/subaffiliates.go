package campaigns

import (
	"slices"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/reports/subaffiliates"
	"rebatedesk/store/records"
	"rebatedesk/web/templates/totals"
	"rebatedesk/web/templates/ui"

	"github.com/a-h/templ"
	"github.com/shopspring/decimal"
)

// subAffiliatesView is one page of sub-affiliates.
type subAffiliatesView struct {
	Report subaffiliates.Report
	Links  ui.Links
}

// SubAffiliateView is the page of one sub-affiliate.
type SubAffiliateView struct {
	Report subaffiliates.Detail
	Links  ui.Links
}

// noUnit is the note on every amount of the sub-affiliates (4.19).
const noUnit = "The exchange states no unit or coin for these amounts. They are added up among themselves and never with commission that has a coin."

const (
	subFilesNote = "One row for each sub-affiliate, product and UTC day, oldest first; the table here adds these rows up."
	subDaysNote  = "One row for each product and UTC day, exact, in the order of the table."
)

// subAffiliateColumns are the columns of the list. The total, a line without a UID, has no days: those
// of its lines overlap.
func subAffiliateColumns(v subAffiliatesView) []ui.Column[subaffiliates.ListLine] {
	type sub = subaffiliates.ListLine
	q := v.Links.Query
	number := func(name, label, hint string, cell func(sub) templ.Component, options ...ui.Option) ui.Column[sub] {
		return ui.Cells(ui.TableColumn{Name: name, Field: name, Label: label, Hint: hint, Numeric: true, Largest: true}, cell, options...)
	}
	first := number("first", "First day", "First day with business in the range", func(l sub) templ.Component { return ui.Text(l.First.Format(ui.DayForm(q))) })
	first.Extra, first.Largest = true, false
	return ui.Present(
		ui.Cells(ui.TableColumn{Field: "uid", Label: "Sub-affiliate"}, func(l sub) templ.Component {
			return ui.Link("text-link", v.Links.SubAffiliate(l.UID), ui.Invitee(l.UID))
		}, ui.OnPhone(ui.Lead)),
		ui.Cells(ui.TableColumn{Field: "account", Label: "Account"}, func(l sub) templ.Component { return ui.Foreign(string(l.Account)) }, ui.If(len(v.Report.Options.Accounts) > 1)),
		number("volume", ui.VolumeLabel, "Trading volume, "+ui.Unitless, func(l sub) templ.Component { return subAmount(l.Volume) }),
		number("fee", "Fees paid", "Net trading fee that the exchange collected", func(l sub) templ.Component { return subAmount(l.Fee) }),
		number("spot", "Paid, spot", "Commission paid for spot trades", func(l sub) templ.Component { return subOfProduct(l.Spot, q.Product == affiliate.Futures) }),
		number("futures", "Paid, futures", "Commission paid for futures trades", func(l sub) templ.Component { return subOfProduct(l.Futures, q.Product == affiliate.Spot) }),
		number("ratio", "Share of fees", "Paid commission ÷ net trading fee", func(l sub) templ.Component { return ratioOf(l.Figures) }, ui.OnPhone(ui.NamedNote)),
		number("share", "Share", "Of all paid commission of this selection", func(l sub) templ.Component { return ui.Share(l.Share) }),
		number("change", "Change", "Of the paid commission against the compared period", func(l sub) templ.Component { return ui.Change(l.Change.Change) }, ui.If(q.Compare != query.CompareNone)),
		ui.Cells(ui.TableColumn{Name: "trend", Label: "Per day", Hint: "Paid commission per day of the range"}, func(l sub) templ.Component { return ui.When(l.UID != "", totals.Sparkline(l.Trend, "Paid")) }, ui.Classed("pl-4")),
		number("days", "Days", "UTC days with business: the exchange has a record of them", func(l sub) templ.Component { return ui.When(l.UID != "", ui.Text(phrase.Count(l.Days))) }, ui.OnPhone(ui.NamedNote)),
		first,
		number("last", "Last day", "Last day with business in the range", func(l sub) templ.Component { return ui.Text(l.Last.Format(ui.DayForm(q))) }),
		ui.Cells(ui.TableColumn{Field: "paid", Label: "Paid", Hint: "Commission paid to the sub-affiliate", Numeric: true, Largest: true, Keep: true}, func(l sub) templ.Component { return subAmount(l.Paid) }, ui.Classed("font-medium"), ui.OnPhone(ui.Figure)),
	)
}

// SubAffiliateChoices are the columns of the list that can be chosen.
func SubAffiliateChoices() []string {
	return ui.ColumnNames(ui.Heads(subAffiliateColumns(subAffiliatesView{Links: ui.Links{Query: query.Query{Compare: query.ComparePrevious}}})))
}

// subAffiliateDayColumns are the columns of the days of one sub-affiliate.
func subAffiliateDayColumns(v SubAffiliateView) []ui.Column[records.SubAffiliateRow] {
	type day = records.SubAffiliateRow
	return ui.Present(
		ui.Cells(ui.TableColumn{Field: "date", Label: "Day (UTC)", Largest: true}, func(d day) templ.Component { return ui.Text(d.Date.Format("Mon, 2 Jan 2006")) }, ui.Names("font-normal")),
		ui.Cells(ui.TableColumn{Field: "account", Label: "Account"}, func(d day) templ.Component { return ui.Foreign(string(d.Account)) }, ui.If(len(v.Report.Options.Accounts) > 1)),
		ui.Cells(ui.TableColumn{Field: "product", Label: "Product"}, func(d day) templ.Component { return ui.Text(d.Product.Label()) }),
		ui.NumberColumn("volume", ui.VolumeLabel, "Trading volume, "+ui.Unitless, func(d day) templ.Component { return subAmount(d.TradingVolume) }),
		ui.NumberColumn("fee", "Fees paid", "Net trading fee that the exchange collected", func(d day) templ.Component { return subAmount(d.NetTradingFee) }),
		ui.NumberColumn("", "Share of fees", "Paid commission ÷ net trading fee", func(d day) templ.Component {
			return ratioOf(subaffiliates.Figures{Fee: d.NetTradingFee, Paid: d.PaidCommission})
		}),
		ui.NumberColumn("paid", "Paid", "Commission paid to the sub-affiliate", func(d day) templ.Component { return subAmount(d.PaidCommission) }, ui.Classed("font-medium")).Kept(nil),
	)
}

// subAffiliateTotal returns the sums of the days.
func subAffiliateTotal(v SubAffiliateView) func(ui.Column[records.SubAffiliateRow]) templ.Component {
	return func(c ui.Column[records.SubAffiliateRow]) templ.Component {
		switch c.Field {
		case "volume":
			return subAmount(v.Report.Total.Volume)
		case "fee":
			return subAmount(v.Report.Total.Fee)
		case "paid":
			return subAmount(v.Report.Total.Paid)
		}
		return ui.Ratio(v.Report.Cards.Ratio, "there is no fee to pay from")
	}
}

// subPlain formats an amount without a unit, with two decimals.
func subPlain(n affiliate.Number) string { return ui.Volume(n.Decimal()) }

// utcNote names the time zone of a page's days if other pages use a different one.
func utcNote(zone *time.Location) string {
	if zone == nil || zone.String() == time.UTC.String() {
		return ""
	}
	return "Days on this page are UTC days, as the exchange counts sub-affiliates; other pages use " + zone.String() + "."
}

// checkWords describes the result of the check.
func checkWords(l subaffiliates.CheckLine) string {
	switch {
	case !l.ReportedWhole && !l.OursWhole:
		return "neither list is collected completely"
	case !l.ReportedWhole:
		return "the exchange's list is not collected completely"
	case !l.OursWhole:
		return "our records are not collected completely"
	}
	return "both collected completely"
}

func changedColumns(r subaffiliates.Detail) []ui.Column[subaffiliates.DayChange] {
	return []ui.Column[subaffiliates.DayChange]{
		ui.TextColumn("Noticed (UTC)", func(c subaffiliates.DayChange) string { return c.Noticed.Time().Format("2 Jan 2006 15:04") }).Titled(func(c subaffiliates.DayChange) string { return c.Noticed.String() }),
		ui.CellColumn("Kind", func(c subaffiliates.DayChange) templ.Component { return ui.KindMark(c.Kind) }),
		ui.TextColumn("Day", func(c subaffiliates.DayChange) string { return c.Day.Format("2 Jan 2006") }),
		ui.ForeignColumn("Account", func(c subaffiliates.DayChange) string { return string(c.Account) }, ui.If(len(r.Options.Accounts) > 1)),
		ui.TextColumn("Product", func(c subaffiliates.DayChange) string { return c.Product.Label() }),
		ui.CellColumn("Volume ≈ quote, before and now", func(c subaffiliates.DayChange) templ.Component { return beforeAndNow(c, c.Was.Volume, c.Became.Volume) }, ui.Nums),
		ui.CellColumn("Fees paid, before and now", func(c subaffiliates.DayChange) templ.Component { return beforeAndNow(c, c.Was.Fee, c.Became.Fee) }, ui.Nums),
		ui.CellColumn("Paid, before and now", func(c subaffiliates.DayChange) templ.Component { return beforeAndNow(c, c.Was.Paid, c.Became.Paid) }, ui.Nums, ui.Classed("font-medium")),
	}
}

func unknownWhen(q query.Query) string {
	if q.AsOf.IsZero() {
		return " on any day."
	}
	return " on any day, in the state of " + phrase.Clock(q.AsOf, ui.ZoneOf(q)) + "."
}

func checkSpan(months bool) string {
	if months {
		return "Month (UTC)"
	}
	return "Day (UTC)"
}

func checkColumns(days bool, months bool) []ui.Column[subaffiliates.CheckLine] {
	return []ui.Column[subaffiliates.CheckLine]{
		ui.TextColumn(checkSpan(months), func(line subaffiliates.CheckLine) string { return checkDays(line.Days, months) }, ui.Names("font-normal"), ui.If(days)),
		ui.TextColumn("Product", func(line subaffiliates.CheckLine) string { return line.Product.Label() }),
		ui.CellColumn("Fee, reported", func(line subaffiliates.CheckLine) templ.Component { return checkReported(line, line.Reported.Fee) }, ui.Nums, ui.Hinted("Net trading fee of the sub-affiliates' days, unit not stated")),
		ui.CellColumn("Fee, our records", func(line subaffiliates.CheckLine) templ.Component {
			return checkOurs(line, func(t figures.Totals) affiliate.Amount { return affiliate.Amount{Value: t.Fee, Coin: t.Coin} })
		}, ui.Nums, ui.Hinted("Net fee of our records of source sub")),
		ui.CellColumn("Difference", func(line subaffiliates.CheckLine) templ.Component { return checkDifference(line.Fee) }, ui.Nums, ui.Hinted(checkHint("Reported less ours"))),
		ui.CellColumn("Paid to them", func(line subaffiliates.CheckLine) templ.Component { return checkReported(line, line.Reported.Paid) }, ui.Nums, ui.Hinted("What the sub-affiliates were paid, unit not stated")),
		ui.CellColumn("Our commission", func(line subaffiliates.CheckLine) templ.Component {
			return checkOurs(line, func(t figures.Totals) affiliate.Amount { return affiliate.Amount{Value: t.Commission, Coin: t.Coin} })
		}, ui.Nums, ui.Hinted("Commission of our records of source sub")),
		ui.CellColumn("Difference", func(line subaffiliates.CheckLine) templ.Component { return checkDifference(line.Paid) }, ui.Nums, ui.Hinted(checkHint("Paid to them less our commission; need not be zero"))),
		ui.TextColumn("State", func(line subaffiliates.CheckLine) string { return checkWords(line) }, ui.Classed("text-muted")),
	}
}

func checkHint(what string) string {
	return what + ", as if the reported amounts were in " + string(figures.ValuedIn)
}

// valuedWords names the coins that were converted for a difference.
func valuedWords(coins []affiliate.Coin) string {
	if len(coins) == 0 {
		return ""
	}
	names := make([]string, len(coins))
	for i, coin := range coins {
		names[i] = string(coin)
	}
	slices.Sort(names)
	return "; our " + strings.Join(names, ", ") + " valued at the prices of their days"
}

// checkSigned rounds a difference without making a non-zero one look like zero.
func checkSigned(d decimal.Decimal) string {
	if d.IsPositive() {
		return "+" + ui.Volume(d)
	}
	return ui.Volume(d)
}

func checkDays(days affiliate.Days, months bool) string {
	if months {
		return days.First.Format("January 2006")
	}
	return days.First.Format("2 Jan 2006")
}

// subBarOf returns the bar of one of the top sub-affiliates, or of the others.
func subBarOf(r subaffiliates.Report, line subaffiliates.ListLine) ui.Bar {
	least, most := subValue(r.Others.Paid), subValue(r.Others.Paid)
	for _, one := range r.Top {
		least, most = decimal.Min(least, subValue(one.Paid)), decimal.Max(most, subValue(one.Paid))
	}
	return ui.BarOf(subValue(line.Paid), least, most)
}

// subValue returns an amount as a length; an unknown amount has none.
func subValue(n affiliate.Number) decimal.Decimal {
	if !n.Known() {
		return decimal.Zero
	}
	return n.Decimal()
}
