package access

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/seal"
	"rebatedesk/store"
	"rebatedesk/store/identity"
)

const (
	totpBytes   = 20 // of the secret of an authenticator
	enrolWithin = time.Hour
)

// enrolments are the authenticators that are being set up. Their secrets are sealed in the
// database, so that every node can finish what another one began.
type enrolments struct {
	store *store.Store
	box   *seal.Box
	now   func() time.Time
}

// begun returns the secret that was begun in a session, or nil.
func (e enrolments) begun(ctx context.Context, p Principal) ([]byte, error) {
	stored, err := identity.EnrolmentOf(ctx, e.store, p.SessionID)
	if err != nil || stored.Secret == nil || stored.Begun <= e.expired() {
		return nil, err
	}
	return e.open(p, stored)
}

// begin returns the secret that was begun in a session, or makes one. The error is
// [ErrNoSession] if the session has ended.
func (e enrolments) begin(ctx context.Context, p Principal) ([]byte, error) {
	if secret, err := e.begun(ctx, p); secret != nil || err != nil {
		return secret, err
	}
	next := identity.PendingEnrolment{Secret: e.box.Seal(random(totpBytes), enrolmentRow(p)), Begun: affiliate.MillisOf(e.now())}
	stored, err := identity.BeginEnrolment(ctx, e.store, p.SessionID, next, e.expired())
	if missing(err) {
		return nil, ErrNoSession
	}
	if err != nil {
		return nil, err
	}
	return e.open(p, stored)
}

func (e enrolments) open(p Principal, stored identity.PendingEnrolment) ([]byte, error) {
	secret, err := e.box.Open(stored.Secret, enrolmentRow(p))
	if err != nil {
		return nil, fmt.Errorf("the secret of a new authenticator %w", err)
	}
	return secret, nil
}

// expired returns the instant until which what was begun has expired.
func (e enrolments) expired() affiliate.Millis {
	return affiliate.MillisOf(e.now().Add(-enrolWithin))
}

// enrolmentRow identifies the place for which the secret of a new authenticator is sealed.
func enrolmentRow(p Principal) string {
	return seal.Row("sessions", "enrolment", strconv.FormatInt(p.SessionID, 10))
}
