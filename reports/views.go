package reports

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/store/identity"
)

// Views lists the saved views that an owner sees: the shared ones and the owner's own, by
// path and name. Callers share the list and must not change it. A rejected write is a
// *store.RuleError; a change requires the version seen, as in [store.Store.RenameView].
func (s *Service) Views(ctx context.Context, owner string) ([]identity.View, error) {
	return answer(ctx, s, "Views", owner, func(ctx context.Context) ([]identity.View, error) {
		r, err := s.store.Read(ctx)
		if err != nil {
			return nil, err
		}
		defer r.Close()
		return identity.Views(ctx, r, owner)
	})
}

// SaveView stores a new view.
func (s *Service) SaveView(ctx context.Context, v identity.View) error {
	return identity.SaveView(ctx, s.store, v)
}

// RenameView renames a view of the owner, or a shared one.
func (s *Service) RenameView(ctx context.Context, owner string, id int64, seen affiliate.Millis, name string) error {
	return identity.RenameView(ctx, s.store, owner, id, seen, name)
}

// SetDefaultView makes a view the default of its path, or stops it from being the default.
func (s *Service) SetDefaultView(ctx context.Context, owner string, id int64, seen affiliate.Millis, on bool) error {
	return identity.SetDefaultView(ctx, s.store, owner, id, seen, on)
}

// DeleteView deletes a view of the owner, or a shared one.
func (s *Service) DeleteView(ctx context.Context, owner string, id int64, seen affiliate.Millis) error {
	return identity.DeleteView(ctx, s.store, owner, id, seen)
}
