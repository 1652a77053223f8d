package invitees

import (
	"context"
	"strconv"

	"rebatedesk/affiliate"
	"rebatedesk/reports/question"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// History is the history of one invitee.
type History struct {
	affiliate.Invitee
	Account   affiliate.Account
	Status    records.InviteeStatus
	FirstSeen affiliate.Millis // when we first saw it listed; unknown: it never was
	LastSeen  affiliate.Millis // when a read last returned it; unknown: that is not on record
	Vanished  affiliate.Millis // since when reads miss it; unknown: they do not

	// The milestones; KYC has no time of its own.
	PassedKYC      Milestone
	FirstDeposited Milestone
	FirstTraded    Milestone

	// Of its commission records, when they were earned; unknown: there is none.
	FirstCommission affiliate.Millis
	LastCommission  affiliate.Millis

	Changes []HistoryChange // oldest first
}

// Milestone is something that happens once in the life of an invitee.
type Milestone struct {
	Reached  bool
	Happened affiliate.Millis // by the exchange; unknown: it does not say
	Noticed  affiliate.Millis // when a read of ours found it first
	// Before: it was so when we first saw the invitee, and may be much older
	// than that.
	Before bool
}

// HistoryEvent is what kind of change was noticed.
type HistoryEvent string

// The events.
const (
	EventChanged    HistoryEvent = "changed"
	EventVanished   HistoryEvent = "vanished"
	EventReappeared HistoryEvent = "reappeared"
	EventUnlisted   HistoryEvent = "unlisted" // a read could not return it any more: it passed beyond the reach
	EventRelisted   HistoryEvent = "relisted"
)

// HistoryChange is one value that a read found to be another, or an invitee
// that came or went.
type HistoryChange struct {
	Noticed affiliate.Millis
	Event   HistoryEvent
	Field   records.InviteeField // of EventChanged
	Was     string               // RFC 3339 for an instant; empty = unknown
	Became  string
}

// inviteeHistory makes the history, as of q.AsOf, of an invitee who is listed or
// brought commission.
func inviteeHistory(ctx context.Context, q *question.Question, key sums.InviteeKey) (History, error) {
	row, changes, _, err := records.InviteeHistory(ctx, q.Tx, key.Account, key.UID, q.AsOfMillis())
	if err != nil {
		return History{}, err
	}
	h := History{Invitee: row.Invitee, Account: key.Account, Status: row.Status(q.Now),
		FirstSeen: row.FirstSeen, LastSeen: row.LastSeen, Vanished: row.Vanished}
	if h.FirstCommission, err = sums.FirstCommission(ctx, q.Tx, key, q.AsOfMillis()); err != nil {
		return h, err
	}
	if h.LastCommission, err = sums.LastCommission(ctx, q.Tx, key, q.AsOfMillis()); err != nil {
		return h, err
	}
	h.UID = key.UID
	h.PassedKYC = milestone(records.FieldKYC, string(row.KYC), string(affiliate.FlagOf(true)), row.FirstSeen, changes)
	h.FirstDeposited = instantMilestone(records.FieldFirstDeposit, row.FirstDeposit, row.FirstSeen, changes)
	h.FirstTraded = instantMilestone(records.FieldFirstTrade, row.FirstTrade, row.FirstSeen, changes)
	h.Changes = events(changes)
	return h, nil
}

// milestone finds when a field was first noticed to have the value that marks
// it, or, where reached is empty, any value but "" and "0". is its value now.
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

// instantMilestone is a milestone whose time the exchange tells.
func instantMilestone(field records.InviteeField, happened, firstSeen affiliate.Millis, changes []records.InviteeChange) Milestone {
	m := milestone(field, strconv.FormatInt(int64(happened), 10), "", firstSeen, changes)
	m.Happened = happened
	return m
}

// events turns changes into events. When an invitee vanishes, the time it was last seen
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

// instantText prints a stored instant as RFC 3339. Other text is left as it is.
func instantText(ms string) string {
	n, err := strconv.ParseInt(ms, 10, 64)
	if err != nil {
		return ms
	}
	return affiliate.Millis(n).String()
}
