package summaries

import (
	"path"
	"slices"
	"strings"

	"rebatedesk/mail"
	"rebatedesk/reports/phrase"
)

// headerShown are the header lines that readers need.
var headerShown = []string{"Subject", "From", "To", "Date"}

// mainLines returns those lines of a message, in this order, and its attachments.
func mainLines(l mail.Letter) (lines []mail.HeaderLine) {
	for _, name := range headerShown {
		if at := slices.IndexFunc(l.Header, func(line mail.HeaderLine) bool { return strings.EqualFold(line.Name, name) }); at >= 0 {
			lines = append(lines, l.Header[at])
		}
	}
	var names []string
	for _, f := range l.Files {
		names = append(names, f.Name+" ("+phrase.Size(int64(len(f.Content)))+")")
	}
	if len(names) > 0 {
		lines = append(lines, mail.HeaderLine{Name: "Attached", Value: strings.Join(names, ", ")})
	}
	return lines
}

func ending(name string) string { return strings.ToLower(path.Ext(name)) }

func attachedLabel(name string) string {
	return "Sums of each day, " + strings.ToUpper(strings.TrimPrefix(ending(name), "."))
}
