package site

import (
	"strings"

	"rebatedesk/store/audit"
)

// Link sends a mail to a recipient and returns the path of the link in it.
func (m *MailSite) Link(at, to string) string {
	m.Helper()
	for _, l := range m.Arrived(1) {
		if l.To != to {
			continue
		}
		for line := range strings.Lines(l.Content) {
			if strings.HasPrefix(line, "List-Unsubscribe:") {
				return "/unsubscribe/" + StopLink.FindStringSubmatch(strings.ReplaceAll(l.Content, "\r\n ", ""))[1]
			}
		}
	}
	m.Fatalf("no mail arrived at %s", to)
	return at
}

func (m *MailSite) Newest(action string) audit.Line {
	m.Helper()
	for _, line := range m.Audit() {
		if line.Action == action {
			return line
		}
	}
	return audit.Line{}
}
