package collection

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/reports/collection"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/query"
	"rebatedesk/store/payments"
	"rebatedesk/store/records"
	templates "rebatedesk/web/templates/collection"
	"rebatedesk/web/templates/ui"
)

// collectionParams are the parameters of the page about the collection. The navigation
// may carry a range and a comparison here, which are checked as on every page; account
// narrows the page, since and until its restatements, and page and per page through the runs.
var collectionParams = query.AcceptedParams{Taken: []string{"range", "from", "to", "compare", "account", "page", "per", "since", "until"}, Since: true}

// Collection is the page that shows which of the data to be collected has been read.
func (s *Area) Collection(c *fiber.Ctx) error {
	asked, err := s.Query(c)
	if err != nil {
		return err
	}
	page := s.Page(c, "Data", "/collection")
	view, err := s.collectionView(c.UserContext(), asked)
	if err != nil {
		return err
	}
	view.Run = page.Run
	if facts := s.facts(); facts.Server() {
		view.Database = templates.DatabaseView{Engine: facts.Engine, Schema: facts.Schema, Leases: facts.Leases, Several: facts.Several()}
	}
	return s.Render(c, templates.Collection(page, view))
}

func (s *Area) collectionView(ctx context.Context, asked query.Query) (v templates.CollectionView, err error) {
	v.Zone = s.Zone
	v.Links = ui.Links{Path: "/collection", Query: query.Query{Range: query.Last30, Compare: query.CompareNone,
		Account: asked.Account, Since: asked.Since, Until: asked.Until, Page: asked.Page, Per: asked.Per, Zone: asked.Zone, Today: asked.Today}}
	if v.Report, err = s.Whole.Collection(ctx); err != nil {
		return v, fmt.Errorf("collection: %w", err)
	}
	if err = narrow(&v.Report, asked.Account); err != nil {
		return v, err
	}
	if v.Calendars, err = s.Whole.Calendar(ctx, asked.Account); err != nil {
		return v, fmt.Errorf("calendar: %w", err)
	}
	if v.Runs, v.RunCount, err = s.Whole.Runs(ctx, asked.Account, asked.Page, asked.Per); err != nil {
		return v, fmt.Errorf("runs: %w", err)
	}
	v.Restated, err = s.newestRestated(ctx, asked)
	return v, err
}

// narrow keeps the streams of one account, or all if none is named. The report gets a
// separate list, because pages share the original.
func narrow(report *collection.Report, account affiliate.Account) error {
	if account == "" {
		return nil
	}
	known := accountsOf(*report)
	report.Streams = slices.DeleteFunc(slices.Clone(report.Streams), func(s coverage.StreamCoverage) bool { return s.Account != account })
	report.Quarantine = slices.DeleteFunc(slices.Clone(report.Quarantine), func(l records.QuarantineLine) bool { return l.Account != account })
	report.Refused = slices.DeleteFunc(slices.Clone(report.Refused), func(f payments.Refusal) bool { return f.Account != account })
	if len(report.Streams) > 0 {
		return nil
	}
	names := make([]string, len(known))
	for i, name := range known {
		names[i] = string(name)
	}
	return &query.ParamError{Param: "account", Value: string(account),
		Problem: "there is no such account; the accounts are " + strings.Join(names, ", ")}
}

// accountsOf lists the accounts of a report in its order.
func accountsOf(report collection.Report) []affiliate.Account {
	var accounts []affiliate.Account
	for _, stream := range report.Streams {
		if !slices.Contains(accounts, stream.Account) {
			accounts = append(accounts, stream.Account)
		}
	}
	return accounts
}

// Progress is what the head of the pages says of a collection, and why the last one failed. "seen" is the state for which the page
// was drawn; an event tells the page whether its figures are outdated.
func (s *Area) Progress(c *fiber.Ctx) error {
	run := s.Run(c)
	switch {
	case run.Running:
		c.Set("HX-Trigger", "collecting")
	case c.Query("seen") != run.Token:
		c.Set("HX-Trigger", "collected")
	}
	return s.Render(c, templ.Join(ui.Progress(run), ui.CollectionFailed(run, true)))
}

// CollectNow starts a collection.
func (s *Area) CollectNow(c *fiber.Ctx) error {
	return s.Begin(c, "collect now", &s.collecting, s.Collect, "/collection")
}
