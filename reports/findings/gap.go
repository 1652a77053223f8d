package findings

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/reports/recent"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/outbox"
	"rebatedesk/store/sums"
)

var _ = register(Kind{
	Finding: Gap{},
	Check:   &Check{Place: 10, Of: "missing days", Said: "days not collected, of every kind of record", Bound: true, Find: findGaps},
	Alert: &Alert{
		Name: "gap", Place: 20, Title: "A day is missing",
		When:  "A finished day is still not collected after some hours, for whatever reason.",
		Help:  "a day stays uncollected for --hours",
		Hours: 24,
		Words: func(w *Watched) string { return "A day stays uncollected for " + phrase.Things(w.Hours, "hour") },
		Signals: func(ctx context.Context, w *Watched) ([]Signal, error) {
			gaps, err := w.gaps(ctx)
			return gapSignals(w, gaps), err
		},
	},
	Events: []Event{{
		Name: "collection.incomplete", Place: 20, Label: "A day could not be collected", When: "A past day could not be collected.", Key: "gap|",
		Signals: func(ctx context.Context, w *Watched) ([]Signal, error) {
			gaps, err := w.gaps(ctx)
			tried := slices.DeleteFunc(slices.Clone(gaps), func(g coverage.Gap) bool { return g.Reason == "" })
			return gapSignals(w, tried), err
		},
	}},
	Headline: counted("", "day", " not collected"),
})

// Gap lists the gaps of an account: of streams that failed, or of streams not tried
// yet. Those of bills and transfers are a finding of their own.
type Gap struct {
	Account affiliate.Account
	Money   bool // of bills and transfers
	Streams []affiliate.Stream
	Gaps    []coverage.Gap // of all streams
	Days    int            // UTC days in total, counted for each stream
	Oldest  affiliate.Day
	Reason  string // why the newest try failed; empty if not tried yet
}

// Severity is higher for days whose reading failed than for days not tried yet. Commission
// figures do not depend on bills and transfers.
func (f Gap) Severity() Severity {
	severity := SeverityWarning
	if f.Reason != "" {
		severity = SeverityAlert
	}
	if f.Money {
		severity--
	}
	return severity
}

func (f Gap) words(a About) Statement {
	streams := phrase.Things(len(f.Streams), "kind") + " of records"
	if len(f.Streams) == 1 {
		streams = phrase.Stream(f.Streams[0])
	}
	state := " not collected"
	switch {
	case f.Reason != "":
		state = " failed"
	case a.isReading(f):
		state = " still to be read"
	}
	text := phrase.Capital(phrase.Gaps(f.Gaps)) + "."
	if ago := int(a.Today - f.Oldest); ago > 0 {
		text += " The oldest is " + phrase.Things(ago, "day") + " old."
	}
	return a.ofDays(Statement{
		Title:   phrase.Capital(streams) + a.of(f.Account) + ": " + phrase.Things(f.Days, "day") + state,
		Foreign: phrase.Told(f.Reason), Link: "See the collection", Href: "/collection",
	}, text)
}

// isReading reports whether the running collection is about to read the days of a gap.
func (a About) isReading(f Gap) bool { return a.Reading && f.Reason == "" && !a.Query.Past() }

// ofDays adds what is said of days that lack something: of the present state when they are tried next.
func (a About) ofDays(w Statement, text string) Statement {
	if a.Query.Past() {
		w.Link, w.Href = "See what is missing now", a.Now
	} else if a.NextTry != "" {
		text += " Next try " + a.NextTry + "."
	}
	w.Text = phrase.Say(text)
	return w
}

// findGaps checks every day that was ever to be collected.
func findGaps(ctx context.Context, s *recent.Snapshot) ([]Finding, error) {
	var found []Finding
	for _, money := range []bool{false, true} {
		gaps, err := missing(ctx, s.Snapshot, s.Today, money)
		if err != nil {
			return nil, err
		}
		failed, untried, unread := map[affiliate.Account]*Gap{}, map[affiliate.Account]*Gap{}, map[affiliate.Account]*Gap{}
		records := map[affiliate.Account]int{} // that could not be read
		for _, gap := range gaps {
			to := untried
			if gap.Quarantined > 0 {
				to = unread
			} else if gap.Reason != "" {
				to = failed
			}
			if to[gap.Account] == nil {
				to[gap.Account] = &Gap{Account: gap.Account, Money: money, Oldest: gap.Days.First}
			}
			to[gap.Account].add(gap)
			records[gap.Account] += gap.Quarantined
		}
		for _, account := range s.Accounts {
			for _, f := range []*Gap{failed[account], untried[account]} {
				if f != nil {
					found = append(found, *f)
				}
			}
			if f := unread[account]; f != nil {
				found = append(found, Quarantine{*f, records[account]})
			}
		}
	}
	return found, nil
}

