// Package search finds invitees, invite codes and trading pairs by a part of their name, as far
// as a user may see them. It forgives letter case, accents and small mistakes of typing.
package search

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"

	"rebatedesk/affiliate"
	"rebatedesk/people"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// Limits of a search.
const (
	MostFound   = 6   // of a kind
	LongestText = 100 // characters
)

// Found is what a search found, the closest first.
type Found struct {
	Invitees []FoundInvitee
	Codes    []string
	Symbols  []string
	Accounts int // of the installation: with several, invitees are named with theirs
}

// FoundInvitee is an invitee that was found.
type FoundInvitee struct {
	Account affiliate.Account
	UID     affiliate.UID
	Code    string           // empty: unknown
	Name    string           // empty: none, or hidden from the reader
	Ever    []figures.Totals // commission of all time, per coin

	closeness Closeness
	lastTrade affiliate.Day
}

// Make searches. The names are those that the reader may see.
func Make(ctx context.Context, q *snapshot.Snapshot, text string, names *people.NameBook) (found Found, err error) {
	sought := plain(text)
	found.Accounts = len(q.Known)
	if sought == "" {
		return found, nil
	}
	if found.Invitees, err = findInvitees(ctx, q, sought, names); err != nil {
		return found, err
	}
	codes, err := q.Codes(ctx, q.Members)
	if err != nil {
		return found, err
	}
	found.Codes = closest(codes, func(code string) Closeness { return matchPlain(sought, plain(code)) })
	symbols, err := pairs(ctx, q)
	if err != nil {
		return found, err
	}
	found.Symbols = closest(symbols, func(symbol string) Closeness { return LikenessOfPair(sought, symbol) })
	return found, nil
}

// pairs lists the pairs in which commission was ever earned.
func pairs(ctx context.Context, q *snapshot.Snapshot) ([]string, error) {
	return snapshot.Part(ctx, q, "pairs ever", nil, func(ctx context.Context) ([]string, error) {
		totals, err := sums.BySymbol(ctx, q.Tx, records.CommissionFilter{Days: snapshot.AllDays, Members: q.Members})
		if err != nil {
			return nil, err
		}
		var list []string
		for _, t := range totals {
			if t.Symbol != "" {
				list = append(list, t.Symbol)
			}
		}
		slices.Sort(list)
		return slices.Compact(list), nil
	})
}

// closest returns the texts closest to what is sought.
func closest(list []string, likeness func(string) Closeness) []string {
	type hit struct {
		text      string
		closeness Closeness
	}
	var hits []hit
	for _, text := range list {
		if c := likeness(text); c != NoMatch {
			hits = append(hits, hit{text, c})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.closeness, a.closeness) })
	found := make([]string, 0, min(len(hits), MostFound))
	for _, h := range hits[:min(len(hits), MostFound)] {
		found = append(found, h.text)
	}
	return found
}

// findInvitees finds people by UID, name and code. Of equally close ones, who traded last comes
// first.
func findInvitees(ctx context.Context, q *snapshot.Snapshot, sought string, names *people.NameBook) ([]FoundInvitee, error) {
	snapshot, err := invitees.ReadSnapshot(ctx, q)
	if err != nil {
		return nil, err
	}
	number := !strings.ContainsFunc(sought, func(r rune) bool { return !unicode.IsDigit(r) })
	var found []FoundInvitee
	for i := range snapshot.Lines {
		line := &snapshot.Lines[i]
		closeness := NoMatch
		uid := string(line.UID)
		switch {
		case uid == sought:
			closeness = Same
		case number && strings.HasPrefix(uid, sought):
			closeness = Begin
		case number && strings.HasSuffix(uid, sought):
			closeness = WordBegin
		case strings.Contains(uid, sought):
			closeness = Inside
		}
		name := names.Of(line.UID)
		if closeness < Same && name != "" {
			closeness = max(closeness, matchPlain(sought, plain(name)))
		}
		if closeness == NoMatch {
			continue
		}
		found = append(found, FoundInvitee{Account: line.Account, UID: line.UID, Code: line.InviteCode, Name: name, Ever: line.Ever,
			closeness: closeness, lastTrade: line.LastTradeDay})
	}
	slices.SortFunc(found, func(a, b FoundInvitee) int {
		return cmp.Or(cmp.Compare(b.closeness, a.closeness), cmp.Compare(b.lastTrade, a.lastTrade), cmp.Compare(a.UID, b.UID), cmp.Compare(a.Account, b.Account))
	})
	return slices.Clip(found[:min(len(found), MostFound)]), nil
}
