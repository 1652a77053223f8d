package console

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/store/audit"
)

// Exchange gives console and proxy access to the exchange.
type Exchange interface {
	// Names returns the accounts in use, the default one first.
	Names() []affiliate.Account
	// Client returns the client of an account, and false if it has none.
	Client(account affiliate.Account) (*exchange.Client, bool)
	// Favourites are the spot pairs that a user marked.
	Favourites(ctx context.Context, user string) ([]string, error)
	SetFavourite(ctx context.Context, user, pair string, on bool) error
}

// trailLines is how many lines of the audit log may wait to be written.
const trailLines = 256

// Note adds a line about a call of the console to the audit log, after the call. A call
// that only reads does not wait until the line is written, which takes longer than the
// call; lines that arrive close together are written together. While lines cannot be
// written, [Area.noted] stops all calls.
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