// gaps lists the gaps in every day of commissions, invitees and sub-affiliates that was ever to be
// collected.
func (w *Watched) gaps(ctx context.Context) ([]coverage.Gap, error) {
	return ask(ctx, w, query.Query{Account: w.Account, Zone: w.Zone, Today: w.today()}, func(ctx context.Context, q *snapshot.Snapshot) ([]coverage.Gap, error) {
		return missing(ctx, q, q.Today, false)
	})
}

// missing lists the gaps in every day that was ever to be collected: of bills and transfers, or of all
// other kinds.
func missing(ctx context.Context, q *snapshot.Snapshot, today affiliate.Day, money bool) (gaps []coverage.Gap, err error) {
	first, err := sums.FirstDay(ctx, q.Tx, today)
	if err != nil {
		return nil, err
	}
	days := affiliate.Days{First: min(first, today), Last: today}
	for _, kind := range affiliate.StreamKinds() {
		if kind.Money() != money {
			continue
		}
		cover, err := q.ReadCoverage(ctx, kind, days)
		if err != nil {
			return nil, err
		}
		for _, stream := range cover.Streams {
			gaps = append(gaps, cover.Gaps(stream, days)...)
		}
	}
	return gaps, nil
}

func (f *Gap) add(gap coverage.Gap) {
	if !slices.Contains(f.Streams, gap.Stream) {
		f.Streams = append(f.Streams, gap.Stream)
	}
	f.Gaps = append(f.Gaps, gap)
	f.Days += gap.Days.Len()
	f.Oldest = min(f.Oldest, gap.Days.First)
	f.Reason = cmp.Or(gap.Reason, f.Reason)
}

// gapSignals reports past days that are not collected. Days still to be collected by a
// run that is in progress and has had no failure are left out.
func gapSignals(w *Watched, gaps []coverage.Gap) []Signal {
	under := map[affiliate.Account]bool{}
	for _, c := range w.Collecting {
		under[c.Account] = c.Read.Known()
	}
	missing, reasons := map[gapKey][]string{}, map[gapKey]string{}
	var places []gapKey
	for _, gap := range gaps {
		if gap.Account == "" || gap.Reason == "" && under[gap.Account] {
			continue
		}
		for day := gap.Days.First; day <= gap.Days.Last && !day.Range(time.UTC).To.After(w.Now); day++ {
			at := gapKey{gap.Account, day}
			if missing[at] == nil {
				places = append(places, at)
			}
			missing[at] = append(missing[at], phrase.Stream(gap.Stream))
			reasons[at] = max(reasons[at], gap.Reason)
		}
	}
	slices.SortFunc(places, func(a, b gapKey) int { return int(a.day - b.day) })
	var found []Signal
	for _, at := range places {
		words := strings.Join(missing[at], ", ") + " not collected"
		if reason := reasons[at]; reason != "" {
			words += " – " + phrase.Because(reason)
		}
		found = append(found, Signal{Key: fmt.Sprintf("gap|%s|%s", at.account, at.day), Words: gapDays(at.account, affiliate.Days{First: at.day, Last: at.day}) + words,
			Page: withQuery("/collection", "account", string(at.account)), After: time.Duration(w.Hours) * time.Hour,
			Detail: details("account", string(at.account), "day", at.day.String(), "streams", strings.Join(missing[at], ", "), "error", phrase.Told(reasons[at]), "exact", phrase.Exactly(reasons[at]))})
	}
	return found
}

// gapDays returns the start of the text about missing days.
func gapDays(account affiliate.Account, days affiliate.Days) string {
	return affiliate.OneLine(string(account)) + ", " + phrase.DaysIn(days, time.UTC) + ": "
}

// Joined returns the facts of a message, with neighbouring days that lack the same data
// merged into one: an outage of a month is one line.
func Joined(facts []outbox.Fact) (list []outbox.Fact) {
	var last gapKey
	var days affiliate.Days
	var rest string
	for _, f := range facts {
		key, ok := gapOf(f.Key)
		if !ok {
			list, rest = append(list, f), ""
			continue
		}
		own := strings.TrimPrefix(f.Words, gapDays(key.account, affiliate.Days{First: key.day, Last: key.day}))
		if rest == own && key == (gapKey{last.account, last.day + 1}) && list[len(list)-1].Lasting == f.Lasting {
			days.Last = key.day
			list[len(list)-1].Words = gapDays(key.account, days) + own
		} else {
			list, days = append(list, f), affiliate.Days{First: key.day, Last: key.day}
		}
		last, rest = key, own
	}
	return list
}

// gapKey is the parsed key of a missing day.
type gapKey struct {
	account affiliate.Account
	day     affiliate.Day
}

func gapOf(key string) (gapKey, bool) {
	text, ok := strings.CutPrefix(key, "gap|")
	at := strings.LastIndex(text, "|")
	if !ok || at < 0 {
		return gapKey{}, false
	}
	day, err := affiliate.ParseDay(text[at+1:])
	return gapKey{affiliate.Account(text[:at]), day}, err == nil
}
