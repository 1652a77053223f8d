package access

import (
	"context"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/identity"
)

// proofs are when users proved to be present. They count on every node.
type proofs struct {
	store *store.Store
	clock func() time.Time
}

// note stores that the user of a session has proved to be present.
func (s proofs) note(ctx context.Context, line audit.Line, p Principal) error {
	return identity.NoteProof(ctx, s.store, line, p.SessionID, affiliate.MillisOf(s.clock()))
}

// SteppedUp reports whether the user of the session proved to be present within a time: by
// a code or, without an authenticator, by the password. A token needs no proof, because
// creating it took one.
func (s proofs) SteppedUp(ctx context.Context, p Principal, within time.Duration) (bool, error) {
	if p.TokenID != 0 {
		return true, nil
	}
	at, err := identity.Proof(ctx, s.store, p.SessionID)
	// A clock that was set back since makes no proof last longer.
	return at.Known() && s.clock().Sub(at.Time()).Abs() < within, err
}
