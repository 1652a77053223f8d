package worklist

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/levels"
	"rebatedesk/reports/query"
	"rebatedesk/reports/recent"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/people"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
	acts "rebatedesk/store/worklist"
)

// LineState says whether a line waits for a manager.
type LineState string

// States of lines.
const (
	LineOpen    LineState = "open"
	LineSnoozed LineState = "snoozed" // until a later day
	LineDone    LineState = "done"    // every reason is done
)

// Line is one invitee with all reasons to call it.
type Line struct {
	Account   affiliate.Account
	UID       affiliate.UID
	Code      string
	OurCode   bool // the exchange tells no invite code, and this one is ours
	State     invitees.State
	LastTrade affiliate.Millis // unknown: it never traded
	// LastTradeDay and the two below are as in [invitees.ListLine].
	LastTradeDay affiliate.Day
	SilentDays   int
	UsualGap     figures.HalfDays
	DaysLeft     int  // before the exchange ends the tie; negative: it is over
	Tied         bool // DaysLeft is known

	Reasons []CallReason       // the weightiest first
	AtRisk  []affiliate.Amount // of the weightiest reason, the most valuable coin first
	Worth   figures.Valuation  // of AtRisk, at today's prices
	risk    riskPart
	risked  []affiliate.Amount // what the invitee adds to [AtRisk]

	Status  LineState
	Today   bool          // one of the [PerDay] people of the day
	Snoozed affiliate.Day // until this day; 0: not snoozed
	Planned affiliate.Day // the day of the next contact; 0: none is set
	Owner   string
	Note    people.Note // the newest; without a text there is none
	Contact *Contact    // the last one; nil: there was none in [ContactDays]

	exchangeTrade affiliate.Millis
	handled       affiliate.Day // of the newest act that took it off the list; 0: none
}

// Priced reports whether any of what is at risk has a price.
func (l *Line) Priced() bool { return len(l.Worth.Coins) > 0 }

// desk is a question about the present, with what the reasons depend on.
type desk struct {
	*snapshot.Snapshot
	today   affiliate.Day
	prices  figures.Prices
	lowered map[sums.InviteeKey][]recent.LoweredRate
	week    invitees.TotalsByInvitee // of the last [milestoneDays]
	work    map[sums.InviteeKey]*work
	notes   map[sums.InviteeKey]people.Note
	owners  map[affiliate.UID]string
	owning  map[string]bool                // the owners of the invitees of the query
	reached map[sums.InviteeKey]CallReason // milestones of commission
	levels  levels.Changes
}

// present returns the question without its days and with only the filters that decide who is
// listed.
func present(q *snapshot.Snapshot) *snapshot.Snapshot {
	p := *q
	p.Query = query.Query{Account: q.Account, Coin: q.Coin, Code: q.Code, Text: q.Text, Tag: q.Tag, UID: q.UID, Members: q.Members, Names: q.Names, AsOf: q.AsOf,
		Zone: q.Zone, Today: q.Today, Range: query.Custom, Page: 1, Per: query.DefaultPer}
	p.Days = lastDays(affiliate.DayOf(q.Now, q.Zone), invitees.PresentDays)
	return &p
}

func lastDays(today affiliate.Day, n int) affiliate.Days {
	return affiliate.Days{First: today - affiliate.Day(n) + 1, Last: today}
}

