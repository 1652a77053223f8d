package campaigns

import (
	"fmt"
	"net/url"
	"slices"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/query"
	"rebatedesk/reports/subaffiliates"
	"rebatedesk/web/handler"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/campaigns"
	"rebatedesk/web/templates/navigation"
	"rebatedesk/web/templates/ui"
)

var (
	mostPaid   = query.Sort{Field: "paid", Descending: true}
	newestDays = query.Sort{Field: "date", Descending: true}

	subAffiliateChoices = query.AcceptedParams{Sorts: subaffiliates.Sorts, Order: mostPaid, Columns: campaigns.SubAffiliateChoices()}
	// The files of the list contain days, and accept parameters in addition to those
	// of the list.
	SubAffiliateFileChoices = query.AcceptedParams{
		Sorts:   slices.Concat(subaffiliates.DaySorts, subaffiliates.Sorts),
		Order:   query.Sort{Field: "date"},
		Columns: campaigns.SubAffiliateChoices(),
	}
	SubAffiliateDayChoices = query.AcceptedParams{Sorts: subaffiliates.DaySorts, Order: newestDays}
)

// SubAffiliateRoutes are the addresses of sub-affiliates.
func (s *Area) SubAffiliateRoutes() []route.Route {
	return slices.Concat(
		route.Page("/sub-affiliates", access.MayRead, s.SubAffiliates).
			Help("Sub-affiliates", "What do the affiliates below me bring, and does it agree with what I am paid for them?", "sub-affiliate", "sub-affiliate day", "sub-agent").
			Try("Open one of them to see its trend.").Listed(navigation.Campaigns, "branch", "partners agents").WithViews().Takes(subAffiliateChoices).
			Report(s.Base, "/sub-affiliates", subaffiliates.File, SubAffiliateFileChoices),
		route.Page("/sub-affiliates/:uid", access.MayRead, s.SubAffiliate).
			Help("A sub-affiliate", "What did this sub-affiliate bring, day by day?", "sub-affiliate", "sub-affiliate day").
			Report(s.Base, "/sub-affiliates/:uid", subaffiliates.File, SubAffiliateDayChoices),
	)
}

// SubAffiliates is the list of sub-affiliates.
func (s *Area) SubAffiliates(c *fiber.Ctx) error {
	return handler.Show(s.Base, c, s.Reports(c), subaffiliates.Make, campaigns.SubAffiliates)
}

// SubAffiliate is the page of one sub-affiliate. The UID appears only in the path.
func (s *Area) SubAffiliate(c *fiber.Ctx) error {
	uid, err := url.PathUnescape(c.Params("uid"))
	if err != nil || !query.IsUID(uid) {
		return handler.NewProblem(fiber.StatusNotFound, "No sub-affiliate can have this UID: a UID is up to 32 digits or letters, such as 6424873609.")
	}
	q, err := s.Query(c)
	if err != nil {
		return err
	}
	if q.UID != "" {
		return &query.ParamError{Param: "uid", Value: string(q.UID), Problem: "cannot be used here: the page is about one UID already"}
	}
	if q.Text != "" {
		return &query.ParamError{Param: "q", Value: q.Text, Problem: "cannot be used here: the page is about one UID already"}
	}
	page := s.Page(c, "Sub-affiliate "+uid, "/sub-affiliates")
	page.Carry = ui.Carry(q)
	q.UID = affiliate.UID(uid)
	report, err := reports.Ask(c.UserContext(), s.Reports(c), q, subaffiliates.MakeOne)
	if err != nil {
		return fmt.Errorf("sub-affiliate: %w", err)
	}
	view := campaigns.SubAffiliateView{Report: report, Links: s.Links(c, report.Query)}
	view.Links.Path, view.Links.Query.UID = "/sub-affiliates/"+url.PathEscape(uid), ""
	if !report.Known {
		page.Title = "Not found"
		c.Status(fiber.StatusNotFound)
		return s.Render(c, campaigns.SubAffiliateUnknown(page, view))
	}
	return s.Render(c, campaigns.SubAffiliate(page, view))
}
