package demo

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"rebatedesk/access"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/dispatch"
	"rebatedesk/mail"
	"rebatedesk/reports"
	"rebatedesk/reports/coverage"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/outbox"
)

// pollInterval is the interval at which the demo checks whether its history is
// collected.
const pollInterval = 2 * time.Second

// AddSchedules returns the summaries of the demo. Their recipients do not exist.
func AddSchedules(zone string) []outbox.Subscription {
	return []outbox.Subscription{
		{
			Name: "Morning figures", Every: string(dispatch.Daily), Hour: 7, Zone: zone, MonthDay: 1, Deadline: mail.DefaultDeadline,
			Recipients: []outbox.Recipient{{Address: "manager@demo.example.com"}},
		},
		{
			Name: "Week in review", Every: string(dispatch.Weekly), Weekday: time.Monday, Hour: 8, Zone: zone, MonthDay: 1, Deadline: mail.DefaultDeadline,
			AttachCSV: true, AttachXLSX: true, CorrectAbove: "50", CorrectCoin: "USDT",
			Recipients: []outbox.Recipient{{Address: "manager@demo.example.com"}, {Address: "finance@demo.example.com"}},
		},
	}
}

// ServeMail creates the demo's schedules once its history is collected, and immediately
// sends the newest summary of each: an earlier one would have nothing to compare with. It
// does nothing if schedules ever existed.
func ServeMail(ctx context.Context, cfg config.Config, st *store.Store, mails *mail.Service, log *slog.Logger) {
	for {
		done, err := AddSchedule(ctx, cfg, st)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			log.Warn("the schedules of the demo could not be made", "error", err)
			return
		case done:
			mails.Wake()
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pollInterval):
		}
	}
}

// AddSchedule names the people, creates the schedules and reports whether that is done.
func AddSchedule(ctx context.Context, cfg config.Config, st *store.Store) (done bool, err error) {
	if had, err := hadSchedules(ctx, st); had || err != nil {
		return had, err
	}
	if whole, err := wholeHistory(ctx, cfg, st); !whole || err != nil {
		return false, err
	}
	if err := AddPeople(ctx, cfg, st); err != nil {
		return false, err
	}
	for _, raw := range AddSchedules(cfg.Timezone.String()) {
		sc, err := mail.ParseSchedule(raw)
		if err != nil {
			return false, err
		}
		// The newest period that is due has yet to be sent.
		sc.Through = sc.Times(cfg.Timezone).Newest(cfg.Clock()).Previous().Last
		if _, err := outbox.Save(ctx, st, sc.Subscription, audit.Line{Actor: UserName, Via: access.ViaCommand}); err != nil {
			return false, err
		}
	}
	return true, nil
}

// hadSchedules reports whether schedules exist or ever existed: the delivery log outlives
// them.
func hadSchedules(ctx context.Context, st *store.Store) (bool, error) {
	r, err := st.Read(ctx)
	if err != nil {
		return false, err
	}
	defer r.Close()
	schedules, err := outbox.Subscriptions(ctx, r, outbox.KindSchedule)
	if err != nil || len(schedules) > 0 {
		return true, err
	}
	deliveries, err := outbox.Attempts(ctx, r, outbox.AttemptQuery{Limit: 1})
	return len(deliveries) > 0, err
}

// wholeHistory reports whether every wanted day of every stream that summaries tell of was read to its
// end: nothing but records that cannot be read may be missing, of which the demo's exchange sends one.
// Most demos start after a schedule's deadline, and would otherwise send partial summaries.
func wholeHistory(ctx context.Context, cfg config.Config, st *store.Store) (bool, error) {
	report, err := reports.New(st, cfg.Now).Collection(ctx)
	if err != nil {
		return false, err
	}
	partial := slices.ContainsFunc(report.Streams, func(s coverage.StreamCoverage) bool {
		_, read := s.Coverage.Unreadable()
		return !s.Stream.Kind.Money() && !s.Coverage.Complete() && !read
	})
	return len(report.Streams) > 0 && !partial, nil
}
