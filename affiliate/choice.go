package affiliate

import (
	"slices"
	"strings"
)

// Choices are the values that a filter asks for: one, or several with a comma
// between them. None: it does not narrow.
func Choices[T ~string](filter T) (values []T) {
	for one := range strings.SplitSeq(string(filter), ",") {
		if one = strings.TrimSpace(one); one != "" && !slices.Contains(values, T(one)) {
			values = append(values, T(one))
		}
	}
	return values
}

// Choose is the filter that asks for some values.
func Choose[T ~string](values []T) T {
	list := make([]string, len(values))
	for i, value := range values {
		list[i] = string(value)
	}
	return T(strings.Join(list, ","))
}

// Asked are the values that a filter lets through. An invite code may hold a
// comma: the whole text is one of them too.
func Asked[T ~string](filter T) []T {
	values := Choices(filter)
	if filter != "" && !slices.Contains(values, filter) {
		values = append(values, filter)
	}
	return values
}

// AsksFor reports whether a filter lets a value through. An empty one lets
// everything.
func AsksFor[T ~string](filter, value T) bool {
	return filter == "" || filter == value || strings.Contains(string(filter), ",") && slices.Contains(Choices(filter), value)
}

// AsksForAnyCase is AsksFor for values that letter case does not tell apart.
func AsksForAnyCase[T ~string](filter, value T) bool {
	same := func(one T) bool { return strings.EqualFold(string(one), string(value)) }
	return filter == "" || same(filter) || strings.Contains(string(filter), ",") && slices.ContainsFunc(Choices(filter), same)
}
