package web

import (
	"context"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/web/handler"
	"rebatedesk/web/route"
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
	// reports that it is not ready: probes commonly wait no longer than two seconds.
	checksTimeout = 1800 * time.Millisecond
)

// readiness holds the latest readiness answer.
type readiness struct {
	mutex  sync.Mutex
	asked  time.Time
	checks []HealthCheck
	facts  handler.HealthFacts
}

// newest returns the checks and facts, and asks for them again if they are old. Simultaneous
// callers wait for the same run.
func (r *readiness) newest(ctx context.Context, ask func(context.Context) ([]HealthCheck, handler.HealthFacts)) ([]HealthCheck, handler.HealthFacts) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.asked.IsZero() || time.Since(r.asked) > checksEvery {
		ctx, cancel := context.WithTimeout(ctx, checksTimeout)
		defer cancel()
		r.checks, r.facts = ask(ctx)
		r.asked = time.Now()
	}
	return r.checks, r.facts
}

// facts returns what the newest readiness answer tells about the database.
func (s *Server) facts() handler.HealthFacts {
	_, facts := s.readiness.newest(s.Life, s.options.Checks)
	return facts
}

// healthRoutes answer monitors.
func (s *Server) healthRoutes() []route.Route {
	return []route.Route{
		route.Private("/healthz", route.Everybody, s.health).Open().
			Describe(route.Operation{Open: true, Words: "Whether the process answers.", Media: "text/plain"}),
		route.Private("/readyz", route.Everybody, s.ready).Open().
			Describe(route.Operation{Open: true, Words: "Whether the server can serve useful pages: each check in plain words, the engine of the database, and who holds which lease.", Media: "application/json", Shape: reflect.TypeFor[jsonReadiness]()}),
	}
}

// health reports that the process answers.
func (s *Server) health(c *fiber.Ctx) error { return c.SendString("ok\n") }

// ready reports whether the server can serve useful pages, and names each check in
// plain words. It requires no sign-in, so it contains no business figures. A client that
// prefers text/plain to JSON gets text.
func (s *Server) ready(c *fiber.Ctx) error {
	checks, facts := s.readiness.newest(s.Life, s.options.Checks)
	state := "ready"
	for _, check := range checks {
		if check.Fault != "" && check.Fatal {
			state = "not ready"
			c.Status(fiber.StatusServiceUnavailable)
		}
	}
	if c.Accepts(fiber.MIMEApplicationJSON, fiber.MIMETextPlain) == fiber.MIMETextPlain {
		return c.SendString(readyText(state, checks, facts))
	}
	return c.JSON(readyJSON(state, checks, facts))
}

func readyText(state string, checks []HealthCheck, facts handler.HealthFacts) string {
	var lines strings.Builder
	line := func(name, text string) { lines.WriteString(name + ": " + text + "\n") }
	for _, check := range checks {
		if check.Fault != "" {
			line(check.Name, "failed: "+check.Fault)
			continue
		}
		line(check.Name, "ok")
	}
	e := facts.Engine
	if e.Engine != "" {
		line("engine", e.Engine+" "+e.Version)
		if e.Citus != "" {
			line("Citus", e.Citus)
		}
		line("schema version", strconv.Itoa(facts.Schema))
	}
	if facts.Node != "" {
		line("node", facts.Node)
	}
	for _, h := range facts.Leases {
		line("lease "+string(h.Lease), h.Node+", for "+h.Age.Round(time.Second).String())
	}
	return state + "\n" + lines.String()
}

// The answer of /readyz as JSON. The names of servers are left out.
type (
	jsonReadiness struct {
		State  string               `json:"state"`
		Node   string               `json:"node,omitempty"`
		Engine *jsonEngine          `json:"engine,omitempty"`
		Checks []jsonCheck          `json:"checks"`
		Leases map[string]jsonLease `json:"leases"`
	}
	jsonCheck struct {
		Name  string `json:"name"`
		OK    bool   `json:"ok"`
		Fatal bool   `json:"fatal"`
		Fault string `json:"fault,omitempty"`
	}
	jsonEngine struct {
		Name     string         `json:"name"`
		Version  string         `json:"version"`
		Citus    string         `json:"citus,omitempty"`
		Schema   int            `json:"schema"`
		Clock    int64          `json:"clock_ahead_ms"`
		Standbys []jsonStandby  `json:"standbys"`
		Workers  map[string]int `json:"workers,omitempty"`
	}
	jsonStandby struct {
		Bytes *int64 `json:"behind_bytes"`
		Lag   *int64 `json:"behind_ms"`
	}
	jsonLease struct {
		Node   string `json:"node"`
		Age    int64  `json:"age_ms"`
		Number int64  `json:"number,omitempty"`
		Left   int64  `json:"ends_in_ms,omitempty"`
	}
)

func readyJSON(state string, checks []HealthCheck, facts handler.HealthFacts) jsonReadiness {
	ready := jsonReadiness{State: state, Node: facts.Node, Checks: []jsonCheck{}, Leases: map[string]jsonLease{}}
	for _, check := range checks {
		ready.Checks = append(ready.Checks, jsonCheck{check.Name, check.Fault == "", check.Fatal, check.Fault})
	}
	for _, h := range facts.Leases {
		ready.Leases[string(h.Lease)] = jsonLease{h.Node, h.Age.Milliseconds(), h.Number, h.Left.Milliseconds()}
	}
	e := facts.Engine
	if e.Engine == "" {
		return ready // the database did not tell
	}
	ready.Engine = &jsonEngine{Name: e.Engine, Version: e.Version, Citus: e.Citus, Schema: facts.Schema, Clock: e.ClockAhead.Milliseconds(), Standbys: []jsonStandby{}}
	for _, standby := range e.Standbys {
		behind := jsonStandby{Bytes: standby.Bytes}
		if standby.Lag != nil {
			lag := standby.Lag.Milliseconds()
			behind.Lag = &lag
		}
		ready.Engine.Standbys = append(ready.Engine.Standbys, behind)
	}
	if len(e.Workers) > 0 {
		ready.Engine.Workers = map[string]int{"all": len(e.Workers), "reachable": e.ReachableWorkers()}
	}
	return ready
}
