package reports

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// Views lists the saved views that an owner sees: the shared ones and the
// owner's own, by path and name. Writes are refused with a *store.RuleError; a
// change begins with the version seen, as in [store.Store.RenameView].
func (s *Service) Views(ctx context.Context, owner string) ([]store.View, error) {
	r, err := s.store.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.Views(ctx, owner)
}

// SaveView stores a new view.
func (s *Service) SaveView(ctx context.Context, v store.View) error { return s.store.SaveView(ctx, v) }

// RenameView gives a view of the owner, or a shared one, another name.
func (s *Service) RenameView(ctx context.Context, owner string, id int64, seen affiliate.Millis, name string) error {
	return s.store.RenameView(ctx, owner, id, seen, name)
}

// SetDefaultView makes a view what its path opens with, or ends that it is.
func (s *Service) SetDefaultView(ctx context.Context, owner string, id int64, seen affiliate.Millis, on bool) error {
	return s.store.SetDefaultView(ctx, owner, id, seen, on)
}

// DeleteView deletes a view of the owner, or a shared one.
func (s *Service) DeleteView(ctx context.Context, owner string, id int64, seen affiliate.Millis) error {
	return s.store.DeleteView(ctx, owner, id, seen)
}
