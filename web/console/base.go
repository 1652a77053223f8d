// Package console has what the pages about the exchange have in common: the exchange as they see
// it, the choice of an account, sheets and their files, streams, and the state of trading. The pages
// are in the packages below it, each of one subject.
package console

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex"
	"rebatedesk/market"
	"rebatedesk/store/audit"
	"rebatedesk/trading"
	"rebatedesk/web/handler"
	"rebatedesk/web/templates/console/frame"
)

// Base holds what the pages of the console share.
type Base struct {
	*handler.Base
	Console Exchange
	Trading *trading.Desk // sends orders; nil: trading is off
	Market  *market.Feed  // the prices of the exchange
	Bell    bell
	// Lives begin the streams of the pages that are kept up to date, by the name of the page.
	Lives map[string]func(*fiber.Ctx, *Teller) (Live, error)

	streams     streams
	trail       chan audit.Line // audit lines about calls of the console, waiting to be written
	trailing    sync.Once
	trailBroken atomic.Bool // the last write of such lines failed
}

// New returns what the pages share.
func New(b *handler.Base, console Exchange, desk *trading.Desk, feed *market.Feed) *Base {
	return &Base{Base: b, Console: console, Trading: desk, Market: feed, Lives: map[string]func(*fiber.Ctx, *Teller) (Live, error){}, trail: make(chan audit.Line, trailLines)}
}

// Exchange gives console and proxy access to the exchange.
type Exchange interface {
	// Names returns the accounts in use, the default one first.
	Names() []affiliate.Account
	// Client returns the client of an account, and false if it has none.
	Client(account affiliate.Account) (*weex.Client, bool)
	// Favourites are the spot pairs that a user marked.
	Favourites(ctx context.Context, user string) ([]string, error)
	SetFavourite(ctx context.Context, user, pair string, on bool) error
}

// trailLines is how many lines of the audit log may wait to be written.
const trailLines = 256

// Note adds a line about a call of the console to the audit log, after the call. A call
// that only reads does not wait until the line is written, which takes longer than the
// call; lines that arrive close together are written together. While lines cannot be
// written, [Base.Noted] stops all calls.
func (s *Base) Note(c *fiber.Ctx, action, object, detail, outcome string) {
	by := s.Who(c).Actor()
	line := audit.Line{Actor: by.Name, Via: by.Via, Address: by.Address, Action: action, Object: object, Detail: detail, Outcome: outcome}
	s.trailing.Do(func() { s.Go(s.writeTrail) })
	s.trail <- line
}

// Noted returns an error as long as the console's lines cannot be written.
func (s *Base) Noted(c *fiber.Ctx) error {
	if !s.trailBroken.Load() {
		return nil
	}
	if err := s.Record(c, "console", "", "the audit log is written again"); err != nil {
		return err
	}
	s.trailBroken.Store(false)
	return nil
}

// writeTrail writes lines until the server ends, and then the remaining ones.
func (s *Base) writeTrail() {
	for {
		select {
		case line := <-s.trail:
			s.writeLines(line)
		case <-s.Life.Done():
			select {
			case line := <-s.trail:
				s.writeLines(line)
			default:
				return
			}
		}
	}
}

// writeLines writes a line and all lines waiting behind it.
func (s *Base) writeLines(line audit.Line) {
	lines := []audit.Line{line}
	for len(s.trail) > 0 && len(lines) < trailLines {
		lines = append(lines, <-s.trail)
	}
	// Lines about earlier calls must not be lost when the server ends.
	if err := s.Access.Record(context.WithoutCancel(s.Life), lines...); err != nil {
		s.trailBroken.Store(true)
		s.Log.Error("lines of the audit log could not be written", "lines", len(lines), "error", err)
	}
}

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
	bar := &frame.TradingBar{Status: status, Caps: s.Trading.Caps(), Code: needed, FormToken: s.Token(c), Zone: s.Zone,
		Simulated: s.Demo, Reads: !s.May(c, access.MayTrade)}
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
