package reports

import (
	"context"
	"fmt"
	"io"
	"sync"

	"rebatedesk/affiliate"
	whos "rebatedesk/people"
	"rebatedesk/reports/export"
	"rebatedesk/reports/phrase"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/people"
)

// PeopleDesk keeps who UIDs are.
type PeopleDesk struct{ store *store.Store }

// NewPeopleDesk returns the desk of a database.
func NewPeopleDesk(s *store.Store) *PeopleDesk { return &PeopleDesk{s} }

// PeopleOf returns the desk of a service's database.
func PeopleOf(s *Service) *PeopleDesk { return NewPeopleDesk(s.store) }

// NamesFor returns the names of UIDs that a reader may see, nil for one from whom they are
// hidden: they can be hidden from those who may not edit. As long as nobody changes, it is the
// same book.
func NamesFor(ctx context.Context, s *Service, edits bool) (*whos.NameBook, error) {
	standing, err := people.ReadStanding(ctx, s.store.Readers())
	if err != nil || standing.Hidden && !edits || !standing.Changed.Known() {
		return nil, err
	}
	s.names.Lock()
	defer s.names.Unlock()
	if s.names.book != nil && s.names.changed == standing.Changed {
		return s.names.book, nil
	}
	r, err := s.store.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if standing, err = people.ReadStanding(ctx, r); err != nil {
		return nil, err
	}
	of, err := people.Names(ctx, r)
	if err != nil {
		return nil, err
	}
	s.names.book, s.names.changed = whos.NewNameBook(of), standing.Changed
	return s.names.book, nil
}

// ContactsFor returns how people are reached, for a reader who may see their names; nil for others.
func ContactsFor(ctx context.Context, s *Service, edits bool, of []affiliate.UID) (list map[affiliate.UID]whos.Contact, err error) {
	standing, err := people.ReadStanding(ctx, s.store.Readers())
	if err != nil || standing.Hidden && !edits || !standing.Changed.Known() || len(of) == 0 {
		return nil, err
	}
	err = PeopleOf(s).reading(ctx, func(r *store.Tx) error {
		list, err = people.Contacts(ctx, r, of)
		return err
	})
	return list, err
}

// keptNames is the newest book of names.
type keptNames struct {
	sync.Mutex
	book    *whos.NameBook
	changed affiliate.Millis
}

// reading runs f on one state of the database.
func (d *PeopleDesk) reading(ctx context.Context, f func(*store.Tx) error) error {
	r, err := d.store.Read(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	return f(r)
}

// One returns what is kept of a UID, and the stamp of the newest change of anybody.
func (d *PeopleDesk) One(ctx context.Context, uid affiliate.UID) (p people.Person, seen affiliate.Millis, err error) {
	err = d.reading(ctx, func(r *store.Tx) error {
		standing, err := people.ReadStanding(ctx, r)
		if err != nil {
			return err
		}
		seen = standing.Changed
		p, err = people.One(ctx, r, uid)
		return err
	})
	return p, seen, err
}

// Compare says what a people file would change.
func (d *PeopleDesk) Compare(ctx context.Context, file whos.File) (c people.Comparison, err error) {
	err = d.reading(ctx, func(r *store.Tx) error {
		c, err = people.CompareFile(ctx, r, file)
		return err
	})
	return c, err
}

// Import stores a people file.
func (d *PeopleDesk) Import(ctx context.Context, file whos.File, name string, by audit.Line) (people.Imported, people.Comparison, error) {
	return people.Import(ctx, d.store, file, name, by)
}

// Undo undoes an import.
func (d *PeopleDesk) Undo(ctx context.Context, id int64, by audit.Line) (restored int, kept []people.KeptValue, err error) {
	return people.Undo(ctx, d.store, id, by)
}

// Imports lists the imports, newest first.
func (d *PeopleDesk) Imports(ctx context.Context, most int) (list []people.Imported, err error) {
	err = d.reading(ctx, func(r *store.Tx) error {
		list, err = people.Imports(ctx, r, most)
		return err
	})
	return list, err
}

// NamesHidden reports whether names are hidden from viewers.
func (d *PeopleDesk) NamesHidden(ctx context.Context) (bool, error) {
	standing, err := people.ReadStanding(ctx, d.store.Readers())
	return standing.Hidden, err
}

// SaveDraft keeps a file until its import is confirmed, and returns its token.
func (d *PeopleDesk) SaveDraft(ctx context.Context, actor, name string, content []byte) (string, error) {
	return people.SaveDraft(ctx, d.store, actor, name, content)
}

// TakeDraft returns a kept file and forgets it.
func (d *PeopleDesk) TakeDraft(ctx context.Context, token, actor string) (people.FileDraft, error) {
	return people.TakeDraft(ctx, d.store, token, actor)
}

// Edit changes one person.
func (d *PeopleDesk) Edit(ctx context.Context, e whos.PersonEntry, seen affiliate.Millis, by audit.Line) error {
	return people.Edit(ctx, d.store, e, seen, by)
}

// HideNames decides whether viewers see names.
func (d *PeopleDesk) HideNames(ctx context.Context, hidden bool, by audit.Line) error {
	return people.HideNames(ctx, d.store, hidden, by)
}

// WriteFile writes the people file of everybody of whom anything is kept, as CSV or XLSX, and
// returns how many that are.
func (d *PeopleDesk) WriteFile(ctx context.Context, w io.Writer, format export.Format) (rows int64, err error) {
	var list []people.Person
	err = d.reading(ctx, func(r *store.Tx) (err error) {
		list, err = people.Kept(ctx, r)
		return err
	})
	switch {
	case err != nil:
		return 0, err
	case format == export.XLSX:
		return int64(len(list)), whos.WriteWorkbook(w, list)
	}
	return int64(len(list)), whos.WriteCSV(w, list)
}

// ImportWords says what an import changes, in lines. They name UIDs and no person.
func ImportWords(c people.Comparison, file whos.File) []string {
	lines := []string{fmt.Sprintf("%d new, %d changed, %d unchanged", len(c.Added), len(c.Changed), c.Unchanged)}
	if n := len(c.Unknown); n > 0 {
		words := fmt.Sprintf("%s that no record and no list has; they are kept:", phrase.Things(n, "UID"))
		for i, uid := range c.Unknown {
			if i == mostUnknown {
				words += fmt.Sprintf(" and %d more", n-i)
				break
			}
			words += " " + string(uid)
		}
		lines = append(lines, words)
	}
	if file.Repeats > 0 {
		lines = append(lines, phrase.Things(file.Repeats, "line")+" of the file say the same as earlier ones")
	}
	return lines
}

// mostUnknown is how many unknown UIDs are named.
const mostUnknown = 10
