package ticket

import (
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/trading"
	"rebatedesk/web/console"
	"rebatedesk/web/handler"
	"rebatedesk/web/templates/console/frame"
	templates "rebatedesk/web/templates/console/ticket"
)

// showState answers a form of the bar: with the bar for a page that stays as it is, otherwise by
// going back to the page. An alert says why nothing changed.
func (s *Area) showState(c *fiber.Ctx, alert string) error {
	if c.Get("HX-Target") != frame.BarID { // not from the bar of a page that stays as it is
		if alert != "" {
			return s.showTicket(c, console.PlaceTicket, alert, nil)
		}
		if back := s.Form(c).Get("back"); strings.HasPrefix(back, "/console/") {
			return c.Redirect(back, fiber.StatusSeeOther)
		}
		return handler.BackTo(c, frame.TicketPath)
	}
	bar, err := s.TradingBar(c)
	if err != nil {
		return err
	}
	if bar.Alert = alert; alert != "" {
		bar.Why = s.Form(c).Get("why")
	}
	return s.Render(c, frame.Bar(*bar))
}

// TradingState returns the bar for a page that is already open, and nothing if its bar
// is up to date.
func (s *Area) TradingState(c *fiber.Ctx) error {
	bar, err := s.TradingBar(c)
	switch {
	case err != nil:
		return err
	case bar == nil:
		return fiber.ErrNotFound
	case c.Query("seen") == bar.Token():
		return c.SendStatus(fiber.StatusNoContent)
	}
	return s.Render(c, frame.Bar(*bar))
}

// StopTrading stops all sending. Any user who notices a problem may do so: stopping
// requires neither a code nor a reason.
func (s *Area) StopTrading(c *fiber.Ctx) error {
	if s.Trading == nil {
		return fiber.ErrNotFound
	}
	if err := s.Trading.Stop(c.UserContext(), s.trader(c), s.Form(c).Get("why")); err != nil {
		return err
	}
	s.Bell.Ring()
	if kind := s.Form(c).Get("kind"); slices.Contains(tickets, kind) {
		return s.showTicket(c, kind, "", nil) // what was typed is kept
	}
	return s.showState(c, "")
}

// ResumeTrading allows sending again, which requires the same proof as an order.
func (s *Area) ResumeTrading(c *fiber.Ctx) error {
	if s.Trading == nil {
		return fiber.ErrNotFound
	}
	alert, err := s.proven(c)
	if err != nil {
		return err
	}
	why := strings.TrimSpace(s.Form(c).Get("why"))
	if why == "" && alert == "" {
		c.Status(fiber.StatusBadRequest)
		alert = "Say why sending can go on: it stands in the audit log."
	}
	if alert != "" {
		return s.showState(c, alert)
	}
	if err := s.Trading.Resume(c.UserContext(), s.trader(c), why); err != nil {
		return err
	}
	s.Bell.Ring()
	return s.showState(c, "")
}

// proven checks the code of a form, if one is required. If the check fails, it returns
// the alert for the page.
func (s *Area) proven(c *fiber.Ctx) (alert string, err error) {
	if needed, err := s.NeedsCode(c); err != nil || !needed {
		return "", err
	}
	code := strings.TrimSpace(s.Form(c).Get("totp"))
	if code == "" {
		c.Status(fiber.StatusUnauthorized)
		return "This takes the code that your authenticator shows now.", nil
	}
	err = s.Access.StepUp(c.UserContext(), s.Who(c).Principal, code)
	if alert, ok := handler.ExplainRefusal(c, err, handler.WrongCode); ok {
		return alert, nil
	}
	return "", err
}

// trader returns the caller in the form that the desk records.
func (s *Area) trader(c *fiber.Ctx) trading.Requester {
	by := s.Actor(c)
	return trading.Requester{Name: by.Name, Via: by.Via, Address: by.Address}
}

// tradingView returns the frame of a trading page. The account of a form is in its
// fields.
func (s *Area) tradingView(c *fiber.Ctx, title, about, path string, params ...string) (templates.TradingView, error) {
	sh := console.Sheet{Path: path, Title: title, About: about}
	for _, name := range params {
		f := console.Field(name, "", "text")
		if name == "symbol" {
			f.SymbolOf = func(text string) string { return console.SymbolWritten(c.Query("kind"), text) }
		}
		sh.Fields = append(sh.Fields, f)
	}
	frame, a, err := s.Frame(c, sh)
	if err != nil {
		return templates.TradingView{}, err
	}
	frame.Fields = nil
	if name := s.Form(c).Get(console.AccountParam); name != "" {
		frame.Account = affiliate.Account(name)
	}
	return templates.TradingView{View: frame, MayTrade: s.May(c, access.MayTrade), Mode: s.TradingMode(), Values: a.Values}, nil
}
