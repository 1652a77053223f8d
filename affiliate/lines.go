package affiliate

import "strings"

// LineFeeds returns a text of several lines with line feeds at their ends, whichever ends it was
// written with, and without blanks around it.
func LineFeeds(text string) string {
	return strings.TrimSpace(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text))
}
