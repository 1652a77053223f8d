package mail

import (
	"slices"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/internal/crashpoint"
	"rebatedesk/store/outbox"
)

// Killed at every step of a digest, each recipient gets that one mail in the end,
// and each of its periods counts as told by it, once: the corrections that it stands
// for and the mail are written together, or none of them is.
func TestDigestKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	const days = mostCorrections + 1
	o := newOffice(t)
	roots := o.roots(t)
	for _, point := range crashpoint.Digests() {
		written := point >= crashpoint.SummaryQueued && point != crashpoint.DigestNoted
		for _, passing := range []int{1, 3} {
			if passing > 1 && (!written || point == crashpoint.SummaryQueued) {
				continue // there is one transaction
			}
			d := collected(t, o.Server)
			d.schedule(func(s *outbox.Subscription) {
				s.Recipients, s.AttachCSV, s.AttachXLSX, s.CorrectAbove, s.CorrectCoin = fourRecipients(), false, false, "5", "USDT"
			})
			for i := range days {
				d.now = tomorrow(8, 0).AddDate(0, 0, i)
				d.readAll()
				d.queueAll()
			}
			job := task{Path: d.path, Port: o.Port, Roots: roots, Now: d.now, Point: point}
			told := d.corrections()
			if job.run(t) || len(told) > 0 || len(d.log()) != 4*days {
				t.Fatalf("%d mails were sent of %d days, and %d corrections", len(d.log()), days, len(told))
			}
			sent := len(d.log())
			o.forget()
			var late []affiliate.Commission
			for i := range days {
				late = append(late, lateOn(first+1+affiliate.Day(i), "10.000000000000000001"))
			}
			d.now = d.now.Add(2 * correctEvery)
			d.readAll(late...)
			job.Now, job.Passing = d.now, passing
			if !job.run(t) {
				t.Fatalf("%s, passing %d: not killed", point, passing)
			}
			if left := len(d.corrections()); left != 0 && !written || left != days+1 && written {
				t.Errorf("%s: %d corrections were left behind", point, left)
			}
			job.Passing, job.Now = 0, job.Now.Add(leaseFor) // when what the dead one took up is free again
			for range 2 {
				if job.run(t) {
					t.Fatal("a run after the crash failed")
				}
			}
			log := slices.DeleteFunc(d.log(), func(one outbox.Delivery) bool { return one.Kind != outbox.SummaryCorrected })
			d.afterKill(o, point, true, log)
			if len(d.log()) != sent+4 {
				t.Errorf("%s: %d deliveries besides the digest", point, len(d.log())-len(log)-sent)
			}
			made := d.corrections()
			for _, one := range made {
				if one.Number != 0 || one.Every != string(digestOf(Daily)) && (len(one.Totals) == 0 || one.Days.Len() != 1) {
					t.Errorf("%s: told of %v is correction %d with %v", point, one.Days, one.Number, one.Totals)
				}
			}
			if len(made) != days+1 {
				t.Errorf("%s: %d corrections of %d days and their digest", point, len(made), days)
			}
		}
	}
}

// corrections are what was told last of each period, where that is a correction.
func (d *desk) corrections() []outbox.Summary {
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
