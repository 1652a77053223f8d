package invitees

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	whos "rebatedesk/people"
	"rebatedesk/reports/phrase"
	"rebatedesk/store/people"
	"rebatedesk/tabular"
	"rebatedesk/web/templates/ui"

	"github.com/a-h/templ"
)

// ImportPath is the page of imports of people files.
const ImportPath = "/people/import"

// mostShown is how many faults or values a preview lists.
const mostShown = 100

// ImportsView is the page of imports.
type ImportsView struct {
	Links   ui.Links
	Zone    *time.Location
	Token   string
	Problem string
	Done    string
	Imports []people.Imported // newest first
	Hidden  bool              // names are hidden from viewers
	// Settings says that the reader decides about that, in the settings.
	Settings bool
}

func (v ImportsView) summary() string {
	words := "Tell who your UIDs are: names then appear next to them everywhere, and your own codes count where the exchange gives none."
	if len(v.Imports) > 0 {
		last := v.Imports[0]
		words = fmt.Sprintf("The newest import, number %d of %s, had %d new and %d changed people.", last.ID, phrase.Clock(last.At.Time(), v.Zone), last.Counts.Added, last.Counts.Changed)
	}
	return words + " Nothing of it goes to the exchange."
}

// ImportPreview is what a people file would change, or what is wrong with it.
type ImportPreview struct {
	Name    string
	Token   string // of forms
	Draft   string // of the kept file
	Problem string
	Faults  tabular.Mistakes
	Words   []string // what the import changes in short
	Changes people.Comparison
}

type stepLine struct{ uid, field, was, is string }

func (v ImportPreview) steps() (lines []stepLine) {
	add := func(before, after people.Person) {
		for _, f := range whos.PersonFields() {
			if was, is := before.Value(f), after.Value(f); was != is {
				lines = append(lines, stepLine{string(after.UID), personLabels[f], was, is})
			}
		}
	}
	for _, step := range v.Changes.Changed {
		add(step.Before, step.After)
	}
	for _, p := range v.Changes.Added {
		add(people.Person{}, p)
	}
	return lines
}

func shortened[T any](list []T) []T { return list[:min(mostShown, len(list))] }

var personLabels = map[whos.PersonField]string{
	whos.FieldName: "Name", whos.FieldCode: "Invite code of ours", whos.FieldTags: "Tags", whos.FieldOwner: "Owner",
	whos.FieldCost: "Cost", whos.FieldCostCoin: "Coin of the cost", whos.FieldNote: "Note",
	whos.FieldPhone: "Phone", whos.FieldEmail: "Mail", whos.FieldTelegram: "Telegram",
}

func fileColumns() []string { return whos.Columns()[1:] }

func idText(id int64) string { return strconv.FormatInt(id, 10) }

func undoneWords(one people.Imported, zone *time.Location) string {
	words := "Undone " + phrase.Clock(one.Undone.Time(), zone) + " by " + one.UndoBy
	if one.Kept > 0 {
		words += fmt.Sprintf("; %s changed since stayed", phrase.Things(one.Kept, "value"))
	}
	return words
}

// personFacts lists what is kept of a person besides note and tags.
func personFacts(p people.Person) (facts []ui.Pair) {
	for _, f := range []whos.PersonField{whos.FieldName, whos.FieldCode, whos.FieldOwner, whos.FieldPhone, whos.FieldTelegram, whos.FieldEmail} {
		if text := p.Value(f); text != "" {
			facts = append(facts, ui.Pair{Name: personLabels[f], Value: text})
		}
	}
	if p.Cost != "" {
		facts = append(facts, ui.Pair{Name: "Cost", Value: string(p.Cost) + " " + string(p.CostCoin)})
	}
	return facts
}

func personInput(f whos.PersonField) ui.Input {
	hint := map[whos.PersonField]string{
		whos.FieldCode: "Counts where the exchange tells none.", whos.FieldCost: "A plain number, such as 1250.50.", whos.FieldCostCoin: "Such as USDT.",
		whos.FieldPhone: "Such as +49 151 2345678.", whos.FieldTelegram: "The name, such as @example.",
	}[f]
	return ui.Input{Form: "person", Name: string(f), Label: personLabels[f], Hint: hint}
}

// personForm has what is stored of a person, or the form that was refused.
func (v NotesView) personForm() ui.Form {
	if v.Form.Wrong() {
		return v.Form
	}
	values := map[string]string{}
	for _, f := range whos.PersonFields() {
		values[string(f)] = v.Person.Value(f)
	}
	return ui.Form{Values: values}
}

// personInputs are the fields of the form in their order, the note last. Tags have a form of their own.
func personInputs() []whos.PersonField {
	last := []whos.PersonField{whos.FieldNote, whos.FieldTags}
	return append(slices.DeleteFunc(whos.PersonFields(), func(f whos.PersonField) bool { return slices.Contains(last, f) }), whos.FieldNote)
}

func importColumns(v ImportsView) []ui.Column[people.Imported] {
	return []ui.Column[people.Imported]{
		ui.TextColumn("Number", func(one people.Imported) string { return idText(one.ID) }, ui.Nums),
		ui.TextColumn("When", func(one people.Imported) string { return phrase.Clock(one.At.Time(), v.Zone) }, ui.Classed("whitespace-nowrap")),
		ui.ForeignColumn("By", func(one people.Imported) string { return one.Actor }),
		ui.ForeignColumn("File", func(one people.Imported) string { return one.File }, ui.Classed("wrap-anywhere")),
		ui.TextColumn("New", func(one people.Imported) string { return ui.Itoa(one.Counts.Added) }, ui.Nums),
		ui.TextColumn("Changed", func(one people.Imported) string { return ui.Itoa(one.Counts.Changed) }, ui.Nums),
		ui.TextColumn("Unchanged", func(one people.Imported) string { return ui.Itoa(one.Counts.Unchanged) }, ui.Nums),
		ui.TextColumn("Unknown UIDs", func(one people.Imported) string { return ui.Itoa(one.Counts.Unknown) }, ui.Nums),
		ui.CellColumn("State", func(one people.Imported) templ.Component { return importState(one, v) }),
	}
}

func faultColumns() []ui.Column[tabular.Mistake] {
	return []ui.Column[tabular.Mistake]{
		ui.CellColumn("Line", func(f tabular.Mistake) templ.Component {
			if f.Line > 0 {
				return ui.Text(ui.Itoa(f.Line))
			}
			return nil
		}, ui.Nums),
		ui.CellColumn("Column", func(f tabular.Mistake) templ.Component { return faultColumn(f) }),
		ui.ForeignColumn("What is wrong", func(f tabular.Mistake) string { return f.Text }, ui.Classed("min-w-64 whitespace-normal wrap-anywhere")),
	}
}

func stepColumns() []ui.Column[stepLine] {
	return []ui.Column[stepLine]{
		ui.ForeignColumn("UID", func(s stepLine) string { return s.uid }),
		ui.TextColumn("Value", func(s stepLine) string { return s.field }),
		ui.ForeignColumn("Before", func(s stepLine) string { return s.was }, ui.Classed("wrap-anywhere")),
		ui.ForeignColumn("After", func(s stepLine) string { return s.is }, ui.Classed("wrap-anywhere")),
	}
}
