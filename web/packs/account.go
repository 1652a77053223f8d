package packs

import (
	"bytes"
	"context"
	"fmt"
	"net/url"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/reports"
	"rebatedesk/reports/packs"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/query"
	"rebatedesk/web/handler"
)

// Account answers with the pack of the statement of account of some days.
func (s *Area) Account(c *fiber.Ctx) error {
	q, err := s.QueryWith(c, query.AcceptedParams{Taken: []string{"range", "from", "to", "account", "coin", "as_of"}, Usual: query.LastMonth})
	if err != nil {
		return err
	}
	if fixed, err := s.fix(c, q, url.Values{"account": {string(q.Account)}, "coin": {string(q.Coin)}}); fixed || err != nil {
		return err
	}
	return s.download(c, func(ctx context.Context) (*reports.EvidencePack, error) { return s.Whole.OpenAccountPack(ctx, q) })
}

// AccountPDF answers with the statement of account as PDF.
func (s *Area) AccountPDF(c *fiber.Ctx) error {
	q, err := s.QueryWith(c, payments.AcceptedOfBalance)
	if err != nil {
		return err
	}
	account, err := reports.Ask(c.UserContext(), s.Whole, q, payments.MakeAccount)
	if err != nil {
		return fmt.Errorf("statement of account: %w", err)
	}
	var file bytes.Buffer
	if err := packs.WriteAccount(&file, account, s.Whole.Letterhead); err != nil {
		return fmt.Errorf("statement of account: %w", err)
	}
	name := "account_" + account.Days.First.String() + "_" + account.Days.Last.String() + ".pdf"
	if err := s.Record(c, "export", "account as pdf", handler.Quote(string(c.Request().RequestURI()))); err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, "application/pdf")
	c.Set(fiber.HeaderContentDisposition, handler.ContentDisposition(name))
	return c.Send(file.Bytes())
}
