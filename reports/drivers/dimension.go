package drivers

import (
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
)

// Dimension is a way to divide a change: a value of by=.
type Dimension string

// Dimensions. The contributions along each add up to the change of commission.
const (
	InviteeDrivers Dimension = "invitee"
	CodeDrivers    Dimension = "code"
	PairDrivers    Dimension = "symbol"
	ProductDrivers Dimension = figures.ByProduct
	SourceDrivers  Dimension = figures.BySource
)

// Dimensions lists the ways to divide a change in the order they are offered. The first is the
// default.
func Dimensions() []Dimension {
	return []Dimension{InviteeDrivers, CodeDrivers, PairDrivers, ProductDrivers, SourceDrivers}
}

// Rank returns the ranking with the same entries.
func (d Dimension) Rank() figures.RankBy {
	switch d {
	case CodeDrivers:
		return figures.RankCodes
	case PairDrivers:
		return figures.RankPairs
	case ProductDrivers:
		return figures.RankProducts
	case SourceDrivers:
		return figures.RankSources
	}
	return figures.RankInvitees
}

// People reports whether the entries are invitees, or codes that stand for them: only those
// can be new, lost or reactivated.
func (d Dimension) People() bool { return d == InviteeDrivers || d == CodeDrivers }

// AcceptedOfDrivers are the parameters of the page and of its files.
var AcceptedOfDrivers = query.AcceptedParams{By: names(Dimensions()), Compared: query.ComparePrevious}

func names(list []Dimension) []string {
	texts := make([]string, len(list))
	for i, d := range list {
		texts[i] = string(d)
	}
	return texts
}
