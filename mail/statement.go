package mail

import (
	"context"
	"fmt"
	"strings"
	"time"

	"rebatedesk/reports/export"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/statements"
	"rebatedesk/store/audit"
	"rebatedesk/store/outbox"
	stored "rebatedesk/store/statements"
)

// SendStatement queues the mail of a statement with its files, as [Service.sendDocument] does.
func (s *Service) SendStatement(ctx context.Context, c stored.Content, files stored.Files, to string, before int, by audit.Line) error {
	by.Action, by.Object = "statement mailed", c.Number
	return s.sendDocument(ctx, document{
		scope: stored.MailScope(c.Number), days: statements.Days(c), text: statementTextOf(c),
		files: []outbox.Attachment{
			{Name: "statement-" + c.Number + ".pdf", Type: "application/pdf", Content: files.PDF},
			{Name: "statement-" + c.Number + ".xlsx", Type: export.XLSX.ContentType(), Content: files.XLSX},
		},
	}, to, before, by)
}

func statementTextOf(c stored.Content) documentText {
	days := statements.Days(c)
	t := documentText{
		Subject: fmt.Sprintf("Statement %s for %s", c.Number, days.First.Format("January 2006")),
		Over:    c.Sender.Name, Heading: "Statement " + c.Number,
		Lines:  append([]string{statements.DueWords(c)}, statements.CorrectionWords(c)...),
		Reason: fmt.Sprintf("Issued %s. The files attached to this mail are the statement. %s", phrase.Clock(c.Issued.Time(), time.UTC), statements.UnitWords(c)),
	}
	if t.Over == "" {
		t.Over = "Sub-affiliate " + string(c.UID)
	} else {
		t.Subject += " – " + c.Sender.Name
	}
	if len(c.Lacks) > 0 {
		t.Warning = "This statement is incomplete. " + strings.Join(c.Lacks, " ") + " It was issued all the same: " + c.Reason
	}
	totals := FigureTable{Title: fmt.Sprintf("%s to %s, UTC days", days.First.Format("2 January"), days.Last.Format("2 January 2006")), Head: []string{"Product", "Net trading fee", "Owed"}}
	for _, total := range c.Totals {
		name := total.Product.Label()
		if total.Product == "" {
			name = "Total"
		}
		totals.Rows = append(totals.Rows, []string{name, statements.Exact(total.Fee), statements.Exact(total.Due)})
	}
	t.Tables = append(t.Tables, totals)
	if len(c.Terms) > 0 {
		agreed := FigureTable{Title: "Agreed terms", Head: []string{"Agreed with", "From", "Share"}}
		for _, term := range c.Terms {
			agreed.Rows = append(agreed.Rows, []string{phrase.Capital(term.About), term.From, statements.SharePercent(term.Rate)})
		}
		t.Tables = append(t.Tables, agreed)
	}
	return t
}
