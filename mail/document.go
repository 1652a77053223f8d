package mail

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/mail/mailer"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/outbox"
)

// document is something that a user sends to somebody, with its files: a statement, a closed month.
type document struct {
	scope string // by which the outbox knows the mails about it
	days  affiliate.Days
	text  documentText
	files []outbox.Attachment
}

// documentText is the content of the mail of a document, used by both of its parts.
type documentText struct {
	Subject string
	Over    string // who issues it
	Heading string
	Lines   []string
	Warning string // what is missing; empty: nothing is
	Tables  []FigureTable
	Reason  string
}

// MailsAbout returns how many mails of a scope were queued.
func (s *Service) MailsAbout(ctx context.Context, scope string) (int, error) {
	return store.Reading(ctx, s.store, func(r *store.Tx) (int, error) { return outbox.CountScope(ctx, r, scope) })
}

// sendDocument queues the mail of a document, and notes in the audit log who sends it to whom. before
// is how many mails about it there were when the sender looked: the same number always means the same
// mail, so that a form sent twice queues one. The error is [ErrNoServer], or a *store.RuleError.
func (s *Service) sendDocument(ctx context.Context, d document, to string, before int, by audit.Line) error {
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
	var page bytes.Buffer
	if err := documentHTML(d.text).Render(ctx, &page); err != nil {
		return fmt.Errorf("writing the message: %w", err)
	}
	m := outbox.Summary{
		Scope: d.scope, Days: d.days, Kind: outbox.SummaryManual, Number: before,
		Made: affiliate.MillisOf(s.now()), From: via.From.String(), Subject: d.text.Subject, Text: d.text.plain(), HTML: page.String(),
		Attachments: d.files,
	}
	id := mailer.HeaderID(m, to, via.From)
	if message, err := s.messageOf(ctx, id); err != nil || message != 0 {
		return err
	}
	if now, err := s.MailsAbout(ctx, d.scope); err != nil || now != before {
		if err == nil {
			err = &store.RuleError{Problem: "Nothing was sent: a mail about this was sent to somebody meanwhile. Open the page again.", Stale: true}
		}
		return err
	}
	by.Detail = to
	if _, err = outbox.QueueSummary(ctx, s.store, m, []outbox.Addressee{{Address: to, HeaderID: id}}, by); err != nil {
		if message, failed := s.messageOf(ctx, id); failed == nil && message != 0 { // the same form, sent twice at once
			return nil
		}
		return err
	}
	s.Wake()
	return nil
}

// plain returns the text part. Sentences are wrapped; lines of tables are as long as needed.
func (t documentText) plain() string {
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
