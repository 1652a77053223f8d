package changes

import (
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"

	"rebatedesk/affiliate"
	"rebatedesk/reports/changes"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/months"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/store/closings"
	"rebatedesk/store/records"
	"rebatedesk/web/templates/ui"
)

// ChangesPath is the address of the page.
const ChangesPath = "/changes"

// ChangesView is one page of lines.
type ChangesView struct {
	Report changes.Report
	Links  ui.Links
}

func (v ChangesView) zone() *time.Location { return ui.ZoneOf(v.Links.Query) }

// several reports whether the lines need a column that names their account.
func (v ChangesView) several() bool { return len(v.Report.Options.Accounts) > 1 }

// drawnWith is what a part of the page depends on besides its report.
func (v ChangesView) drawnWith() any { return ui.DrawnWith(v.Links) }

func amountOf(sum affiliate.Sum, coin affiliate.Coin) affiliate.Amount {
	return affiliate.Amount{Value: sum.Decimal(), Coin: coin}
}

// filesNote describes the files of the page.
const filesNote = "All lines of the query, whatever the page shows, digit by digit. Their differences add up to the difference of the two states."

// instantOf prints an instant to the minute, or to the millisecond if it is not a whole minute:
// the address holds it exactly.
func instantOf(at affiliate.Millis, zone *time.Location) string {
	if at%60_000 == 0 {
		return phrase.Clock(at.Time(), zone)
	}
	return phrase.Second(at.Time(), zone)
}

// untilWords says up to when the page looks.
func (v ChangesView) untilWords() string {
	if v.Links.Query.Until.IsZero() {
		return "now, " + instantOf(v.Report.Until, v.zone())
	}
	return instantOf(v.Report.Until, v.zone())
}

// betweenWords name the two instants at the beginning of a sentence.
func (v ChangesView) betweenWords() string {
	words := "Since " + instantOf(v.Report.Since, v.zone())
	if v.Report.FromFirst {
		words = "Since the end of the first collection on " + instantOf(v.Report.Since, v.zone())
	}
	if !v.Links.Query.Until.IsZero() {
		words += " and until " + v.untilWords()
	}
	return words + ","
}

// moved says in words how much a coin's commission moved, and by what.
func (v ChangesView) moved(total changes.CoinMoved) (lead, amount, parts string) {
	net := amountOf(total.Net(), total.Coin)
	short := func(a affiliate.Amount) string { return a.Short() }
	switch net.Value.Sign() {
	case 1:
		lead, amount = "grew by", short(net)
	case -1:
		net.Value = net.Value.Neg()
		lead, amount = "fell by", short(net)
	default:
		lead = "is the same in sum"
	}
	var fresh, late, raised, lowered affiliate.Sum
	for _, kind := range v.Report.Kinds {
		if kind.Coin != total.Coin {
			continue
		}
		switch kind.Kind {
		case commissions.RestatedNew:
			fresh.AddSum(kind.Net())
		case commissions.RestatedLate:
			late.AddSum(kind.Net())
		default:
			raised.AddSum(kind.Up)
			lowered.AddSum(kind.Down)
		}
	}
	var list []string
	var only string
	for _, one := range []struct {
		sum  affiliate.Sum
		name string
	}{{fresh, "new"}, {late, "late"}, {raised, "raised"}, {lowered, "removed or lowered"}} {
		if a := amountOf(one.sum, total.Coin); !a.Value.IsZero() {
			text := short(a)
			if a.Value.IsNegative() {
				text = phrase.WithSign(a.Value, text)
			}
			list, only = append(list, text+" "+one.name), one.name
		}
	}
	switch len(list) {
	case 0:
		return lead, amount, ""
	case 1:
		return lead, amount, ", all of it " + only
	}
	return lead, amount, ": " + strings.Join(list, ", ")
}

// choice is an instant since which the page can look, by its name.
type choice struct {
	Label, Hint string
	Since       time.Time
}

// choices are the usual instants since which a user looks.
func (v ChangesView) choices() []choice {
	zone, today := v.zone(), v.Links.Query.Today
	year, month, _ := today.Date()
	begins := affiliate.NewDay(year, month, 1)
	list := []choice{
		{Label: "Today", Since: today.Start(zone)},
		{Label: "Yesterday", Since: (today - 1).Start(zone)},
		{Label: "A week ago", Since: (today - 7).Start(zone)},
		{Label: "Start of " + begins.Format("January"), Since: begins.Start(zone)},
		{Label: "Start of " + (begins - 1).Format("January"), Since: affiliate.NewDay(year, month-1, 1).Start(zone)},
	}
	return slices.CompactFunc(list, func(a, b choice) bool { return a.Since.Equal(b.Since) })
}

