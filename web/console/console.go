package console

import (
	"context"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/store/audit"
	templates "rebatedesk/web/templates/console"
	"rebatedesk/web/templates/ui"
)

// Exchange is the exchange as console and proxy reach it.
type Exchange interface {
	// Names are the accounts in use, the usual one first.
	Names() []affiliate.Account
	// Client is the client of one of them; false where there is none.
	Client(account affiliate.Account) (*exchange.Client, bool)
	// Favourites are the spot pairs that a user marked.
	Favourites(ctx context.Context, user string) ([]string, error)
	SetFavourite(ctx context.Context, user, pair string, on bool) error
}

// Sheets are the pages with one table each, in the order of their tabs.
func (s *Area) Sheets() []sheet {
	return []sheet{s.marketsSheet(), currenciesSheet, contractsSheet, ordersSheet, fillsSheet, billsSheet, fundingSheet, transfersSheet}
}

// consoleTabs lead from page to page of the console.
func consoleTabs() []ui.Tab {
	return []ui.Tab{
		{Path: "/console", Label: "Overview"}, {Path: MarketsPath, Label: "Markets"}, {Path: "/console/currencies", Label: "Currencies"},
		{Path: "/console/contracts", Label: "Contracts"}, {Path: "/console/orders", Label: "Open orders"}, {Path: "/console/fills", Label: "Fills"},
		{Path: "/console/bills", Label: "Spot bills"}, {Path: "/console/funding", Label: "Funding bills"}, {Path: "/console/transfers", Label: "Transfers"},
		{Path: TicketPath, Label: "Trade"}, {Path: IntentsPath, Label: "Order log"},
	}
}

// tabOf is the tab that a page stands under.
func tabOf(path string) string {
	if strings.HasPrefix(path, MarketsPath+"/") {
		return MarketsPath
	}
	return path
}

// Home says what there is, and asks the exchange nothing.
func (s *Area) Home(c *fiber.Ctx) error {
	view, _, err := s.consoleView(c, sheet{Path: "/console", title: "Console", about: "What the exchange itself says, asked with the key of an account"})
	if err != nil {
		return err
	}
	var parts []templates.ConsolePart
	for _, sh := range s.Sheets() {
		parts = append(parts, templates.ConsolePart{Path: sh.Path, Label: sh.title, About: sh.about})
	}
	return s.Render(c, templates.ConsoleHome(view, parts))
}

// trailLines is how many lines of the audit log may wait to be written.
const trailLines = 256

// note puts a line about a call of the console into the log of audit, after the
// call. What only reads does not wait until the line is written, which takes
// longer than the call: lines that come close together are written together.
// While they cannot be written, [Area.noted] stops everybody.
func (s *Area) note(c *fiber.Ctx, action, object, detail, outcome string) {
	by := s.Who(c).Actor()
	line := audit.Line{Actor: by.Name, Via: by.Via, Address: by.Address, Action: action, Object: object, Detail: detail, Outcome: outcome}
	s.trailing.Do(func() { s.Go(s.writeTrail) })
	s.trail <- line
}

// noted reports an error as long as the console's lines cannot be written.
func (s *Area) noted(c *fiber.Ctx) error {
	if !s.trailBroken.Load() {
		return nil
	}
	if err := s.Record(c, "console", "", "the audit log is written again"); err != nil {
		return err
	}
	s.trailBroken.Store(false)
	return nil
}

// writeTrail writes lines until the server ends, and then those that wait.
func (s *Area) writeTrail() {
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

// writeLines writes a line and those that wait behind it.
func (s *Area) writeLines(line audit.Line) {
	lines := []audit.Line{line}
	for len(s.trail) > 0 && len(lines) < trailLines {
		lines = append(lines, <-s.trail)
	}
	// The end of the server is no reason to lose what was done before it.
	if err := s.Access.Record(context.WithoutCancel(s.Life), lines...); err != nil {
		s.trailBroken.Store(true)
		s.Log.Error("lines of the audit log could not be written", "lines", len(lines), "error", err)
	}
}
