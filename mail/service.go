package mail

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/mail"
	"sync"
	"sync/atomic"
	"time"

	"rebatedesk/dispatch"
	"rebatedesk/mail/mailer"
	"rebatedesk/reports"
	"rebatedesk/safehttp"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/outbox"
)

// Options configure a service.
type Options struct {
	Store     *store.Store
	Reports   *reports.Service
	Server    mailer.Server  // of the settings; without a host, the one that an administrator entered in the pages is used
	From      *mail.Address  // of the settings
	PublicURL string         // address of the application, without a trailing slash; empty: messages have no links
	Key       []byte         // of the links that end mails; empty: no such links
	Box       *secret.Box    // of the addresses and secrets of channels; nil: no channel is used
	Reach     safehttp.Reach // of the addresses of channels
	Roots     *x509.CertPool // of receivers of channels; nil: the system's
	Now       func() time.Time
	Log       *slog.Logger
}

// Service makes summaries and sends them.
type Service struct {
	author
	set     Sender                 // what the settings say; may lack everything
	seen    atomic.Pointer[Sender] // see [Service.look]
	running atomic.Bool
	key     []byte
	now     func() time.Time
	log     *slog.Logger
	wake    chan struct{}
	workers dispatch.Workers
	slots   chan struct{}                              // one per connection to the mail server
	urgent  atomic.Int32                               // how many wait for a slot to deliver a message by hand
	link    func(of outbox.Ref, address string) string // that ends mails

	corrected time.Time // when sent periods were last compared with the current figures
	alerted   time.Time // when alerts were last checked

	sealed *secret.Box
	reach  safehttp.Reach
	poster *safehttp.Poster
}

// ErrNoServer is returned if mail is to be sent and there is no server.
var ErrNoServer = errors.New("no mail can be sent: enter a mail server under Settings, Mail, or set REBATEDESK_SMTP_URL and REBATEDESK_MAIL_FROM")

// New returns a service.
func New(o Options) *Service {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Reports.Guard.Log == nil {
		o.Reports.Guard.Log = o.Log
	}
	s := &Service{
		author: author{store: o.Store, reports: o.Reports, public: o.PublicURL},
		set:    Sender{Server: o.Server, From: o.From}, key: o.Key, now: o.Now, log: o.Log, wake: make(chan struct{}, 1),
		workers: dispatch.Workers{Log: o.Log}, slots: make(chan struct{}, connections),
		sealed: o.Box, reach: o.Reach, poster: safehttp.NewPoster(safehttp.Options{Reach: o.Reach, Roots: o.Roots}),
	}
	s.link = s.stopLink
	before := s.set.with(outbox.EnteredServer{}, s.public, s.sealed, s.reach)
	s.seen.Store(&before)
	return s
}

// correctEvery is how often sent periods are compared with the current figures.
const correctEvery = time.Hour

// Run queues due messages and sends queued ones until ctx ends. The two run
// independently: sending a few mails to a hanging server takes hours, in which others
// become due. Of the nodes that share a database one does it, see [store.Store.Lead].
func (s *Service) Run(ctx context.Context) {
	s.running.Store(true)
	s.store.Lead(ctx, store.MailLease, s.log, s.run)
}

func (s *Service) run(ctx context.Context) {
	queued := make(chan struct{}, 1)
	var work sync.WaitGroup
	defer work.Wait()
	work.Go(func() {
		defer s.workers.Wait()
		dispatch.Run(ctx, sendEvery, queued, nil, func() { s.safely("sending messages", func() error { return s.sendDue(ctx) }) })
	})
	var runs runsWatch
	dispatch.Run(ctx, dispatch.LookEvery, s.wake, nil, func() {
		s.safely("queueing summaries", func() error { return s.queueDue(ctx) })
		s.safely("looking at alerts", func() error {
			if may, err := s.noticeRuns(ctx, &runs); err != nil || !may {
				return err
			}
			return s.lookAtAlerts(ctx)
		})
		dispatch.Wake(queued)
	})
}

// Wake triggers an immediate check of the outbox.
func (s *Service) Wake() { dispatch.Wake(s.wake) }

func (s *Service) safely(what string, work func() error) { dispatch.Safely(s.log, what, work) }

// stopLink returns the link with which one recipient can end the mails of a
// subscription; it is empty if the application has no such page, or the mails cannot be
// ended.
func (s *Service) stopLink(of outbox.Ref, address string) string {
	if s.public == "" || len(s.key) == 0 || of.ID == 0 {
		return ""
	}
	return s.public + StopPath + stopToken(s.key, of, address)
}

// otherWayOut explains how to end the mails of a subscription that have no link.
func (s *Service) otherWayOut(of outbox.Ref) string {
	if s.stopLink(of, "") != "" {
		return ""
	}
	return fmt.Sprintf(" To get no more of them, write to %s.", s.via().From.Address)
}

// Stop ends the mails that a link names, whoever follows it. A forged token is a
// *store.RuleError; a token of mails that have already ended, or of a deleted
// subscription, is treated as any other.
func (s *Service) Stop(ctx context.Context, token string, by audit.Line) error {
	of, address, ok := openStop(s.key, token)
	if !ok || len(s.key) == 0 {
		return &store.RuleError{Problem: "This link is incomplete: use the one in a newer mail.", Missing: true}
	}
	return outbox.StopRecipient(ctx, s.store, of, address, by)
}

// StopAddress returns the address whose mails a link ends, and false if the link is
// forged.
func (s *Service) StopAddress(token string) (address string, ok bool) {
	_, address, ok = openStop(s.key, token)
	return address, ok && len(s.key) > 0
}

// NewestDue returns the newest due period of a schedule.
func (s *Service) NewestDue(sc Schedule) dispatch.Period {
	return sc.Times(s.store.Zone()).Newest(s.now())
}

// NextDue returns when a schedule is next due.
func (s *Service) NextDue(sc Schedule) time.Time { return sc.Times(s.store.Zone()).Next(s.now()) }

// Deliveries lists the log of deliveries, newest first.
func (s *Service) Deliveries(ctx context.Context, q outbox.AttemptQuery) ([]outbox.Attempt, error) {
	return store.Reading(ctx, s.store, func(r *store.Tx) ([]outbox.Attempt, error) { return outbox.Attempts(ctx, r, q) })
}

// Resend puts a finished delivery into the outbox again, as the same copy.
func (s *Service) Resend(ctx context.Context, id int64, by audit.Line) error {
	if err := outbox.Resend(ctx, s.store, id, by); err != nil {
		return err
	}
	s.Wake()
	return nil
}
