package reports

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitecodes"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/query"
	"rebatedesk/reports/subaffiliates"
	"rebatedesk/reports/worklist"
)

// readyPause is how often KeepReady checks for writes. More frequent writes, such as those
// of a backfill, are made ready after they end.
const readyPause = time.Second

// muchForgotten is the size of forgotten reports, in bytes, that is worth a collection of
// garbage: without one their memory stays with the process until much more is needed.
const muchForgotten = 4 << 20

// KeepReady prepares the data of the usual reports after each write, so that the first user
// to open one does not wait, and forgets reports that nobody asks for any more. It ends with
// ctx.
func (s *Service) KeepReady(ctx context.Context, log *slog.Logger) {
	ticks := time.NewTicker(readyPause)
	defer ticks.Stop()
	var before, ready affiliate.Millis // unknown: nothing is ready
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		now, err := s.store.LastWrite(ctx)
		if err == nil && s.answers.Forget(now, s.minute()) >= muchForgotten {
			debug.FreeOSMemory()
		}
		settled := now == before
		before = now
		if err == nil && settled && now != ready {
			ready = now // even on failure: opening the page makes the report
			err = s.makeReady(ctx)
			debug.FreeOSMemory() // of what the reports were made of, while nobody may come for long
		}
		if err != nil && ctx.Err() == nil {
			log.Warn("reports could not be made ready", "error", err)
		}
	}
}

// makeReady makes the reports of pages opened without parameters.
func (s *Service) makeReady(ctx context.Context) error {
	usual, err := usualQuery(ctx, s)
	if err != nil {
		return err
	}
	front := usual
	front.UsualCompare = overview.Accepted.UsualCompare
	front.Compare, front.Metric = front.UsualCompare, figures.ShowCommission
	findings, err := narrowed(ctx, s, usual, query.AcceptedParams{Taken: AttentionParams})
	if err != nil {
		return err
	}
	people, err := narrowed(ctx, s, usual, worklist.Accepted)
	if err != nil {
		return err
	}
	ranked := usual // the order of the lists
	ranked.By, ranked.Sort = "", query.Sort{Field: "commission", Descending: true}
	for _, report := range []struct {
		name string
		make func() error
	}{
		{"overview", func() error { _, err := FrontPage(ctx, s, front); return err }},
		{"findings", func() error { _, err := s.Attention(ctx, findings); return err }},
		{"people of the day", func() error { _, err := s.PeopleOfDay(ctx, findings); return err }},
		{"worklist", func() error { _, err := s.Worklist(ctx, people); return err }},
		{"invitees", func() error { _, err := Ask(ctx, s, ranked, invitees.MakeList); return err }},
		{"codes", func() error { _, err := Ask(ctx, s, ranked, invitecodes.Make); return err }},
		{"sub-affiliates", func() error { _, err := Ask(ctx, s, ranked, subaffiliates.Make); return err }},
		{"collection", func() error { _, err := s.Collection(ctx); return err }},
	} {
		err = errors.Join(err, s.Guard.Do("making ready: "+report.name, report.make))
		if ctx.Err() != nil {
			break
		}
	}
	return err
}
