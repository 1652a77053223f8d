package reports

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/imported"
)

// FileDesk keeps commissions that people import as files.
type FileDesk struct{ store *store.Store }

// NewFileDesk returns the desk of a database.
func NewFileDesk(s *store.Store) *FileDesk { return &FileDesk{s} }

// FilesOf returns the desk of a service's database.
func FilesOf(s *Service) *FileDesk { return NewFileDesk(s.store) }

// Compare says what a commission file would change.
func (d *FileDesk) Compare(ctx context.Context, account affiliate.Account, file imported.File) (c imported.Comparison, err error) {
	r, err := d.store.Read(ctx)
	if err != nil {
		return c, err
	}
	defer r.Close()
	return imported.Compare(ctx, r, account, file)
}

// Import stores a commission file.
func (d *FileDesk) Import(ctx context.Context, account affiliate.Account, file imported.File, name string, by audit.Line) (imported.Imported, imported.Comparison, error) {
	return imported.Import(ctx, d.store, account, file, name, by)
}

// Undo undoes an import of commissions.
func (d *FileDesk) Undo(ctx context.Context, id int64, by audit.Line) (imported.Undoing, error) {
	return imported.Undo(ctx, d.store, id, by)
}

// Imports lists the imports of commissions, newest first.
func (d *FileDesk) Imports(ctx context.Context, most int) ([]imported.Imported, error) {
	r, err := d.store.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return imported.Imports(ctx, r, most)
}
