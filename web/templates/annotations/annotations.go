// Package annotations has the pages of what managers write about days.
package annotations

import (
	"strconv"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/annotated"
	"rebatedesk/reports/phrase"
	"rebatedesk/web/templates/ui"

	"github.com/a-h/templ"
)

// AnnotationFields are the fields of the form of an annotation.
var AnnotationFields = map[string]bool{"from": true, "to": true, "words": true, "account": true, "code": true, "back": true}

// AnnotationList is the list of annotations.
type AnnotationList struct {
	annotated.Report
	Links ui.Links
	Zone  *time.Location
	Token string // empty: the reader may not write
	Done  string // what was just done
}

// AnnotationForm is the form of an annotation.
type AnnotationForm struct {
	Title    string
	ID       int64 // 0: of a new one
	Form     ui.Form
	Token    string
	Accounts []affiliate.Account
	Whole    bool // it may be about everything
}

func (v AnnotationForm) action() string {
	if v.ID == 0 {
		return ui.AnnotationsPath
	}
	return address(v.ID)
}

func (v AnnotationForm) codeHint() string {
	if v.Whole {
		return "Empty: about all invite codes."
	}
	return "You see some invitees only: name a code or an account of theirs."
}

func (v AnnotationForm) accounts() []ui.Pair {
	pairs := []ui.Pair{{Name: "All accounts"}}
	for _, account := range v.Accounts {
		pairs = append(pairs, ui.Pair{Name: string(account), Value: string(account)})
	}
	return pairs
}

func address(id int64) string { return ui.AnnotationsPath + "/" + strconv.FormatInt(id, 10) }

// lead says what the list holds.
func (v AnnotationList) lead() string {
	if v.Count == 0 {
		return "Nothing is written about any day."
	}
	return phrase.Things(v.Count, "annotation") + ", the newest days first. Charts by day mark the days, and mails and files tell them."
}

// records returns the address of the figures of an annotation's days.
func records(a annotated.Line) string {
	words := "/?from=" + a.Days.First.String() + "&to=" + a.Days.Last.String()
	return words
}

func annotationColumns(v AnnotationList) []ui.Column[annotated.Line] {
	return []ui.Column[annotated.Line]{
		ui.CellColumn("Days", func(a annotated.Line) templ.Component {
			return ui.Link("text-link hover:underline", string(records(a)), ui.Text(phrase.Days(a.Days)))
		}, ui.Names("font-normal whitespace-nowrap")),
		ui.ForeignColumn("Annotation", func(a annotated.Line) string { return a.Words }, ui.Classed("min-w-56 whitespace-normal wrap-anywhere")),
		ui.CellColumn("About", func(a annotated.Line) templ.Component {
			if about := a.About(); about != "" {
				return ui.Foreign(about)
			}
			return ui.Text("everything")
		}, ui.Classed("text-muted min-w-28 whitespace-normal wrap-anywhere")),
		ui.CellColumn("Written", func(a annotated.Line) templ.Component { return annotationWritten(a, v) }, ui.Classed("text-muted whitespace-nowrap")),
		ui.CellColumn("Change", func(a annotated.Line) templ.Component { return annotationChange(a, v) }, ui.Styled("no-print"), ui.Silent, ui.If(v.Token != "")),
	}
}
