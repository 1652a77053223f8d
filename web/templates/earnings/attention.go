package earnings

import (
	"encoding/hex"
	"net/url"
	"slices"
	"strings"
	"time"

	"rebatedesk/people"
	"rebatedesk/reports/findings"
	"rebatedesk/reports/query"
	"rebatedesk/reports/worklist"
	"rebatedesk/web/templates/ui"
)

// attentionAddress returns the address of the list, for the account, the segment and the instant
// of a page.
func attentionAddress(q query.Query) string {
	values := url.Values{}
	if q.Account != "" {
		values.Set("account", string(q.Account))
	}
	if q.Segment != "" {
		values.Set("segment", q.Segment)
	}
	if !q.AsOf.IsZero() {
		values.Set("as_of", q.AsOf.Format(time.RFC3339Nano))
	}
	if query := values.Encode(); query != "" {
		return "/attention?" + query
	}
	return "/attention"
}

// callAddress returns the address of the people of the day, for what [attentionAddress] is about.
func callAddress(q query.Query) string {
	return ui.WorklistPath + strings.TrimPrefix(attentionAddress(q), "/attention")
}

// attentionID returns the id of the list's place. It differs for each account and
// instant, so that no list about others is kept, and contains nothing that would need
// escaping in a selector.
func attentionID(q query.Query) string {
	return "attention-" + hex.EncodeToString([]byte(attentionAddress(q)))
}

// severityLook is the icon and the colour of a severity.
type severityLook struct{ Icon, Class string }

func severityOf(s findings.Severity) severityLook {
	switch s {
	case findings.SeverityAlert:
		return severityLook{"alert", "text-error"}
	case findings.SeverityWarning:
		return severityLook{"alert", "text-warning"}
	}
	return severityLook{"note", "text-muted"}
}

// inWords puts a finding into words and links.
func (v AttentionView) inWords(f findings.Finding, run ui.CollectionRun, names *people.NameBook) findings.Statement {
	about := findings.About{Query: v.Links.Query, Zone: v.zone(), Today: v.Report.Days.Last, NextTry: run.NextTry(), Reading: run.Running, Names: names, Invitee: v.Links.Invitee, Now: v.Links.Now(), Some: v.Links.Some}
	w := about.Finding(f)
	if v.Links.Some && slices.ContainsFunc(wholePages, func(path string) bool { return strings.HasPrefix(w.Href, path) }) {
		w.Link, w.Href = "", ""
		for i := range w.Invitees {
			w.Invitees[i].Href = ""
		}
	}
	return w
}

// wholePages do not exist for a reader who sees some invitees only.
var wholePages = []string{"/collection", "/payments", "/rates", "/summaries"}

func (v AttentionView) zone() *time.Location { return ui.ZoneOf(v.Links.Query) }

// checks lists what was examined, as shown below the list: some of it has no earlier state.
func (v AttentionView) checks() (said []string) {
	for _, c := range findings.Checks() {
		if c.Said != "" && !(c.NoPast && v.Links.Query.Past()) {
			said = append(said, c.Said)
		}
	}
	return said
}

// AttentionView is what needs attention, and the people of the day.
type AttentionView struct {
	Report findings.Report
	Day    *worklist.Day
	Links  ui.Links
}

// attentionTitle states whether there is anything to do.
func attentionTitle(v AttentionView) string {
	if v.Report.Quiet() {
		return "Nothing needs attention"
	}
	return "Needs attention"
}
