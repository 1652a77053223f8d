package web

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
)

// HealthCheck is one requirement of the server and whether it is met.
type HealthCheck struct {
	Name  string // in plain words: "disk space"
	Fault string // the problem, in plain words and without business figures; empty if there is none
	Fatal bool   // a fault makes pages impossible or their figures stale
}

const (
	// checksEvery is how long a readiness answer is reused: any client may request it,
	// as often as it likes.
	checksEvery = 2 * time.Second
	// checksTimeout is the time limit of all checks together. Beyond it the server
	// reports that it is not ready.
	checksTimeout = 5 * time.Second
)

// readiness holds the latest readiness answer.
type readiness struct {
	mutex  sync.Mutex
	asked  time.Time
	checks []HealthCheck
}

// newest returns the checks and runs them again if they are old. Simultaneous callers
// wait for the same run.
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

// health reports that the process answers.
func (s *Server) health(c *fiber.Ctx) error { return c.SendString("ok\n") }

// ready reports whether the server can serve useful pages, and names each check in
// plain words. It requires no sign-in, so it contains no business figures.
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
