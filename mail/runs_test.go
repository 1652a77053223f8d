package mail

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/safehttp"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/store/outbox"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

// desk is a running service in simulated time, a webhook that is told of failed collections, and an
// alert about past days that are not collected.
type desk struct {
	t     *testing.T
	store *store.Store
	hook  *hook
	boss  *mailServer
}

// inSimulatedTime runs f beside a service that has just started. The receivers are outside the
// simulated time.
func inSimulatedTime(t *testing.T, before func(*desk), f func(*desk)) {
	h, o := newHook(t), newMailServer(t)
	path := storetest.Empty(t)
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		st, err := store.Open(ctx, path, store.Options{AuditKey: []byte("0123456789abcdef0123456789abcdef")})
		if err != nil {
			t.Fatal(err)
		}
		s := New(Options{Store: st, Reports: reports.New(st, time.Now), Server: o.Server, From: sender, Box: secret.NewKey().Box(), Reach: safehttp.Reach{Private: true}, Log: slog.New(slog.DiscardHandler)})
		if _, err := s.AddChannel(ctx, NewChannel{Name: "Hook", Kind: "webhook", Address: h.URL, Events: []string{"collection.failed"}}, someone); err != nil {
			t.Fatal(err)
		}
		raw := outbox.Subscription{Ref: outbox.Ref{Kind: outbox.KindAlert}, Name: "Failing", Watches: "collection", Hours: 1, Zone: "UTC", Recipients: []outbox.Recipient{{Address: "boss@example.com"}}}
		if err := s.Save(ctx, raw, someone); err != nil {
			t.Fatal(err)
		}
		d := &desk{t: t, store: st, hook: h, boss: o}
		if before != nil {
			before(d)
		}
		var running sync.WaitGroup
		running.Go(func() { s.Run(ctx) })
		f(d)
		stop()
		running.Wait()
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
}

// run logs a run of an account that ended now, a failed one if cause is not empty.
func (d *desk) run(account affiliate.Account, cause string) {
	d.t.Helper()
	id, err := records.StartRun(d.t.Context(), d.store, account, "test")
	if err == nil {
		err = records.FinishRun(d.t.Context(), d.store, id, 1, 1, cause)
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

// told returns how many events the webhook and how many mails the boss got.
func (d *desk) told() (events, mails int) {
	d.t.Helper()
	for _, p := range d.hook.all() {
		if !strings.Contains(p.body, `"type":"collection.failed"`) || !strings.Contains(p.body, "wrong key") {
			d.t.Errorf("the webhook got %s", p.body)
		}
		events++
	}
	return events, len(d.boss.copies("boss@example.com"))
}

// A run that fails is told within a minute of its end, also the first one of a new program.
func TestRunsAreToldAtOnce(t *testing.T) {
	inSimulatedTime(t, nil, func(d *desk) {
		time.Sleep(2 * time.Minute)
		d.run("main", "wrong key")
		time.Sleep(time.Minute)
		if events, _ := d.told(); events != 1 {
			t.Errorf("%d events a minute after the first run", events)
		}
		time.Sleep(time.Hour - 3*time.Minute)
		if _, mails := d.told(); mails != 0 {
			t.Errorf("%d mails within the hour of the alert", mails)
		}
		// The alert is due by its hour once another run ends, and not by the next regular check.
		time.Sleep(3*time.Minute + time.Second)
		d.run("main", "wrong key")
		time.Sleep(time.Minute)
		if events, mails := d.told(); events != 1 || mails != 1 {
			t.Errorf("%d events and %d mails after the hour", events, mails)
		}
	})
}

// After a start nothing is told of an account before its first run ended, for ten minutes.
func TestStartWaitsForEachAccount(t *testing.T) {
	inSimulatedTime(t, func(d *desk) {
		d.run("main", "wrong key")
		d.run("second", "")
		time.Sleep(24 * time.Hour) // the program was not running
	}, func(d *desk) {
		time.Sleep(time.Minute)
		d.run("main", "wrong key")
		time.Sleep(time.Minute)
		if events, mails := d.told(); events != 0 || mails != 0 {
			t.Errorf("%d events and %d mails while an account is not read yet", events, mails)
		}
		d.run("second", "")
		time.Sleep(time.Minute)
		if events, mails := d.told(); events != 1 || mails != 1 {
			t.Errorf("%d events and %d mails after both", events, mails)
		}
	})
	inSimulatedTime(t, func(d *desk) { d.run("main", "wrong key") }, func(d *desk) {
		time.Sleep(alertAfter - time.Minute)
		if events, _ := d.told(); events != 0 {
			t.Errorf("%d events before ten minutes", events)
		}
		time.Sleep(2 * time.Minute)
		if events, _ := d.told(); events != 1 {
			t.Errorf("%d events after ten minutes without a run", events)
		}
	})
}
