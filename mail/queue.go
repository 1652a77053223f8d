package mail

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"rebatedesk/reports/commissions"

	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/internal/guard"
	"rebatedesk/mail/mailer"
	"rebatedesk/reports/export"
	"rebatedesk/reports/findings"
	"rebatedesk/store/outbox"
)

// keepFor is how long the content of messages is kept so that they can be sent again.
const keepFor = 90 * 24 * time.Hour

// queueDue queues the due messages of all schedules. A schedule that fails delays no
// other.
func (s *Service) queueDue(ctx context.Context) error {
	if _, err := s.look(ctx); err != nil {
		return err
	}
	list, err := s.Subscriptions(ctx, outbox.KindSchedule)
	if err != nil {
		return err
	}
	correct := s.now().Sub(s.corrected) >= correctEvery || s.now().Before(s.corrected)
	var errs []error
	for _, raw := range list {
		if raw.Paused.Known() || s.onlyChannels() && !slices.ContainsFunc(raw.Active(), isChannel) {
			continue
		}
		err := guard.Do(s.log, "queueing summaries", func() error { return s.queueOf(ctx, raw, correct) })
		if err != nil {
			errs = append(errs, fmt.Errorf("schedule %q: %w", raw.Name, err))
		}
	}
	if correct {
		s.corrected = s.now()
		errs = append(errs, outbox.ForgetSummaries(ctx, s.store, affiliate.MillisOf(s.now().Add(-keepFor))))
	}
	return errors.Join(errs...)
}

// queueOf queues the due messages of one schedule.
func (s *Service) queueOf(ctx context.Context, raw outbox.Subscription, correct bool) error {
	sc, err := ParseSchedule(raw)
	// Limits are compared with figures by their coin, which must match exactly.
	for _, coin := range []*affiliate.Coin{&sc.SkipCoin, &sc.CorrectCoin} {
		if err == nil {
			*coin, err = s.reports.Coin(ctx, *coin)
		}
	}
	if err == nil {
		err = s.queuePeriod(ctx, sc)
	}
	if err == nil && correct {
		err = s.queueCorrections(ctx, sc)
	}
	return err
}

// queuePeriod queues the newest due period once it is known completely or its deadline
// has passed. The message names older periods that were not sent.
func (s *Service) queuePeriod(ctx context.Context, sc Schedule) error {
	zone := s.store.Zone()
	times := sc.Times(zone)
	due := times.Due(sc.Through, s.now())
	if len(due) == 0 {
		return s.setBack(ctx, sc)
	}
	p, missed := due[len(due)-1], due[:len(due)-1]
	ready, late, err := times.Ready(p, s.now(), func() (bool, error) {
		gate, err := s.gate(ctx, sc, p)
		return gate.Closed, err
	})
	if err != nil || !ready {
		return err
	}
	sum, err := s.summary(ctx, sc, p)
	if err != nil || !sum.Gate.Closed && !late {
		return err
	}
	kind := outbox.SummaryWhole
	switch {
	case !sum.Gate.Closed:
		kind = outbox.SummaryPartial
	case skips(sc, sum.Empty, sum.Totals):
		kind = outbox.SummarySkipped
	}
	if len(missed) > 0 {
		sum.Notes = append(sum.Notes, missedWords(missed, zone))
	}
	return s.queue(ctx, sc, sum, kind, 0)
}

// setBack resets a schedule that a clock more than a day ahead had advanced; otherwise
// it would send nothing until then. Only a wrong clock can have settled a day that is
// not over yet.
func (s *Service) setBack(ctx context.Context, sc Schedule) error {
	zone, newest := s.store.Zone(), s.NewestDue(sc)
	settled := affiliate.Days{First: sc.Through, Last: sc.Through}
	if !settled.Range(zone).To.After(s.now().Add(24*time.Hour)) || newest.Last >= sc.Through {
		return nil
	}
	s.log.Warn("a schedule had been settled by a clock that ran ahead", "schedule", sc.Name, "through", sc.Through, "now", newest.Last)
	return outbox.SetScheduleBack(ctx, s.store, sc.ID, sc.Through, newest.Previous().Last)
}

// totals returns the commission of a period by coin. This costs far less than a
// summary.
func (s *Service) totals(ctx context.Context, sc Schedule, p dispatch.Period) (totals []outbox.SummaryTotal, err error) {
	q := &question{author: &s.author, about: sc, Summary: Summary{Period: p}}
	if err := q.open(ctx); err != nil {
		return nil, err
	}
	file, err := q.reports.OpenExport(ctx, commissions.DailyFile, q.query)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	written, err := file.Write(ctx, io.Discard, export.CSV)
	for _, sums := range written.Sums {
		totals = append(totals, outbox.SummaryTotal{Coin: sums.Coin, Commission: sums.Of("commission")})
	}
	return totals, err
}

