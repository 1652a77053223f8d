package terms

import (
	"fmt"
	"slices"

	"rebatedesk/tabular"
)

// Merging is what a terms file changes in the stored terms.
type Merging struct {
	Added     []Term    // of the file
	Changed   []Changed // the file gives a stored term another last day, coin, note or reference
	Unchanged []Term    // stored, and in the file as well
	Ended     []Spell   // stored terms that a term of the file ends earlier than before
	Remarks   []string  // what may surprise, each a sentence
}

// Changed is a term before and after a change.
type Changed struct{ Before, After Term }

// Any reports whether the file changes anything.
func (m Merging) Any() bool { return len(m.Added)+len(m.Changed) > 0 }

// Merge compares the file with the stored terms that are in force. A term with the series
// and first day of a stored one is that term. If its rate differs, it contradicts the stored
// one; if its last day, coin, note or reference differ, it replaces the stored one. Stored terms
// that the file does not have remain, and so do coins, notes and references if the file has no such
// column.
//
// The error is of the type [tabular.Mistakes].
func (f File) Merge(stored []Term) (Merging, error) {
	var m Merging
	var mistakes tabular.Mistakes
	known := map[place]Term{}
	for _, t := range stored {
		known[place{t.Key(), t.From}] = t
	}
	after := slices.Clone(stored)
	for _, t := range f.Terms {
		old, ok := known[place{t.Key(), t.From}]
		if ok && f.columns[colNote] == 0 { // a column that the file does not have changes nothing
			t.Note = old.Note
		}
		if ok && f.columns[colReference] == 0 {
			t.Reference = old.Reference
		}
		if ok && f.columns[colCoin] == 0 {
			t.Coin = old.Coin
		}
		switch {
		case !ok:
			m.Added = append(m.Added, t)
			after = append(after, t)
		case old.Rate.Cmp(t.Rate) != 0:
			mistake := f.contradiction(old, t)
			mistake.Text += fmt.Sprintf("; to replace the stored one, remove it first: webapp terms remove %d", old.ID)
			mistakes = append(mistakes, mistake)
		case old.Same(t) && old.Note == t.Note && old.Reference == t.Reference:
			m.Unchanged = append(m.Unchanged, old)
		default:
			t.Rate = old.Rate // the same value, as it was written first
			m.Changed = append(m.Changed, Changed{old, t})
			after[slices.Index(after, old)] = t
		}
	}
	mistakes = append(mistakes, f.mixedTiers(after)...)
	if err := mistakes.Err(); err != nil {
		return Merging{}, err
	}
	m.follow(stored, after)
	return m, nil
}

// follow finds the stored terms that now end earlier, and what may surprise about it.
func (m *Merging) follow(stored, after []Term) {
	before := map[place]Spell{}
	for _, s := range AllSeries(stored) {
		for _, spell := range s.Spells {
			before[place{s.Key, spell.From}] = spell
		}
	}
	for _, s := range AllSeries(after) {
		for i, spell := range s.Spells {
			if old, ok := before[place{s.Key, spell.From}]; ok && old.Last != spell.Last && spell.EndedBy != nil {
				m.Ended = append(m.Ended, Spell{Term: old.Term, Last: spell.Last, EndedBy: spell.EndedBy})
			}
			if spell.EndedBy == nil || spell.EndedBy.Line == 0 && spell.Line == 0 {
				continue // nothing of the file
			}
			if spell.Shortened() {
				m.remark("%s about %s states its last day %s, but %s ends it on %s", spell.Where(), spell.About(), spell.To, spell.EndedBy.Where(), spell.Last)
			}
			if next := s.Spells[i+1]; next.Last != 0 && spell.last() > next.Last && (i+2 == len(s.Spells) || s.Spells[i+2].From > next.Last+1) {
				m.remark("%s about %s does not come back when %s has ended on %s: give a further line from %s, if it shall", spell.Where(), spell.About(), next.Where(), next.Last, next.Last+1)
			}
		}
	}
}

func (m *Merging) remark(format string, values ...any) {
	m.Remarks = append(m.Remarks, sentence(fmt.Sprintf(format, values...)))
}

// sentence begins with a capital letter and ends with a full stop.
func sentence(text string) string {
	if c := text[0]; c >= 'a' && c <= 'z' {
		text = string(c-'a'+'A') + text[1:]
	}
	return text + "."
}
