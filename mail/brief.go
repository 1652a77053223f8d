package mail

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/mail/mailer"
	"rebatedesk/reports/phrase"
	"rebatedesk/store/outbox"
)

// event is what a webhook is told (Standard Webhooks): amounts are strings, and exact.
type event struct {
	kind string
	at   time.Time
	data map[string]any
}

func (e event) json() string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(struct {
		Type      string         `json:"type"`
		Timestamp string         `json:"timestamp"`
		Data      map[string]any `json:"data"`
	}{e.kind, affiliate.MillisOf(e.at).String(), e.data})
	if err != nil {
		panic("mail: an event cannot be written: " + err.Error()) // it consists of texts and lists of them
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// details returns a JSON object of names and values; empty values are left out.
func details(pairs ...string) string {
	values := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			values[pairs[i]] = pairs[i+1]
		}
	}
	text, err := json.Marshal(values)
	if err != nil {
		panic("mail: details cannot be written: " + err.Error()) // texts always can
	}
	return string(text)
}

// findingsOf returns facts as programs get them.
func (s *Service) findingsOf(facts []outbox.Fact) []map[string]any {
	list := make([]map[string]any, len(facts))
	for i, f := range facts {
		one := map[string]any{"key": f.Key, "text": plainSpaces(f.Words), "link": s.onPage(f.Page)}
		var detail map[string]string
		if json.Unmarshal([]byte(f.Detail), &detail) == nil { // older versions stored none
			for name, value := range detail {
				one[name] = value
			}
		}
		list[i] = one
	}
	return list
}

func plainSpaces(text string) string { return strings.ReplaceAll(text, "\u00a0", " ") }

// joinLines joins the parts that are not empty.
func joinLines(parts ...string) string {
	var lines []string
	for _, part := range parts {
		if part != "" {
			lines = append(lines, part)
		}
	}
	return strings.Join(lines, "\n")
}

// briefLines is how many facts a message in a chat spells out.
const briefLines = 5

// brief returns the text of an alert for a chat.
func (t alertText) brief() string {
	parts := []string{"Alert: " + t.Heading()}
	for i, one := range t.Lines {
		if i == briefLines {
			parts = append(parts, fmt.Sprintf("And %d more.", len(t.Lines)-briefLines))
			break
		}
		parts = append(parts, "• "+one.Words)
	}
	return affiliate.VisibleLines(joinLines(append(parts, t.More, t.Link)...))
}

// brief returns the text of a summary for a chat: the figures in a line, how complete they are,
// what brought most, and the link.
func (s Summary) brief() string {
	parts := []string{s.Subject, s.Lead}
	for i, words := range s.Corrects {
		if i < briefLines {
			parts = append(parts, words)
		}
	}
	parts = append(parts, s.Moved)
	for _, t := range s.Tables {
		if top := t.top(); top != "" {
			parts = append(parts, top)
		}
	}
	for i, f := range s.Findings {
		if i < 2 {
			parts = append(parts, "• "+phrase.Severity(f.Severity)+": "+f.String())
		}
	}
	parts = append(parts, s.Complete)
	if len(s.Missing) > 0 {
		parts = append(parts, "Missing: "+strings.Join(s.Missing[:min(len(s.Missing), briefLines)], "; "))
	}
	return affiliate.VisibleLines(plainSpaces(joinLines(append(parts, s.Link)...)))
}

// topNamed is how many lines of a ranking a chat gets.
const topNamed = 3

// top names the first lines of a ranking; it is empty for other tables.
func (t FigureTable) top() string {
	if !strings.HasPrefix(t.Title, "Top ") || len(t.Rows) == 0 {
		return ""
	}
	var names []string
	for _, row := range t.Rows[:min(len(t.Rows), topNamed)] {
		names = append(names, strings.TrimSpace(row[0]+" "+row[min(1, len(row)-1)]))
	}
	return t.Title + ": " + strings.Join(names, "; ")
}

// asEvent returns a summary as programs get it.
func (s *Service) asEvent(sc Schedule, sum Summary) string {
	totals := []map[string]string{}
	for _, t := range sum.Totals {
		totals = append(totals, map[string]string{"coin": string(t.Coin), "commission": string(t.Commission)})
	}
	kind, missing := EventSummaryReady, sum.Missing
	if sum.Kind == outbox.SummaryTest {
		kind = EventTest
	}
	if missing == nil {
		missing = []string{}
	}
	return event{kind, s.now(), map[string]any{
		"schedule": sc.Name, "period": string(sum.Period.Every), "from": sum.Period.First.String(), "to": sum.Period.Last.String(), "timezone": s.store.Zone().String(),
		"account": string(sc.Account), "kind": string(sum.Kind), "complete": sum.Gate.Closed, "missing": missing, "totals": totals,
		"text": plainSpaces(sum.Lead), "link": sum.Link,
	}}.json()
}

// plainMessage makes a message of a few words.
func (s *Service) plainMessage(ctx context.Context, text alertText, scope string, now time.Time) (outbox.Summary, error) {
	var page bytes.Buffer
	if err := alertHTML(text, "").Render(ctx, &page); err != nil {
		return outbox.Summary{}, fmt.Errorf("writing the message: %w", err)
	}
	day := affiliate.DayOf(now, s.store.Zone())
	return outbox.Summary{Scope: scope, Days: affiliate.Days{First: day, Last: day}, Made: affiliate.MillisOf(now), From: s.from.String(),
		Subject: text.Subject, Text: text.plain(""), HTML: page.String(), Brief: text.brief()}, nil
}

// postedHTML shows what a channel got: the text of chats, and the event of webhooks.
func postedHTML(brief, event string, picture bool) string {
	image := ""
	if picture {
		image = `<p><img src="cid:` + mailer.PictureID + `" alt="Chart of the commission" width="560"></p>`
	}
	return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Message to a channel</title></head><body style="font:14px/1.5 sans-serif;color:#1c2430;background:#ffffff;padding:20px">` + image +
		`<p style="white-space:pre-wrap;overflow-wrap:anywhere">` + html.EscapeString(brief) + `</p><p style="color:#5a6472">Webhooks get:</p><pre style="white-space:pre-wrap;overflow-wrap:anywhere">` +
		html.EscapeString(event) + `</pre></body></html>`
}
