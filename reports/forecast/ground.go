package forecast

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/estimate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/people"
	"rebatedesk/store/sums"
)

// ground is what the forecasts of one query are made from, for all coins.
type ground struct {
	span    affiliate.Days
	today   affiliate.Day
	next    affiliate.Day // the first day that is not over, or was over only a moment ago
	read    time.Duration // how much of it is read
	day     time.Duration // of its length
	known   affiliate.Day // the days from here to next are completely collected
	lack    Lack          // days that every forecast needs
	sums    []sums.DaySums
	amounts figures.DayAmounts
	prices  figures.Valuation // the rates of all days that have commission
	covered coverage.Coverage // of the days of the span that have begun
}

// history is how many days before today are read. It is more than an estimate uses, so that
// earlier months can be tested.
const history = 800

// atOnce is how long a day that is over may be read in part before it counts as incomplete:
// the next collection completes it.
const atOnce = time.Hour

// lay reads what is known about the days of a span and those before it.
func lay(ctx context.Context, q *snapshot.Snapshot, span affiliate.Days) (*ground, error) {
	g := &ground{span: span, today: affiliate.DayOf(q.Now, q.Zone)}
	asked := *q
	asked.Days = affiliate.Days{First: max(min(span.First, g.today-history), query.Earliest), Last: max(g.today, span.First)}
	asked.Range = query.Custom
	q = &asked
	var err error
	if g.sums, err = dailySums(ctx, q); err != nil {
		return nil, err
	}
	g.amounts = figures.CommissionDays(g.sums)
	cover, err := q.ReadCoverage(ctx, affiliate.Commissions, q.Days)
	if err != nil {
		return nil, err
	}
	begins, wanted, err := sums.WantedFrom(ctx, q.Tx)
	if err != nil {
		return nil, err
	}
	// A day before the range that lacks nothing but a record that could not be read still tells
	// what such days bring.
	usable := func(day affiliate.Day) bool {
		return cover.State(day) == coverage.DayCollected || day < span.First && cover.ReadThrough(day)
	}
	g.next = unended(q, cover, g.today)
	if at := reached(cover, g.next); at.Known() {
		day := g.next.Range(q.Zone)
		g.read, g.day = at.Time().Add(-coverage.ListingLag).Sub(day.From), day.To.Sub(day.From)
	}
	for g.known = g.next; g.known > q.Days.First && usable(g.known-1); {
		g.known--
	}
	first := g.next
	if wanted {
		// Before the first whole reporting day nothing was ever to be collected.
		first = affiliate.DayOf(begins.Start(time.UTC).Add(-time.Nanosecond), q.Zone) + 1
	}
	needed := affiliate.Days{First: span.First, Last: min(span.Last, g.today)}
	if g.next <= span.Last {
		reach := int(span.Last - g.next + 1)
		if reach > farthest {
			g.lack = Lack{Kind: LackFar, Have: reach, Need: farthest}
		}
		needed = affiliate.Days{First: min(span.First, max(first, g.next-affiliate.Day(estimate.Needed(reach)))), Last: g.today}
	}
	g.covered = cover.Summary(affiliate.Days{First: span.First, Last: min(span.Last, g.today)})
	var missing []affiliate.Days
	for day := needed.First; day <= needed.Last; day++ {
		state := cover.State(day)
		if usable(day) || day >= g.next && (state == coverage.DayRunning || state == coverage.DayFresh || day < g.today) {
			continue
		}
		if n := len(missing); n > 0 && missing[n-1].Last == day-1 {
			missing[n-1].Last = day
		} else {
			missing = append(missing, affiliate.Days{First: day, Last: day})
		}
	}
	if len(missing) > 0 {
		g.lack = Lack{Kind: LackDays, Days: missing, Gaps: cover.Summary(needed).Gaps, Before: wanted && missing[0].First < first}
	}
	if q.Code != "" && g.lack.Kind == "" {
		// Which commission belongs to a code is known from the invitees.
		invitees, err := q.ListedCoverage(ctx)
		if err != nil {
			return nil, err
		}
		if !invitees.Complete() {
			g.lack = Lack{Kind: LackInvitees, Gaps: invitees.Gaps}
		}
	}
	return g, nil
}

