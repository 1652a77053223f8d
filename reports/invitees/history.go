package invitees

import (
	"context"
	"strconv"

	"rebatedesk/affiliate"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// History is the history of one invitee.
type History struct {
	affiliate.Invitee
	Account   affiliate.Account
	Status    records.InviteeStatus
	FirstSeen affiliate.Millis // when we first saw it listed; unknown: never listed
	LastSeen  affiliate.Millis // when a read last returned it; unknown: not recorded
	Vanished  affiliate.Millis // since when reads do not return it; unknown: they do

	// Milestones. KYC has no time.
	PassedKYC      Milestone
	FirstDeposited Milestone
	FirstTraded    Milestone

	// When its commission records were earned; unknown: it has none.
	FirstCommission affiliate.Millis
	LastCommission  affiliate.Millis

	Changes []HistoryChange // oldest first
}

// Milestone is an event that happens once in the life of an invitee.
type Milestone struct {
	Reached  bool
	Happened affiliate.Millis // according to the exchange; unknown: not reported
	Noticed  affiliate.Millis // when one of our reads first found it
	// Before: it was so when we first saw the invitee, and may have happened long before.
	Before bool
}

// HistoryEvent is the kind of change noticed.
type HistoryEvent string

// Kinds of events.
const (
	EventChanged    HistoryEvent = "changed"
	EventVanished   HistoryEvent = "vanished"
	EventReappeared HistoryEvent = "reappeared"
	EventUnlisted   HistoryEvent = "unlisted" // reads can no longer return it: it passed beyond the reach
	EventRelisted   HistoryEvent = "relisted"
)

// HistoryChange is one changed value found by a read, or an invitee that appeared or
// disappeared.
type HistoryChange struct {
	Noticed affiliate.Millis
	Event   HistoryEvent
	Field   records.InviteeField // for EventChanged
	Was     string               // RFC 3339 if it is an instant; empty = unknown
	Became  string
}

// inviteeHistory makes the history, as of q.AsOf, of an invitee who is listed or
// brought commission.
func inviteeHistory(ctx context.Context, q *snapshot.Snapshot, key sums.InviteeKey) (History, error) {
	row, changes, _, err := records.InviteeHistory(ctx, q.Tx, records.InviteeFilter{Account: key.Account, UID: key.UID, Members: q.Members, AsOf: q.AsOfMillis()})
	if err != nil {
		return History{}, err
	}
	h := History{Invitee: row.Invitee, Account: key.Account, Status: row.Status(q.Now),
		FirstSeen: row.FirstSeen, LastSeen: row.LastSeen, Vanished: row.Vanished}
	if h.FirstCommission, err = sums.FirstCommission(ctx, q.Tx, recordsOf(q, key.Account, key.UID)); err != nil {
		return h, err
	}
	if h.LastCommission, err = sums.LastCommission(ctx, q.Tx, recordsOf(q, key.Account, key.UID)); err != nil {
		return h, err
	}
	h.UID = key.UID
	h.PassedKYC = milestone(records.FieldKYC, string(row.KYC), string(affiliate.FlagOf(true)), row.FirstSeen, changes)
	h.FirstDeposited = instantMilestone(records.FieldFirstDeposit, row.FirstDeposit, row.FirstSeen, changes)
	h.FirstTraded = instantMilestone(records.FieldFirstTrade, row.FirstTrade, row.FirstSeen, changes)
	h.Changes = events(changes)
	return h, nil
}

// milestone finds when a field was first noticed with the value that marks it or, if
// reached is empty, with any value except "" and "0". is holds its current value.
func milestone(field records.InviteeField, is, reached string, firstSeen affiliate.Millis, changes []records.InviteeChange) Milestone {
	marks := func(value string) bool {
		return reached != "" && value == reached || reached == "" && value != "" && value != "0"
	}
	first, noticed := is, affiliate.Millis(0)
	for i := len(changes) - 1; i >= 0; i-- {
		if c := changes[i]; c.Field == field {
			first = c.Was
			if marks(c.Became) {
				noticed = c.Noticed
			}
		}
	}
	switch {
	case marks(first):
		return Milestone{Reached: marks(is), Noticed: firstSeen, Before: true}
	case noticed.Known():
		return Milestone{Reached: marks(is), Noticed: noticed}
	}
	return Milestone{}
}

// instantMilestone is a milestone whose time the exchange reports.
func instantMilestone(field records.InviteeField, happened, firstSeen affiliate.Millis, changes []records.InviteeChange) Milestone {
	m := milestone(field, strconv.FormatInt(int64(happened), 10), "", firstSeen, changes)
	m.Happened = happened
	return m
}

// events converts changes to events. When an invitee vanishes, the time it was last seen
// changes too; the two are one event.
func events(changes []records.InviteeChange) []HistoryChange {
	list := make([]HistoryChange, 0, len(changes))
	for i, c := range changes {
		e := HistoryChange{Noticed: c.Noticed, Event: EventChanged, Field: c.Field, Was: c.Was, Became: c.Became}
		switch c.Field {
		case records.FieldLastSeen:
			if i+1 < len(changes) && changes[i+1].Field == records.FieldVanished && changes[i+1].Noticed == c.Noticed {
				continue
			}
			e = HistoryChange{Noticed: c.Noticed, Event: either(c.Became != "0", EventUnlisted, EventRelisted)}
		case records.FieldVanished:
			e = HistoryChange{Noticed: c.Noticed, Event: either(c.Became != "0", EventVanished, EventReappeared)}
		case records.FieldInviteCode, records.FieldKYC:
		default:
			e.Was, e.Became = instantText(c.Was), instantText(c.Became)
		}
		list = append(list, e)
	}
	return list
}

func either(yes bool, a, b HistoryEvent) HistoryEvent {
	if yes {
		return a
	}
	return b
}

// instantText prints a stored instant as RFC 3339. Other text stays unchanged.
func instantText(ms string) string {
	n, err := strconv.ParseInt(ms, 10, 64)
	if err != nil {
		return ms
	}
	return affiliate.Millis(n).String()
}