// readLines returns everybody worth a call and, of all invitees of the query, the contacts.
func readLines(ctx context.Context, q *snapshot.Snapshot) (*desk, []*Line, []*Contact, error) {
	d := &desk{Snapshot: q, today: affiliate.DayOf(q.Now, q.Zone), owning: map[string]bool{}}
	snapshot, err := invitees.ReadSnapshot(ctx, q)
	if err != nil {
		return nil, nil, nil, err
	}
	risks, err := invitees.ReadRisks(ctx, q, snapshot)
	if err != nil {
		return nil, nil, nil, err
	}
	if err := d.read(ctx); err != nil {
		return nil, nil, nil, err
	}
	listed, err := invitees.Listed(ctx, q, snapshot)
	if err != nil {
		return nil, nil, nil, err
	}
	entries := map[sums.InviteeKey]*invitees.SnapshotLine{}
	passing := map[sums.InviteeKey]passage{}
	var contacts []*Contact
	for entry := range listed {
		key := sums.InviteeKey{Account: entry.Account, UID: entry.UID}
		if owner := d.owners[entry.UID]; owner != "" {
			d.owning[owner] = true
		}
		if w := d.work[key]; w != nil {
			entries[key] = entry
			contacts = append(contacts, w.contacts...)
		}
		if p, ok := d.passes(key, entry); ok {
			passing[key] = p
			entries[key] = entry
		}
		if d.lowered[key] != nil || d.firsts(entry) || len(risks.Usual(entry)) > 0 || d.tieEnds(entry) || d.fell(key) != nil {
			entries[key] = entry
		}
	}
	if d.reached, err = d.milestones(ctx, passing); err != nil {
		return nil, nil, nil, err
	}
	var lines []*Line
	for _, key := range slices.SortedFunc(maps.Keys(entries), compareKeys) {
		usual := slices.DeleteFunc(slices.Clone(risks.Usual(entries[key])), func(a affiliate.Amount) bool { return !d.prices.Matters(a.Value, a.Coin) })
		if line := d.line(key, entries[key], usual, risks.Collected); line != nil {
			lines = append(lines, line)
		}
	}
	return d, lines, contacts, nil
}

func compareKeys(a, b sums.InviteeKey) int {
	return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.UID, b.UID))
}

// read reads what the reasons depend on besides the snapshot.
func (d *desk) read(ctx context.Context) error {
	coins, err := sums.Coins(ctx, d.Tx, d.Members)
	if err != nil {
		return err
	}
	if d.prices, err = d.Prices(ctx, coins); err != nil {
		return err
	}
	// This question has no filter, so that all queries share its parts with the findings.
	wide := *d.Everywhere()
	wide.Query = query.Query{Members: d.Visible, AsOf: d.AsOf, Zone: d.Zone, Today: d.Today, Page: 1, Per: query.DefaultPer}
	list, err := recent.MakeLowered(ctx, &wide) // about others as well, who are not among the lines
	if err != nil {
		return err
	}
	d.lowered = map[sums.InviteeKey][]recent.LoweredRate{}
	for _, one := range list {
		if d.Coin == "" || one.Coin == d.Coin {
			key := sums.InviteeKey{Account: one.Account, UID: one.UID}
			d.lowered[key] = append(d.lowered[key], one)
		}
	}
	if d.levels, err = levels.Read(ctx, &wide); err != nil {
		return err
	}
	f := wide.Filter()
	f.Days = lastDays(d.today, milestoneDays)
	if d.week, err = invitees.ReadTotals(ctx, d.Snapshot, f); err != nil {
		return err
	}
	if d.work, err = readWork(ctx, d.Snapshot, d.today); err != nil {
		return err
	}
	if d.owners, err = people.Owners(ctx, d.Whole(), d.AsOfMillis()); err != nil {
		return err
	}
	notes, err := people.NotesAt(ctx, d.Tx, d.Members, d.AsOfMillis())
	d.notes = make(map[sums.InviteeKey]people.Note, len(notes))
	for _, n := range notes {
		d.notes[sums.InviteeKey{Account: n.Account, UID: n.UID}] = n
	}
	return err
}

// firsts reports whether a first step of the invitee may be a reason.
func (d *desk) firsts(entry *invitees.SnapshotLine) bool {
	return d.traded(entry) || d.deposited(entry)
}

// deposited reports whether the invitee deposited some days ago and has not traded.
func (d *desk) deposited(entry *invitees.SnapshotLine) bool {
	if entry.LastTradeDay != 0 || entry.FirstTrade.Known() || !entry.FirstDeposit.Known() {
		return false
	}
	since := d.today - d.DayOf(entry.FirstDeposit)
	return since >= noTradeFrom && since <= noTradeUntil
}

// traded reports whether the invitee traded for the first time in the last days, and brought
// enough to look at.
func (d *desk) traded(entry *invitees.SnapshotLine) bool {
	if !entry.FirstTrade.Known() || d.today-d.DayOf(entry.FirstTrade) >= milestoneDays {
		return false
	}
	return slices.ContainsFunc(entry.Ever, func(t figures.Totals) bool {
		return (d.Coin == "" || t.Coin == d.Coin) && t.Commission.IsPositive() && d.prices.Matters(t.Commission, t.Coin)
	})
}

