package main

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"rebatedesk/seal"
	"rebatedesk/store"
)

// Nothing is sent in the demo before its history is whole. Then both summaries
// go out to the demo's own server, once, and never again for that reason.
func TestDemoSendsSummaries(t *testing.T) {
	office, err := openDemoOffice()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := office.Close(); err != nil {
			t.Error(err)
		}
	})
	st := auditedStore(t, readOnly(t).db)
	cfg := Config{Mail: office.config(), Timezone: time.UTC}
	mails := newMail(cfg, st, seal.Key{}, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	var work sync.WaitGroup
	work.Go(func() { mails.Run(ctx) })
	t.Cleanup(func() { cancel(); work.Wait() })
	sent := func() (list []store.Delivery) {
		all, err := mails.Deliveries(ctx, store.DeliveryQuery{Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range all {
			if one.State == store.DeliverySent && strings.Contains(one.Answer, "delivers to nobody") && one.Kind == store.SummaryWhole {
				list = append(list, one)
			}
		}
		return list
	}

	if done, err := scheduleDemo(ctx, cfg, auditedStore(t, filepath.Join(t.TempDir(), "new.db"))); done || err != nil {
		t.Fatalf("before anything is collected: %t, %v", done, err)
	}
	mailDemo(ctx, cfg, st, mails, slog.New(slog.DiscardHandler))
	for wait := time.Now(); len(sent()) < 3 && time.Since(wait) < 20*time.Second; {
		time.Sleep(20 * time.Millisecond)
	}
	if list := sent(); len(list) != 3 {
		t.Fatalf("sent: %+v", list)
	}
	for _, sc := range demoSchedules("UTC") {
		if err := mails.RemoveSchedule(ctx, sc.Name, store.Audit{Actor: "anna", Via: "session"}); err != nil {
			t.Fatal(err)
		}
	}
	mailDemo(ctx, cfg, st, mails, slog.New(slog.DiscardHandler))
	if list, err := mails.Schedules(ctx); err != nil || len(list) != 0 {
		t.Errorf("what was removed is back: %+v, %v", list, err)
	}
}

// auditedStore is an open store that can write its audit log.
func auditedStore(t *testing.T, path string) *store.Store {
	t.Helper()
	st, err := store.Open(t.Context(), path, store.Options{AuditKey: []byte(strings.Repeat("k", 32))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st
}
