package tabular

import "strings"

// formulaStart reports whether a spreadsheet could take a text for a formula.
func formulaStart(text string) bool {
	for _, r := range text {
		return strings.ContainsRune("=+-@＝＋－＠", r)
	}
	return false
}

// guarded puts an apostrophe before a formula, and before what reading would otherwise take for a
// guarded one. [Row.Text] takes it off.
func guarded(text string) string {
	if formulaStart(strings.TrimLeft(text, "'")) {
		return "'" + text
	}
	return text
}

// unguarded is the inverse of guarded. An apostrophe before anything but a formula is part of
// the text.
func unguarded(text string) string {
	if rest, ok := strings.CutPrefix(text, "'"); ok && formulaStart(strings.TrimLeft(rest, "'")) {
		return rest
	}
	return text
}