// unended returns the first day that is not over, or was over only a moment ago.
func unended(q *snapshot.Snapshot, cover *coverage.Map, today affiliate.Day) affiliate.Day {
	if today.Start(q.Zone).Add(atOnce).After(q.Now) && cover.State(today-1) != coverage.DayCollected && reached(cover, today-1).Known() {
		return today - 1
	}
	return today
}

// Complete returns the newest days that are over and, without a gap, completely collected: at most so many. A day
// that lacks nothing but a record that could not be read is among them.
func Complete(ctx context.Context, q *snapshot.Snapshot, most int) (affiliate.Days, error) {
	today := affiliate.DayOf(q.Now, q.Zone)
	cover, err := q.ReadCoverage(ctx, affiliate.Commissions, affiliate.Days{First: today - affiliate.Day(most), Last: today})
	if err != nil {
		return affiliate.Days{}, err
	}
	next := unended(q, cover, today)
	first := next
	for int(next-first) < most && cover.ReadThrough(first-1) {
		first--
	}
	return affiliate.Days{First: first, Last: next - 1}, nil
}

// reached returns up to when a day is read, or unknown if nothing of it is.
func reached(cover *coverage.Map, day affiliate.Day) affiliate.Millis {
	return cover.Summary(affiliate.Days{First: day, Last: day}).Through
}

// dailySums adds up the days of the query.
func dailySums(ctx context.Context, q *snapshot.Snapshot) ([]sums.DaySums, error) {
	if q.Tag == "" {
		return snapshot.OfDays(ctx, q, "forecast days", q.Filter(), sums.EachDay, sums.JoinEachDay)
	}
	tagged, err := people.Tagged(ctx, q.Whole(), q.Tag)
	if err != nil {
		return nil, err
	}
	var asked []sums.InviteeKey
	for uid := range tagged {
		if q.UID != "" && q.UID != uid {
			continue
		}
		for _, account := range q.Accounts {
			asked = append(asked, sums.InviteeKey{Account: account, UID: uid})
		}
	}
	slices.SortFunc(asked, func(a, b sums.InviteeKey) int {
		return strings.Compare(string(a.Account)+"\x00"+string(a.UID), string(b.Account)+"\x00"+string(b.UID))
	})
	of, err := sums.ByInviteeDay(ctx, q.Tx, q.Filter(), asked)
	if err != nil {
		return nil, err
	}
	var list []sums.DaySums
	for _, key := range asked {
		list = append(list, of[key]...)
	}
	return list, nil
}

// price converts the days of all coins.
func (g *ground) price(ctx context.Context, q *snapshot.Snapshot) error {
	valued, err := q.Valued(ctx, g.sums, figures.Reference{})
	g.prices = valued.Valuation
	return err
}

// before returns the complete days before the first one to estimate, from the first day with
// commission on, and what is known of the days since.
func (g *ground) before(amounts map[affiliate.Day]decimal.Decimal) (estimate.PastDays, estimate.Begun) {
	h := estimate.PastDays{First: g.next}
	begun := estimate.Begun{Read: g.read, Day: g.day}
	for day, amount := range amounts {
		switch {
		case amount.IsZero():
		case day >= g.next:
			if g.span.Contains(day) {
				begun.Amount = begun.Amount.Add(amount)
			}
		case day >= g.known:
			h.First = min(h.First, day)
		}
	}
	if g.next > g.span.Last {
		h.First = min(h.First, g.span.First) // nothing is estimated
	}
	h.Amounts = make([]decimal.Decimal, g.next-h.First)
	for i := range h.Amounts {
		h.Amounts[i] = amounts[h.First+affiliate.Day(i)]
	}
	return h, begun
}
