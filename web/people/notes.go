package people

import (
	"context"
	"fmt"
	"net/url"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/store/people"
	"rebatedesk/web/handler"
)

func (s *Area) AddNote(c *fiber.Ctx) error {
	return s.write(c, func(ctx context.Context, of noted, fields url.Values) error {
		return s.Desk.AddNote(ctx, people.Note{Account: of.Account, UID: of.UID, Author: s.Reader(c), Text: fields.Get("text")})
	})
}

func (s *Area) DeleteNote(c *fiber.Ctx) error {
	id, err := strconv.ParseInt(c.Params("id"), 10, 64)
	if err != nil {
		return fiber.ErrNotFound
	}
	return s.write(c, func(ctx context.Context, of noted, _ url.Values) error {
		return s.Desk.DeleteNote(ctx, of.Account, of.UID, id)
	})
}

func (s *Area) AddTag(c *fiber.Ctx) error {
	return s.write(c, func(ctx context.Context, of noted, fields url.Values) error {
		return s.Desk.AddTag(ctx, of.Account, of.UID, fields.Get("tag"), s.By(c))
	})
}

func (s *Area) RemoveTag(c *fiber.Ctx) error {
	return s.write(c, func(ctx context.Context, of noted, fields url.Values) error {
		return s.Desk.RemoveTag(ctx, of.UID, fields.Get("tag"), s.By(c))
	})
}

// noted is the invitee that a form is about.
type noted struct {
	Account affiliate.Account
	UID     affiliate.UID
}

// write changes data about the invitee in the address, of the account in the form, and
// redirects to the page of the form.
func (s *Area) write(c *fiber.Ctx, change func(ctx context.Context, of noted, fields url.Values) error) error {
	uid, err := url.PathUnescape(c.Params("uid"))
	if err != nil {
		return fiber.ErrNotFound
	}
	fields := s.Form(c)
	of := noted{Account: affiliate.Account(fields.Get("account")), UID: affiliate.UID(uid)}
	if err := reports.MustSee(c.UserContext(), s.Reports(c), of.Account, of.UID); err != nil {
		return fmt.Errorf("write about %s: %w", uid, err)
	}
	if err := change(c.UserContext(), of, fields); err != nil {
		return fmt.Errorf("write about %s: %w", uid, err)
	}
	return handler.BackTo(c, "/invitees/"+url.PathEscape(uid))
}
