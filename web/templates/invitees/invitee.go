package invitees

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/levels"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/reports/rates"
	"rebatedesk/reports/returns"
	atrisk "rebatedesk/reports/worklist"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
	"rebatedesk/store/worklist"
	"rebatedesk/web/templates/ui"
)

// InviteeView is the page of one invitee.
type InviteeView struct {
	Report invitees.Detail
	Links  ui.Links
	Why    *overview.Why  // nil: the query is too wide to have one cause
	Rates  *rates.Report  // agreed against paid, of this invitee
	Risk   atrisk.AtRisk  // what is at risk with it
	Level  *levels.Change // how what it brings a day changed lately; nil: it did not, or it is not watched
	Today  affiliate.Day  // of Level
	// Worklist is what managers did about the invitee, newest first.
	Worklist []worklist.Act
	Notes    *NotesView // nil: writing is off
	// Return is what the cost of the person brought back; nil if there is none, or the reader may not
	// see it.
	Return *returns.Row
}

// titleOf is the name of the page of an invitee, where it may be seen.
func titleOf(ctx context.Context, uid affiliate.UID) string {
	if name := affiliate.OneLine(ui.NamesIn(ctx).Of(uid)); name != "" {
		return name
	}
	return "Invitee " + string(uid)
}

// refused reports whether the form of the person was refused: it is then at the top of the page.
func (v InviteeView) refused() bool { return v.Notes != nil && v.Notes.Form.Wrong() }

// headFigure is one of the figures at the top of the page.
type headFigure struct {
	Name, Meaning string
	Value, Unit   string // an empty value is not known
	Exact         string
	Beside        string // in small print, also why a value is not known
}

// head returns the figures that say at a glance what the invitee is worth.
func (v InviteeView) head() []headFigure {
	return []headFigure{v.earned(), v.paidRate(), v.lastTrade(), v.atRisk()}
}

func (v InviteeView) earned() headFigure {
	f := headFigure{Name: "Earned", Meaning: "Commission of the range, under the filters of the page", Beside: "in " + phrase.Range(v.Links.Query)}
	if q := v.Links.Query; q.Range != query.Custom {
		f.Beside = phrase.Lowered(q.Range.Label())
	}
	switch r := v.Report; {
	case r.Valued.Known():
		f.Value, f.Unit, f.Exact = r.Valued.Amount().Short(), string(figures.ValuedIn), phrase.Valuation(r.Valued.Valuation, ui.ZoneOf(v.Links.Query))
	case len(r.Cards) == 1:
		amount := r.Cards[0].Commission.Amount
		f.Value, f.Unit, f.Exact = amount.Short(), string(amount.Coin), amount.Exact()
	}
	return f
}

// paidRate is the rate of the newest deviation if it lasts, else the share of fees in the coin of most
// records.
func (v InviteeView) paidRate() headFigure {
	f := headFigure{Name: "Paid rate", Meaning: "Commission ÷ fees paid by the invitee"}
	zone := ui.ZoneOf(v.Links.Query)
	if d, l, ok := v.lasting(); ok {
		f.Value = phrase.Fraction(l.Paid)
		f.Beside = "was " + phrase.Fraction(affiliate.Number(l.Agreed.String())) + " until " + (affiliate.DayOf(d.From.Time(), zone) - 1).Format("2 Jan")
		if !d.Break {
			f.Beside = "agreed " + phrase.Fraction(affiliate.Number(l.Agreed.String())) + ", so since " + affiliate.DayOf(d.From.Time(), zone).Format("2 Jan")
		}
		return f
	}
	if len(v.Report.Cards) == 0 || !v.Report.Cards[0].Rate.Known {
		f.Beside = "no fee was paid in the range"
		return f
	}
	card := v.Report.Cards[0]
	f.Value, f.Exact, f.Beside = phrase.Percent(card.Rate.Percent), card.Rate.Percent.String()+" %", "of the fees in "+string(card.Coin)
	return f
}

// lasting returns the newest finding about the rate of this invitee that its last records are part of, with
// the line of most fees.
func (v InviteeView) lasting() (newest rates.Deviation, line rates.Line, ok bool) {
	if v.Rates == nil {
		return newest, line, false
	}
	zone := ui.ZoneOf(v.Links.Query)
	for _, d := range v.Rates.Deviations {
		if d.To > newest.To && affiliate.DayOf(d.To.Time(), zone) >= affiliate.DayOf(v.Report.History.LastCommission.Time(), zone) {
			newest = d
		}
	}
	for _, l := range newest.Lines {
		if l.Paid.Known() && (!ok || l.Fee.Decimal().GreaterThan(line.Fee.Decimal())) {
			line, ok = l, true
		}
	}
	return newest, line, ok
}

