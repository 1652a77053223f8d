package console

import (
	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/trading"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/console"
)

// tradingBar returns the state of trading for every page of the console, and nil
// without a desk.
func (s *Area) tradingBar(c *fiber.Ctx) (*templates.TradingBar, error) {
	if s.Trading == nil {
		return nil, nil
	}
	status, err := s.Trading.Status(c.UserContext())
	if err != nil {
		return nil, err
	}
	needed, err := s.needsCode(c)
	if err != nil {
		return nil, err
	}
	bar := &templates.TradingBar{Status: status, Caps: s.Trading.Caps(), Code: needed, FormToken: s.Token(c), Zone: s.Zone}
	bar.Unknowns, err = s.Trading.Unknowns(c.UserContext())
	return bar, err
}

// tradingView returns the frame of a trading page. The account of a form is in its
// fields.
func (s *Area) tradingView(c *fiber.Ctx, title, about, path string, params ...string) (templates.TradingView, error) {
	sh := sheet{Path: path, title: title, about: about}
	for _, name := range params {
		f := field(name, "", "text")
		if name == "symbol" {
			f.SymbolOf = func(text string) string { return symbolWritten(c.Query("kind"), text) }
		}
		sh.fields = append(sh.fields, f)
	}
	frame, a, err := s.consoleView(c, sh)
	if err != nil {
		return templates.TradingView{}, err
	}
	frame.Fields = nil
	if name := s.Form(c).Get(accountParam); name != "" {
		frame.Account = affiliate.Account(name)
	}
	return templates.TradingView{ConsoleView: frame, MayTrade: s.May(c, access.MayTrade), Mode: s.tradingMode(), Values: a.values}, nil
}

func (s *Area) tradingMode() trading.Mode {
	if s.Trading == nil {
		return trading.Off
	}
	return s.Trading.Mode()
}

// needsCode reports whether an action that costs money requires a fresh code. In the
// demonstration, whose exchange is simulated, users have no authenticator; anywhere
// else no trader can sign in without one.
func (s *Area) needsCode(c *fiber.Ctx) (bool, error) {
	who := s.Who(c).Principal
	if s.tradingMode() != trading.Live || s.Demo && !who.HasTOTP {
		return false, nil
	}
	proved, err := s.Access.SteppedUp(c.UserContext(), who, handler.StepUpWithin)
	return !proved, err
}

// spread makes open pages show at once what became of an order of a pair.
func (s *Area) spread(account affiliate.Account, pair string) {
	s.bell.ring()
	if pair != "" {
		s.Market.Hurry(account, pair)
	}
}
