package findings

import (
	"cmp"
	"context"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/query"
	"rebatedesk/reports/recent"
	"rebatedesk/reports/snapshot"
)

// Report lists the findings at the time of the query. They concern the present, whatever
// range a page shows.
type Report struct {
	Query    query.Query
	Days     affiliate.Days // the last thirty reporting days
	Findings []Finding      // most severe first; equal ones by worth, largest first
}

// Finding is something that was found. Its type is that of its kind.
type Finding interface {
	Severity() Severity
	words(About) Statement
}

// Severity orders findings; a higher one is worse.
type Severity int

// Severities of findings.
const (
	SeverityInfo    Severity = iota // worth knowing
	SeverityWarning                 // worth a look
	SeverityAlert                   // figures are missing, and more will be
)

// String names how urgent a finding is.
func (s Severity) String() string {
	switch s {
	case SeverityAlert:
		return "Alert"
	case SeverityWarning:
		return "Warning"
	}
	return "For information"
}

// Pressing lists the findings that are more severe than SeverityInfo.
func (r Report) Pressing() []Finding {
	return slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool { return f.Severity() <= SeverityInfo })
}

// Quiet reports whether no finding is more severe than SeverityInfo.
func (r Report) Quiet() bool { return len(r.Pressing()) == 0 }

// Make makes the report. A user who sees some invitees only, and a segment, have the checks that can be
// made for them.
func Make(ctx context.Context, q *snapshot.Snapshot) (Report, error) {
	now := *q
	now.Query = query.Query{Account: q.Account, Segment: q.Segment, Members: q.Members, AsOf: q.AsOf, Zone: q.Zone, Today: q.Today, Page: 1, Per: query.DefaultPer}
	s, err := recent.Read(ctx, &now)
	if err != nil {
		return Report{}, err
	}
	view := Report{Query: q.Query, Days: s.Days}
	for _, check := range Checks() {
		if s.Limited() && !check.Bound || s.Segment != "" && !check.Segments || !s.AsOf.IsZero() && check.NoPast {
			continue
		}
		failed, err := s.Guard.Part("looking for "+check.Of, func() error {
			found, err := check.Find(ctx, s)
			view.Findings = append(view.Findings, found...)
			return err
		})
		if err != nil {
			return view, err
		}
		if failed {
			view.Findings = append(view.Findings, Fault{Check: check.Of})
		}
	}
	order(s, view.Findings)
	return view, nil
}

// stake is the money that a finding concerns.
type stake struct {
	group int
	worth decimal.Decimal // in ValuedIn
}

// Groups of findings of one severity, in order.
const (
	stakeNone      = iota // a problem of the figures themselves, such as missing days
	stakeKnown            // money of known worth
	stakeUnknown          // money in a coin of unknown worth
	stakeLingering        // a condition that lasts for months and would hide new findings
)

// staked is a finding that concerns money.
type staked interface {
	stake(*recent.Snapshot) stake
}

// stakeOf is the stake of an amount.
func stakeOf(s *recent.Snapshot, value decimal.Decimal, coin affiliate.Coin) stake {
	price, known := s.Prices[coin]
	if !known {
		return stake{group: stakeUnknown}
	}
	return stake{group: stakeKnown, worth: value.Mul(price.Decimal)}
}

// order sorts findings by severity, then by worth over all coins.
func order(s *recent.Snapshot, findings []Finding) {
	of := func(f Finding) (none stake) {
		if f, ok := f.(staked); ok {
			return f.stake(s)
		}
		return none
	}
	slices.SortStableFunc(findings, func(a, b Finding) int {
		one, other := of(a), of(b)
		return cmp.Or(cmp.Compare(b.Severity(), a.Severity()), cmp.Compare(one.group, other.group), other.worth.Cmp(one.worth))
	})
}
