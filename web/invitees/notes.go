package invitees

import (
	"net/url"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/store/people"
	"rebatedesk/web/handler"
)

// AddNote adds a note about an invitee.
func (s *Area) AddNote(c *fiber.Ctx) error {
	return s.act(c, func(f *handler.Sent, account affiliate.Account, uid affiliate.UID) error {
		return s.Desk.AddNote(c.UserContext(), people.Note{Account: account, UID: uid, Author: s.Reader(c), Text: f.Fields.Get("text")})
	})
}

// DeleteNote deletes a note about an invitee.
func (s *Area) DeleteNote(c *fiber.Ctx) error {
	return s.act(c, func(f *handler.Sent, account affiliate.Account, uid affiliate.UID) error {
		return s.Desk.DeleteNote(c.UserContext(), account, uid, f.ID)
	})
}

// AddTag gives an invitee a tag.
func (s *Area) AddTag(c *fiber.Ctx) error {
	return s.act(c, func(f *handler.Sent, account affiliate.Account, uid affiliate.UID) error {
		return s.Desk.AddTag(c.UserContext(), account, uid, f.Fields.Get("tag"), f.By)
	})
}

// RemoveTag takes a tag from an invitee.
func (s *Area) RemoveTag(c *fiber.Ctx) error {
	return s.act(c, func(f *handler.Sent, _ affiliate.Account, uid affiliate.UID) error {
		return s.Desk.RemoveTag(c.UserContext(), uid, f.Fields.Get("tag"), f.By)
	})
}

// act answers a form about the invitee in the address, of the account in the form if it names one, and
// leads to the page of the form.
func (s *Area) act(c *fiber.Ctx, do func(f *handler.Sent, account affiliate.Account, uid affiliate.UID) error) error {
	return s.actOr(c, do, nil)
}

// actOr is act that shows a refused form again.
func (s *Area) actOr(c *fiber.Ctx, do func(f *handler.Sent, account affiliate.Account, uid affiliate.UID) error, again func(*fiber.Ctx, *handler.Sent, affiliate.UID) error) error {
	uid, err := url.PathUnescape(c.Params("uid"))
	if err != nil {
		return fiber.ErrNotFound
	}
	var shown func(*handler.Sent) error
	if again != nil {
		shown = func(f *handler.Sent) error { return again(c, f, affiliate.UID(uid)) }
	}
	return s.Act(c, func(f *handler.Sent) (string, error) {
		account := affiliate.Account(f.Fields.Get("account"))
		if err := reports.MustSee(c.UserContext(), s.Reports(c), account, affiliate.UID(uid)); err != nil {
			return "", err
		}
		return handler.CameFrom(c, "/invitees/"+url.PathEscape(uid)), do(f, account, affiliate.UID(uid))
	}, shown)
}