func (d *desk) tieEnds(entry *invitees.SnapshotLine) bool {
	return invitees.TieEndsSoon(d.InactivityLimit, entry.LastTradeDay, d.today)
}

// passage is the commission of a lifetime that passed a round amount in the last days.
type passage struct {
	before, passed decimal.Decimal // in figures.ValuedIn
}

// passes reports whether the commission of a lifetime passed a round amount in the last days.
func (d *desk) passes(key sums.InviteeKey, entry *invitees.SnapshotLine) (passage, bool) {
	lately := d.week[key]
	if lately == nil || d.Coin != "" {
		return passage{}, false
	}
	now, since := d.worthOf(entry.Ever), d.worthOf(lately)
	if now.LessThan(leastMilestone) || !since.IsPositive() {
		return passage{}, false
	}
	p := passage{before: now.Sub(since)}
	passed, ok := milestoneOf(p.before, now)
	p.passed = passed
	return p, ok
}

// worthOf converts commission at today's prices.
func (d *desk) worthOf(totals []figures.Totals) (sum decimal.Decimal) {
	for i := range totals {
		if price, ok := d.prices[totals[i].Coin]; ok || totals[i].Coin == figures.ValuedIn {
			if totals[i].Coin == figures.ValuedIn {
				sum = sum.Add(totals[i].Commission)
			} else {
				sum = sum.Add(affiliate.Times(totals[i].Commission, price.Decimal))
			}
		}
	}
	return sum
}

// milestones finds the days on which commissions passed round amounts.
func (d *desk) milestones(ctx context.Context, passing map[sums.InviteeKey]passage) (map[sums.InviteeKey]CallReason, error) {
	reached := map[sums.InviteeKey]CallReason{}
	keys := slices.SortedFunc(maps.Keys(passing), compareKeys)
	f := d.everyone()
	f.Days = lastDays(d.today, milestoneDays)
	days, err := snapshot.OfDaysOnce(ctx, d.Snapshot, nameOf(keys), f, sums.DaysOfInvitees(keys), sums.JoinDays)
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		sum := passing[key].before
		for _, s := range days[key] {
			sum = sum.Add(d.worthOf([]figures.Totals{figures.CommissionIn(s.Coin, 0, s.Commission.Decimal())}))
			if sum.GreaterThanOrEqual(passing[key].passed) {
				reached[key] = CallReason{Name: ReasonMilestone, Began: s.Day, Passed: passing[key].passed}
				break
			}
		}
	}
	return reached, nil
}

