package handler

import (
	"context"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/web/templates/guide"
)

// tourCookie holds the number of the stop that a reader of the tour has reached.
const tourCookie = "tour"

// tourAge is how long a tour can be resumed.
const tourAge = 30 * 24 * time.Hour

// GoToStop notes that the reader has reached a stop of the tour.
func GoToStop(s *Base, c *fiber.Ctx, number int) {
	s.setCookie(c, tourCookie, strconv.Itoa(number), tourAge)
}

// LeaveTour forgets the stop.
func LeaveTour(s *Base, c *fiber.Ctx) { s.DropCookie(c, tourCookie) }

// StopOfTour returns the stop that the reader has reached, nil outside the tour.
func StopOfTour(s *Base, c *fiber.Ctx) *guide.AtStop {
	number, err := strconv.Atoi(s.cookie(c, tourCookie))
	if !s.Demo || err != nil || number < 1 || number > len(guide.Tour) {
		return nil
	}
	stop := guide.Tour[number-1]
	return &guide.AtStop{TourStop: stop, Number: number, Here: c.Path() == stop.Path}
}

// guideView returns what the frame of a page says about the page.
func guideView(s *Base, c *fiber.Ctx, who Caller, entry string) (v guide.FrameView) {
	v.Path, v.Query = c.Path(), string(c.Request().URI().QueryString())
	v.Files = who.May(access.MayExport)
	v.Demo = s.Demo && s.Guide && !s.IsBound(c) // some stops do not exist for a bound user
	if entry != "" {                            // an error has no page
		v.Help, _ = s.Help.At(c.Route().Path)
	}
	v.Setup = s.SetupStrip(c)
	preferences, err := s.Access.Preferences(context.WithoutCancel(c.UserContext()), who.User)
	if err != nil {
		// A page without its hint is complete.
		s.Log.Warn("the preferences of a user could not be read", "error", err)
		return v
	}
	v.KeysOff = preferences.On(access.KeysOff)
	if !s.Guide {
		return v
	}
	v.Stop = StopOfTour(s, c)
	v.Hint = c.Method() == fiber.MethodGet && v.Help.Route == c.Route().Path && v.Help.Hint() != "" && !preferences.On(access.HintAway(v.Help.Route)) && v.Stop == nil
	return v
}
