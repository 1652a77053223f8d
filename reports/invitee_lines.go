package reports

import (
	"context"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/store/people"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// inviteeLines are the invitees of the question in no order, whatever their
// state, and the compared period where one was asked for.
func (q *question) inviteeLines(ctx context.Context, roster *roster) ([]InviteeLine, error) {
	brought, err := q.inviteeFigures(ctx, roster)
	if err != nil {
		return nil, err
	}
	tagged, err := q.tagged(ctx)
	if err != nil {
		return nil, err
	}
	risks, err := q.risks(ctx, roster)
	if err != nil {
		return nil, err
	}
	lines := make([]InviteeLine, 0, len(roster.lines))
	for i := range roster.lines {
		entry := &roster.lines[i]
		if !q.lists(entry) || tagged != nil && !tagged[people.Person{Account: entry.Account, UID: entry.UID}] {
			continue
		}
		line := q.inviteeLine(entry, risks)
		brought.fill(&line)
		lines = append(lines, line)
	}
	return lines, nil
}

// inviteeLine is all of a line that does not depend on the range.
func (q *question) inviteeLine(entry *rosterLine, risks risks) InviteeLine {
	today := affiliate.DayOf(q.now, q.Zone)
	line := InviteeLine{Invitee: entry.Invitee, Account: entry.Account, Status: entry.Status(q.now),
		FirstSeen: entry.FirstSeen, LastSeen: entry.LastSeen, Vanished: entry.Vanished,
		LastTradeDay: entry.lastTrade, UsualGap: entry.usualGap, AtRisk: risks.of(entry), Lifetime: entry.ever}
	line.risky = risks.matter(line.AtRisk)
	if line.LastTradeDay != 0 {
		line.SilentDays = max(0, int(today-line.LastTradeDay))
	}
	line.State = stateOf(tradingDays{registered: q.dayOf(line.RegisterTime), firstTrade: q.dayOf(line.FirstTrade),
		lastTrade: line.LastTradeDay, usualGap: line.UsualGap}, today)
	return line
}

// tagged are the invitees of the tag that is asked for; nil where none is.
func (q *question) tagged(ctx context.Context) (map[people.Person]bool, error) {
	if q.Tag == "" {
		return nil, nil
	}
	return people.Tagged(ctx, q.Tx, q.Tag)
}

// inviteeFigures are what invitees brought under the filters of the question,
// by invitee.
type inviteeFigures struct {
	inRange  map[sums.InviteeKey][]Totals
	lifetime map[sums.InviteeKey][]Totals // nil: all that they ever brought
	before   map[sums.InviteeKey][]Totals // in the compared period
}

func (q *question) inviteeFigures(ctx context.Context, roster *roster) (f inviteeFigures, err error) {
	narrow := q.filter()
	narrow.Code, narrow.Text = "", "" // they say who is listed, not what counts
	if f.inRange, err = q.inviteeTotals(ctx, narrow); err != nil {
		return f, err
	}
	if days, asked := q.Compare.Days(q.Days); asked {
		narrow.Days = days
		if f.before, err = q.inviteeTotals(ctx, narrow); err != nil {
			return f, err
		}
	}
	if q.Product == "" && q.Coin == "" && q.Symbol == "" && q.Source == "" {
		return f, nil
	}
	narrow.Days = affiliate.Days{First: roster.first, Last: affiliate.DayOf(q.now, q.Zone)}
	f.lifetime, err = q.inviteeTotals(ctx, narrow)
	return f, err
}

// fill adds to a line what its invitee brought.
func (f *inviteeFigures) fill(line *InviteeLine) {
	key := sums.InviteeKey{Account: line.Account, UID: line.UID}
	line.InRange, line.Before = f.inRange[key], f.before[key]
	if f.lifetime != nil {
		line.Lifetime = f.lifetime[key]
	}
}

// inviteeTotals adds up the records of a filter by invitee and coin. It is the
// one place where a list of invitees gets its sums from. The map may be another
// question's too: nobody changes it.
func (q *question) inviteeTotals(ctx context.Context, f records.CommissionFilter) (map[sums.InviteeKey][]Totals, error) {
	return part(ctx, q, "totals of invitees", f, func(ctx context.Context) (map[sums.InviteeKey][]Totals, error) {
		sumsList, err := sums.ByInvitee(ctx, q.Tx, f)
		if err != nil {
			return nil, err
		}
		totals := map[sums.InviteeKey][]Totals{}
		for _, s := range sumsList {
			key := sums.InviteeKey{Account: s.Account, UID: s.UID}
			totals[key] = append(totals[key], Totals{
				Coin: s.Coin, Records: s.Records, Commission: s.Commission.Decimal(), Fee: s.Fee.Decimal(),
				TakerAmount: s.TakerAmount.Decimal(), MakerAmount: s.MakerAmount.Decimal(),
			})
		}
		for _, list := range totals {
			slices.SortFunc(list, mostRecords)
		}
		return totals, nil
	})
}
