package web

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
)

// HealthCheck is one thing that a server needs, and whether it is there.
type HealthCheck struct {
	Name  string // in plain words: "disk space"
	Fault string // what is wrong, in plain words and without figures of the business; empty: nothing
	Fatal bool   // a fault makes pages impossible, or what they show stale
}

const (
	// checksEvery is for how long the answer to "are you ready" is given again:
	// anybody may ask, and as often as they like.
	checksEvery = 2 * time.Second
	// checksTimeout is how long the checks may take together. Beyond it the
	// server is not ready, whatever is the matter.
	checksTimeout = 5 * time.Second
)

// readiness is the newest answer to "are you ready".
type readiness struct {
	mutex  sync.Mutex
	asked  time.Time
	checks []HealthCheck
}

// newest gives the checks, made anew where they are old. Whoever asks at the
// same moment waits for one and the same answer.
func (r *readiness) newest(ctx context.Context, ask func(context.Context) []HealthCheck) []HealthCheck {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.asked.IsZero() || time.Since(r.asked) > checksEvery {
		ctx, cancel := context.WithTimeout(ctx, checksTimeout)
		defer cancel()
		r.checks = ask(ctx)
		r.asked = time.Now()
	}
	return r.checks
}

// health says that the process answers.
func (s *Server) health(c *fiber.Ctx) error { return c.SendString("ok\n") }

// ready says whether pages can be served and are worth being served, and names
// each check in plain words. Nobody needs to sign in for it, so there is no
// figure of the business in it.
func (s *Server) ready(c *fiber.Ctx) error {
	checks := s.readiness.newest(s.Life, s.options.Checks)
	state, lines := "ready", new(strings.Builder)
	for _, check := range checks {
		result := "ok"
		if check.Fault != "" {
			result = "failed: " + check.Fault
			if check.Fatal {
				state = "not ready"
				c.Status(fiber.StatusServiceUnavailable)
			}
		}
		lines.WriteString(check.Name + ": " + result + "\n")
	}
	return c.SendString(state + "\n" + lines.String())
}
