package affiliate

import (
	"slices"
	"strings"
)

// Choices returns the values that a filter selects: one, or several separated by commas. An
// empty result means that the filter does not narrow.
func Choices[T ~string](filter T) (values []T) {
	for one := range strings.SplitSeq(string(filter), ",") {
		if one = strings.TrimSpace(one); one != "" && !slices.Contains(values, T(one)) {
			values = append(values, T(one))
		}
	}
	return values
}

// Choose returns the filter that selects some values.
func Choose[T ~string](values []T) T {
	list := make([]string, len(values))
	for i, value := range values {
		list[i] = string(value)
	}
	return T(strings.Join(list, ","))
}

// Asked returns the values that a filter matches. An invite code may contain a comma, so
// the whole text is one of them too.
func Asked[T ~string](filter T) []T {
	values := Choices(filter)
	if filter != "" && !slices.Contains(values, filter) {
		values = append(values, filter)
	}
	return values
}

// AsksFor reports whether a filter matches a value. An empty filter matches every value.
func AsksFor[T ~string](filter, value T) bool {
	return filter == "" || filter == value || strings.Contains(string(filter), ",") && slices.Contains(Choices(filter), value)
}

// AsksForAnyCase is AsksFor without regard to letter case.
func AsksForAnyCase[T ~string](filter, value T) bool {
	same := func(one T) bool { return strings.EqualFold(string(one), string(value)) }
	return filter == "" || same(filter) || strings.Contains(string(filter), ",") && slices.ContainsFunc(Choices(filter), same)
}