func (v InviteeView) lastTrade() headFigure {
	f := headFigure{Name: "Last trade", Meaning: "As the exchange tells or as commission was earned, whichever is later", Beside: "no trade is known"}
	if line := v.Report.Line; line.LastTradeDay != 0 {
		f.Value, f.Beside = line.LastTradeDay.Format("2 Jan 2006"), agoWords(line.SilentDays)
	}
	return f
}

func (v InviteeView) atRisk() headFigure {
	f := headFigure{Name: "At risk a month", Meaning: "What it used to bring in 30 days, what a lower rate cost in them, or what it brings less in them since its level fell", Beside: "no stop, slowing, lower level or lower rate is known"}
	for _, part := range []struct {
		worth figures.Valuation
		words string
	}{{v.Risk.Stopped, "it stopped trading"}, {v.Risk.Slowing, "it slows down"}, {v.Risk.Lower, "it is paid at a lower rate"}, {v.Risk.Less, "it brings less a day"}} {
		switch {
		case len(part.worth.Coins) > 0:
			f.Value, f.Unit, f.Exact, f.Beside = part.worth.Amount().Short(), string(figures.ValuedIn), phrase.Valuation(part.worth, ui.ZoneOf(v.Links.Query)), part.words
		case len(part.worth.Missing) > 0:
			f.Beside = part.words + ". " + phrase.Unpriced(part.worth.Missing)
		}
	}
	return f
}

// packAddress is that of the evidence pack of the invitee, in the days of the page. Its other
// filters do not narrow a pack.
func packAddress(l ui.Links) string {
	values := url.Values{"from": {l.Query.Days.First.String()}, "to": {l.Query.Days.Last.String()}}
	if l.Query.Account != "" {
		values.Set("account", string(l.Query.Account))
	}
	if !l.Query.AsOf.IsZero() {
		values.Set("as_of", l.Query.AsOf.UTC().Format(time.RFC3339Nano))
	}
	return l.Path + ".zip?" + values.Encode()
}

// inviteeRecordsNote describes the files of the page.
const inviteeRecordsNote = "The commission records of this invitee under the filters of this page, exact, newest first."

// moment is an entry of the timeline.
type moment struct {
	at     affiliate.Millis // of the order; unknown if it has none
	Title  string
	When   string // empty if the time is unknown
	Exact  string
	Detail string
	Past   bool // it happened
	Read   bool // not the invitee did it, but a read of the exchange's list found it
}

// moments are the one-time events of an invitee, in order, with those that have not
// happened yet at the end.
func moments(h invitees.History, zone *time.Location) []moment {
	var list []moment
	add := func(title string, at affiliate.Millis, detail string) {
		m := moment{at: at, Title: title, Detail: detail, Past: true}
		if at.Known() {
			m.When, m.Exact = phrase.Clock(at.Time(), zone), at.String()
		}
		list = append(list, m)
	}
	if h.RegisterTime.Known() {
		add("Registered", h.RegisterTime, "")
	}
	if h.FirstSeen.Known() {
		add("First listed for us", h.FirstSeen, "the first read that returned it")
		list[len(list)-1].Read = true
	}
	for _, m := range []struct {
		title string
		invitees.Milestone
	}{{"Passed KYC", h.PassedKYC}, {"First deposit", h.FirstDeposited}, {"First trade", h.FirstTraded}} {
		switch {
		case m.Happened.Known():
			add(m.title, m.Happened, "")
			if m.Noticed.Known() && !m.Before {
				add(m.title+" noticed", m.Noticed, "the first read that stated it")
				list[len(list)-1].Read = true
			}
		case m.Reached || m.Before || m.Noticed.Known():
			add(m.title+", by", m.Noticed, withoutTime(m.Milestone))
		case h.Status != records.InviteeCommissionOnly:
			list = append(list, moment{Title: m.title, Detail: "not yet, or the exchange did not say"})
		}
	}
	if h.FirstCommission.Known() {
		add("First commission", h.FirstCommission, "of the records that are collected")
		add("Newest commission", h.LastCommission, "")
	}
	if h.LastSeen.Known() {
		add("Last returned", h.LastSeen, "the newest read that returned it")
		list[len(list)-1].Read = true
	}
	if h.Vanished.Known() {
		add("Vanished", h.Vanished, "a read that had to return it did not")
	}
	slices.SortStableFunc(list, func(a, b moment) int {
		if a.Past != b.Past {
			if a.Past {
				return -1
			}
			return 1
		}
		return int(a.at - b.at)
	})
	return list
}

// split divides a timeline into what the invitee did and what reads found.
func split(list []moment) (done, read []moment) {
	for _, m := range list {
		if m.Read {
			read = append(read, m)
		} else {
			done = append(done, m)
		}
	}
	return done, read
}

