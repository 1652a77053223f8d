package reports

import (
	"context"

	"rebatedesk/store"
)

// Views lists the saved views that an owner sees: the shared ones and the
// owner's own, by path and name. Writes are refused with a *store.RuleError.
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
func (s *Service) RenameView(ctx context.Context, owner string, id int64, name string) error {
	return s.store.RenameView(ctx, owner, id, name)
}

// SetDefaultView makes a view what its path opens with, or ends that it is.
func (s *Service) SetDefaultView(ctx context.Context, owner string, id int64, on bool) error {
	return s.store.SetDefaultView(ctx, owner, id, on)
}

// DeleteView deletes a view of the owner, or a shared one.
func (s *Service) DeleteView(ctx context.Context, owner string, id int64) error {
	return s.store.DeleteView(ctx, owner, id)
}
