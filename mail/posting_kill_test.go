package mail

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rebatedesk/internal/crashpoint"
	"rebatedesk/internal/crashtest"
	"rebatedesk/internal/race"
	"rebatedesk/mail/mailer"
	"rebatedesk/reports"
	"rebatedesk/safehttp"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/store/outbox"
	"rebatedesk/store/storetest"
)

// postFrom is the work of a child: it looks for events and posts what is due.
func postFrom(ctx context.Context, st *store.Store, key string, now func() time.Time) error {
	master, err := secret.ParseKey(key)
	if err != nil {
		return err
	}
	desk := New(Options{Store: st, Reports: reports.New(st, now), Box: master.Box(), Reach: safehttp.Reach{Private: true}, Now: now, Log: slog.New(slog.DiscardHandler)})
	return errors.Join(desk.lookAtEvents(ctx), desk.drainChannels(ctx))
}

// If the process is killed at any step of an event, each channel still gets it once. It gets a
// second copy only if the process died between the answer and its recording, with the same bytes
// and, to a webhook, under the same ID.
func TestSoakPostingKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	race.Skip(t, "killed processes, which tell of no race")
	h := newHook(t)
	key := secret.NewKey()
	paths := map[string]string{"webhook": "/hook", "telegram": "/bot1:token?chat_id=1", "slack": "/services/T", "discord": "/api/webhooks/1"}
	killed := func(at crashtest.Aim) bool {
		path := filepath.Join(t.TempDir(), "mail.db")
		storetest.Place(t, path)
		d := &fixture{TB: t, now: morning}
		d.open(path, mailer.Server{})
		d.sealed = key.Box()
		for kind, path := range paths {
			d.channel(kind, h.URL+path, "collection.failed")
		}
		d.now = d.now.Add(time.Hour)
		d.run("the exchange is away")
		h.forget()
		job := task{Path: path, Key: key.Text(), Now: d.now, Aim: at}
		killed := crashtest.Run(t, job)
		before := map[int64]outbox.Attempt{}
		for _, one := range d.log() {
			before[one.ID] = one
		}
		job.N, job.Now = 0, job.Now.Add(postLease+time.Second)
		if crashtest.Run(t, job) {
			t.Fatalf("%s: the run after the crash failed", at)
		}
		d.now = job.Now.Add(time.Minute)
		if err := d.Service.lookAtEvents(t.Context()); err != nil {
			t.Fatal(err)
		}
		d.post()
		d.postedAfterKill(h, at, before)
		return killed
	}
	crashtest.Each(t, talks, 20, killed)
}

// forget deletes what was received.
func (h *hook) forget() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.got = nil
}

// postedAfterKill compares what four channels got with the log, of which before is the state at
// the kill.
func (d *fixture) postedAfterKill(h *hook, at crashtest.Aim, before map[int64]outbox.Attempt) {
	d.Helper()
	got := map[string][]posted{}
	for _, p := range h.all() {
		kind := map[bool]string{strings.HasPrefix(p.path, "/hook"): "webhook", strings.HasPrefix(p.path, "/bot"): "telegram",
			strings.HasPrefix(p.path, "/serv"): "slack", strings.HasPrefix(p.path, "/api"): "discord"}[true]
		got[kind] = append(got[kind], p)
	}
	log := d.log()
	if len(log) != 4 {
		d.Errorf("%s: %d deliveries are in the log, want 4", at, len(log))
	}
	second := 0
	for _, one := range log {
		kind, _, _ := strings.Cut(one.Group, " ")
		copies := got[kind]
		most := 1
		if was, ok := before[one.ID]; ok && was.State == outbox.Waiting && was.Tries > 0 {
			most = 2 // its answer may have been lost
		}
		if one.State != outbox.Sent || len(copies) == 0 || len(copies) > most {
			d.Errorf("%s: %d copies to the %s, at most %d: %+v", at, len(copies), kind, most, one)
		}
		for _, c := range copies {
			if c.body != copies[0].body || kind == "webhook" && c.header.Get("webhook-id") != one.HeaderID {
				d.Errorf("%s: the %s got other bytes or another ID: %v", at, kind, c)
			}
		}
		second += len(copies) - 1
	}
	if at.Point == crashpoint.Talked && second == 0 {
		d.Errorf("%s: no second copy, so the test kills at the wrong step", at)
	}
}
