package affiliate

import "strings"

// Folded returns a name or a tag without letter case and without spaces around it. It
// converts to upper case first, because letters with several lower-case forms then become
// equal.
func Folded(text string) string { return strings.ToLower(strings.ToUpper(strings.TrimSpace(text))) }
