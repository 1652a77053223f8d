package access

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/seal"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// Options are what a service is made of.
type Options struct {
	Store        *store.Store     // with an audit key
	Box          *seal.Box        // for the secrets of one-time codes
	Now          func() time.Time // nil is time.Now
	TOTPOptional bool             // nobody has to have codes; for the demo
	Issuer       string           // shown by authenticators; empty is Rebatedesk
	Log          *slog.Logger     // for what happens between requests; nil is none
}

// Service is who may enter. It is safe for concurrent use, and several may
// work on one database.
type Service struct {
	*recent

	store    *store.Store
	box      *seal.Box
	optional bool
	issuer   string
	log      *slog.Logger

	hasher *hasher
	setup  string      // the token of the first run
	users  atomic.Bool // there are some, which never ends

	flushing sync.Mutex // before the lock of recent
}

// recent is what is kept in memory alone: what was used or refused lately, and
// enrolments at work.
type recent struct {
	now func() time.Time

	mu       sync.Mutex
	pending  map[int64]pending          // enrolments begun, by session
	stepped  map[int64]time.Time        // when the user of a session last proved to be there
	seen     map[int64]affiliate.Millis // sessions used since the last flush
	programs map[int64]*program         // tokens used lately
	refusals map[refusal]*refusals      // requests that were refused lately
}

// New makes a service on a store.
func New(o Options) *Service { return newService(o, fullCost) }

// NewForTests makes a service whose passwords are hashed in no time, and so
// protect nothing. Only tests may call it, which the test of the structure of
// this repository watches.
func NewForTests(o Options) *Service { return newService(o, cheap) }

func newService(o Options, c cost) *Service {
	s := &Service{
		store: o.Store, box: o.Box, optional: o.TOTPOptional, issuer: o.Issuer, log: o.Log,
		hasher: newHasher(c), setup: newSecret(),
		recent: &recent{
			now: o.Now, pending: map[int64]pending{}, stepped: map[int64]time.Time{},
			seen: map[int64]affiliate.Millis{}, programs: map[int64]*program{}, refusals: map[refusal]*refusals{},
		},
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.issuer == "" {
		s.issuer = "Rebatedesk"
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	return s
}

// Record writes lines of the audit log about what changes no user: exports,
// collecting now, use of the console.
func (s *Service) Record(ctx context.Context, lines ...audit.Line) error {
	return audit.Write(ctx, s.store, lines...)
}

// needsTOTP reports whether users of a role have to have codes here.
func (s *Service) needsTOTP(r Role) bool { return r.NeedsTOTP() && !s.optional }
