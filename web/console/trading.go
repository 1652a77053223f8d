package console

import (
	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/trading"
	"rebatedesk/web/handler"
	"rebatedesk/web/templates/console/frame"
)

// TradingBar returns the state of trading for every page of the console, and nil
// without a desk.
func (s *Base) TradingBar(c *fiber.Ctx) (*frame.TradingBar, error) {
	if s.Trading == nil {
		return nil, nil
	}
	status, err := s.Trading.Status(c.UserContext())
	if err != nil {
		return nil, err
	}
	needed, err := s.NeedsCode(c)
	if err != nil {
		return nil, err
	}
	bar := &frame.TradingBar{Status: status, Caps: s.Trading.Caps(), Code: needed, FormToken: s.Token(c), Zone: s.Zone}
	bar.Unknowns, err = s.Trading.Unknowns(c.UserContext())
	return bar, err
}

// TradingMode says whether orders are sent.
func (s *Base) TradingMode() trading.Mode {
	if s.Trading == nil {
		return trading.Off
	}
	return s.Trading.Mode()
}

// NeedsCode reports whether an action that costs money requires a fresh code. In the
// demonstration, whose exchange is simulated, users have no authenticator; anywhere
// else no trader can sign in without one.
func (s *Base) NeedsCode(c *fiber.Ctx) (bool, error) {
	who := s.Who(c).Principal
	if s.TradingMode() != trading.Live || s.Demo && !who.HasTOTP {
		return false, nil
	}
	proved, err := s.Access.SteppedUp(c.UserContext(), who, handler.StepUpWithin)
	return !proved, err
}

// Spread makes open pages show at once what became of an order of a pair.
func (s *Base) Spread(account affiliate.Account, pair string) {
	s.Bell.Ring()
	if pair != "" {
		s.Market.Hurry(account, pair)
	}
}
