package access

import (
	"context"
	"time"

	"rebatedesk/store/identity"
)

// device returns the hash of the mark that a browser carries if that browser signed in to
// the account before, and nil otherwise.
func (s *Service) device(ctx context.Context, u identity.User, from Origin) ([]byte, error) {
	hash, ok := hashOf(from.Device)
	if !ok {
		return nil, nil
	}
	known, err := identity.KnownDevice(ctx, s.store, u.ID, hash)
	if err != nil || !known {
		return nil, err
	}
	return hash, nil
}

// Browser is a browser in which a user signed in, as it was at the first sign-in.
type Browser struct {
	Agent   string
	Address string
	First   time.Time // UTC
}

// newFor is how long a browser is shown as new.
const newFor = 30 * 24 * time.Hour

// deviceKept is how long it is kept what a browser is, after its last use. Its mark has ended by then.
const deviceKept = 365 * 24 * time.Hour

// NewBrowsers lists the browsers in which a user recently signed in for the first time,
// newest first. It is empty if there is nothing to compare them with: the first browser of
// an account is not reported.
func (s *Service) NewBrowsers(ctx context.Context, p Principal) ([]Browser, error) {
	devices, err := identity.Devices(ctx, s.store, p.UserID)
	if err != nil || len(devices) < 2 {
		return nil, err
	}
	var list []Browser
	for _, d := range devices[:len(devices)-1] {
		if d.First.Known() && s.now().Sub(d.First.Time()) < newFor {
			list = append(list, Browser{d.Agent, d.Address, d.First.Time()})
		}
	}
	return list, nil
}

// markDevice makes a session record the browser in which it is opened. It never adopts a
// mark that the account does not know: an attacker may have placed it there in order to be
// recognised as this browser.
func (s *Service) markDevice(ctx context.Context, u identity.User, from Origin, e *Entry, o *identity.Opening) (err error) {
	if o.Device, err = s.device(ctx, u, from); err != nil || o.Device != nil {
		return err
	}
	e.Device = newSecret()
	o.Device, _ = hashOf(e.Device)
	return nil
}
