package store

import (
	"errors"
	"regexp"
	"slices"
	"strings"
)

// ErrFenced means that a query of a fenced transaction would have read records or invitees
// without the condition on their members.
var ErrFenced = errors.New("a query for some invitees only read a table without saying which")

// refusedText is a statement that fails with the reason in its text: a row cannot carry an error.
const refusedText = `SELECT fenced FROM table_read_without_condition_on_its_members`

// membersMark begins the condition on members in the text of a statement.
const membersMark = `/* members */ `

// ForMembers marks the text of a statement whose rows are compared with the members by the
// program, or that reads nothing about any invitee although it reads a table with such rows.
// The comment of each call says which of both.
func ForMembers(query string) string { return membersMark + query }

// Fenced returns the same state for reading on behalf of a user who may see some invitees only.
// Every query must carry the condition of [Where.OfMembers], unless it reads only tables that say
// nothing about any invitee; others fail. So a reading that forgets its members returns nothing
// instead of everything.
func (t *Tx) Fenced() *Tx {
	fenced := *t
	fenced.fenced = true
	return &fenced
}

// unfenced are the tables that say nothing about any invitee: how far was read, with which
// rates, and what stamps writes have. The list of a frozen segment is intersected with the members
// whoever reads it.
var unfenced = []string{"meta", "accounts", "coverage", "runs", "slices", "rates", "refused_streams",
	"commission_changes", "commission_bounds", "json_each", "leases", "segments"}

var tableNames = regexp.MustCompile(`(?i)\b(?:FROM|JOIN)\s+([a-z_][a-z_0-9]*)`)

// withinFence reports whether a fenced transaction may run a query.
func withinFence(query string) bool {
	if strings.Contains(query, membersMark) {
		return true
	}
	for _, found := range tableNames.FindAllStringSubmatch(query, -1) {
		if !slices.Contains(unfenced, found[1]) {
			return false
		}
	}
	return true
}
