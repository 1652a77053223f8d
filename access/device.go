package access

import (
	"context"

	"rebatedesk/store"
)

// device is the hash of the mark that a browser carries, where that browser
// signed in to the account before; else nil.
func (s *Service) device(ctx context.Context, u store.User, from Client) ([]byte, error) {
	hash, ok := hashOf(from.Device)
	if !ok {
		return nil, nil
	}
	known, err := s.store.KnownDevice(ctx, u.ID, hash)
	if err != nil || !known {
		return nil, err
	}
	return hash, nil
}

// markDevice has a session note the browser it is opened in. A mark that the
// account does not know is never taken over: somebody else may have put it
// there to be known as this browser.
func (s *Service) markDevice(ctx context.Context, u store.User, from Client, e *Entry, o *store.Opening) (err error) {
	if o.Device, err = s.device(ctx, u, from); err != nil || o.Device != nil {
		return err
	}
	e.Device = newSecret()
	o.Device, _ = hashOf(e.Device)
	return nil
}