// sinceAddress returns the address of the page since another instant, up to now.
func (v ChangesView) sinceAddress(since time.Time) string {
	return v.Links.With(func(q *query.Query) { q.Since, q.Until = since.UTC(), time.Time{} })
}

// closedAddress returns the address of what became known of a month since it was closed.
func (v ChangesView) closedAddress(c closings.Closing) string {
	return v.Links.With(func(q *query.Query) {
		q.Since, q.Until = c.Known.Time(), time.Time{}
		q.Range, q.Days = query.Custom, months.DaysOf(c.Month)
	})
}

// chosen reports whether the page looks since an instant up to now.
func (v ChangesView) chosen(since time.Time) bool {
	return v.Links.Query.Until.IsZero() && v.Links.Query.Since.Equal(since)
}

// fields returns the day and the time that the form shows of an instant.
func (v ChangesView) fields(at time.Time) (day, clock string) {
	if at.IsZero() {
		return "", ""
	}
	at = at.In(v.zone())
	return at.Format(time.DateOnly), at.Format("15:04")
}

// kindAddress returns the address of the lines of one kind.
func (v ChangesView) kindAddress(kind string) string {
	return v.Links.With(func(q *query.Query) { q.SetOwn("change", kind) })
}

// kindLines counts the lines of a kind.
func (v ChangesView) kindLines(kind commissions.RestatementKind) (n int64) {
	for _, one := range v.Report.Kinds {
		if one.Kind == kind {
			n += one.Records
		}
	}
	return n
}

// kindsShown are the kinds that a tab offers: those that occur, and the chosen one.
func (v ChangesView) kindsShown() (list []commissions.RestatementKind) {
	for _, kind := range changes.Kinds() {
		if v.kindLines(kind) > 0 || v.Links.Query.Own("change") == string(kind) {
			list = append(list, kind)
		}
	}
	return list
}

// kindOf returns the change of a kind and coin.
func (v ChangesView) kindOf(kind commissions.RestatementKind, coin affiliate.Coin) (changes.KindMoved, bool) {
	i := slices.IndexFunc(v.Report.Kinds, func(one changes.KindMoved) bool { return one.Kind == kind && one.Coin == coin })
	if i < 0 {
		return changes.KindMoved{}, false
	}
	return v.Report.Kinds[i], true
}

// splitLabels name the ways to split the change.
var splitLabels = map[string]string{"month": "Month of the trade", "code": "Invite code", "invitee": "Invitee", "product": "Product", "pair": "Pair"}

// splitAddress returns the address of the page split another way.
func (v ChangesView) splitAddress(by string) string {
	return v.Links.With(func(q *query.Query) { q.By = by })
}

// groupsShown is how many parts the page shows, except months.
const groupsShown = 50

// groupsFirst is how many of them it shows at first.
const groupsFirst = 8

// groups returns the parts to show, and how many more there are.
func (v ChangesView) groups() ([]changes.GroupMoved, int) {
	if most := len(v.Report.Groups); most > groupsShown && v.Links.Query.By != "month" {
		return v.Report.Groups[:groupsShown], most - groupsShown
	}
	return v.Report.Groups, 0
}

// groupLabel names a part for people; empty if it is unknown.
func (v ChangesView) groupLabel(g changes.GroupMoved) string {
	switch v.Links.Query.By {
	case "month":
		if month, err := time.Parse("2006-01", g.Key); err == nil {
			return month.Format("January 2006")
		}
	case "product":
		return affiliate.Product(g.Key).Label()
	case "pair":
		return affiliate.MarketPair(g.Key)
	}
	return g.Key
}

// unknownGroup says why a part has no name.
func (v ChangesView) unknownGroup() string {
	if v.Links.Query.By == "code" {
		return "the invite code is not known"
	}
	return ui.NotGiven
}

