// Package packs has the handlers that answer with evidence packs.
package packs

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/evidence/keyring"
	"rebatedesk/reports"
	"rebatedesk/reports/export"
	"rebatedesk/reports/months"
	"rebatedesk/reports/query"
	"rebatedesk/reports/rates"
	"rebatedesk/store"
	"rebatedesk/web/handler"
	paymentpages "rebatedesk/web/templates/payments"
)

// Area holds the handlers of evidence packs.
type Area struct {
	*handler.Base
	signer *keyring.Signer
}

func New(b *handler.Base, signer *keyring.Signer) *Area {
	return &Area{b, signer}
}

// Month answers with the pack of a closed month.
func (s *Area) Month(c *fiber.Ctx) error {
	month, ok := months.Parse(c.Params("month"))
	if !ok {
		return handler.NewProblem(fiber.StatusNotFound, "The address names no month: a month is written as 2026-10.")
	}
	values, err := handler.Parameters(c)
	if err != nil {
		return err
	}
	for name := range values {
		return &query.ParamError{Param: name, Value: values.Get(name), Problem: "cannot be used here: the pack of a month is as of its closing, and of all accounts"}
	}
	return s.download(c, func(ctx context.Context) (*reports.EvidencePack, error) { return s.Whole.OpenMonthPack(ctx, month) })
}

// Invitee answers with the pack of an invitee's records.
func (s *Area) Invitee(c *fiber.Ctx) error {
	uid, err := url.PathUnescape(c.Params("uid"))
	if err != nil || !query.IsUID(uid) {
		return handler.NewProblem(fiber.StatusNotFound, "Nobody can have this UID: a UID is up to 32 digits or letters, such as 4667776811.")
	}
	q, err := s.QueryWith(c, query.AcceptedParams{Taken: []string{"range", "from", "to", "account", "as_of"}})
	if err != nil {
		return err
	}
	q.UID = affiliate.UID(uid)
	if fixed, err := s.fix(c, q, url.Values{"account": {string(q.Account)}}); fixed || err != nil {
		return err
	}
	return s.download(c, func(ctx context.Context) (*reports.EvidencePack, error) { return s.Whole.OpenInviteePack(ctx, q) })
}

// Payment answers with the pack of a line of payments.
func (s *Area) Payment(c *fiber.Ctx) error {
	values, err := handler.Parameters(c)
	if err != nil {
		return err
	}
	key, ok := paymentpages.KeyIn(values)
	if !ok {
		return handler.NewProblem(fiber.StatusNotFound, "The address names no line of payments. Open the line from the list of payments.")
	}
	named, asked, err := divided(values, paymentpages.KeyParams)
	if err != nil {
		return err
	}
	q, err := s.asOf(c, asked, query.AcceptedParams{Taken: []string{"as_of"}, Usual: query.Last90})
	if err != nil {
		return err
	}
	q.Range = query.AllTime // the line has days of its own
	if fixed, err := s.fix(c, q, named); fixed || err != nil {
		return err
	}
	return s.download(c, func(ctx context.Context) (*reports.EvidencePack, error) { return s.Whole.OpenPaymentPack(ctx, q, key) })
}

// Rate answers with the pack of a finding about rates.
func (s *Area) Rate(c *fiber.Ctx) error {
	values, err := handler.Parameters(c)
	if err != nil {
		return err
	}
	named, asked, err := divided(values, []string{"finding"})
	if err != nil {
		return err
	}
	if named.Get("finding") == "" {
		return handler.NewProblem(fiber.StatusNotFound, "The address names no finding. Open it from the page of rates.")
	}
	accepted := rates.Accepted
	accepted.Taken = slices.DeleteFunc(slices.Clone(accepted.Taken), func(name string) bool { return slices.Contains([]string{"sort", "page", "per"}, name) })
	q, err := s.asOf(c, asked, accepted)
	if err != nil {
		return err
	}
	filters := q.Filters()
	filters.Set("finding", named.Get("finding"))
	if fixed, err := s.fix(c, q, filters); fixed || err != nil {
		return err
	}
	return s.download(c, func(ctx context.Context) (*reports.EvidencePack, error) {
		return s.Whole.OpenRatePack(ctx, q, named.Get("finding"))
	})
}

// divided divides parameters into those of the given names, and the others.
func divided(values url.Values, names []string) (named, others url.Values, err error) {
	named, others = url.Values{}, url.Values{}
	for name, list := range values {
		if len(list) > 1 {
			return nil, nil, &query.ParamError{Param: name, Value: list[1], Problem: "is given more than once"}
		}
		if slices.Contains(names, name) {
			named[name] = list
		} else {
			others[name] = list
		}
	}
	return named, others, nil
}

// asOf reads the parameters besides those that name what the pack is about.
func (s *Area) asOf(c *fiber.Ctx, values url.Values, accepted query.AcceptedParams) (query.Query, error) {
	basis, err := s.Whole.Basis(c.UserContext())
	if err != nil {
		return query.Query{}, fmt.Errorf("basis of the query: %w", err)
	}
	basis.AcceptedParams = accepted
	return query.Parse(values, basis)
}

// fix leads to the address with the instant and the days of the query, unless it is that address:
// the same address gives the same bytes. It reports whether it answered.
func (s *Area) fix(c *fiber.Ctx, q query.Query, named url.Values) (bool, error) {
	if !q.AsOf.IsZero() && (q.Range == query.Custom || q.Range == query.AllTime && named.Has("start")) {
		return false, nil
	}
	at := q.AsOf
	if at.IsZero() {
		latest, err := s.Whole.LatestInstant(c.UserContext())
		if err != nil {
			return true, err
		}
		at = latest
	}
	values := url.Values{}
	for name, list := range named {
		if len(list) > 0 && list[0] != "" {
			values[name] = list
		}
	}
	values.Set("as_of", at.UTC().Format(time.RFC3339Nano))
	if !named.Has("start") {
		values.Set("from", q.Days.First.String())
		values.Set("to", q.Days.Last.String())
	}
	return true, c.Redirect(string(c.Request().URI().Path())+"?"+values.Encode(), fiber.StatusFound)
}

// download answers with a pack, signed by the key of the installation.
func (s *Area) download(c *fiber.Ctx, open func(context.Context) (*reports.EvidencePack, error)) error {
	if s.signer == nil {
		return handler.NewProblem(fiber.StatusNotFound, "This server has no key that could sign evidence packs.")
	}
	by := s.By(c)
	return s.Download(c, "evidence", export.ZIP, func(ctx context.Context) (handler.ExportFile, error) {
		pack, err := open(ctx)
		if err != nil {
			return nil, plain(err)
		}
		key, err := s.signer.Key(ctx, by)
		if err != nil {
			return nil, errors.Join(err, pack.Close())
		}
		pack.SignBy(key)
		return pack, nil
	})
}

// plain makes an error about something that is not there an answer for the reader.
func plain(err error) error {
	if open, ok := errors.AsType[*reports.NotClosedError](err); ok {
		return handler.NewProblem(fiber.StatusConflict, open.Error()+".")
	}
	if rule, ok := errors.AsType[*store.RuleError](err); ok && rule.Missing {
		return handler.NewProblem(fiber.StatusNotFound, rule.Problem)
	}
	return err
}
