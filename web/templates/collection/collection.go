// Package collection draws the pages about the state of the collection and about
// restatements.
package collection

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/collection"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/phrase"
	"rebatedesk/store/payments"
	"rebatedesk/store/records"
	"rebatedesk/web/templates/ui"
)

// CollectionView is the state of the collection.
type CollectionView struct {
	Report    collection.Report
	Calendars []coverage.StreamCalendar
	Runs      []collection.RunRow // one page of them
	RunCount  int64
	Restated  RestatementsView // the newest of the last 90 days
	Links     ui.Links         // of the page: the account, and which page of the runs
	Zone      *time.Location
	Run       ui.CollectionRun
	Database  DatabaseView
}

// collected is the progress of a stream in days. Days that the exchange no longer
// provides are neither planned nor collected.
type collected struct {
	Days                           affiliate.Days // from the oldest to the newest
	Planned, Collected, OutOfReach int
	Through                        affiliate.Millis // unknown if it is for any stream
}

func sumOf(s coverage.StreamCoverage) collected {
	return collected{
		Days: s.Days, Planned: s.Coverage.Wanted - s.OutOfReach, Collected: s.Coverage.Collected - s.OutOfReach,
		OutOfReach: s.OutOfReach, Through: s.Coverage.Through,
	}
}

// streams returns the streams of bills and transfers, or the others.
func (v CollectionView) streams(money bool) []coverage.StreamCoverage {
	return slices.DeleteFunc(slices.Clone(v.Report.Streams), func(s coverage.StreamCoverage) bool { return s.Stream.Kind.Money() != money })
}

// refused returns the accounts whose key may not read bills or transfers, with these streams.
func (v CollectionView) refused() (list []refusedStreams) {
	for _, f := range v.Report.Refused {
		if f.Partial() {
			continue
		}
		if n := len(list); n == 0 || list[n-1].Account != f.Account {
			list = append(list, refusedStreams{Account: f.Account, Since: f.Since, Error: f.Error})
		}
		last := &list[len(list)-1]
		last.Streams = append(last.Streams, affiliate.Stream{Kind: f.Stream})
		last.Since = min(last.Since, f.Since)
	}
	return list
}

// refusedStreams are the streams that the key of an account may not read.
type refusedStreams struct {
	Account affiliate.Account
	Streams []affiliate.Stream
	Since   affiliate.Millis
	Error   string // of the exchange
}

// refusal returns the refusal of a stream.
func (v CollectionView) refusal(s coverage.StreamCoverage) (payments.Refusal, bool) {
	i := slices.IndexFunc(v.Report.Refused, func(f payments.Refusal) bool { return f.Account == s.Account && f.Stream == s.Stream.Kind })
	if i < 0 {
		return payments.Refusal{}, false
	}
	return v.Report.Refused[i], true
}

// shown returns the calendars, without those of streams of which nothing was ever read and
// nothing can be.
func (v CollectionView) shown() []coverage.StreamCalendar {
	return slices.DeleteFunc(slices.Clone(v.Calendars), func(c coverage.StreamCalendar) bool {
		return c.Stream.Kind.Money() && !slices.ContainsFunc(c.Days, func(d coverage.CalendarDay) bool { return d.State != coverage.CalendarBeyond })
	})
}

// sum adds up the streams on which commission figures are based.
func (v CollectionView) sum() collected {
	var all collected
	for i, s := range v.streams(false) {
		one := sumOf(s)
		if i == 0 {
			all = one
			continue
		}
		all.Days = affiliate.Days{First: min(all.Days.First, one.Days.First), Last: max(all.Days.Last, one.Days.Last)}
		all.Planned += one.Planned
		all.Collected += one.Collected
		all.OutOfReach += one.OutOfReach
		all.Through = min(all.Through, one.Through)
	}
	return all
}

// accounts returns the number of accounts.
func (v CollectionView) accounts() int {
	names := map[affiliate.Account]bool{}
	for _, s := range v.Report.Streams {
		names[s.Account] = true
	}
	return len(names)
}

// gapsID returns the id of the folded gaps of a stream, which stay unfolded while the
// page is refreshed.
func gapsID(gap coverage.Gap) string {
	return "gaps-" + string(gap.Account) + "-" + string(gap.Stream.Kind) + "-" + string(gap.Stream.Product)
}

// runID returns the id of the failures of a run, which stay unfolded while the page is
// refreshed.
func runID(r collection.RunRow) string { return "run-" + strconv.FormatInt(r.ID, 10) }

// quarantineLead says what the records in quarantine mean for the figures.
func (v CollectionView) quarantineLead() string {
	n := 0
	for _, l := range v.Report.Quarantine {
		if !l.Spared {
			n += l.Copies
		}
	}
	if n == 0 {
		return "Fields that could not be read and that no figure needs. Their records count"
	}
	if n == 1 {
		return "1 record of the exchange could not be read, and is in no figure. It is kept as received, its day counts as incomplete, and it is asked for again"
	}
	return phrase.Things(n, "record") + " of the exchange could not be read, and are in no figure. They are kept as received, their days count as incomplete, and they are asked for again"
}

// quarantinedThings names the records of a line, with their number if there are several.
func quarantinedThings(l records.QuarantineLine) string {
	words := phrase.Capital(phrase.Stream(l.Stream))
	if l.Copies > 1 {
		words += " × " + phrase.Count(l.Copies)
	}
	return words
}

// quarantineMeaning says what a line means for the figures.
func quarantineMeaning(l records.QuarantineLine) string {
	if l.Spared {
		return "The record counts; only this field is left out, which no figure needs."
	}
	return "The record is in no figure, and its day is incomplete, until the exchange sends it right."
}

// problemWords says how much of a run could not be read.
func problemWords(r collection.RunRow) string {
	var words []string
	if r.Failed > 0 {
		words = append(words, phrase.Things(r.Failed, "failed slice"))
	}
	if r.Quarantined > 0 {
		words = append(words, phrase.Things(r.Quarantined, "record")+" in quarantine")
	}
	return strings.Join(words, ", ")
}
