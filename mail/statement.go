package mail

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/mail/mailer"
	"rebatedesk/reports/export"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/statements"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/outbox"
	stored "rebatedesk/store/statements"
)

// statementText is the content of the mail of a statement, used by both of its parts.
type statementText struct {
	Subject string
	Over    string // who issues it
	Heading string
	Lines   []string
	Warning string // what is missing; empty: nothing is
	Tables  []FigureTable
	Reason  string
}

// StatementMails returns how many mails about a statement were queued.
func (s *Service) StatementMails(ctx context.Context, number string) (int, error) {
	return store.Reading(ctx, s.store, func(r *store.Tx) (int, error) { return outbox.CountScope(ctx, r, stored.MailScope(number)) })
}

// SendStatement queues the mail of a statement with its files, and notes in the audit log who
// sends it. before is how many mails about it there were when the sender looked: the same number
// always means the same mail, so that a form sent twice queues one. The error is [ErrNoServer], or
// a *store.RuleError.
func (s *Service) SendStatement(ctx context.Context, c stored.Content, files stored.Files, to string, before int, by audit.Line) error {
	via, err := s.look(ctx)
	if err != nil {
		return err
	}
	if via.Server.Host == "" {
		return ErrNoServer
	}
	if to, err = mailer.ParseAddress(to); err != nil {
		return err
	}
	text := statementTextOf(c)
	var page bytes.Buffer
	if err := statementHTML(text).Render(ctx, &page); err != nil {
		return fmt.Errorf("writing the message: %w", err)
	}
	m := outbox.Summary{
		Scope: stored.MailScope(c.Number), Days: statements.Days(c), Kind: outbox.SummaryManual, Number: before,
		Made: affiliate.MillisOf(s.now()), From: s.via().From.String(), Subject: text.Subject, Text: text.plain(), HTML: page.String(),
		Attachments: []outbox.Attachment{
			{Name: "statement-" + c.Number + ".pdf", Type: "application/pdf", Content: files.PDF},
			{Name: "statement-" + c.Number + ".xlsx", Type: export.XLSX.ContentType(), Content: files.XLSX},
		},
	}
	id := mailer.HeaderID(m, to, s.via().From)
	if message, err := s.messageOf(ctx, id); err != nil || message != 0 {
		return err
	}
	if now, err := s.StatementMails(ctx, c.Number); err != nil || now != before {
		if err == nil {
			err = &store.RuleError{Problem: "Nothing was sent: this statement was sent to somebody meanwhile. Open the page again.", Stale: true}
		}
		return err
	}
	by.Action, by.Object, by.Detail = "statement mailed", c.Number, to
	if _, err = outbox.QueueSummary(ctx, s.store, m, []outbox.Addressee{{Address: to, HeaderID: id}}, by); err != nil {
		if message, failed := s.messageOf(ctx, id); failed == nil && message != 0 { // the same form, sent twice at once
			return nil
		}
		return err
	}
	s.Wake()
	return nil
}

func statementTextOf(c stored.Content) statementText {
	days := statements.Days(c)
	t := statementText{
		Subject: fmt.Sprintf("Statement %s for %s", c.Number, days.First.Format("January 2006")),
		Over:    c.Sender.Name, Heading: "Statement " + c.Number,
		Lines:  append([]string{statements.DueWords(c)}, statements.CorrectionWords(c)...),
		Reason: fmt.Sprintf("Issued %s. The files attached to this mail are the statement. %s", phrase.Clock(c.Issued.Time(), time.UTC), statements.NoUnit),
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

// plain returns the text part. Sentences are wrapped; lines of tables are as long as needed.
func (t statementText) plain() string {
	var b strings.Builder
	b.WriteString(wrapped("", t.Over) + "\n" + t.Heading + "\n\n")
	for _, sentence := range t.Lines {
		b.WriteString(wrapped("", sentence) + "\n")
	}
	if t.Warning != "" {
		b.WriteString("\n" + wrapped("", t.Warning) + "\n")
	}
	for _, table := range t.Tables {
		b.WriteString("\n" + textTable(table))
	}
	b.WriteString("\n-- \n" + wrapped("", t.Reason) + "\n")
	return b.String()
}
