package mail

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/reports"
	"rebatedesk/reports/changes"
	"rebatedesk/reports/months"
	"rebatedesk/reports/phrase"
	"rebatedesk/store"
	"rebatedesk/store/outbox"
)

const (
	// correctFor is how long after its end a period is still corrected, or still sent
	// if it was skipped.
	correctFor = 45 // days
	// mostCorrections is how many periods of a schedule each get a separate correction
	// mail in one check. If there are more, one mail reports all of them.
	mostCorrections = 3
)

// queueCorrections queues a correction for each sent period whose commission has
// changed by more than the schedule's tolerance, or one mail for all if there are many.
// After a partial summary any change counts. Figures sent under a different query of
// the schedule are not compared.
func (s *Service) queueCorrections(ctx context.Context, sc Schedule) error {
	told, err := s.told(ctx, sc)
	if err != nil {
		return err
	}
	var moved []restated
	for _, before := range told {
		wanted := sc.CorrectAbove != "" || before.Kind == outbox.SummaryPartial || before.Kind == outbox.SummarySkipped
		if !wanted || before.Every != sc.Every || before.Scope != s.scopeOf(sc) {
			continue
		}
		now, err := s.restatedTotals(ctx, sc, before)
		if err != nil {
			return err
		}
		if now != nil {
			moved = append(moved, restated{before, now})
		}
	}
	if len(moved) > mostCorrections {
		return s.digest(ctx, sc, moved)
	}
	for _, one := range moved {
		if err := s.correct(ctx, sc, one.before); err != nil {
			return err
		}
	}
	return nil
}

// restated is a period that was sent or skipped and whose figures have changed since.
type restated struct {
	before outbox.Summary
	now    []outbox.SummaryTotal
}

// number returns the number of its next correction.
func (r restated) number() int {
	if r.before.Kind == outbox.SummaryCorrected {
		return r.before.Number + 1
	}
	return 0
}

// restatedTotals returns the totals of a sent period if they have changed; nil if they
// have not, or if the period is not known completely.
func (s *Service) restatedTotals(ctx context.Context, sc Schedule, before outbox.Summary) ([]outbox.SummaryTotal, error) {
	p := dispatch.Period{Every: dispatch.Every(before.Every), Days: before.Days}
	gate, err := s.gate(ctx, sc, p)
	if err != nil || !gate.Closed {
		return nil, err
	}
	now, err := s.totals(ctx, sc, p)
	if err != nil || !movedBeyond(sc, before, now) {
		return nil, err
	}
	return append([]outbox.SummaryTotal{}, now...), nil // no records are left: empty, not nil
}

func (s *Service) told(ctx context.Context, sc Schedule) ([]outbox.Summary, error) {
	return store.Reading(ctx, s.store, func(r *store.Tx) ([]outbox.Summary, error) {
		return outbox.Told(ctx, r, sc.ID, affiliate.DayOf(s.now(), s.store.Zone())-correctFor)
	})
}

// correct queues a correction of a sent period if its figures have changed.
func (s *Service) correct(ctx context.Context, sc Schedule, before outbox.Summary) error {
	sum, err := s.summary(ctx, sc, dispatch.Period{Every: dispatch.Every(before.Every), Days: before.Days})
	if err != nil || !sum.Gate.Closed || !movedBeyond(sc, before, sum.Totals) {
		return err
	}
	if before.Kind == outbox.SummarySkipped {
		sum.CaughtUp = true
		sum.Notes = append(sum.Notes, "No summary of this period was sent on "+phrase.Clock(before.Made.Time(), s.store.Zone())+", since there was too little to tell. It has grown since.")
	} else {
		for _, m := range movesOf(before.Totals, sum.Totals) {
			m.fresh = m.fresh && before.Kind == outbox.SummaryPartial // a complete summary already said implicitly that there is no commission
			sum.Corrects = append(sum.Corrects, m.words(before.Made.Time(), s.store.Zone()))
		}
	}
	return s.queue(ctx, sc, sum, outbox.SummaryCorrected, restated{before: before}.number())
}

// digestOf takes the place of the period of a digest, which distinguishes it from
// corrections of single periods.
func digestOf(every dispatch.Every) dispatch.Every { return every + " digest" }

