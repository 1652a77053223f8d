package access

import (
	"context"

	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/identity"
)

// Names of preferences: what users decided about the pages themselves.
const (
	// KeysOff is set by users whose single keys do nothing on pages.
	KeysOff = "keys-off"
	// hintAway and the address of a page name a hint that a user put away.
	hintAway = "hint:"
)

// Preferences are what a user decided about the pages, by name.
type Preferences map[string]string

// On reports whether a preference is set.
func (p Preferences) On(name string) bool { return p[name] != "" }

// HintAway is the name of the preference that hides the hint of a page.
func HintAway(page string) string { return hintAway + page }

// wishes keeps what users decided about the pages.
type wishes struct{ store *store.Store }

// Preferences returns what a user decided about the pages.
func (s wishes) Preferences(ctx context.Context, user string) (Preferences, error) {
	r, err := s.store.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return identity.PreferencesOf(ctx, r, user)
}

// Prefer sets or removes preferences of a user.
func (s wishes) Prefer(ctx context.Context, user string, on bool, names ...string) error {
	value := ""
	if on {
		value = "yes"
	}
	for _, name := range names {
		if err := identity.SetPreference(ctx, s.store, user, name, value); err != nil {
			return err
		}
	}
	return nil
}

// SetupMarks returns what is known of the first setup besides the data.
func (s wishes) SetupMarks(ctx context.Context) (map[string]string, error) {
	r, err := s.store.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return identity.SetupMarks(ctx, r)
}

// MarkSetup keeps a mark of the first setup; an empty value removes it.
func (s wishes) MarkSetup(ctx context.Context, name, value string, by audit.Line) error {
	return identity.MarkSetup(ctx, s.store, name, value, by)
}
