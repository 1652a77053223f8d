package store

import (
	"rebatedesk/affiliate"
	"strings"
)

// where gathers conditions that are joined by AND.
type where struct {
	conditions []string
	args       []any
}

func (w *where) add(condition string, args ...any) {
	w.conditions = append(w.conditions, condition)
	w.args = append(w.args, args...)
}

// anyOf adds that a column is one of what a filter asks for.
func anyOf[T ~string](w *where, column string, filter T) {
	list, args := among(filter)
	w.add(column+` IN `+list, args...)
}

// among is the right side of IN for what a filter asks for.
func among[T ~string](filter T) (list string, args []any) {
	for _, value := range affiliate.Asked(filter) {
		args = append(args, value)
	}
	if len(args) == 0 {
		return `()`, nil
	}
	return `(?` + strings.Repeat(`, ?`, len(args)-1) + `)`, args
}

func (w *where) String() string { return strings.Join(w.conditions, " AND ") }

var likeEscape = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)
