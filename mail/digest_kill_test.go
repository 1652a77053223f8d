package mail

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/internal/crashtest"
	"rebatedesk/internal/race"
	"rebatedesk/store/outbox"
)

// If the process is killed at any step of a digest, each recipient still gets that one
// mail, and each of its periods counts as reported by it, once: the corrections that it
// contains and the mail are written together, or none of them is.
func TestSoakDigestKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	race.Skip(t, "killed processes, which tell of no race")
	const days = mostCorrections + 1
	const sent = 4 * days
	o := newMailServer(t)
	roots := o.roots(t)
	var content []byte // a database with late records of each day
	var then time.Time
	t.Run("before", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "mail.db")
		t.Cleanup(func() { // the store is closed by then
			var err error
			if content, err = os.ReadFile(path); err != nil {
				t.Error(err)
			}
		})
		d := collected(t, o.Server)
		path = d.path
		d.schedule(func(s *outbox.Subscription) {
			s.Recipients, s.AttachCSV, s.AttachXLSX, s.CorrectAbove, s.CorrectCoin = fourRecipients(), false, false, "5", "USDT"
		})
		for i := range days {
			d.now = tomorrow(8, 0).AddDate(0, 0, i)
			d.readAll()
			d.queueAll()
		}
		told := d.corrections()
		if crashtest.Run(t, task{Path: d.path, Port: o.Port, Roots: roots, Now: d.now}) || len(told) > 0 || len(d.log()) != sent {
			t.Fatalf("%d mails were sent of %d days, and %d corrections", len(d.log()), days, len(told))
		}
		var late []affiliate.Commission
		for i := range days {
			late = append(late, lateOn(first+1+affiliate.Day(i), "10.000000000000000001"))
		}
		d.now = d.now.Add(2 * correctEvery)
		d.readAll(late...)
		then = d.now
	})
	crashtest.Each(t, talks, 36, func(at crashtest.Aim) bool {
		d := &fixture{TB: t, now: then}
		path := filepath.Join(t.TempDir(), "mail.db")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		d.open(path, o.Server)
		o.forget()
		job := task{Path: path, Port: o.Port, Roots: roots, Now: then, Aim: at}
		killed := crashtest.Run(t, job)
		left := len(d.corrections())
		if written := d.allOrNothing(at, len(d.log())-sent); left != 0 && !written || left != days+1 && written {
			t.Errorf("%s: %d corrections were left behind", at, left)
		}
		job.goOn(t)
		log := slices.DeleteFunc(d.log(), func(one outbox.Attempt) bool { return one.Kind != outbox.SummaryCorrected })
		d.afterKill(o, at, killed && left > 0, log)
		if len(d.log()) != sent+4 {
			t.Errorf("%s: %d deliveries besides the digest", at, len(d.log())-len(log)-sent)
		}
		made := d.corrections()
		for _, one := range made {
			if one.Number != 0 || one.Every != string(digestOf(dispatch.Daily)) && (len(one.Totals) == 0 || one.Days.Len() != 1) {
				t.Errorf("%s: told of %v is correction %d with %v", at, one.Days, one.Number, one.Totals)
			}
		}
		if len(made) != days+1 {
			t.Errorf("%s: %d corrections of %d days and their digest", at, len(made), days)
		}
		return killed
	})
}

// corrections returns the last message about each period, if that is a correction.
func (d *fixture) corrections() []outbox.Summary {
	d.Helper()
	r, err := d.store.Read(d.Context())
	if err != nil {
		d.Fatal(err)
	}
	defer r.Close()
	told, err := outbox.Told(d.Context(), r, d.named("Morning").ID, 0)
	if err != nil {
		d.Fatal(err)
	}
	return slices.DeleteFunc(told, func(one outbox.Summary) bool { return one.Kind != outbox.SummaryCorrected })
}