// digest queues one mail that reports all changed periods. It counts as the report of
// each of them.
func (s *Service) digest(ctx context.Context, sc Schedule, moved []restated) error {
	slices.SortFunc(moved, func(a, b restated) int { return int(a.before.Days.First - b.before.Days.First) })
	q := &question{author: &s.author, about: sc, Summary: Summary{Period: dispatch.Period{Every: dispatch.Every(sc.Every),
		Days: affiliate.Days{First: moved[0].before.Days.First, Last: moved[len(moved)-1].before.Days.Last}}}}
	if err := q.open(ctx); err != nil {
		return err
	}
	q.restatements(moved)
	q.Kind = outbox.SummaryCorrected
	q.Period.Every = digestOf(q.Period.Every)
	m, err := s.finish(ctx, sc, q.Summary)
	if err != nil {
		return err
	}
	m.Number = moved[0].number() // of its first day, which is corrected once under each number
	var told []outbox.Summary
	for _, one := range moved {
		told = append(told, outbox.Summary{Of: sc.Ref, Scope: m.Scope, Every: one.before.Every, Days: one.before.Days, Kind: outbox.SummaryCorrected,
			Number: one.number(), Made: m.Made, AsOf: m.AsOf, From: m.From, Subject: m.Subject, Totals: one.now})
	}
	to, err := s.addressees(ctx, sc, m)
	if err != nil {
		return err
	}
	queued, err := outbox.QueueDigest(ctx, s.store, m, told, to)
	if err == nil && queued {
		s.log.Info("a digest of corrections was queued", "schedule", sc.Name, "periods", len(told), "from", m.Days.First, "to", m.Days.Last, "recipients", len(to))
	}
	return err
}

// restatements fills in the content of a digest.
func (q *question) restatements(moved []restated) {
	zone := q.query.Zone
	unit := map[dispatch.Every]string{dispatch.Daily: "day", dispatch.Weekly: "week", dispatch.Monthly: "month"}[q.Period.Every]
	q.Over, q.Heading = "Affiliate report", phrase.Things(len(moved), unit)+" changed"
	q.Title = fmt.Sprintf("Affiliate report – %s changed, %s", phrase.Things(len(moved), unit), phrase.DaysIn(q.Period.Days, zone))
	q.Subject = q.Title
	if q.whose != "" {
		q.Subject += " – " + q.whose
		q.Over += " · " + q.whose
	}
	q.Complete = "Complete, as of " + phrase.Clock(q.query.AsOf, zone)
	q.Gate.Closed = true // incomplete periods are not among them
	q.Corrects = []string{fmt.Sprintf("Corrected: the commission of %s has changed since it was last reported. The tables show each figure as it was reported and as it is now.", phrase.Things(len(moved), unit))}
	if filter := filterWords(q.about); filter != "" {
		q.Notes = append(q.Notes, "Only "+filter+".")
	}
	var coins []affiliate.Coin
	skipped := false
	for _, one := range moved {
		skipped = skipped || one.before.Kind == outbox.SummarySkipped
		for _, m := range movesOf(one.before.Totals, one.now) {
			if !slices.Contains(coins, m.coin) {
				coins = append(coins, m.coin)
			}
		}
	}
	var lead []string
	for _, coin := range coins {
		t, sum := restatementTable(moved, coin, unit, zone)
		q.add(t)
		lead = append(lead, sum)
	}
	q.Lead = "Commission changed by " + strings.Join(lead, ", ") + "."
	if skipped {
		q.Notes = append(q.Notes, "Marked *: no summary was sent, since there was too little to tell.")
	}
	q.Link, q.Changes = q.linkTo(q.query), q.changesSince(q.query)
}

// restatementTable shows the sent and the current figure of each period in one coin.
func restatementTable(moved []restated, coin affiliate.Coin, unit string, zone *time.Location) (t FigureTable, by string) {
	t = FigureTable{Title: fmt.Sprintf("Commission by %s, %s", unit, coin), Head: []string{strings.ToUpper(unit[:1]) + unit[1:], "Reported", "Now", "Difference"}}
	var was, is affiliate.Amount
	row := func(name string, was, is affiliate.Amount) {
		by := is.Value.Sub(was.Value)
		t.Rows = append(t.Rows, []string{name, was.Value.String(), is.Value.String(), phrase.WithSign(by, by.String())})
	}
	for _, one := range moved {
		before := affiliate.Amount{Value: totalOf(one.before.Totals, coin).Decimal()}
		now := affiliate.Amount{Value: totalOf(one.now, coin).Decimal()}
		name := dispatch.Period{Every: dispatch.Every(one.before.Every), Days: one.before.Days}.Label(zone)
		if one.before.Kind == outbox.SummarySkipped {
			name += " *"
		}
		if !before.Value.Equal(now.Value) {
			row(name, before, now)
		}
		was.Value, is.Value = was.Value.Add(before.Value), is.Value.Add(now.Value)
	}
	row("All", was, is)
	sum := is.Value.Sub(was.Value)
	return t, phrase.WithSign(sum, affiliate.Amount{Value: sum, Coin: coin}.Exact())
}

