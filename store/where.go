package store

import (
	"rebatedesk/affiliate"
	"strings"
)

// Where gathers conditions that are joined by AND.
type Where struct {
	conditions []string
	Args       []any
}

func (w *Where) Add(condition string, args ...any) {
	w.conditions = append(w.conditions, condition)
	w.Args = append(w.Args, args...)
}

// AnyOf adds that a column is one of what a filter asks for.
func AnyOf[T ~string](w *Where, column string, filter T) {
	list, args := Among(filter)
	w.Add(column+` IN `+list, args...)
}

// Among is the right side of IN for what a filter asks for.
func Among[T ~string](filter T) (list string, args []any) {
	for _, value := range affiliate.Asked(filter) {
		args = append(args, value)
	}
	if len(args) == 0 {
		return `()`, nil
	}
	return `(?` + strings.Repeat(`, ?`, len(args)-1) + `)`, args
}

func (w *Where) String() string { return strings.Join(w.conditions, " AND ") }

var LikeEscape = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)
