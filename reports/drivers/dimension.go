package drivers

import (
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
)

// Dimension is a way to divide a change: a value of by=.
type Dimension string

// Dimensions. The contributions along each add up to the change of commission.
const (
	ByInvitee Dimension = "invitee"
	ByCode    Dimension = "code"
	ByPair    Dimension = "symbol"
	ByProduct Dimension = figures.ByProduct
	BySource  Dimension = figures.BySource
)

// Dimensions lists the ways to divide a change in the order they are offered. The first is the
// default.
func Dimensions() []Dimension {
	return []Dimension{ByInvitee, ByCode, ByPair, ByProduct, BySource}
}

// Rank returns the ranking with the same entries.
func (d Dimension) Rank() figures.RankBy {
	switch d {
	case ByCode:
		return figures.RankCodes
	case ByPair:
		return figures.RankPairs
	case ByProduct:
		return figures.RankProducts
	case BySource:
		return figures.RankSources
	}
	return figures.RankInvitees
}

// People reports whether the entries are invitees, or codes that stand for them: only those
// can be new, lost or reactivated.
func (d Dimension) People() bool { return d == ByInvitee || d == ByCode }

// Accepted are the parameters of the page and of its files.
var Accepted = query.AcceptedParams{By: names(Dimensions()), Compared: query.ComparePrevious}

func names(list []Dimension) []string {
	texts := make([]string, len(list))
	for i, d := range list {
		texts[i] = string(d)
	}
	return texts
}
