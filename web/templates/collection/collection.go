// Package collection draws the pages about the state of the collection and about
// restatements.
package collection

import (
	"strconv"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/collection"
	"rebatedesk/reports/coverage"
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

// sum adds up all streams.
func (v CollectionView) sum() collected {
	var all collected
	for i, s := range v.Report.Streams {
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
