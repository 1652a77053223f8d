package mail

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"rebatedesk/affiliate"
	"rebatedesk/mail/mailer"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/findings"
	"rebatedesk/reports/phrase"
	"rebatedesk/store/outbox"
)

// textPart contains everything that the HTML contains, for recipients who read plain
// text. Sentences are wrapped; lines of tables and addresses are as long as needed.
func textPart(s Summary, stop string) string {
	var b strings.Builder
	line := func(parts ...string) { b.WriteString(strings.Join(parts, "") + "\n") }
	sentence := func(first, words string) { line(wrapped(first, words)) }
	line(s.Title)
	sentence("", s.Complete)
	for _, words := range s.Corrects {
		line()
		sentence("", words)
	}
	if len(s.Missing) > 0 {
		line("\nMissing:")
		for _, one := range s.Missing {
			sentence("- ", one)
		}
	}
	line()
	for _, c := range s.Cards {
		line(strings.TrimRight(pad(c.Label, labelWidth(s.Cards)+2, false)+pad(c.Value, valueWidth(s.Cards), true)+"  "+cmp.Or(deltaWords(c.Changes), c.Note), " "))
	}
	if s.Said != "" {
		line()
		sentence("", s.Said)
	}
	if len(s.Findings) > 0 {
		line("\nNeeds attention")
		for _, f := range s.Findings {
			sentence("- ", f.Severity.String()+": "+f.String())
		}
		if s.MoreFindings > 0 {
			line(strings.TrimSpace(moreFindings(s) + " " + s.Attention))
		}
	}
	if s.Moved != "" {
		line()
		sentence("", s.Moved)
	}
	if s.Chart != nil {
		b.WriteString("\n" + textTable(chartTable(s)))
		for _, words := range s.notedDays() {
			sentence("", words)
		}
	}
	for _, t := range s.Tables {
		b.WriteString("\n" + textTable(t))
	}
	if s.Link != "" {
		line("\nOpen this period: ", s.Link)
		line("What changed since this mail: ", s.Changes)
	}
	line("\n-- ")
	for _, note := range s.Notes {
		sentence("", note)
	}
	sentence("", s.Reason)
	if stop != "" {
		line("Unsubscribe: ", stop)
	}
	return b.String()
}

// moreFindings says how many findings the message leaves out.
func moreFindings(s Summary) string {
	return "and " + phrase.Count(s.MoreFindings) + " more in Rebatedesk"
}

// textWidth is how long a wrapped line of plain text is at most.
const textWidth = 76

// wrapped breaks a text at its spaces so that lines fit mail programs and quoting. first begins
// it, and further lines are indented by as much. A longer word, such as an address, stays whole.
func wrapped(first, text string) string {
	var b strings.Builder
	indent, at := strings.Repeat(" ", len(first)), len(first)
	b.WriteString(first)
	for i, word := range strings.Split(text, " ") {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case at+1+n > textWidth:
			b.WriteString("\n" + indent)
			at = len(indent)
		default:
			b.WriteString(" ")
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String()
}

// deltaWords returns changes in one line: "▲ 4.2 % against week 34".
func deltaWords(changes []CardChange) string {
	var parts []string
	for _, d := range changes {
		parts = append(parts, d.Words+" against "+d.Against)
	}
	return strings.Join(parts, ", ")
}

// labelWidth is the width of the longest card label.
func labelWidth(cards []Card) (width int) {
	for _, c := range cards {
		width = max(width, utf8.RuneCountInString(c.Label))
	}
	return width
}

func valueWidth(cards []Card) (width int) {
	for _, c := range cards {
		width = max(width, utf8.RuneCountInString(c.Value))
	}
	return width
}

// chartTable shows the exact figures of the chart.
func chartTable(s Summary) FigureTable {
	t := FigureTable{Title: "By day, exact", Head: []string{"Day", "Commission, " + string(s.Chart.Coin)}}
	if slices.ContainsFunc(s.Chart.State, coverage.DayState.Doubtful) {
		t.Head = append(t.Head, "Collected")
	}
	for i, day := range s.Chart.Days {
		sum := phrase.Dash
		if s.Chart.State[i].Tells(s.Chart.Total[i]) {
			sum = affiliate.Grouped(s.Chart.Total[i].String())
		}
		row := []string{day.Format("Mon 2 Jan 2006"), sum}
		if len(t.Head) > 2 {
			row = append(row, phrase.DayState(s.Chart.State[i]))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// textTable formats a table in columns: words to the left, figures to the right.
func textTable(t FigureTable) string {
	widths := make([]int, len(t.Head))
	rows := append([][]string{t.Head}, t.Rows...)
	for _, row := range rows {
		for i, text := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(text))
		}
	}
	var b strings.Builder
	b.WriteString(wrapped("", t.Title) + "\n")
	for _, row := range rows {
		var columns []string
		for i, text := range row {
			columns = append(columns, pad(text, widths[i], i > 0))
		}
		b.WriteString(strings.TrimRight(strings.Join(columns, "  "), " ") + "\n")
	}
	return b.String()
}

// pad fills a text up with spaces.
func pad(text string, width int, right bool) string {
	space := strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
	if right {
		return space + text
	}
	return text + space
}

// toneOf returns the tone of a change: up, down or neither.
func toneOf(c figures.Change) string {
	switch c.Kind {
	case figures.ChangeUp:
		return "up"
	case figures.ChangeDown:
		return "down"
	}
	return ""
}

// filterWords names the filters of a summary.
func filterWords(s Schedule) string {
	var parts []string
	var products, coins, codes []string
	for _, product := range affiliate.Choices(s.Product) {
		products = append(products, product.Label())
	}
	for _, coin := range affiliate.Choices(s.Coin) {
		coins = append(coins, affiliate.OneLine(string(coin)))
	}
	for _, code := range affiliate.Choices(s.Code) {
		codes = append(codes, affiliate.OneLine(code))
	}
	for _, values := range [][]string{products, coins} {
		if len(values) > 0 {
			parts = append(parts, phrase.Listed(values))
		}
	}
	switch len(codes) {
	case 0:
	case 1:
		parts = append(parts, "invite code "+codes[0])
	default:
		parts = append(parts, "invite codes "+phrase.Listed(codes))
	}
	if s.Segment != "" {
		parts = append(parts, "invitees of the segment “"+affiliate.OneLine(s.Segment)+"”")
	}
	if s.AsUser != "" {
		parts = append(parts, "invitees of "+affiliate.OneLine(s.AsUser))
	}
	return strings.Join(parts, ", ")
}

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
			parts = append(parts, "• "+f.Severity.String()+": "+f.String())
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
	kind, missing := findings.SummaryReady, sum.Missing
	if sum.Kind == outbox.SummaryTest {
		kind = findings.Tested
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
	return outbox.Summary{Scope: scope, Days: affiliate.Days{First: day, Last: day}, Made: affiliate.MillisOf(now), From: s.via().From.String(),
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