// groupAddress returns the address of the page about one part; empty if it has no name.
func (v ChangesView) groupAddress(g changes.GroupMoved) string {
	if g.Key == "" {
		return ""
	}
	return v.Links.With(func(q *query.Query) {
		switch q.By {
		case "month":
			month, err := time.Parse("2006-01", g.Key)
			if err != nil {
				return
			}
			days := affiliate.Days{First: affiliate.NewDay(month.Year(), month.Month(), 1), Last: affiliate.NewDay(month.Year(), month.Month()+1, 1) - 1}
			q.Range, q.Days = query.Custom, affiliate.Days{First: max(days.First, q.Days.First), Last: min(days.Last, q.Days.Last)}
		case "code":
			q.Code = affiliate.Choose([]string{g.Key})
		case "invitee":
			q.UID, q.Account = affiliate.UID(g.Key), g.Account
		case "product":
			q.Product = affiliate.Product(g.Key)
		case "pair":
			q.Symbol = g.Key
		}
	})
}

// dayAddress returns the address of the records of the line's invitee on the line's day.
func (v ChangesView) dayAddress(d *records.Difference) string {
	of := d.Record()
	day := affiliate.DayOf(of.DealTime.Time(), v.Links.Query.Zone)
	q := query.Query{Range: query.Custom, Days: affiliate.Days{First: day, Last: day}, UID: of.UID, Coin: of.Coin, Page: 1, Per: query.DefaultPer}
	if v.several() {
		q.Account = d.Account
	}
	return "/commissions?" + q.Values().Encode()
}

// inviteeAddress returns the address of the page of the line's invitee.
func (v ChangesView) inviteeAddress(d *records.Difference) string {
	links := v.Links
	links.Query.AsOf = time.Time{}
	return links.InviteeOf(ui.AccountOf(d.Account, v.several()), d.Record().UID)
}

// recodedWords says that records came into the filter or left it, and why.
func recodedWords(r changes.Report) string {
	var parts []string
	if r.Entered > 0 {
		parts = append(parts, phrase.Things(r.Entered, "record")+" came into the filter")
	}
	if r.Left > 0 {
		parts = append(parts, phrase.Things(r.Left, "record")+" left it")
	}
	return strings.Join(parts, " and ") + " without a change of its own: the invite code of its invitee became known, or changed, in between. " +
		"They count as late and as removed."
}

// signed shows a sum with its sign, to the places in which amounts are read.
func signed(sum affiliate.Sum, coin affiliate.Coin) templ.Component {
	a := amountOf(sum, coin)
	return ui.SignedAmount(direction(sum), a)
}

func lines(n int64) templ.Component {
	return ui.Span("text-muted block text-xs font-normal", "", phrase.Things(n, "record"))
}

// kindColumns are the columns of the sums by coin and kind.
func kindColumns(v ChangesView) []ui.Column[changes.CoinMoved] {
	type moved = changes.CoinMoved
	list := []ui.Column[moved]{ui.ForeignColumn("Coin", func(m moved) affiliate.Coin { return m.Coin }, ui.Names(""), ui.OnPhone(ui.Lead))}
	for _, kind := range v.kindsShown() {
		list = append(list, ui.CellColumn("", func(m moved) templ.Component { return kindSum(v, kind, m.Coin) }, ui.Nums, ui.Headed(ui.KindMark(kind))))
	}
	return append(list,
		ui.CellColumn("Up", func(m moved) templ.Component { return signed(m.Up, m.Coin) }, ui.Nums, ui.Hinted("The sum of all differences above zero"), ui.OnPhone(ui.NamedNote)),
		ui.CellColumn("Down", func(m moved) templ.Component { return signed(m.Down, m.Coin) }, ui.Nums, ui.Hinted("The sum of all differences below zero"), ui.OnPhone(ui.NamedNote)),
		ui.CellColumn("Net", func(m moved) templ.Component { return ui.Join(signed(m.Net(), m.Coin), lines(m.Records)) }, ui.Nums, ui.Classed("font-medium"), ui.Hinted("Commission at the later instant less that at the earlier one, exact"), ui.OnPhone(ui.Figure)).
			Kept(func(m moved) affiliate.Coin { return m.Coin }),
	)
}

