package collector

import (
	"context"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
)

// readInvitees reads the users who registered in a window (4.18).
func (r *run) readInvitees(ctx context.Context, w window, now time.Time) (reading[affiliate.Invitee], error) {
	start, end := w.ask(affiliate.MillisOf(now.Add(-inviteeReach)), affiliate.MillisOf(now))
	at := func(i affiliate.Invitee) affiliate.Millis { return i.RegisterTime }
	list := listing[affiliate.Invitee, affiliate.UID]{
		begin: r.recorder.Restart,
		key:   func(i affiliate.Invitee) affiliate.UID { return i.UID }, mostPages: w.mostPages(),
		fetch: asking(r, func(ctx context.Context, page, size int) (exchange.Page[affiliate.Invitee], error) {
			return r.account.Client.Invitees(ctx, weex.InviteeQuery{Start: start, End: end, Page: page, PageSize: size})
		}),
		ties: instantCuts(r, at, func(ctx context.Context, from, to affiliate.Millis) (exchange.Page[affiliate.Invitee], error) {
			return r.account.Client.Invitees(ctx, weex.InviteeQuery{Start: max(from, start), End: to, PageSize: cutSize})
		}),
	}
	got, err := list.read(ctx)
	if err == nil {
		keepWithin(&got, w, at)
	}
	return got, err
}
