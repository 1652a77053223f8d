package people

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
	"rebatedesk/web/templates/ui"
)

// InviteeView is the page of one invitee.
type InviteeView struct {
	Report invitees.Detail
	Links  ui.Links
	Daily  ui.Chart
	Rates  ui.Chart
	Why    *overview.Why // nil: the question is too wide to have one cause
	Notes  *NotesView    // nil: nothing can be written
}

// inviteeRecordsNote says what the files of the page hold.
const inviteeRecordsNote = "The commission records of this invitee under the filters of this page, exact, newest first."

// moment is an entry of the timeline.
type moment struct {
	at     affiliate.Millis // of the order; unknown: it has none
	Title  string
	When   string // empty: nothing is known of the time
	Exact  string
	Detail string
	Past   bool // it happened
}

// moments are what happens once to an invitee, in order; what has not happened
// yet stands at the end.
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
	}
	for _, m := range []struct {
		title string
		invitees.Milestone
	}{{"Passed KYC", h.PassedKYC}, {"First deposit", h.FirstDeposited}, {"First trade", h.FirstTraded}} {
		switch {
		case m.Happened.Known():
			add(m.title, m.Happened, noticedWords(m.Milestone, zone))
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

// noticedWords says when we learned of a milestone whose time the exchange
// tells.
func noticedWords(m invitees.Milestone, zone *time.Location) string {
	switch {
	case m.Before:
		return "known since the first read of this invitee"
	case m.Noticed.Known():
		return "noticed " + phrase.Clock(m.Noticed.Time(), zone)
	}
	return ""
}

// withoutTime says what is known of a milestone whose time the exchange does
// not tell: when we noticed it.
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

// fieldLabels are the names of what can change of an invitee.
var fieldLabels = map[records.InviteeField]string{
	records.FieldInviteCode: "Invite code", records.FieldRegistered: "Registration", records.FieldKYC: "KYC",
	records.FieldFirstDeposit: "First deposit", records.FieldFirstTrade: "First trade",
	records.FieldLastDeposit: "Last deposit", records.FieldLastTrade: "Last trade",
}

// eventWords names a change.
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

// changedValue is a value of a change as a person reads it; false where it is
// unknown.
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

// changesShown is how many changes stand on the page: an active invitee has a
// new last trade each day.
const changesShown = 200

// newestChanges are the last changes, newest first.
func newestChanges(changes []invitees.HistoryChange) []invitees.HistoryChange {
	list := slices.Clone(changes[max(0, len(changes)-changesShown):])
	slices.Reverse(list)
	return list
}

// unfiltered leaves out what narrows the figures of one invitee; its account
// says whose invitee it is.
func unfiltered(q *query.Query) {
	account := q.Account
	*q = q.WithoutFilters()
	q.Account = account
}

// longestPair is what the longest bar stands for.
func longestPair(pairs sums.Ranked[sums.SymbolSums]) decimal.Decimal {
	longest := pairs.Others.Commission.Decimal()
	for _, pair := range pairs.Top {
		longest = decimal.Max(longest, pair.Commission.Decimal())
	}
	return longest
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
