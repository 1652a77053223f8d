package collector

import (
	"rebatedesk/affiliate"
	"rebatedesk/store/records"
)

// RunReport is the result of a run, in the form that `collect --json` prints.
type RunReport struct {
	Complete   bool         `json:"complete"`
	Requests   int64        `json:"requests"`
	Weight     int64        `json:"weight"`
	Records    int64        `json:"records"`
	Opened     int64        `json:"opened"`
	Closed     int64        `json:"closed"`
	Slices     int64        `json:"slices"`
	Incomplete []Incomplete `json:"incomplete"`

	// Postponed means that the run stopped at its time limit with days left.
	Postponed bool `json:"-"`

	// outages is how many consecutive runs the silence of the exchange has ended, for the
	// account with the most.
	outages int
}

// Incomplete is a range of UTC days that could not be read, with the reason.
type Incomplete struct {
	Account affiliate.Account    `json:"account"`
	Stream  affiliate.StreamKind `json:"stream"`
	Product affiliate.Product    `json:"product,omitempty"` // empty for invitees
	From    string               `json:"from"`
	To      string               `json:"to"`
	Error   string               `json:"error"`
}

func (r *RunReport) add(w records.Written) {
	r.Slices++
	r.Records += int64(w.Records)
	r.Opened += int64(w.Opened)
	r.Closed += int64(w.Closed)
}

// incomplete returns the line of a window that could not be read.
func (r *run) incomplete(w window, cause string) Incomplete {
	return Incomplete{
		Account: r.account.Name, Stream: w.stream.Kind, Product: w.stream.Product,
		From: w.days.First.String(), To: w.days.Last.String(), Error: cause,
	}
}

// notReached lists the rest of a plan that ended early.
func (r *run) notReached(cause string) []Incomplete {
	var list []Incomplete
	for {
		w, ok := r.plan.next()
		if !ok {
			return list
		}
		list = append(list, r.incomplete(w, cause))
	}
}
