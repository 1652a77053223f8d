package people

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/people"
	"rebatedesk/store"
)

// Person is what is kept of a UID.
type Person = people.Person

// Limits of tags.
const (
	MaxTag  = people.MaxTag  // characters
	MaxTags = people.MaxTags // of a person
)

// TagSeparator separates tags in exports.
const TagSeparator = people.TagSeparator

const personColumns = `p.uid, p.name, p.invite_code, p.owner, p.cost, p.cost_coin, p.note, p.phone, p.email, p.telegram`

func scanPerson(rows interface{ Scan(...any) error }) (p Person, err error) {
	err = rows.Scan(&p.UID, &p.Name, &p.InviteCode, &p.Owner, &p.Cost, &p.CostCoin, &p.Note, &p.Phone, &p.Email, &p.Telegram)
	return p, err
}

// One returns what is kept of a UID, which may be nothing.
func One(ctx context.Context, r *store.Tx, uid affiliate.UID) (Person, error) {
	p, err := scanPerson(r.QueryRowContext(ctx, `SELECT `+personColumns+` FROM people p WHERE p.uid = ?`, uid))
	if errors.Is(err, sql.ErrNoRows) {
		p, err = Person{UID: uid}, nil
	}
	if err == nil {
		p.Tags, err = TagsOf(ctx, r, uid)
	}
	if err != nil {
		return Person{}, fmt.Errorf("reading who %s is: %w", uid, err)
	}
	return p, nil
}

// Kept lists everybody of whom anything is kept, by UID.
func Kept(ctx context.Context, r *store.Tx) ([]Person, error) {
	tags, err := TagsByUID(ctx, r)
	if err != nil {
		return nil, err
	}
	var list []Person
	rows, err := store.Scanned(ctx, r, func(rows *sql.Rows) (Person, error) { return scanPerson(rows) }, `
		SELECT `+personColumns+` FROM people p
		UNION ALL SELECT DISTINCT t.uid, '', '', '', '', '', '', '', '', '' FROM people_tags t WHERE t.uid NOT IN (SELECT uid FROM people)
		ORDER BY 1`)
	if err != nil {
		return nil, fmt.Errorf("reading all people: %w", err)
	}
	for _, p := range rows {
		if p.Tags = tags[p.UID]; !p.Empty() {
			list = append(list, p)
		}
	}
	return list, nil
}

// Names returns the names of all UIDs that have one.
func Names(ctx context.Context, r *store.Tx) (map[affiliate.UID]string, error) {
	return textsOf(ctx, r, "name")
}

// Contacts returns how people are reached, of those of whom that is known.
func Contacts(ctx context.Context, r *store.Tx, of []affiliate.UID) (map[affiliate.UID]people.Contact, error) {
	list := map[affiliate.UID]people.Contact{}
	for some := range slices.Chunk(of, inviteesAtOnce) {
		in, args := store.In(some)
		found, err := store.Scanned(ctx, r, func(rows *sql.Rows) (Person, error) { return scanPerson(rows) },
			`SELECT `+personColumns+` FROM people p WHERE p.uid IN `+in, args...)
		if err != nil {
			return nil, fmt.Errorf("reading how people are reached: %w", err)
		}
		for _, p := range found {
			if p.Contact != (people.Contact{}) {
				list[p.UID] = p.Contact
			}
		}
	}
	return list, nil
}

// Owners returns the owners at an instant, where unknown means now, of all UIDs that had one.
func Owners(ctx context.Context, r *store.Tx, at affiliate.Millis) (map[affiliate.UID]string, error) {
	owners, err := textsOf(ctx, r, "owner")
	if err != nil || !at.Known() {
		return owners, err
	}
	// The caller looks up those who may be seen.
	later, err := store.Scanned(ctx, r, func(rows *sql.Rows) (p Person, err error) {
		err = rows.Scan(&p.UID, &p.Owner)
		return p, err
	}, store.ForMembers(`SELECT uid, was FROM people_changes WHERE field = ? AND seen_ms > ? ORDER BY id DESC`), people.FieldOwner, int64(at))
	if err != nil {
		return nil, fmt.Errorf("reading the owners at an instant: %w", err)
	}
	for _, change := range later {
		if owners[change.UID] = change.Owner; change.Owner == "" {
			delete(owners, change.UID)
		}
	}
	return owners, nil
}

// textsOf returns a column of everybody who has a value there.
func textsOf(ctx context.Context, r *store.Tx, column string) (map[affiliate.UID]string, error) {
	// The caller looks up those who may be seen.
	rows, err := r.QueryContext(ctx, store.ForMembers(`SELECT uid, `+column+` FROM people WHERE `+column+` <> ''`))
	if err != nil {
		return nil, fmt.Errorf("reading the column %s of people: %w", column, err)
	}
	defer rows.Close()
	texts := map[affiliate.UID]string{}
	for rows.Next() {
		var uid affiliate.UID
		var text string
		if err := rows.Scan(&uid, &text); err != nil {
			return nil, fmt.Errorf("reading the column %s of people: %w", column, err)
		}
		texts[uid] = text
	}
	return texts, rows.Err()
}

// Standing says in which state the people are.
type Standing struct {
	Changed affiliate.Millis // stamp of the newest change of a person; unknown if there was none
	Hidden  bool             // names are hidden from viewers
}

// ReadStanding reads it. It costs one look at one row.
func ReadStanding(ctx context.Context, r store.Asker) (s Standing, err error) {
	if err := r.QueryRowContext(ctx, `SELECT people_ms, names_hidden <> 0 FROM meta WHERE id = 1`).Scan(&s.Changed, &s.Hidden); err != nil {
		return s, fmt.Errorf("reading when people changed: %w", err)
	}
	return s, nil
}

// PersonChange is a change of a value of a person.
type PersonChange struct {
	At     affiliate.Millis
	Field  people.PersonField
	Was    string
	Became string
	Actor  string
	Import int64 // 0 = not by an import
}

// ChangesOf lists the changes of a person, oldest first.
func ChangesOf(ctx context.Context, r *store.Tx, uid affiliate.UID) ([]PersonChange, error) {
	list, err := store.Scanned(ctx, r, func(rows *sql.Rows) (c PersonChange, err error) {
		err = rows.Scan(&c.At, &c.Field, &c.Was, &c.Became, &c.Actor, &c.Import)
		return c, err
	}, `SELECT seen_ms, field, was, became, actor, import_id FROM people_changes WHERE uid = ? ORDER BY seen_ms, id`, uid)
	if err != nil {
		return nil, fmt.Errorf("reading the changes of %s: %w", uid, err)
	}
	return list, nil
}

// OwnCosts returns the cost of each UID that has one of its own.
func OwnCosts(ctx context.Context, r *store.Tx) (map[affiliate.UID]affiliate.Amount, error) {
	type owned struct {
		uid  affiliate.UID
		cost affiliate.Number
		coin affiliate.Coin
	}
	// The caller looks up those who may be seen.
	rows, err := store.Scanned(ctx, r, func(rows *sql.Rows) (o owned, err error) {
		err = rows.Scan(&o.uid, &o.cost, &o.coin)
		return o, err
	}, store.ForMembers(`SELECT p.uid, p.cost, p.cost_coin FROM people p WHERE p.cost <> '' ORDER BY p.uid`))
	if err != nil {
		return nil, fmt.Errorf("reading the costs of people: %w", err)
	}
	list := make(map[affiliate.UID]affiliate.Amount, len(rows))
	for _, o := range rows {
		list[o.uid] = affiliate.Amount{Value: o.cost.Decimal(), Coin: o.coin}
	}
	return list, nil
}
