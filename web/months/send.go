package months

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/mail"
	"rebatedesk/reports"
	"rebatedesk/reports/export"
	"rebatedesk/reports/months"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/outbox"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/months"
)

const (
	// mostSent is how large the files of a mail are at most, in bytes: mail servers refuse messages of
	// 20 or 25 MB, and a message is a third larger than its files.
	mostSent = 12 << 20
	// mostMails is how many mails of a month its page lists.
	mostMails = 20
)

// sent reads the mails about a month, and to whom the last month was sent.
func (s *Area) sent(c *fiber.Ctx, v *templates.MonthView) (err error) {
	ctx, scope := c.UserContext(), mail.MonthScope(v.Detail.Days.First)
	if v.Mails, err = s.Mail.Deliveries(ctx, outbox.AttemptQuery{Scope: scope, Limit: mostMails}); err != nil {
		return fmt.Errorf("mails of a month: %w", err)
	}
	if v.Queued, err = s.Mail.MailsAbout(ctx, scope); err != nil {
		return fmt.Errorf("mails of a month: %w", err)
	}
	if v.To, err = s.Mail.LastMonthAddress(ctx); err != nil {
		return fmt.Errorf("mails of a month: %w", err)
	}
	return nil
}

// Send queues the mail of a closed month with its workbook and its evidence pack.
func (s *Area) Send(c *fiber.Ctx) error {
	return s.act(c, func(f *handler.Sent, month affiliate.Day) (string, error) {
		before, err := strconv.Atoi(f.Fields.Get(templates.QueuedField))
		if err != nil || before < 0 || s.Mail == nil {
			return "", handler.NewProblem(fiber.StatusBadRequest, "The form is not of this page: open the page again.")
		}
		return "sent", s.send(c, f, month, f.Text(templates.ToField), before)
	})
}

// send queues the mail of a closed month to an address. before is how many mails about the month the sender
// has seen; negative: as many as there are.
func (s *Area) send(c *fiber.Ctx, f *handler.Sent, month affiliate.Day, to string, before int) error {
	ctx := c.UserContext()
	if s.Mail == nil {
		f.Alert = noServer
		return nil
	}
	asked := query.Query{Range: query.Custom, Days: months.DaysOf(month), Zone: s.Zone, Compare: query.CompareNone, Page: 1, Per: query.DefaultPer}
	basis, err := s.Whole.Basis(ctx)
	if err != nil {
		return fmt.Errorf("basis of the query: %w", err)
	}
	asked.Today = affiliate.DayOf(basis.Now, s.Zone)
	detail, err := reports.Ask(ctx, s.Whole, asked, months.MakeOne)
	if err != nil {
		return fmt.Errorf("month: %w", err)
	}
	if detail.InForce() == nil {
		return &store.RuleError{Problem: phrase.MonthName(month) + " is not closed, so its figures may still change: close it, then send it.", Stale: true}
	}
	if before < 0 {
		if before, err = s.Mail.MailsAbout(ctx, mail.MonthScope(month)); err != nil {
			return err
		}
	}
	files, left, err := s.files(ctx, asked, month, f.By)
	if err != nil {
		return err
	}
	err = s.Mail.SendMonth(ctx, &detail, files, left, to, before, f.By)
	if errors.Is(err, mail.ErrNoServer) {
		f.Alert = noServer
		return nil
	}
	return handler.At(templates.ToField, err)
}

const noServer = "No mail can be sent: set up mail in the settings first."

// files returns the workbook of a month and its evidence pack. A pack that is too large for a mail is
// left out, which left says.
func (s *Area) files(ctx context.Context, asked query.Query, month affiliate.Day, by audit.Line) (files []outbox.Attachment, left string, err error) {
	book, err := s.Whole.OpenExport(ctx, months.OneFile, asked)
	if err != nil {
		return nil, "", err
	}
	content := &limited{}
	_, err = book.Write(ctx, content, export.XLSX)
	if err = errors.Join(err, book.Close()); err != nil {
		return nil, "", fmt.Errorf("workbook of a month: %w", err)
	}
	room := mostSent - content.Len()
	files = append(files, outbox.Attachment{Name: book.FileName(export.XLSX), Type: export.XLSX.ContentType(), Content: content.Bytes()})
	if s.Signer == nil {
		return files, "The evidence pack is not attached: this server has no key to sign it.", nil
	}
	pack, err := s.Whole.OpenMonthPack(ctx, month)
	if err != nil {
		return nil, "", err
	}
	key, err := s.Signer.Key(ctx, by)
	if err != nil {
		return nil, "", errors.Join(err, pack.Close())
	}
	pack.SignBy(key)
	content = &limited{most: room}
	_, err = pack.Write(ctx, content, export.ZIP)
	switch err = errors.Join(err, pack.Close()); {
	case content.full:
		return files, "The evidence pack is larger than mail servers take, so it is not attached: download it from the page of the month.", nil
	case err != nil:
		return nil, "", fmt.Errorf("evidence pack of a month: %w", err)
	}
	return append(files, outbox.Attachment{Name: pack.FileName(export.ZIP), Type: export.ZIP.ContentType(), Content: content.Bytes()}), "", nil
}

// limited keeps what is written to it, up to a number of bytes; 0: all of it.
type limited struct {
	bytes.Buffer
	most int
	full bool // more was written
}

func (l *limited) Write(p []byte) (int, error) {
	if l.most > 0 && l.Len()+len(p) > l.most {
		l.full = true
		return 0, io.ErrShortWrite
	}
	return l.Buffer.Write(p)
}