// movedBeyond reports whether totals differ from the sent ones by more than the
// schedule's tolerance. A skipped period was not sent: it counts once it has grown to
// an amount that would have been sent. A schedule that was changed to skip less sends
// no past periods.
func movedBeyond(sc Schedule, before outbox.Summary, now []outbox.SummaryTotal) bool {
	if before.Kind == outbox.SummarySkipped {
		return len(movesOf(before.Totals, now)) > 0 && !skips(sc, len(now) == 0, now)
	}
	return slices.ContainsFunc(movesOf(before.Totals, now), func(m move) bool {
		if before.Kind == outbox.SummaryPartial {
			return true
		}
		return m.coin == sc.CorrectCoin && m.by.Value.Abs().GreaterThan(sc.CorrectAbove.Decimal())
	})
}

// move is the change in the commission of one coin.
type move struct {
	coin  affiliate.Coin
	was   affiliate.Amount
	by    affiliate.Amount
	fresh bool // no figure was sent for the coin
}

func (m move) words(told time.Time, zone *time.Location) string {
	now := affiliate.Amount{Value: m.was.Value.Add(m.by.Value), Coin: m.coin}
	if m.fresh {
		return fmt.Sprintf("Corrected: commission is %s, and was not known on %s.", now.Exact(), phrase.Clock(told, zone))
	}
	return fmt.Sprintf("Corrected: commission is %s, and was said to be %s on %s: %s.", now.Exact(), m.was.Exact(), phrase.Clock(told, zone), phrase.WithSign(m.by.Value, m.by.Exact()))
}

// movesOf lists the coins whose total has changed.
func movesOf(told, now []outbox.SummaryTotal) (moves []move) {
	var coins []affiliate.Coin
	for _, t := range slices.Concat(told, now) {
		if !slices.Contains(coins, t.Coin) {
			coins = append(coins, t.Coin)
		}
	}
	for _, coin := range coins {
		was, is := totalOf(told, coin).Decimal(), totalOf(now, coin).Decimal()
		if by := is.Sub(was); !by.IsZero() {
			fresh := !slices.ContainsFunc(told, func(t outbox.SummaryTotal) bool { return t.Coin == coin })
			moves = append(moves, move{coin, affiliate.Amount{Value: was, Coin: coin}, affiliate.Amount{Value: by, Coin: coin}, fresh})
		}
	}
	return moves
}

// months adds what became known of closed months since a message of the schedule told it, or else
// since their close. A message that is queued notes up to when it tells, so that each change is told
// once.
func (q *question) months(ctx context.Context) error {
	closed, err := q.reports.ClosingsInForce(ctx)
	if err != nil || len(closed) == 0 {
		return err
	}
	told, err := store.Reading(ctx, q.store, func(r *store.Tx) (map[affiliate.Day]affiliate.Millis, error) {
		return outbox.MonthsTold(ctx, r, q.about.ID)
	})
	if err != nil {
		return err
	}
	t := FigureTable{Title: "Changes after close, of closed months", Head: []string{"Month", "Coin", "Change", "Records"}, Spare: 3}
	for i := range closed {
		since, until := closed[i].Known, q.query.AsOfMillis()
		if at, ok := told[closed[i].Month]; ok {
			since = at
		}
		if since >= until {
			continue
		}
		asked, err := q.ask(months.DaysOf(closed[i].Month))
		if err != nil {
			return err
		}
		asked.AsOf, asked.Since, asked.Until = time.Time{}, since.Time(), until.Time()
		asked.Sort, asked.By, asked.Per = changes.Accepted.Order, changes.Splits()[0], 1
		view, err := reports.Ask(ctx, q.reports, asked, changes.Make)
		if err != nil {
			return err
		}
		for _, moved := range view.Totals {
			net := moved.Net()
			amount := affiliate.Amount{Value: net.Decimal(), Coin: moved.Coin}
			t.Rows = append(t.Rows, []string{phrase.MonthName(closed[i].Month), affiliate.OneLine(string(moved.Coin)),
				phrase.WithSign(amount.Value, amount.Value.String()), phrase.Count(moved.Records)})
		}
		q.MonthsTold = append(q.MonthsTold, outbox.MonthTold{Month: closed[i].Month, Until: until})
	}
	q.add(t)
	return nil
}