// withoutTime describes a milestone whose time the exchange does not state, by the time
// at which the collector noticed it.
func withoutTime(m invitees.Milestone) string {
	words := "noticed then; the exchange does not say when it happened"
	if m.Before {
		words = "date unknown: it was so when it was first read"
	}
	if !m.Reached {
		words += "; it is not so any more"
	}
	return words
}

// fieldLabels are the names of the invitee fields that can change.
var fieldLabels = map[records.InviteeField]string{
	records.FieldInviteCode: "Invite code", records.FieldRegistered: "Registration", records.FieldKYC: "KYC",
	records.FieldFirstDeposit: "First deposit", records.FieldFirstTrade: "First trade",
	records.FieldLastDeposit: "Last deposit", records.FieldLastTrade: "Last trade",
}

// eventWords describes a change.
func eventWords(c invitees.HistoryChange) string {
	switch c.Event {
	case invitees.EventVanished:
		return "Vanished: a read that had to return it did not"
	case invitees.EventReappeared:
		return "Listed again after it had vanished"
	case invitees.EventUnlisted:
		return "Passed beyond the reach of the exchange's list"
	case invitees.EventRelisted:
		return "Listed again"
	}
	return fieldLabels[c.Field]
}

// changedValue returns a changed value for people, and false if it is unknown.
func changedValue(field records.InviteeField, value string, zone *time.Location) (string, bool) {
	if value == "" || value == "0" {
		return "", false
	}
	if field == records.FieldKYC {
		return ui.KycLabel(value), true
	}
	if at, err := time.Parse(time.RFC3339Nano, value); err == nil && field != records.FieldInviteCode {
		return phrase.Clock(at, zone), true
	}
	return value, true
}

// findingsShown is the number of findings about rates on the page.
const findingsShown = 5

// findingAddress is that of the evidence pack of a finding about the rates of this invitee.
func (v InviteeView) findingAddress(id string) string {
	values := v.own().Query.Values()
	for _, name := range []string{"compare", "sort", "page", "per"} {
		values.Del(name)
	}
	values.Set("finding", id)
	return "/rates/finding.zip?" + values.Encode()
}

// rateLinesShown is the number of lines of agreed and paid rates on the page.
const rateLinesShown = 20

// changesShown is the number of changes on the page: an active invitee has a new last
// trade each day.
const changesShown = 200

// newestChanges returns the last changes, newest first.
func newestChanges(changes []invitees.HistoryChange) []invitees.HistoryChange {
	list := slices.Clone(changes[max(0, len(changes)-changesShown):])
	slices.Reverse(list)
	return list
}

// unfiltered removes the filters that narrow the figures of one invitee, but keeps the
// account, which identifies the invitee.
func unfiltered(q *query.Query) {
	account := q.Account
	*q = q.WithoutFilters()
	q.Account = account
}

// pairBar returns the bar of a pair, or of the others.
func pairBar(pairs sums.Ranked[sums.SymbolSums], commission decimal.Decimal) ui.Bar {
	least, most := decimal.Zero, decimal.Zero
	if pairs.OthersN > 0 {
		least, most = pairs.Others.Commission.Decimal(), pairs.Others.Commission.Decimal()
	}
	for _, pair := range pairs.Top {
		least, most = decimal.Min(least, pair.Commission.Decimal()), decimal.Max(most, pair.Commission.Decimal())
	}
	return ui.BarOf(commission, least, most)
}

// rankWords says among how many a rank is.
func rankWords(s invitees.Rank) string {
	return "of " + phrase.Things(s.Of, "invitee") + " with commission in " + string(s.Coin)
}

// agoWords says how many days lie between a day and today.
func agoWords(days int) string {
	if days == 0 {
		return "today"
	}
	return phrase.Things(days, "day") + " ago"
}

// ratesAddress returns the address of the agreed and paid rates of this invitee.
func (v InviteeView) ratesAddress() string {
	return v.own().To("/rates", "", "")
}

// compared reports whether there is something to say about agreed and paid rates.
func (v InviteeView) compared() bool { return v.Rates != nil && v.Rates.Count > 0 }

// own returns links about this invitee alone.
func (v InviteeView) own() ui.Links {
	l := v.Links
	if l.Query.UID = v.Report.Line.UID; len(v.Report.Options.Accounts) > 1 {
		l.Query.Account = v.Report.Line.Account
	}
	return l
}

// steadyRates says since when the share of fees of each coin is the same, to one decimal. It is
// empty if one of them changed, or is known of a single month only.
func steadyRates(l figures.Lines) string {
	var parts []string
	for _, part := range l.Parts {
		since, last := -1, -1
		for i := range l.Steps {
			switch {
			case !part.IsKnown(i):
			case since < 0:
				since, last = i, i
			case !part.Values[i].Round(1).Equal(part.Values[since].Round(1)):
				return ""
			default:
				last = i
			}
		}
		if since == last {
			return ""
		}
		parts = append(parts, phrase.Percent(part.Values[last])+" in "+part.Name+", unchanged since "+l.Steps[since].First.Format("January 2006"))
	}
	return phrase.Sentence(strings.Join(parts, "; "))
}

