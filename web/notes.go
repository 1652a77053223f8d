package web

import (
	"context"
	"fmt"
	"net/url"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/store/people"
)

func (s *peopleArea) addNote(c *fiber.Ctx) error {
	return s.write(c, func(ctx context.Context, of people.Person, fields url.Values) error {
		return s.Desk.AddNote(ctx, people.Note{Account: of.Account, UID: of.UID, Author: s.reader(c), Text: fields.Get("text")})
	})
}

func (s *peopleArea) deleteNote(c *fiber.Ctx) error {
	id, err := strconv.ParseInt(c.Params("id"), 10, 64)
	if err != nil {
		return fiber.ErrNotFound
	}
	return s.write(c, func(ctx context.Context, of people.Person, _ url.Values) error {
		return s.Desk.DeleteNote(ctx, of.Account, of.UID, id)
	})
}

func (s *peopleArea) addTag(c *fiber.Ctx) error {
	return s.write(c, func(ctx context.Context, of people.Person, fields url.Values) error {
		return s.Desk.AddTag(ctx, of.Account, of.UID, fields.Get("tag"))
	})
}

func (s *peopleArea) removeTag(c *fiber.Ctx) error {
	return s.write(c, func(ctx context.Context, of people.Person, fields url.Values) error {
		return s.Desk.RemoveTag(ctx, of.Account, of.UID, fields.Get("tag"))
	})
}

// write changes something about the invitee that the address names, of the
// account that the form names, and leads back to the page of the form.
func (s *peopleArea) write(c *fiber.Ctx, change func(ctx context.Context, of people.Person, fields url.Values) error) error {
	uid, err := url.PathUnescape(c.Params("uid"))
	if err != nil {
		return fiber.ErrNotFound
	}
	fields := s.form(c)
	of := people.Person{Account: affiliate.Account(fields.Get("account")), UID: affiliate.UID(uid)}
	if err := change(c.UserContext(), of, fields); err != nil {
		return fmt.Errorf("write about %s: %w", uid, err)
	}
	return backTo(c, "/invitees/"+url.PathEscape(uid))
}
