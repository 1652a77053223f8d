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

func (w *Where) String() string { return strings.Join(w.conditions, " AND ") }

var LikeEscape = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)
