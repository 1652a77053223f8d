// Package handler is what the handlers of every area share: who asks, what is
// asked, the forms and their tokens, the places where pages and files are made,
// and how an answer is drawn.
package handler

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"rebatedesk/access"
	"rebatedesk/collector"
	"rebatedesk/internal/guard"
	"rebatedesk/mail"
	"rebatedesk/reports"
	"rebatedesk/web/templates/ui"
)

// Shared is what the handlers of every area are given.
type Shared struct {
	Reports        *reports.Service
	Access         *access.Service
	Audit          *reports.Service // nil: there is no page of the audit log
	Mail           *mail.Service
	Progress       func() collector.Progress
	Watch          Observer
	Log            *slog.Logger
	Zone           *time.Location // of the times on pages that are about no range
	Version        string
	Assets         ui.Assets
	TrustedProxies []netip.Prefix
	Demo           bool
	HTTPS          bool // people come over https
	CanCollect     bool // a page can start a collection
	HasConsole     bool
	Life           context.Context // ends when the server gives up on what is still running
}

// Base is what the handlers of all areas share: who asks, what is asked, and
// how an answer is made. Make it with [New].
type Base struct {
	Shared

	background sync.WaitGroup // requests, exports and a collection that a page started
	panics     atomic.Int64
	pages      *places // where pages are computed
	exports    *places // where files are written
	readers    readers // of those
}

// New is what the areas of one server share. Memory that was taken for pages
// or files is given back by emptied when none is being made.
func New(shared Shared, emptied func()) *Base {
	s := &Base{Shared: shared, pages: pagePlaces(), exports: filePlaces()}
	s.pages.emptied, s.exports.emptied = emptied, emptied
	s.exports.crowded = s.readers.giveWay
	return s
}

// Panics is how many panics were caught since the start.
func (s *Base) Panics() int64 { return s.panics.Load() }

// Go runs f in the background. Whoever ends the server waits for it.
func (s *Base) Go(f func()) { s.background.Go(f) }

// Wait waits for what runs in the background.
func (s *Base) Wait() { s.background.Wait() }

// Guarded runs f. A panic in it is counted, logged and returned as an error.
func (s *Base) Guarded(where string, f func() error) error {
	err := guard.Do(s.Log, where, f)
	if _, panicked := errors.AsType[*guard.Panic](err); panicked {
		s.panics.Add(1)
	}
	return err
}
