package export

import (
	"rebatedesk/reports/coverage"
)

// Metadata describe a file: its query, how complete the answer is, and the instant as of
// which it is known. They are part of the manifest, and of the file if its format has a
// place for them.
type Metadata struct {
	Kind      string `json:"kind"`
	From      string `json:"from"` // days of Timezone, both included
	To        string `json:"to"`
	Timezone  string `json:"timezone"`
	AsOf      string `json:"as_of,omitempty"` // the past state requested, if any
	Since     string `json:"since,omitempty"` // the instants between which changes became known, if requested
	Until     string `json:"until,omitempty"`
	Filters   string `json:"filters,omitempty"` // as a query string
	Sort      string `json:"sort,omitempty"`
	Complete  bool   `json:"complete"`
	Collected int    `json:"days_collected"`
	Days      int    `json:"days"` // due days of the range
	Through   string `json:"collected_through,omitempty"`
	Written   string `json:"written"`

	Gaps []coverage.Gap `json:"-"`
	Lack string         `json:"-"` // how much of an incomplete range is collected

	Annotations []Annotated `json:"annotations,omitempty"` // on days of the range, in a file of figures by day

	Notes [][]string `json:"-"` // further lines of a workbook's sheet of totals
}

// Annotated is what a user wrote about days of a file.
type Annotated struct {
	From    string `json:"from"` // days of the file's time zone, both included
	To      string `json:"to"`
	Words   string `json:"words"`
	Account string `json:"account,omitempty"` // empty: every account
	Code    string `json:"code,omitempty"`    // invite code; empty: all
	Author  string `json:"author"`
	Written string `json:"written"` // RFC 3339
}