// historyColumns are the columns of the values that changed.
func historyColumns(v InviteeView) []ui.Column[invitees.HistoryChange] {
	type change = invitees.HistoryChange
	value := func(label string, of func(change) string) ui.Column[change] {
		return ui.CellColumn(label, func(c change) templ.Component {
			if c.Event != invitees.EventChanged {
				return nil
			}
			return changed(c.Field, of(c), v.Links.Query)
		})
	}
	return []ui.Column[change]{
		ui.TextColumn("Noticed ("+ui.ZoneOf(v.Links.Query).String()+")", func(c change) string { return phrase.Clock(c.Noticed.Time(), ui.ZoneOf(v.Links.Query)) }).Titled(func(c change) string { return c.Noticed.String() }),
		ui.TextColumn("What", eventWords, ui.Names("font-normal")),
		value("Was", func(c change) string { return c.Was }),
		value("Became", func(c change) string { return c.Became }),
	}
}

func rateColumns(v InviteeView, due string) []ui.Column[rates.Line] {
	return []ui.Column[rates.Line]{
		ui.TextColumn("Product", func(l rates.Line) string { return l.Product.Label() }),
		ui.CellColumn("From", func(l rates.Line) templ.Component {
			return ui.Instant(l.From.Time().In(ui.ZoneOf(v.Links.Query)), v.Links.Query)
		}).Titled(func(l rates.Line) string { return l.From.String() }),
		ui.CellColumn("To", func(l rates.Line) templ.Component {
			return ui.Instant(l.To.Time().In(ui.ZoneOf(v.Links.Query)), v.Links.Query)
		}).Titled(func(l rates.Line) string { return l.To.String() }),
		ui.TextColumn(due, func(l rates.Line) string { return phrase.Fraction(affiliate.Number(l.Agreed.String())) }, ui.Nums),
		ui.CellColumn("Paid", func(l rates.Line) templ.Component {
			if l.Paid.Known() {
				return ui.Text(phrase.Fraction(l.Paid))
			}
			return ui.Unknown("these records show no rate of their own")
		}, ui.Nums),
		ui.CellColumn("Difference", func(l rates.Line) templ.Component { return rateDifference(l) }, ui.Nums).Kept(nil),
	}
}

func productColumns() []ui.Column[invitees.ProductTotals] {
	return []ui.Column[invitees.ProductTotals]{
		ui.ForeignColumn("Product", func(t invitees.ProductTotals) string { return t.Product.Label() }, ui.Names("font-normal")),
		ui.ForeignColumn("Coin", func(t invitees.ProductTotals) string { return string(t.Coin) }),
		ui.TextColumn("Records", func(t invitees.ProductTotals) string { return phrase.Count(t.Records) }, ui.Nums),
		ui.CellColumn(ui.VolumeLabel, func(t invitees.ProductTotals) templ.Component { return ui.VolumeOf(t.Volume()) }, ui.Nums, ui.Hinted("Taker + maker, "+ui.Unitless)),
		ui.CellColumn("Fees paid", func(t invitees.ProductTotals) templ.Component {
			return ui.Amount(affiliate.Amount{Value: t.Fee, Coin: t.Coin})
		}, ui.Nums),
		ui.CellColumn("Share of fees", func(t invitees.ProductTotals) templ.Component { return ui.Ratio(t.Rate(), "no fee was paid") }, ui.Nums, ui.Hinted("Commission ÷ fees paid by the invitee")),
		ui.CellColumn("Share", func(t invitees.ProductTotals) templ.Component { return ui.Share(t.Share) }, ui.Nums, ui.Hinted("Of the commission in the coin")),
		ui.CellColumn("Commission", func(t invitees.ProductTotals) templ.Component {
			return ui.Amount(affiliate.Amount{Value: t.Commission, Coin: t.Coin})
		}, ui.Nums, ui.Classed("font-medium")).Kept(func(t invitees.ProductTotals) affiliate.Coin { return t.Coin }),
	}
}

func unknownAt(q query.Query) string {
	if q.AsOf.IsZero() {
		return "."
	}
	return ", in the state of " + phrase.Clock(q.AsOf, ui.ZoneOf(q)) + "."
}

// coinsOf returns the coins that the chart of an invitee can show.
func coinsOf(cards []figures.CoinCard) []affiliate.Coin {
	var coins []affiliate.Coin
	for _, card := range cards {
		coins = append(coins, card.Coin)
	}
	slices.Sort(coins)
	return coins
}
