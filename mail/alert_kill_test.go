package mail

import (
	"path/filepath"
	"testing"
	"time"

	"rebatedesk/internal/crashtest"
	"rebatedesk/internal/race"
	"rebatedesk/store/outbox"
	"rebatedesk/store/storetest"
)

// If the process is killed at any step of an alert, each recipient still gets it, and
// the facts are reported once: the report and its message are written together.
func TestSoakAlertKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	race.Skip(t, "killed processes, which tell of no race")
	o := newMailServer(t)
	roots := o.roots(t)
	crashtest.Each(t, talks, 24, func(at crashtest.Aim) bool {
		path := filepath.Join(t.TempDir(), "mail.db")
		storetest.Place(t, path)
		d := &fixture{TB: t, now: morning}
		d.open(path, o.Server)
		d.collect(daysOf(first-1, first), programme(daysOf(first-1, first))...)
		a := d.watching("collection", func(a *outbox.Subscription) { a.Recipients = fourRecipients() })
		d.now = morning.Add(4 * time.Hour)
		o.forget()
		job := task{Path: path, Port: o.Port, Roots: roots, Now: d.now, Aim: at}
		killed := crashtest.Run(t, job)
		told := d.allOrNothing(at, len(d.log()))
		if known, err := d.factsOf(a); err != nil || (len(known) == 1) != told {
			t.Errorf("%s: %d facts were left behind, %v", at, len(known), err)
		}
		job.goOn(t)
		d.afterKill(o, at, killed && told, d.log())
		if known, err := d.factsOf(a); err != nil || len(known) != 1 || known[0].Message == 0 {
			t.Errorf("%s: the facts are %+v, %v", at, known, err)
		}
		return killed
	})
}