// groupColumns are the columns of the parts of the change.
func groupColumns(v ChangesView) []ui.Column[changes.GroupMoved] {
	type group = changes.GroupMoved
	return []ui.Column[group]{
		ui.CellColumn(splitLabels[v.Links.Query.By], func(g group) templ.Component { return groupName(g, v) }, ui.Names("font-normal"), ui.OnPhone(ui.Lead)),
		ui.ForeignColumn("Account", func(g group) affiliate.Account { return g.Account }, ui.If(v.Links.Query.By == "invitee" && v.several())),
		ui.ForeignColumn("Coin", func(g group) affiliate.Coin { return g.Coin }),
		ui.TextColumn("Records", func(g group) string { return phrase.Count(g.Records) }, ui.Nums),
		ui.CellColumn("Up", func(g group) templ.Component { return signed(g.Up, g.Coin) }, ui.Nums, ui.OnPhone(ui.NamedNote)),
		ui.CellColumn("Down", func(g group) templ.Component { return signed(g.Down, g.Coin) }, ui.Nums, ui.OnPhone(ui.NamedNote)),
		ui.CellColumn("Net", func(g group) templ.Component { return signed(g.Net(), g.Coin) }, ui.Nums, ui.Classed("font-medium"), ui.OnPhone(ui.Figure)).
			Kept(func(g group) affiliate.Coin { return g.Coin }),
	}
}

// recordColumns are the columns of the records that differ.
func recordColumns(v ChangesView) []ui.Column[*records.Difference] {
	type record = *records.Difference
	zone := v.zone().String()
	instant := func(at affiliate.Millis) templ.Component { return ui.Instant(at.Time().In(v.zone()), v.Links.Query) }
	link := func(address string, of templ.Component) templ.Component {
		return ui.Link("text-link -my-1 inline-block py-1", address, of)
	}
	coin := func(d record) affiliate.Coin { return d.Record().Coin }
	return ui.Present(
		ui.SortColumn("noticed", "Noticed ("+zone+")", "When a read found it", func(d record) templ.Component { return instant(d.Noticed) }, ui.Descends).Titled(func(d record) string { return d.Noticed.String() }),
		ui.SortColumn("change", "Change", "", func(d record) templ.Component {
			return ui.Join(ui.KindMark(changes.KindOf(d)), ui.When(d.Recoded, ui.Span("text-muted text-xs", "The record is the same in both states; the invite code of its invitee became known or changed", "by its code")))
		}, ui.OnPhone(ui.Note)),
		ui.SortColumn("account", "Account", "", func(d record) templ.Component { return ui.Foreign(string(d.Account)) }, ui.If(v.several())),
		ui.SortColumn("time", "Trade ("+zone+")", "", func(d record) templ.Component { return link(v.dayAddress(d), instant(d.Record().DealTime)) }, ui.Descends, ui.OnPhone(ui.Note)).Titled(func(d record) string { return d.Record().DealTime.String() }),
		ui.SortColumn("uid", "UID", "", func(d record) templ.Component { return link(v.inviteeAddress(d), ui.Invitee(d.Record().UID)) }, ui.OnPhone(ui.Lead)),
		ui.SortColumn("code", "Code", "The invite code of the invitee, as known at the later instant", func(d record) templ.Component {
			return ui.Join(ui.ExchangeText(d.InviteCode, "the invite code is not known"), ui.OurCode(v.Report.Codes.Ours(d.Account, d.Record().UID)))
		}),
		ui.SortColumn("product", "Product", "", func(d record) templ.Component { return ui.Foreign(d.Record().Product.Label()) }),
		ui.SortColumn("symbol", "Pair", "", func(d record) templ.Component { return ui.TradedPair(d.Record().Symbol) }, ui.OnPhone(ui.Note)),
		ui.SortColumn("coin", "Coin", "", func(d record) templ.Component { return ui.ExchangeText(string(d.Record().Coin), ui.NotGiven) }),
		ui.SortColumn("before", "Before", "Commission at the earlier instant. "+ui.InEachCoin, func(d record) templ.Component { return commissionOf(d.Was, ui.NotThere) }, ui.Nums, ui.Descends).Coined(coin),
		ui.SortColumn("after", "After", "Commission at the later instant. "+ui.InEachCoin, func(d record) templ.Component { return commissionOf(d.Became, ui.GoneNow) }, ui.Nums, ui.Descends).Coined(coin),
		ui.SortColumn("difference", "Difference", "After − before: what was taken away is negative. "+ui.InEachCoin, func(d record) templ.Component {
			change := changes.DifferenceOf(d)
			return ui.Signed(direction(change), change.Decimal())
		}, ui.Nums, ui.Descends, ui.Classed("font-medium"), ui.OnPhone(ui.Figure)).Kept(coin),
	)
}

// direction is the colour of a sum.
func direction(sum affiliate.Sum) string {
	switch sum.Cmp(new(affiliate.Sum)) {
	case 1:
		return "text-success"
	case -1:
		return "text-error"
	}
	return "text-muted"
}
