package web

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/web/handler"
)

// request gives every request an id, a context with a deadline, and a log line with the
// route and the caller. The address is left out of the log: its path and query can name
// invitees, or be a proof in themselves.
func (s *Server) request(c *fiber.Ctx) error {
	began := time.Now()
	id := newID()
	c.Locals(handler.RequestID, id)
	ctx, cancel := context.WithTimeout(s.Life, pageTimeout)
	defer cancel()
	c.SetUserContext(ctx)

	if err := c.Next(); err != nil {
		if err := s.serveError(c, err); err != nil {
			return err
		}
	}
	status, took := c.Response().StatusCode(), time.Since(began)
	s.Watch.CountRequest(c, status, took)
	level := slog.LevelDebug
	if status >= 400 {
		level = slog.LevelInfo
	}
	if c.Method() == fiber.MethodPost {
		level = slog.LevelInfo
	}
	s.Log.Log(ctx, level, "request", "id", id, "method", c.Method(), "route", handler.RouteName(c),
		"status", status, "took", took.Round(time.Microsecond), asker(c))
	return nil
}

// asker returns the caller for the log: empty if the caller is unknown or was never
// looked up.
func asker(c *fiber.Ctx) slog.Attr {
	who, ok := c.Locals(handler.CallerKey).(handler.Caller)
	switch {
	case !ok || !who.Known():
		return slog.Attr{}
	case who.TokenID != 0:
		return slog.Group("", "user", who.User, "token", who.Token)
	}
	return slog.String("user", who.User)
}

// recoverPanics confines a panic to the request that caused it.
func (s *Server) recoverPanics(c *fiber.Ctx) error {
	return s.Guarded(handler.RouteName(c), c.Next)
}

func newID() string {
	var b [6]byte
	// crypto/rand.Read never fails; it ends the program instead.
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
