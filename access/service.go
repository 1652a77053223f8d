package access

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// Options configures a service.
type Options struct {
	Store        *store.Store     // with an audit key
	Box          *secret.Box      // for the secrets of one-time codes
	Now          func() time.Time // nil is time.Now
	SecondFactor SecondFactor     // who must have codes; empty is [OfAdmins]
	SetupToken   string           // token of the first run, the same on all nodes; empty is one of this service alone
	Issuer       string           // shown by authenticators; empty is Rebatedesk
	Log          *slog.Logger     // for events between requests; nil is none
}

// Service decides who may enter. It is safe for concurrent use, and several services may
// work on one database.
type Service struct {
	*recent
	*absence
	proofs
	paces
	wishes

	store  *store.Store
	box    *secret.Box
	factor SecondFactor
	issuer string

	hasher *hasher
	setup  string      // token of the first run
	users  atomic.Bool // whether users exist, which stays true

	flushing sync.Mutex // taken before the lock of recent
}

// recent is the state kept only in memory: recent uses and refusals.
type recent struct {
	now func() time.Time

	mu       sync.Mutex
	seen     map[int64]affiliate.Millis // sessions used since the last flush
	programs map[int64]*program         // recently used tokens
	refusals map[refusal]*refusals      // recently refused requests
}

// New returns a service on a store.
func New(o Options) *Service { return newService(o, fullCost) }

// NewForTests returns a service whose passwords are hashed so cheaply that they protect
// nothing. Only tests may call it, which the test of the repository's structure checks.
func NewForTests(o Options) *Service { return newService(o, cheap) }

func newService(o Options, c cost) *Service {
	s := &Service{
		store: o.Store, box: o.Box, factor: o.SecondFactor, issuer: o.Issuer, absence: &absence{log: o.Log},
		hasher: newHasher(c), setup: cmp.Or(o.SetupToken, newSecret()),
		recent: &recent{
			now: o.Now, seen: map[int64]affiliate.Millis{}, programs: map[int64]*program{}, refusals: map[refusal]*refusals{},
		},
	}
	if s.now == nil {
		s.now = time.Now
	}
	s.proofs, s.paces, s.wishes = proofs{o.Store, s.now}, paces{o.Store, s.now}, wishes{o.Store}
	if s.issuer == "" {
		s.issuer = "Rebatedesk"
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	return s
}

// Record writes lines to the audit log about actions that change no user: exports,
// collecting now, use of the console.
func (s *Service) Record(ctx context.Context, lines ...audit.Line) error {
	return audit.Write(ctx, s.store, lines...)
}

// NeedsTOTP reports whether users of a role must have codes in this installation.
func (s *Service) NeedsTOTP(r Role) bool {
	switch s.factor {
	case OfAll:
		return true
	case OfNobody:
		return false
	}
	return r.NeedsTOTP()
}
