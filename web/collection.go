package web

import (
	"fmt"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/reports"
	"rebatedesk/web/templates"
)

// collection is the page about what has been read and what has not, of all that
// is to be collected.
func (s *Server) collection(c *fiber.Ctx) error {
	if len(c.Request().URI().QueryString()) > 0 {
		// The navigation may carry a range here; it is checked like anywhere.
		if _, err := s.query(c, nil, reports.Sort{}); err != nil {
			return err
		}
	}
	page := s.page("Collection", "/collection")
	report, err := s.Reports.Collection(c.UserContext())
	if err != nil {
		return fmt.Errorf("collection: %w", err)
	}
	return s.render(c, templates.Collection(page, templates.CollectionView{Report: report, Zone: s.Zone, Run: page.Run}))
}

// progress is the bar at the head of the pages. "seen" is the state that the
// page was drawn in; an event tells it whether its figures are outdated.
func (s *Server) progress(c *fiber.Ctx) error {
	run := s.run()
	switch {
	case run.Running:
		c.Set("HX-Trigger", "collecting")
	case c.Query("seen") != run.Token:
		c.Set("HX-Trigger", "collected")
	}
	return s.render(c, templates.Progress(run))
}

// collectNow starts a collection in the background, unless one that was
// started here is still running, and leads to its progress.
func (s *Server) collectNow(c *fiber.Ctx) error {
	if s.collecting.CompareAndSwap(false, true) {
		s.background.Go(func() {
			defer s.collecting.Store(false)
			defer func() {
				if cause := recover(); cause != nil {
					s.caught(cause, "collect now")
				}
			}()
			if err := s.Collect(s.life); err != nil {
				s.Log.Warn("collection asked for by a page failed", "error", err)
			}
		})
	}
	return c.Redirect("/collection", fiber.StatusSeeOther)
}

// run is the collection as the pages show it.
func (s *Server) run() templates.Run {
	p := s.Progress()
	token := "none"
	switch {
	case p.Running:
		token = "running"
	case !p.Finished.IsZero():
		token = strconv.FormatInt(p.Finished.UnixMilli(), 10)
	}
	return templates.Run{Progress: p, CanCollect: s.Collect != nil, Token: token, Zone: s.Zone}
}
