package invitees

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/reports/segments"
	stored "rebatedesk/store/segments"
	"rebatedesk/web/templates/ui"
)

// SegmentsPath is the address of the list of segments.
const SegmentsPath = ui.SegmentsPath

// OwnDays is the value of a choice of days that two dates complete.
const OwnDays = "days"

// SegmentsView is the list of segments.
type SegmentsView struct {
	segments.Report
	Links  ui.Links
	Token  string // empty: the reader may not change them
	Reader string
	Bound  bool // the reader sees some invitees only
	Done   string
}

// lead sums up the list.
func (v SegmentsView) lead() string {
	if len(v.Segments) == 0 {
		return "No segment is saved."
	}
	frozen := 0
	for _, s := range v.Segments {
		if s.Frozen != 0 {
			frozen++
		}
	}
	words := phrase.Things(len(v.Segments), "segment")
	if frozen > 0 {
		words += ", " + phrase.Count(frozen) + " of them frozen"
	}
	return words + ". Each is a filter of every report, file, mail, alert and goal about invitees."
}

// changes reports whether the reader may change a segment.
func (v SegmentsView) changes(s segments.Line) bool {
	return v.Token != "" && (!v.Bound || s.Maker == v.Reader)
}

// of returns the list of the members of a segment.
func (v SegmentsView) of(s segments.Line) string {
	return v.Links.To("/invitees", "segment", s.Name)
}

// words says whom a segment has.
func words(s segments.Line) string {
	switch {
	case s.Hidden:
		return "Conditions of " + s.Maker
	case s.Problem != "":
		return s.Segment.Definition
	}
	return phrase.Capital(phrase.SegmentConditions(s.Definition))
}

// stateWords says whether the members of a segment change.
func stateWords(s segments.Line) string {
	if s.Frozen != 0 {
		return "Frozen on " + s.Frozen.Format("2 Jan 2006")
	}
	return "Members change with the data"
}

// amountsShown is how many coins of a segment are listed.
const amountsShown = 3

func shownTotals(s segments.Line) []figures.Totals {
	return s.Recent[:min(len(s.Recent), amountsShown)]
}

func amountOf(t figures.Totals) affiliate.Amount {
	return affiliate.Amount{Value: t.Commission, Coin: t.Coin}
}

// action returns the address of a form about a segment.
func action(id int64, what string) string {
	if id == 0 {
		return SegmentsPath
	}
	return SegmentsPath + "/" + strconv.FormatInt(id, 10) + what
}

// SegmentForm is the form of a segment; its id is 0 for a new one.
type SegmentForm struct {
	segments.Choices
	ID      int64
	Name    string // as it is stored
	Frozen  affiliate.Day
	Form    ui.Form
	Token   string
	Words   string // the conditions, in words
	Members int    // as of now
	Counted bool
	Uses    stored.Uses // what names it
	Maker   string      // the bound user whose name a new one ends with; empty: it ends with none
}

func (v SegmentForm) nameHint() string {
	if v.Maker == "" {
		return "Filters, mails and goals name the segment by it."
	}
	return "Filters, mails and goals name the segment by it. “(" + v.Maker + ")” is added, since others may have given the same name."
}

func (v SegmentForm) title() string {
	if v.ID == 0 {
		return "New segment"
	}
	return v.Name
}

func (v SegmentForm) verb() string {
	if v.ID == 0 {
		return "Save the segment"
	}
	return "Save the changes"
}

// any are the choices of a list of values.
func anyOf[T ~string](all string, values []T, chosen string) []ui.Pair {
	list := ui.Pairs(all, "")
	for _, value := range values {
		list = append(list, ui.Pair{Name: string(value), Value: string(value)})
	}
	return withChosen(list, chosen)
}

// withChosen adds the chosen value if it is none of the choices, so that the form shows it.
func withChosen(list []ui.Pair, chosen string) []ui.Pair {
	if chosen != "" && !slices.ContainsFunc(list, func(p ui.Pair) bool { return p.Value == chosen }) {
		list = append(list, ui.Pair{Name: ui.ListWords(chosen), Value: chosen})
	}
	return list
}

func (v SegmentForm) stateChoices() []ui.Pair {
	list := ui.Pairs("Any state", "")
	for _, name := range invitees.StateChoices() {
		list = append(list, ui.Pair{Name: ui.StateLabel(name), Value: name})
	}
	return list
}

func (v SegmentForm) kycChoices() []ui.Pair {
	list := ui.Pairs("Any KYC", "")
	for _, choice := range query.KYCChoices() {
		list = append(list, ui.Pair{Name: ui.KycLabel(choice), Value: choice})
	}
	return list
}

func (v SegmentForm) productChoices() []ui.Pair {
	list := ui.Pairs("Any product", "")
	for _, p := range affiliate.Products() {
		list = append(list, ui.Pair{Name: p.Label(), Value: string(p)})
	}
	return withChosen(list, v.Form.Values["product"])
}

func (v SegmentForm) sourceChoices() []ui.Pair {
	list := ui.Pairs("Direct and sub-agent", "")
	for _, s := range affiliate.Sources() {
		list = append(list, ui.Pair{Name: s.Label(), Value: string(s)})
	}
	return list
}

var tradedChoices = ui.Pairs("Either", "", "Has traded", "yes", "Has never traded", "no")

// rangeChoices are the ranges of days, relative to the day of the question, and two dates.
func rangeChoices(none string) []ui.Pair {
	var list []ui.Pair
	if none != "" {
		list = ui.Pairs(none, "")
	}
	for _, name := range query.RangeNames() {
		list = append(list, ui.Pair{Name: name.Label(), Value: string(name)})
	}
	return append(list, ui.Pair{Name: "From – to, as below", Value: OwnDays})
}

// rangeForm returns the values of the fields for the days of amounts.
func (v SegmentForm) rangeForm() ui.Form {
	chosen := v.Form.Values["range"]
	switch {
	case v.Form.Values["from"] != "" || v.Form.Values["to"] != "":
		chosen = OwnDays
	case chosen == "":
		chosen = string(query.Last30)
	}
	return ui.Form{Values: map[string]string{"range": chosen}, Faults: v.Form.Faults}
}

// registeredForm returns the values of the fields for the days of registration.
func (v SegmentForm) registeredForm() ui.Form {
	values := map[string]string{"registered": v.Form.Values["registered"]}
	if first, last, ok := strings.Cut(values["registered"], ".."); ok {
		values["registered"], values["registered_from"], values["registered_to"] = OwnDays, first, last
	}
	return ui.Form{Values: values, Faults: v.Form.Faults}
}

// membersAddress returns the list of invitees of a segment.
func membersAddress(name string) string {
	return "/invitees?" + url.Values{"segment": {name}}.Encode()
}

func freezing(s segments.Line) string {
	if s.Frozen != 0 {
		return "/thaw"
	}
	return "/freeze"
}
