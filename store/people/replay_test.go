package people_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	file "rebatedesk/people"
	"rebatedesk/store"
	"rebatedesk/store/people"
	"rebatedesk/store/storetest"
	"rebatedesk/store/upkeep"
)

// history is what a database of people should be: the values of each UID, and what each import
// changed.
type history struct {
	*testing.T
	*rand.Rand
	store   *store.Store
	values  map[affiliate.UID]map[file.PersonField]string
	imports map[int64][]step // those that are in force
}

type step struct {
	uid         affiliate.UID
	field       file.PersonField
	was, became string
}

func (h *history) value(uid affiliate.UID, f file.PersonField) string { return h.values[uid][f] }

func (h *history) set(uid affiliate.UID, f file.PersonField, text string) {
	if h.values[uid] == nil {
		h.values[uid] = map[file.PersonField]string{}
	}
	h.values[uid][f] = text
}

// give applies an entry and returns what it changed.
func (h *history) give(e file.PersonEntry) (steps []step) {
	for _, f := range file.PersonFields() {
		was := h.value(e.UID, f)
		is, given := e.Value(f)
		if cost, costs := e.Value(file.FieldCost); f == file.FieldCostCoin && costs && cost == "" {
			is, given = "", true
		}
		if given && is != was {
			h.set(e.UID, f, is)
			steps = append(steps, step{e.UID, f, was, is})
		}
	}
	return steps
}

// undo takes back what an import changed and nobody has changed since. A cost stays with its
// coin.
func (h *history) undo(id int64) (left int) {
	restored := map[affiliate.UID][]step{}
	for _, s := range h.imports[id] {
		if h.value(s.uid, s.field) != s.became {
			left++
			continue
		}
		restored[s.uid] = append(restored[s.uid], s)
	}
	for uid, steps := range restored {
		for _, s := range steps {
			h.set(uid, s.field, s.was)
		}
		if (h.value(uid, file.FieldCost) == "") == (h.value(uid, file.FieldCostCoin) == "") {
			continue
		}
		for _, s := range steps {
			if s.field == file.FieldCost || s.field == file.FieldCostCoin {
				h.set(uid, s.field, s.became)
				left++
			}
		}
	}
	delete(h.imports, id)
	return left
}

func (h *history) act() string {
	switch h.IntN(6) {
	case 0, 1:
		drawn := rapid.Custom(drawFile).Example(h.Int())
		done, _, err := people.Import(h.Context(), h.store, drawn, "people.csv", ann)
		storetest.Done(h.T, err)
		for _, e := range drawn.Entries {
			h.imports[done.ID] = append(h.imports[done.ID], h.give(e)...)
		}
		return fmt.Sprintf("import %d of %+v", done.ID, drawn)
	case 2:
		if len(h.imports) == 0 {
			return "nothing"
		}
		ids := slices.Sorted(maps.Keys(h.imports))
		id := ids[h.IntN(len(ids))]
		want := h.undo(id)
		if _, left, err := people.Undo(h.Context(), h.store, id, ann); err != nil || len(left) != want {
			h.Errorf("undoing %d left %v, want %d values (%v)", id, left, want, err)
		}
		return fmt.Sprint("undo ", id)
	case 3:
		uid, tag := affiliate.UID(fmt.Sprint(1+h.IntN(4))), []string{"VIP", "big"}[h.IntN(2)]
		tags := slices.DeleteFunc(strings.Split(h.value(uid, file.FieldTags), file.TagSeparator), func(t string) bool { return t == tag || t == "" })
		err := people.RemoveTag(h.Context(), h.store, uid, tag, ann)
		if h.IntN(2) == 0 {
			tags = append(tags, tag)
			err = people.AddTag(h.Context(), h.store, "main", uid, tag, ann)
		}
		storetest.Done(h.T, err)
		file.SortTags(tags)
		h.set(uid, file.FieldTags, strings.Join(tags, file.TagSeparator))
		return fmt.Sprint("tags of ", uid, ": ", tags)
	}
	drawn := rapid.Custom(drawFile).Example(h.Int())
	for _, e := range drawn.Entries {
		storetest.Done(h.T, people.Edit(h.Context(), h.store, e, store.AnyVersion, ann))
		h.give(e)
	}
	return fmt.Sprintf("edits %+v", drawn)
}

