package invitecodes

import (
	"context"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/sums"
)

// codeBook counts one code.
type codeBook struct {
	line                          CodeLine
	inRange, before, ofRegistered figures.CoinTotals
}

// codeBooks counts all codes of the query.
type codeBooks struct {
	q       *snapshot.Snapshot
	of      map[codeKey]*codeBook
	codes   map[sums.InviteeKey]string
	foreign map[codeKey]bool   // codes that the exchange tells of an invitee
	before  figures.CoinTotals // the compared period, over all codes
	earlier CodeLine           // its counts of people
	told    struct{ deposits, trades bool }
}

// readBooks sums up each code. The code of an invitee is taken from the snapshot; the
// code of an invitee that is not in it is unknown.
func readBooks(ctx context.Context, q *snapshot.Snapshot) (*codeBooks, error) {
	snapshot, err := invitees.ReadSnapshot(ctx, q)
	if err != nil {
		return nil, err
	}
	brought, err := invitees.ReadBrought(ctx, q, snapshot)
	if err != nil {
		return nil, err
	}
	b := &codeBooks{q: q, of: map[codeKey]*codeBook{}, codes: map[sums.InviteeKey]string{}, foreign: map[codeKey]bool{}, before: figures.CoinTotals{}}
	for i := range snapshot.Lines {
		b.enter(&snapshot.Lines[i], brought)
	}
	for key, totals := range brought.InRange {
		if book := b.at(key); book != nil {
			book.line.Active++
			book.inRange.Add(totals)
		}
	}
	for key, totals := range brought.Before {
		if !asksForCode(q, b.codes[key]) {
			continue
		}
		b.earlier.Active++
		b.before.Add(totals)
		if book := b.of[codeKey{key.Account, b.codes[key]}]; book != nil { // a code without figures now has no line
			book.before.Add(totals)
		}
	}
	return b, nil
}

// asksForCode reports whether the query is about a code.
func asksForCode(q *snapshot.Snapshot, code string) bool {
	return affiliate.AsksFor(q.Code, code) &&
		(q.Text == "" || strings.Contains(strings.ToLower(code), strings.ToLower(q.Text)))
}

// at returns the book of an invitee's code, or nil if the query is not about it.
func (b *codeBooks) at(key sums.InviteeKey) *codeBook {
	code := b.codes[key]
	if !asksForCode(b.q, code) {
		return nil
	}
	of := codeKey{key.Account, code}
	if b.of[of] == nil {
		b.of[of] = &codeBook{line: CodeLine{Account: key.Account, Code: code}, inRange: figures.CoinTotals{}, before: figures.CoinTotals{}, ofRegistered: figures.CoinTotals{}}
	}
	return b.of[of]
}

// enter counts the steps of an invitee.
func (b *codeBooks) enter(i *invitees.SnapshotLine, brought invitees.Brought) {
	if b.q.Account != "" && b.q.Account != i.Account {
		return
	}
	b.told.deposits = b.told.deposits || i.FirstDeposit.Known()
	b.told.trades = b.told.trades || i.FirstTrade.Known()
	key := sums.InviteeKey{Account: i.Account, UID: i.UID}
	b.codes[key] = i.InviteCode
	if !i.OurCode {
		b.foreign[codeKey{i.Account, i.InviteCode}] = true
	}
	if !asksForCode(b.q, i.InviteCode) {
		return
	}
	if days, asked := b.q.Compare.Days(b.q.Days); asked {
		b.earlier.begin(&i.Invitee, days.Range(b.q.Zone))
	}
	var now CodeLine
	if span := b.q.Days.Range(b.q.Zone); !now.begin(&i.Invitee, span) {
		return
	}
	book := b.at(key)
	book.line.join(now)
	if now.Registered == 0 {
		return
	}
	ever := i.Ever
	if brought.Lifetime != nil {
		ever = brought.Lifetime[key]
	}
	book.ofRegistered.Add(ever)
}

// begin counts the first steps of an invitee in a span of time, and reports whether there
// were any.
func (l *CodeLine) begin(i *affiliate.Invitee, span affiliate.Range) bool {
	before := *l
	if i.RegisterTime.Known() && span.Contains(i.RegisterTime) {
		l.count(i)
	}
	if i.FirstDeposit.Known() && span.Contains(i.FirstDeposit) {
		l.FirstDepositors++
	}
	if i.FirstTrade.Known() && span.Contains(i.FirstTrade) {
		l.FirstTraders++
	}
	return l.Registered != before.Registered || l.FirstDepositors != before.FirstDepositors || l.FirstTraders != before.FirstTraders
}

// join adds the counts of people of another line.
func (l *CodeLine) join(o CodeLine) {
	l.CodeSteps.join(o.CodeSteps)
	l.FirstDepositors += o.FirstDepositors
	l.FirstTraders += o.FirstTraders
	l.Active += o.Active
}

// lines lists the codes in no particular order.
func (b *codeBooks) lines() []CodeLine {
	lines := make([]CodeLine, 0, len(b.of))
	for _, book := range b.of {
		l := book.line
		l.OurCode = l.Code != "" && !b.foreign[codeKey{l.Account, l.Code}]
		l.InRange, l.Before, l.OfRegistered = book.inRange.Totals(), book.before.Totals(), book.ofRegistered.Totals()
		lines = append(lines, l)
	}
	return lines
}
