package store

import (
	"math"
	"rebatedesk/affiliate"
	"strings"
)

// NoLimit is a LIMIT that no result reaches.
const NoLimit = math.MaxInt64

// Where collects conditions that are joined by AND.
type Where struct {
	conditions []string
	Args       []any
}

func (w *Where) Add(condition string, args ...any) {
	w.conditions = append(w.conditions, condition)
	w.Args = append(w.Args, args...)
}

// AnyOf adds the condition that a column has one of the values of a filter.
func AnyOf[T ~string](w *Where, column string, filter T) {
	list, args := Among(filter)
	w.Add(column+` IN `+list, args...)
}

// Among returns the right side of IN for the values of a filter.
func Among[T ~string](filter T) (list string, args []any) {
	return In(affiliate.Asked(filter))
}

// In returns the right side of IN for values.
func In[T ~string](values []T) (list string, args []any) {
	for _, value := range values {
		args = append(args, value)
	}
	if len(args) == 0 {
		return `(NULL)`, nil
	}
	return `(?` + strings.Repeat(`, ?`, len(args)-1) + `)`, args
}

// OfMembers adds the condition that the rows of alias, which have an account_id and, if the set
// has single invitees, a uid, belong to the invitees of a set.
func (w *Where) OfMembers(alias string, m affiliate.Members) {
	if !m.Limited() {
		return
	}
	var parts []string
	var args []any
	if whole := m.WholeAccounts(); len(whole) > 0 {
		names, own := In(whole)
		parts, args = append(parts, alias+`.account_id IN (SELECT id FROM accounts WHERE name IN `+names+`)`), own
	}
	if m.Single() {
		parts = append(parts, `(`+alias+`.account_id, `+alias+`.uid) IN (
			SELECT a.id, m.value ->> 1 FROM json_each(CAST(? AS TEXT)) m JOIN accounts a ON a.name = m.value ->> 0)`)
		args = append(args, m.Pairs())
	}
	if len(parts) == 0 {
		parts = []string{`1 = 0`}
	}
	w.Add(membersMark+`(`+strings.Join(parts, ` OR `)+`)`, args...)
}

func (w *Where) String() string { return strings.Join(w.conditions, " AND ") }

var LikeEscape = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)
