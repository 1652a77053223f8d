package summaries

import (
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/store/audit"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/summaries"
)

// viaLink is the audit log's name for a user who follows the link of a mail.
const viaLink = "link"

// UnsubscribePage asks whether the mails should end. It changes nothing, because mail
// programs and their filters open links before people do.
func (s *Area) UnsubscribePage(c *fiber.Ctx) error {
	address, ok := s.Mail.StopAddress(c.Params("token"))
	if !ok {
		return brokenLink
	}
	return s.Render(c, templates.Unsubscribe(s.BarePage(c, "Unsubscribe"), templates.UnsubscribeView{Address: address}))
}

// Unsubscribe ends the mails. Mail programs send this form themselves, with
// List-Unsubscribe=One-Click as its only field and without any cookie (RFC 8058); the
// content of the body is ignored. The answer does not reveal whether there were mails
// to end.
func (s *Area) Unsubscribe(c *fiber.Ctx) error {
	from := s.Address(c)
	if wait := s.stops.Take(handler.Network(from)); wait > 0 {
		return &access.Throttled{Wait: wait}
	}
	address, ok := s.Mail.StopAddress(c.Params("token"))
	if !ok {
		return brokenLink
	}
	by := audit.Line{Via: viaLink}
	if from.IsValid() {
		by.Address = from.String()
	}
	if err := s.Mail.Stop(c.UserContext(), c.Params("token"), by); err != nil {
		return err
	}
	return s.Render(c, templates.Unsubscribe(s.BarePage(c, "Stopped"), templates.UnsubscribeView{Address: address, Stopped: true}))
}

var brokenLink = handler.NewProblem(fiber.StatusNotFound, "This link is incomplete. Use the one in a newer mail, or tell those who run this Rebatedesk.")

// stopsAtOnce and stopEvery limit how fast one address may end mails: a person ends a
// few, the gateway of a company those of many people.
const (
	stopsAtOnce = 20
	stopEvery   = 3 * time.Second
)
