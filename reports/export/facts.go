package export

import (
	"rebatedesk/reports/coverage"
)

// Metadata describe a file: its question, how complete the answer is, and the instant it
// is known as of. They are part of the manifest, and of the file where its format has
// a place for them.
type Metadata struct {
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

	Gaps []coverage.Gap `json:"-"`
	Lack string         `json:"-"` // how much is collected of a range that is not complete
}
