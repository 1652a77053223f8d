package sums

import (
	"context"
	"fmt"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/rollup"
)

// RankedNames are the invitees, pairs and invite codes whose days are asked for. A pair or code
// counts in all accounts together.
type RankedNames struct {
	Invitees []InviteeKey
	Symbols  []string
	Codes    []string // "": invitees whose code is not known
}

// RankedDays is the commission per reporting day of some invitees, pairs and invite codes. Names
// without records are missing, and so are the pairs if they were left out.
type RankedDays struct {
	Invitees map[InviteeKey]map[affiliate.Day]*affiliate.Sum
	Symbols  map[string]map[affiliate.Day]*affiliate.Sum
	Codes    map[string]map[affiliate.Day]*affiliate.Sum
}

// rowsOfPairs is the longest range for which pairs of single people are read. No roll-up has their
// days, so longer ranges would read rows that no other sum of such a filter reads.
const rowsOfPairs = 31

// PairsHaveDays reports whether [DaysOfRanked] reads the days of pairs.
func PairsHaveDays(r *store.Tx, f records.CommissionFilter) bool {
	return f.UID == "" && !f.Members.Single() || !pairsOfPeople(r, f) || f.Code != "" || f.Days.Len() <= rowsOfPairs
}

// DaysOfRanked adds up the commission of the filter, which must name a coin, by day for each of
// the names. Every kind of name takes one reading of the roll-ups of days; kinds that these cannot
// answer share one reading of the rows.
func DaysOfRanked(asked RankedNames) Reading[RankedDays] {
	return Reading[RankedDays]{longest: rollup.OfDay, invitees: true, Read: func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (RankedDays, error) {
		days, err := readRankedDays(ctx, r, f, asked)
		if err != nil {
			return days, fmt.Errorf("adding up commissions of ranked names by day: %w", err)
		}
		return days, nil
	}}
}

// JoinRanked returns the days of all parts, which are of different days.
func JoinRanked(parts ...RankedDays) RankedDays {
	joined := newRankedDays()
	for _, part := range parts {
		joinDays(joined.Invitees, part.Invitees)
		joinDays(joined.Symbols, part.Symbols)
		joinDays(joined.Codes, part.Codes)
	}
	return joined
}

func joinDays[K comparable](to, from map[K]map[affiliate.Day]*affiliate.Sum) {
	for key, days := range from {
		if to[key] == nil {
			to[key] = make(map[affiliate.Day]*affiliate.Sum, len(days))
		}
		for day, sum := range days {
			to[key][day] = sum
		}
	}
}

func newRankedDays() RankedDays {
	return RankedDays{map[InviteeKey]map[affiliate.Day]*affiliate.Sum{}, map[string]map[affiliate.Day]*affiliate.Sum{}, map[string]map[affiliate.Day]*affiliate.Sum{}}
}

func readRankedDays(ctx context.Context, r *store.Tx, f records.CommissionFilter, asked RankedNames) (RankedDays, error) {
	read := &rankedReader{RankedDays: newRankedDays()}
	var err error
	if read.names, err = r.AccountNames(ctx); err != nil {
		return read.RankedDays, err
	}
	for _, key := range asked.Invitees {
		read.Invitees[key] = map[affiliate.Day]*affiliate.Sum{}
	}
	for _, code := range asked.Codes {
		read.Codes[code] = map[affiliate.Day]*affiliate.Sum{}
	}
	if PairsHaveDays(r, f) {
		for _, symbol := range asked.Symbols {
			read.Symbols[symbol] = map[affiliate.Day]*affiliate.Sum{}
		}
	}
	var rows []func(*entry) error // of the kinds without roll-ups
	if !inBlocks(r, f, rollup.ByCode) && len(read.Codes) > 0 {
		if read.codes, err = inviteeCodes(ctx, r, f); err != nil {
			return read.RankedDays, err
		}
	}
	switch {
	case !inBlocks(r, f, rollup.ByUID):
		rows = append(rows, read.invitee, read.code)
	case inBlocks(r, f, rollup.ByCode):
		if err = eachEntry(ctx, r, f, rollup.ByCode, rollup.OfDay, read.code); err == nil {
			err = read.inviteesFromBlocks(ctx, r, f, asked.Invitees)
		}
	default: // the lines of single people also tell their codes
		err = eachEntry(ctx, r, f, rollup.ByUID, rollup.OfDay, func(e *entry) error {
			if err := read.invitee(e); err != nil {
				return err
			}
			return read.code(e)
		})
	}
	if err != nil {
		return read.RankedDays, err
	}
	switch {
	case len(read.Symbols) == 0:
	case inBlocks(r, f, rollup.BySymbol):
		err = eachEntry(ctx, r, f, rollup.BySymbol, rollup.OfDay, read.symbol)
	default:
		rows = append(rows, read.symbol)
	}
	if err != nil || len(rows) == 0 {
		return read.RankedDays, err
	}
	return read.RankedDays, eachRecord(ctx, r, f, rollup.ByUID, func(e *entry) error {
		for _, see := range rows {
			if err := see(e); err != nil {
				return err
			}
		}
		return nil
	})
}

type rankedReader struct {
	RankedDays
	names map[int64]affiliate.Account
	codes codeOf // nil: names of lines are codes
}

// inviteesFromBlocks reads no other shards than those of the invitees.
func (read *rankedReader) inviteesFromBlocks(ctx context.Context, r *store.Tx, f records.CommissionFilter, asked []InviteeKey) error {
	q, err := askBlocks(ctx, r, f, rollup.ByUID)
	if err != nil || len(asked) == 0 {
		return err
	}
	for _, key := range asked {
		if uid := string(key.UID); !slices.Contains(q.uids, uid) {
			q.uids = append(q.uids, uid)
		}
	}
	return q.eachEntry(ctx, rollup.Stretch{Span: rollup.OfDay, First: f.Days.First, Last: f.Days.Last}, read.invitee)
}

func (read *rankedReader) invitee(e *entry) error {
	return addDay(read.Invitees[InviteeKey{read.names[e.account], affiliate.UID(e.Name)}], e)
}

func (read *rankedReader) code(e *entry) error {
	code := e.Name
	if read.codes != nil {
		code = read.codes(e.person())
	}
	return addDay(read.Codes[code], e)
}

func (read *rankedReader) symbol(e *entry) error {
	symbol := e.Name
	if e.record != nil {
		symbol = e.record.Symbol
	}
	return addDay(read.Symbols[symbol], e)
}

// addDay adds the commission of an entry to its day. It adds nothing to the days of a name that
// was not asked for.
func addDay(days map[affiliate.Day]*affiliate.Sum, e *entry) error {
	if days == nil {
		return nil
	}
	var figures rollup.LineFigures
	if err := e.addCommissionTo(&figures); err != nil {
		return err
	}
	rollup.At(days, e.day).AddSum(figures.Commission)
	return nil
}