// line returns an invitee with its reasons, or nil if there are none.
func (d *desk) line(key sums.InviteeKey, entry *invitees.SnapshotLine, usual []affiliate.Amount, collected func(since affiliate.Day) bool) *Line {
	l := &Line{Account: key.Account, UID: key.UID, Code: entry.InviteCode, OurCode: entry.OurCode, State: entry.State(d.Snapshot), LastTradeDay: entry.LastTradeDay,
		UsualGap: entry.UsualGap, Owner: d.owners[key.UID], Note: d.notes[key], Status: LineOpen, exchangeTrade: entry.LastTrade}
	if l.LastTradeDay != 0 {
		l.SilentDays = max(0, int(d.today-l.LastTradeDay))
	}
	l.DaysLeft, l.Tied = invitees.TieLeft(d.InactivityLimit, l.LastTradeDay, d.today)
	add := func(r CallReason) { l.Reasons = append(l.Reasons, r) }
	if len(usual) > 0 && collected(l.LastTradeDay) {
		switch entry.Absence() {
		case invitees.StateSilent:
			l.risk, l.risked = riskStopped, usual
			add(CallReason{Name: ReasonSilent, Began: l.LastTradeDay, AtRisk: usual})
		case invitees.StateSlowing:
			l.risk, l.risked = riskSlowing, usual
			add(CallReason{Name: ReasonSlowing, Began: l.LastTradeDay, AtRisk: usual})
		}
		if d.tieEnds(entry) {
			add(CallReason{Name: ReasonTie, Began: l.LastTradeDay, AtRisk: usual})
		}
	}
	if r, ok := d.lowerRate(key); ok {
		if l.risk == noRisk {
			l.risk, l.risked = riskLower, r.AtRisk
		}
		add(r)
	}
	if c := d.fell(key); c != nil && l.risk == noRisk { // otherwise a silence or the rate explains it
		fallen := []affiliate.Amount{c.Month()}
		l.risk, l.risked = riskLevel, fallen
		add(CallReason{Name: ReasonLevel, Began: c.Since, AtRisk: fallen, Level: c})
	}
	if day := d.DayOf(entry.FirstDeposit); d.deposited(entry) && collected(day-1) {
		add(CallReason{Name: ReasonNoTrade, Began: day})
	}
	if r, ok := d.reached[key]; ok {
		add(r)
	} else if d.traded(entry) {
		add(CallReason{Name: ReasonMilestone, Began: d.DayOf(entry.FirstTrade)})
	}
	w := d.work[key]
	if w != nil && w.planned != 0 && w.planned <= d.today {
		add(CallReason{Name: ReasonPlanned, Began: w.planned, AtRisk: usual})
	} else if w != nil && w.kept != 0 && w.handled == d.today {
		add(CallReason{Name: ReasonPlanned, Began: w.kept, AtRisk: usual, Done: true})
	}
	if len(l.Reasons) == 0 {
		return nil
	}
	w.settle(l, d.today)
	weigh(l.Reasons, d.prices)
	l.Worth = d.prices.Worth(l.Reasons[0].AtRisk...)
	for _, c := range l.Worth.Coins {
		l.AtRisk = append(l.AtRisk, c.Sum)
	}
	l.AtRisk = append(l.AtRisk, l.Worth.Missing...)
	return l
}

// fell returns how the level of an invitee fell lately, or nil. It is of all coins, so there is
// none if one is asked for.
func (d *desk) fell(key sums.InviteeKey) *levels.Change {
	if c := d.levels.Of(key.Account, key.UID); d.Coin == "" && c != nil && c.Down() {
		return c
	}
	return nil
}

// lowerRate adds up what lower rates of an invitee cost.
func (d *desk) lowerRate(key sums.InviteeKey) (CallReason, bool) {
	r := CallReason{Name: ReasonRate}
	costs := map[affiliate.Coin]decimal.Decimal{}
	for _, one := range d.lowered[key] {
		costs[one.Coin] = costs[one.Coin].Add(one.Cost)
		r.Began = max(r.Began, one.Since)
	}
	for _, coin := range slices.Sorted(maps.Keys(costs)) {
		if d.prices.Matters(costs[coin], coin) {
			r.AtRisk = append(r.AtRisk, affiliate.Amount{Value: costs[coin], Coin: coin})
		}
	}
	return r, len(r.AtRisk) > 0
}

// fillTimes sets the instants of the last trades: what the exchange reports or, if commission is
// later, that.
func (d *desk) fillTimes(ctx context.Context, lines []*Line) error {
	for _, l := range lines {
		l.LastTrade = l.exchangeTrade
		if l.LastTradeDay == 0 || d.DayOf(l.exchangeTrade) == l.LastTradeDay {
			continue
		}
		last, err := sums.LastCommission(ctx, d.Tx, records.CommissionFilter{Account: l.Account, UID: l.UID, Members: d.Members, AsOf: d.AsOfMillis()})
		if err != nil {
			return err
		}
		l.LastTrade = max(l.LastTrade, last)
	}
	return nil
}

// covered lists the open reasons of a line as an act settles them.
func (l *Line) covered() (list []acts.Covered) {
	for _, r := range l.Reasons {
		if !r.Done {
			list = append(list, acts.Covered{Reason: string(r.Name), Began: r.Began})
		}
	}
	return list
}

// Covering lists the open reasons of the invitee of the query, as an act settles them. An invitee
// that is not on the worklist has none.
func Covering(ctx context.Context, q *snapshot.Snapshot) ([]acts.Covered, error) {
	all, err := list(ctx, q)
	for _, l := range all.lines {
		if l.UID == q.UID && l.Account == q.Account {
			return l.covered(), err
		}
	}
	return nil, err
}
