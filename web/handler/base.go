// Package handler holds what the handlers of every area share: the caller, the query,
// forms and their tokens, the places where pages and files are made, and the rendering
// of answers.
package handler

import (
	"context"
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/collector"
	"rebatedesk/delivery"
	"rebatedesk/internal/guard"
	"rebatedesk/mail"
	"rebatedesk/reports"
	"rebatedesk/store/audit"
	"rebatedesk/web/templates/guide"
	"rebatedesk/web/templates/navigation"
	"rebatedesk/web/templates/ui"
)

// Shared holds the dependencies of the handlers of every area.
type Shared struct {
	Whole          *reports.Service // sees everything: callers get what [Base.Reports] returns
	Access         *access.Service
	Audit          *reports.Service      // nil: no page of the audit log
	AuditAnchors   func() []audit.Anchor // what is kept outside the database of the audit log; nil: nothing
	Mail           *mail.Service
	Deliveries     *delivery.Service // scheduled deliveries; nil: none
	Progress       func() collector.Progress
	Watch          Observer
	Log            *slog.Logger
	Zone           *time.Location // of times on pages without a range
	Version        string
	Assets         ui.Assets
	TrustedProxies []netip.Prefix
	Demo           bool
	DemoTrader     bool            // the demo has a user who sends orders
	Guide          bool            // pages show hints, the tour and the first setup
	HTTPS          bool            // users reach the server over https
	PublicURL      string          // under which they do, without a slash at its end; empty: not set
	CanCollect     bool            // a page can start a collection
	Writing        bool            // users may change what the program keeps besides records
	Life           context.Context // ends when the server cancels what is still running
	// SetupStrip returns how far the first setup is, for those who may go on with it; nil: nothing is left.
	SetupStrip func(*fiber.Ctx) *guide.SetupStrip
	Leaving    context.Context // ends when the server begins to stop: streams end, other answers go on
}

// Base holds what the handlers of all areas share: the caller, the query, and the
// making of answers. Create it with [New].
type Base struct {
	Shared
	Help guide.Book     // of all pages; complete before the first request
	Map  navigation.Map // of all pages; complete before the first request

	background sync.WaitGroup // requests, exports and a collection that a page started
	watch      guard.Catcher
	pages      *places // where pages are computed
	exports    *places // where files are written
	previews   *places // where files that were sent are read
	readers    readers // of those
}

// New returns the Base of one server. It calls emptied to release the memory of pages
// or files when none is being made.
func New(shared Shared, emptied func()) *Base {
	if shared.SetupStrip == nil {
		shared.SetupStrip = func(*fiber.Ctx) *guide.SetupStrip { return nil }
	}
	s := &Base{Shared: shared, watch: guard.Catcher{Log: shared.Log}, pages: pagePlaces(), exports: filePlaces(), previews: previewPlaces()}
	s.pages.emptied, s.exports.emptied = emptied, emptied
	s.exports.crowded = s.readers.giveWay
	return s
}

// Panics returns the number of panics caught since the start, in reports too.
func (s *Base) Panics() int64 {
	caught := s.watch.Caught()
	if s.Whole != nil {
		caught += s.Whole.Guard.Caught()
	}
	return caught
}

// Go runs f in the background. Shutdown waits for it.
func (s *Base) Go(f func()) { s.background.Go(f) }

// Wait waits for all background functions.
func (s *Base) Wait() { s.background.Wait() }

// Guarded runs f. A panic in it is counted, logged and returned as an error.
func (s *Base) Guarded(where string, f func() error) error { return s.watch.Do(where, f) }
