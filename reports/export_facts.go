package reports

import (
	"time"
)

// ExportFacts say what a file holds besides its rows: which question it
// answers, how completely, and as known when. They stand in the file where its
// format has a place for them, and in the manifest beside it.
type ExportFacts struct {
	Kind      string `json:"kind"`
	From      string `json:"from"` // days of Timezone, both included
	To        string `json:"to"`
	Timezone  string `json:"timezone"`
	AsOf      string `json:"as_of,omitempty"`   // the state known then, where an earlier one was asked for
	Filters   string `json:"filters,omitempty"` // as a query string
	Sort      string `json:"sort,omitempty"`
	Complete  bool   `json:"complete"`
	Collected int    `json:"days_collected"`
	Days      int    `json:"days"` // of the range that are due
	Through   string `json:"collected_through,omitempty"`
	Written   string `json:"written"`

	Gaps []Gap  `json:"-"`
	Lack string `json:"-"` // how much is collected of a range that is not complete
}

// Facts are the facts of the export.
func (e *Export) Facts() ExportFacts {
	q := e.Query
	f := ExportFacts{
		Kind: string(e.Kind), From: q.Days.First.String(), To: q.Days.Last.String(), Timezone: q.Zone.String(),
		Filters: q.Filters().Encode(), Complete: e.Coverage.Complete(), Collected: e.Coverage.Collected, Days: e.Coverage.Wanted,
		Through: e.Coverage.Through.String(), Written: e.opened.UTC().Format(time.RFC3339), Gaps: e.Coverage.Gaps, Lack: e.Coverage.Lack(),
	}
	if q.Sort.Field != "" {
		f.Sort = q.Sort.String()
	}
	if !q.AsOf.IsZero() {
		f.AsOf = q.AsOf.Format(time.RFC3339Nano)
	}
	return f
}
