package access

import (
	"errors"
	"testing"
	"time"
)

// A user sends thirty mails by hand at once and then one each half minute, whichever node
// counts them; others have their own count.
func TestMailsByHand(t *testing.T) {
	d := newFixture(t)
	d.add("ann", Manager)
	d.add("bob", Manager)
	ann, bob := d.enter("ann").Principal, d.enter("bob").Principal
	other := NewForTests(Options{Store: d.st, Box: d.key.Box(), Now: d.clock.Now})
	send := func(p Principal) (sent int) {
		for {
			service := []*Service{d.Service, other}[sent%2]
			err := service.CountMail(t.Context(), p)
			if wait, ok := errors.AsType[*Throttled](err); ok {
				if wait.Wait <= 0 || wait.Wait > mailEvery {
					t.Errorf("after %d mails the wait is %v", sent, wait.Wait)
				}
				return sent
			}
			done(t, err)
			sent++
		}
	}
	if got := send(ann); got != mailsAtOnce {
		t.Errorf("%d mails at once", got)
	}
	d.clock.add(mailEvery)
	if got := send(ann); got != 1 {
		t.Errorf("%d mails after %v", got, mailEvery)
	}
	if got := send(bob); got != mailsAtOnce {
		t.Errorf("%d mails of another user", got)
	}
	done(t, d.tidy(t.Context()))
	d.clock.add(time.Hour)
	if got := send(ann); got != mailsAtOnce {
		t.Errorf("%d mails after an hour", got)
	}
}
