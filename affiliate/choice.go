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

// Spelled returns a filter with its values as they are stored: those with exactly these names,
// otherwise those that differ only in letter case, otherwise the names as typed. A name that
// differs from several stored ones only in case stays as typed. A name can contain a comma, so
// the whole filter is tried first.
func Spelled[T ~string](stored []T, filter T) T {
	if whole := Spelling(stored, filter); slices.Contains(stored, whole) {
		return whole
	}
	values, known := Choices(filter), false
	for i, name := range values {
		values[i] = Spelling(stored, name)
		known = known || slices.Contains(stored, values[i])
	}
	if !known {
		return filter // it may be one name that is not stored yet
	}
	return Choose(values)
}

// Spelling returns one name as it is stored, see [Spelled].
func Spelling[T ~string](stored []T, name T) T {
	if slices.Contains(stored, name) {
		return name
	}
	if alike := Alike(stored, name); len(alike) == 1 {
		return alike[0]
	}
	return name
}

// Alike returns the stored names that differ from a name at most in letter case.
func Alike[T ~string](stored []T, name T) (alike []T) {
	for _, one := range stored {
		if strings.EqualFold(string(one), string(name)) {
			alike = append(alike, one)
		}
	}
	return alike
}