// skips reports whether the amounts are too small to send. Empty totals mean that there
// is no record.
func skips(sc Schedule, empty bool, totals []outbox.SummaryTotal) bool {
	if sc.SkipEmpty && empty {
		return true
	}
	return sc.SkipBelow != "" && totalOf(totals, sc.SkipCoin).Cmp(sc.SkipBelow) < 0
}

func totalOf(totals []outbox.SummaryTotal, coin affiliate.Coin) affiliate.Number {
	if i := slices.IndexFunc(totals, func(t outbox.SummaryTotal) bool { return t.Coin == coin }); i >= 0 {
		return totals[i].Commission
	}
	return "0"
}

func missedWords(missed []dispatch.Period, zone *time.Location) string {
	const most = 7
	var labels []string
	for i, p := range slices.Backward(missed) {
		if len(labels) == most {
			labels = append(labels, fmt.Sprintf("and %d before", i+1))
			break
		}
		labels = append(labels, p.Label(zone))
	}
	return "No summary was sent of: " + strings.Join(labels, "; ") + "."
}

// queue stores a summary for all recipients of its schedule.
func (s *Service) queue(ctx context.Context, sc Schedule, sum Summary, kind outbox.SummaryKind, number int) error {
	sum.Kind = kind
	m, err := s.finish(ctx, sc, sum)
	if err != nil {
		return err
	}
	m.Number = number
	var to []outbox.Addressee
	if kind != outbox.SummarySkipped {
		if to, err = s.addressees(ctx, sc, m); err != nil {
			return err
		}
	}
	queued, err := outbox.QueueSummary(ctx, s.store, m, to)
	if err == nil && queued {
		s.log.Info("a summary was queued", "schedule", sc.Name, "kind", kind, "from", m.Days.First, "to", m.Days.Last, "recipients", len(to))
	}
	return err
}

// addressees returns the recipients of a message of a schedule, and the channels that are told of
// all summaries.
func (s *Service) addressees(ctx context.Context, sc Schedule, m outbox.Summary) ([]outbox.Addressee, error) {
	told, err := s.toldOf(ctx, findings.SummaryReady)
	if err != nil {
		return nil, err
	}
	return s.copiesTo(ctx, m, append(sc.Active(), told...), unsubscribed(sc.Subscription))
}

// finish converts a summary to the message that is stored.
func (s *Service) finish(ctx context.Context, sc Schedule, sum Summary) (outbox.Summary, error) {
	switch sum.Kind {
	case outbox.SummaryPartial:
		sum.Subject = "[PARTIAL] " + sum.Subject
	case outbox.SummaryCorrected:
		if !sum.CaughtUp {
			sum.Subject = "[CORRECTED] " + sum.Subject
		}
	case outbox.SummaryTest:
		sum.Subject = "[TEST] " + sum.Subject
	}
	stop := ""
	if s.stopLink(sc.Ref, "") != "" {
		stop = mailer.StopPlace
	}
	sum.Reason = "You get this mail because somebody asked this Rebatedesk to send it to you."
	if sc.ID != 0 {
		sum.Reason = fmt.Sprintf("You get this mail because you are a recipient of the %s summary “%s”.", sc.Every, affiliate.OneLine(sc.Name)) + s.otherWayOut(sc.Ref)
	}
	var page bytes.Buffer
	if err := htmlPart(sum, stop).Render(ctx, &page); err != nil {
		return outbox.Summary{}, fmt.Errorf("writing the message: %w", err)
	}
	m := outbox.Summary{
		Of: sc.Ref, Scope: s.scopeOf(sc), Every: string(sum.Period.Every), Days: sum.Period.Days, Kind: sum.Kind, Made: affiliate.MillisOf(s.now()), AsOf: sum.Query.AsOfMillis(),
		From: s.via().From.String(), Subject: sum.Subject, Text: textPart(sum, stop), HTML: page.String(), Picture: sum.Picture, Totals: sum.Totals,
		Brief: sum.brief(), Event: s.asEvent(sc, sum),
	}
	if sum.Kind == outbox.SummarySkipped {
		return m, nil
	}
	if sum.Kind != outbox.SummaryManual && sum.Kind != outbox.SummaryTest {
		m.MonthsTold = sum.MonthsTold
	}
	var err error
	m.Attachments, err = s.attachments(ctx, sc, sum.Query)
	return m, err
}
