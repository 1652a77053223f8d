package mail

import (
	"path/filepath"
	"testing"
	"time"

	"rebatedesk/internal/crashpoint"
	"rebatedesk/store/outbox"
)

// Killed at every step of an alert, each recipient gets it in the end, and the
// facts are told once: what is told and its message are written together.
func TestAlertKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	roots := o.roots(t)
	for _, point := range crashpoint.Alerts() {
		path := filepath.Join(t.TempDir(), "mail.db")
		d := &desk{TB: t, now: morning}
		d.open(path, o.Server)
		d.collect(daysOf(first-1, first), programme(daysOf(first-1, first))...)
		a := d.watching(WatchCollection, func(a *outbox.Subscription) { a.Recipients = fourRecipients() })
		d.now = morning.Add(4 * time.Hour)
		o.forget()
		job := task{Path: path, Port: o.Port, Roots: roots, Now: d.now, Point: point, Passing: 1}
		if !job.run(t) {
			t.Fatalf("%s: not killed", point)
		}
		told := point >= crashpoint.SummaryQueued && point != crashpoint.FactsWritten
		if known, _, err := d.knownOf(t.Context(), a); err != nil || (len(known) == 1) != told || (len(d.log()) == 4) != told {
			t.Errorf("%s: %d facts and %d deliveries were left behind, %v", point, len(known), len(d.log()), err)
		}
		job.Passing, job.Now = 0, job.Now.Add(leaseFor) // when what the dead one took up is free again
		for range 2 {
			if job.run(t) {
				t.Fatal("a run after the crash failed")
			}
		}
		d.afterKill(o, point, true, d.log())
		if known, _, err := d.knownOf(t.Context(), a); err != nil || len(known) != 1 || known[0].Message == 0 {
			t.Errorf("%s: the facts are %+v, %v", point, known, err)
		}
	}
}
