package upkeep

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/people"
	"rebatedesk/store"
)

// keptPeople are the people as stored, and as their changes made them.
type keptPeople struct {
	stored  map[affiliate.UID]*people.Person
	became  map[personField]string
	changes int64
	newest  affiliate.Millis
}

type personField struct {
	uid   affiliate.UID
	field people.PersonField
}

// readPeople checks that everybody is what the changes of them made.
func (v *verification) readPeople(ctx context.Context, r *store.Tx) error {
	k := keptPeople{stored: map[affiliate.UID]*people.Person{}, became: map[personField]string{}}
	for _, read := range []func(context.Context, *store.Tx, *keptPeople) error{v.readPersons, v.readPeopleTags, v.readPeopleChanges} {
		if err := read(ctx, r, &k); err != nil {
			return err
		}
	}
	for at, became := range k.became {
		if k.stored[at.uid] == nil && became != "" {
			v.people.Fault("the %s of %s is missing", at.field, at.uid)
		}
	}
	for uid, p := range k.stored {
		people.SortTags(p.Tags)
		for _, f := range people.PersonFields() {
			became, changed := k.became[personField{uid, f}]
			if f == people.FieldTags && !changed {
				continue // tags from before there were changes
			}
			if p.Value(f) != became {
				v.people.Fault("the %s of %s is another than its changes made it", f, uid)
			}
		}
	}
	var stamp affiliate.Millis
	if err := r.QueryRowContext(ctx, `SELECT people_ms FROM meta WHERE id = 1`).Scan(&stamp); err != nil {
		return err
	}
	if stamp < k.newest {
		v.people.Fault("the newest change is of %s, and the database says %s", k.newest, stamp)
	}
	v.people.Seen = fmt.Sprintf("%d people and %d changes of them", len(k.stored), k.changes)
	return nil
}

func (v *verification) readPersons(ctx context.Context, r *store.Tx, k *keptPeople) error {
	rows, err := r.QueryContext(ctx, `SELECT uid, name, folded, invite_code, owner, cost, cost_coin, note, phone, email, telegram FROM people`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var p people.Person
		var folded string
		if err := rows.Scan(&p.UID, &p.Name, &folded, &p.InviteCode, &p.Owner, &p.Cost, &p.CostCoin, &p.Note, &p.Phone, &p.Email, &p.Telegram); err != nil {
			return err
		}
		if folded != affiliate.Folded(p.Name) {
			v.people.Fault("the search would not find the name of %s", p.UID)
		}
		if (p.Cost == "") != (p.CostCoin == "") {
			v.people.Fault("%s has a cost without a coin, or a coin without a cost", p.UID)
		}
		v.checkAmount(func() string { return fmt.Sprintf("person %s", p.UID) }, "cost", p.Cost)
		k.stored[p.UID] = &p
	}
	return rows.Err()
}

func (v *verification) readPeopleTags(ctx context.Context, r *store.Tx, k *keptPeople) error {
	rows, err := r.QueryContext(ctx, `SELECT uid, tag, folded FROM people_tags`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var uid affiliate.UID
		var tag, folded string
		if err := rows.Scan(&uid, &tag, &folded); err != nil {
			return err
		}
		if folded != affiliate.Folded(tag) {
			v.people.Fault("a tag of %s is kept under another", uid)
		}
		if k.stored[uid] == nil {
			k.stored[uid] = &people.Person{UID: uid}
		}
		k.stored[uid].Tags = append(k.stored[uid].Tags, tag)
	}
	return rows.Err()
}

func (v *verification) readPeopleChanges(ctx context.Context, r *store.Tx, k *keptPeople) error {
	rows, err := r.QueryContext(ctx, `SELECT id, uid, field, was, became, seen_ms FROM people_changes ORDER BY id`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var at personField
		var was, became string
		var seen affiliate.Millis
		if err := rows.Scan(&id, &at.uid, &at.field, &was, &became, &seen); err != nil {
			return err
		}
		before, changed := k.became[at]
		if was != before && (changed || at.field != people.FieldTags) {
			v.people.Fault("change %d of the %s of %s does not begin with what was before", id, at.field, at.uid)
		}
		if seen < k.newest {
			v.people.Fault("change %d of the %s of %s was stored at %s, before an earlier one", id, at.field, at.uid, seen)
		}
		k.became[at], k.newest = became, max(k.newest, seen)
		k.changes++
	}
	return rows.Err()
}
