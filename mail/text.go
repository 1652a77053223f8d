package mail

import (
	"slices"
	"strings"
	"unicode/utf8"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/phrase"
)

// textPart contains everything that the HTML contains, for recipients who read plain
// text. Its lines are as long as needed: a UID or an amount is never broken.
func textPart(s Summary, stop string) string {
	var b strings.Builder
	line := func(parts ...string) { b.WriteString(strings.Join(parts, "") + "\n") }
	line(s.Title)
	line(s.Complete)
	for _, words := range s.Corrects {
		line("\n", words)
	}
	if len(s.Missing) > 0 {
		line("\nMissing:")
		for _, one := range s.Missing {
			line("- ", one)
		}
	}
	line()
	for _, c := range s.Cards {
		line(strings.TrimRight(pad(c.Label, labelWidth(s.Cards)+2, false)+pad(c.Value, valueWidth(s.Cards), true)+"  "+deltaWords(c.Changes), " "))
	}
	if s.Moved != "" {
		line("\n", s.Moved)
	}
	if s.Chart != nil {
		b.WriteString("\n" + textTable(chartTable(s)))
		for _, words := range s.notedDays() {
			line(words)
		}
	}
	for _, t := range s.Tables {
		b.WriteString("\n" + textTable(t))
	}
	if len(s.Findings) > 0 {
		line("\nNeeds attention")
		for _, f := range s.Findings {
			line("- ", phrase.Severity(f.Severity), ": ", f.String())
		}
	}
	if s.Link != "" {
		line("\nOpen this period: ", s.Link)
		line("What changed since this mail: ", s.Changes)
	}
	line("\n-- ")
	for _, note := range s.Notes {
		line(note)
	}
	line(s.Reason)
	if stop != "" {
		line("Stop these mails: ", stop)
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
	b.WriteString(t.Title + "\n")
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
	case figures.ChangeUp, figures.ChangeNew:
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
