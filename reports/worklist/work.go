package worklist

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/reports/levels"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
	acts "rebatedesk/store/worklist"
)

// work is what managers did about one invitee.
type work struct {
	settled map[string]affiliate.Day // by reason: episodes that began up to this day are settled
	snoozed affiliate.Day
	planned affiliate.Day // 0: none, or there was a contact since
	kept    affiliate.Day // the planned day that the newest contact kept; 0: none
	handled affiliate.Day // of the newest act that took the invitee off the list
	// contacts are those of [ContactDays], oldest first.
	contacts []*Contact
}

// readWork returns the acts in force at the instant of the question, by invitee.
func readWork(ctx context.Context, q *snapshot.Snapshot, today affiliate.Day) (map[sums.InviteeKey]*work, error) {
	list, err := acts.Acts(ctx, q.Tx, q.Members, q.AsOfMillis())
	if err != nil {
		return nil, err
	}
	all := map[sums.InviteeKey]*work{}
	for _, a := range list {
		key := sums.InviteeKey{Account: a.Account, UID: a.UID}
		w := all[key]
		if w == nil {
			w = &work{settled: map[string]affiliate.Day{}}
			all[key] = w
		}
		switch a.Kind {
		case acts.ActDone, acts.ActDismissed:
			for _, c := range a.Reasons {
				w.settled[c.Reason] = max(w.settled[c.Reason], c.Began)
			}
			w.handled, w.kept = q.DayOf(a.Created), 0
			if w.planned <= w.handled {
				w.kept = w.planned
			}
			w.snoozed, w.planned = 0, 0
			if a.Kind == acts.ActDone {
				w.contact(&Contact{Act: a, Day: w.handled, today: today})
			}
		case acts.ActSnoozed:
			w.snoozed, w.handled = a.Day, q.DayOf(a.Created)
		case acts.ActPlanned:
			w.planned = a.Day
		}
	}
	return all, nil
}

// contact adds a contact, which ends what is counted for the one before.
func (w *work) contact(c *Contact) {
	c.Until = c.today
	if n := len(w.contacts); n > 0 {
		w.contacts[n-1].Until = c.Day
	}
	if c.today-c.Day < ContactDays {
		w.contacts = append(w.contacts, c)
	}
}

// settle sets what the acts say about a line.
func (w *work) settle(l *Line, today affiliate.Day) {
	if w == nil {
		return
	}
	open := false
	for i := range l.Reasons {
		r := &l.Reasons[i]
		until, done := w.settled[string(r.Name)]
		if r.Name != ReasonPlanned { // a contact ends a planned one by itself
			if r.Name == ReasonLevel { // its first day is found again each day
				until += levels.SameDays - 1
			}
			r.Done = done && r.Began <= until
		}
		open = open || !r.Done
	}
	l.handled = w.handled
	if w.snoozed > today {
		l.Snoozed = w.snoozed
	}
	if w.planned > today {
		l.Planned = w.planned
	}
	if n := len(w.contacts); n > 0 {
		l.Contact = w.contacts[n-1]
	}
	switch {
	case !open:
		l.Status = LineDone
	case l.Snoozed != 0:
		l.Status = LineSnoozed
	}
}

// everyone returns the filter of the records of all invitees of the accounts.
func (d *desk) everyone() records.CommissionFilter {
	return records.CommissionFilter{Account: d.Account, Coin: d.Coin, Members: d.Members, AsOf: d.AsOfMillis()}
}

// nameOf names a part of the cache that depends on some invitees.
func nameOf(keys []sums.InviteeKey) string { return fmt.Sprintf("days of invitees %q", keys) }
