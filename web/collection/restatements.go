package collection

import (
	"context"
	"fmt"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/query"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/collection"
	"rebatedesk/web/templates/ui"
)

// restatementParams are the parameters of the page about restatements. Restatements
// have a fixed order and no comparison, and are themselves the changes since a state. They are
// narrowed by when they were noticed: since and until.
var restatementParams = query.AcceptedParams{Since: true,
	Taken: []string{"range", "from", "to", "account", "product", "coin", "uid", "symbol", "source", "code", "segment", "page", "per", "since", "until"}}

// newest is the number of restatements on the page about the collection.
const newest = 20

// Restatements is the table of records that changed after they had been read.
func (s *Area) Restatements(c *fiber.Ctx) error {
	q, err := s.Query(c)
	if err != nil {
		return err
	}
	page := s.Page(c, "Restatements", "/collection")
	page.Carry = ui.Carry(q)
	view, err := s.restatementsView(c.UserContext(), q)
	if err != nil {
		return err
	}
	view.Links.Views = handler.ViewsOf(c)
	return s.Render(c, templates.Restatements(page, view))
}

func (s *Area) restatementsView(ctx context.Context, q query.Query) (v templates.RestatementsView, err error) {
	v.Links = ui.Links{Path: "/collection/restatements", Query: q}
	collection, err := s.Whole.Collection(ctx)
	if err != nil {
		return v, fmt.Errorf("collection: %w", err)
	}
	v.Options.Accounts = accountsOf(collection)
	if v.Report, err = reports.Ask(ctx, s.Whole, q, commissions.MakeRestatements); err != nil {
		return v, fmt.Errorf("restatements: %w", err)
	}
	all := v.Report
	if q.Filtered() {
		// This provides the choices of the filters, and shows whether the filters are
		// the reason for an empty table.
		if all, err = reports.Ask(ctx, s.Whole, q.WithoutFilters(), commissions.MakeRestatements); err != nil {
			return v, fmt.Errorf("restatements without filters: %w", err)
		}
	}
	v.Options.Coins = coinsOf(all.Totals)
	switch {
	case v.Report.Count > 0:
	case all.Count > 0:
		v.Empty = coverage.EmptyFiltered
	case !collection.LastRun.Started.Known():
		v.Empty = coverage.EmptyNotCollected
	default:
		v.Empty = coverage.EmptyTruly
	}
	return v, nil
}

// newestRestated returns the newest restatements of the last 90 days.
func (s *Area) newestRestated(ctx context.Context, asked query.Query) (v templates.RestatementsView, err error) {
	last := affiliate.Days{First: asked.Today - 89, Last: asked.Today}
	v.Links = ui.Links{Path: "/collection/restatements", Query: query.Query{Range: query.Last90, Days: last,
		Compare: query.CompareNone, Account: asked.Account, Since: asked.Since, Until: asked.Until, Page: 1, Per: newest, Zone: asked.Zone, Today: asked.Today}}
	if v.Report, err = reports.Ask(ctx, s.Whole, v.Links.Query, commissions.MakeRestatements); err != nil {
		return v, fmt.Errorf("newest restatements: %w", err)
	}
	return v, nil
}

// coinsOf lists the coins of totals without duplicates.
func coinsOf(totals []commissions.RestatementTotals) []affiliate.Coin {
	var coins []affiliate.Coin
	seen := map[affiliate.Coin]bool{}
	for _, t := range totals {
		if t.Coin != "" && !seen[t.Coin] {
			seen[t.Coin] = true
			coins = append(coins, t.Coin)
		}
	}
	return coins
}
