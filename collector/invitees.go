package collector

import (
	"context"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
)

// readInvitees reads the users who registered in a window (4.18).
func (r *run) readInvitees(ctx context.Context, w window, now time.Time) ([]affiliate.Invitee, error) {
	start, end := w.ask(affiliate.MillisOf(now.Add(-inviteeReach)), affiliate.MillisOf(now))
	list := listing[affiliate.Invitee, affiliate.UID]{
		begin: r.recorder.Restart,
		key:   func(i affiliate.Invitee) affiliate.UID { return i.UID }, unique: true, mostPages: w.mostPages(),
		fetch: asking(r, func(ctx context.Context, page int) (exchange.Page[affiliate.Invitee], error) {
			return r.account.Client.Invitees(ctx, exchange.InviteeQuery{Start: start, End: end, Page: page, PageSize: pageSize})
		}),
	}
	records, err := list.read(ctx)
	if err != nil {
		return nil, err
	}
	span := w.days.Range(time.UTC)
	kept := records[:0]
	for _, i := range records {
		if !i.RegisterTime.Known() || span.Contains(i.RegisterTime) {
			kept = append(kept, i)
		}
	}
	return kept, nil
}
