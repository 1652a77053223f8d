package web

import (
	"fmt"
	"net/url"
	"slices"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/reports/query"
	"rebatedesk/reports/subaffiliates"
	"rebatedesk/web/templates"
)

var (
	mostPaid   = query.Sort{Field: "paid", Descending: true}
	newestDays = query.Sort{Field: "date", Descending: true}

	subAffiliateChoices = query.Choices{Sorts: subaffiliates.SubAffiliateSorts, Order: mostPaid, Columns: templates.SubAffiliateChoices()}
	// The files of the list hold days, and take besides what the list can be
	// asked for.
	subAffiliateFileChoices = query.Choices{
		Sorts:   slices.Concat(subaffiliates.SubAffiliateDaySorts, subaffiliates.SubAffiliateSorts),
		Order:   query.Sort{Field: "date"},
		Columns: templates.SubAffiliateChoices(),
	}
	subAffiliateDayChoices = query.Choices{Sorts: subaffiliates.SubAffiliateDaySorts, Order: newestDays}
)

// subAffiliates is the list of sub-affiliates.
func (s *peopleArea) subAffiliates(c *fiber.Ctx) error {
	q, err := s.query(c, subAffiliateChoices)
	if err != nil {
		return err
	}
	page := s.page(c, "Sub-affiliates", "/sub-affiliates")
	page.Charts, page.Carry = true, templates.Carry(q)
	report, err := s.Reports.SubAffiliates(c.UserContext(), q)
	if err != nil {
		return fmt.Errorf("sub-affiliates: %w", err)
	}
	return s.render(c, templates.SubAffiliates(page, templates.SubAffiliatesView{
		Report: report,
		Links:  templates.Links{NoFiles: !s.may(c, access.Export), Path: "/sub-affiliates", Query: report.Query, Order: mostPaid, Views: viewsOf(c)},
		Chart:  dailyChart(report.Daily),
	}))
}

// subAffiliate is the page of one of them. The UID stands in the path alone.
func (s *peopleArea) subAffiliate(c *fiber.Ctx) error {
	uid, err := url.PathUnescape(c.Params("uid"))
	if err != nil || !query.IsUID(uid) {
		return refuse(fiber.StatusNotFound, "No sub-affiliate can have this UID: a UID is up to 32 digits or letters, such as 6424873609.")
	}
	q, err := s.query(c, subAffiliateDayChoices)
	if err != nil {
		return err
	}
	if q.UID != "" {
		return &query.ParamError{Param: "uid", Value: string(q.UID), Problem: "cannot be used here: the page is about one UID already"}
	}
	if q.Text != "" {
		return &query.ParamError{Param: "q", Value: q.Text, Problem: "cannot be used here: the page is about one UID already"}
	}
	page := s.page(c, "Sub-affiliate "+uid, "/sub-affiliates")
	page.Charts, page.Carry = true, templates.Carry(q)
	q.UID = affiliate.UID(uid)
	report, err := s.Reports.SubAffiliate(c.UserContext(), q)
	if err != nil {
		return fmt.Errorf("sub-affiliate: %w", err)
	}
	view := templates.SubAffiliateView{Report: report,
		Links: templates.Links{NoFiles: !s.may(c, access.Export), Path: "/sub-affiliates/" + url.PathEscape(uid), Query: report.Query, Order: newestDays}}
	view.Links.Query.UID = ""
	if !report.Known {
		page.Title, page.Charts = "Not found", false
		c.Status(fiber.StatusNotFound)
		return s.render(c, templates.SubAffiliateUnknown(page, view))
	}
	view.Chart = dailyChart(report.Daily)
	return s.render(c, templates.SubAffiliate(page, view))
}
