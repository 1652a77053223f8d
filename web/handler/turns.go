package handler

import (
	"context"

	"github.com/gofiber/fiber/v2"
)

// InTurn computes a page when its reader's turn has come.
func (s *Base) InTurn(c *fiber.Ctx) error {
	leave, stop, err := s.take(s.pages, c)
	if err != nil {
		return err
	}
	defer stop()
	defer leave()
	return c.Next()
}

// take waits for a free place for the caller. While the caller waits, and afterwards
// until stop, the context of the request ends when the client disconnects.
func (s *Base) take(from *places, c *fiber.Ctx) (leave, stop func(), err error) {
	who, err := s.Caller(c)
	if err != nil {
		return nil, nil, err
	}
	if leave, ok := from.tryEnter(who.User); ok {
		return leave, func() {}, nil
	}
	stop = s.watchClient(c)
	if leave, err = from.enter(c.UserContext(), who.User); err != nil {
		stop()
		return nil, nil, err
	}
	return leave, stop, nil
}

// watchClient ends the context of a request when its client disconnects, until stop is
// called.
func (s *Base) watchClient(c *fiber.Ctx) (stop func()) {
	conn, ok := c.Context().Conn().(*conn)
	if !ok { // a test without a connection
		return func() {}
	}
	asked := c.UserContext()
	ctx, cancel := context.WithCancel(asked)
	c.SetUserContext(ctx)
	unwatch := conn.watch(cancel)
	return func() {
		unwatch()
		c.SetUserContext(asked)
		cancel()
	}
}

// AtPreview runs f, which reads a file that somebody sent, at one of the places for that. The
// context of f ends when the client leaves or the request takes too long.
func AtPreview(s *Base, c *fiber.Ctx, f func(ctx context.Context) error) error {
	who, err := s.Caller(c)
	if err != nil {
		return err
	}
	defer s.watchClient(c)()
	leave, err := s.previews.enter(c.UserContext(), who.User)
	if err != nil {
		return err
	}
	defer leave()
	return f(c.UserContext())
}