// check compares the database with the history.
func (h *history) check(after string) {
	h.Helper()
	r := storetest.Reader(h.T, h.store)
	defer r.Close()
	kept, err := people.Kept(h.Context(), r)
	storetest.Done(h.T, err)
	stored := map[affiliate.UID]people.Person{}
	for _, p := range kept {
		stored[p.UID] = p
	}
	for n := range 9 {
		uid := affiliate.UID(fmt.Sprint(n))
		p := stored[uid]
		for _, f := range file.PersonFields() {
			if is, want := p.Value(f), h.value(uid, f); is != want {
				h.Fatalf("%s: the %s of %s is %q, want %q", after, f, uid, is, want)
			}
		}
	}
}

// Whatever is imported, edited and undone in whatever order, the people are what the changes
// made of them.
func TestPeopleAreTheSumOfTheirChanges(t *testing.T) {
	t.Parallel()
	for engine, place := range map[string]func(testing.TB) string{"the engine of the tests": storetest.Empty, "Citus": storetest.Citus} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			seed := rand.Uint64()
			t.Log("seed", seed)
			now := time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)
			h := &history{T: t, Rand: rand.New(rand.NewPCG(seed, 1)), values: map[affiliate.UID]map[file.PersonField]string{}, imports: map[int64][]step{},
				store: storetest.OpenAt(t, place(t), store.Options{AuditKey: storetest.AuditKey, Now: func() time.Time { now = now.Add(time.Minute); return now }})}
			earn(t, h.store)
			for range 60 {
				h.check(h.act())
			}
			for finding, err := range upkeep.Verify(t.Context(), h.store) {
				if err != nil || (finding.Check == "people" || finding.Check == "roll-ups") && !finding.Sound() {
					t.Fatalf("verify: %+v (%v)", finding, err)
				}
			}
		})
	}
}

// Verify names who is not what the changes made of them.
func TestVerifyFindsChangedPeople(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "statements of the verification", testVerifyFindsChangedPeople)
}

func testVerifyFindsChangedPeople(t *testing.T) {
	for statement, want := range map[string]string{
		`UPDATE people SET name = 'Bea', folded = 'bea' WHERE uid = '1'`: "the name of 1 is another than its changes made it",
		`UPDATE people SET folded = 'bea' WHERE uid = '1'`:               "the search would not find the name of 1",
		`DELETE FROM people WHERE uid = '1'`:                             "the name of 1 is another than its changes made it",
		`DELETE FROM people_tags WHERE uid = '1'`:                        "the tags of 1 is another than its changes made it",
		`DELETE FROM people_changes WHERE field = 'name' AND was = ''`:   "the name of 1 does not begin with what was before",
		`UPDATE meta SET people_ms = 0`:                                  "the newest change is of",
	} {
		s := storetest.Audited(t)
		for _, name := range []string{"Ann", "Anna"} {
			e := file.PersonEntry{UID: "1", Values: []file.GivenValue{{Field: file.FieldName, Text: name}, {Field: file.FieldTags, Text: "vip"}}}
			storetest.Done(t, people.Edit(t.Context(), s, e, store.AnyVersion, ann))
		}
		storetest.Done(t, storetest.Corrupt(s, statement))
		var faults []string
		for finding, err := range upkeep.Verify(t.Context(), s) {
			storetest.Done(t, err)
			if finding.Check == "people" {
				faults = append(faults, finding.Faults...)
			}
		}
		if !slices.ContainsFunc(faults, func(fault string) bool { return strings.Contains(fault, want) }) || strings.Contains(strings.Join(faults, ""), "Ann") {
			t.Errorf("%s: %q, want %q", statement, faults, want)
		}
	}
}
