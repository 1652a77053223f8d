package ui

import (
	"net/url"
	"slices"
	"time"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/collector"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/store/closings"
	"rebatedesk/web/charts"
)

// Page holds what every page needs around its content.
type Page struct {
	Title   string
	Path    string // of the page in the navigation, e.g. "/commissions"; empty for errors
	Assets  Assets
	Version string
	Demo    bool   // the figures are simulated
	Theme   string // light or dark, as the reader chose; empty: the system's
	Carry   string
	Run     CollectionRun
	User    Reader
	Keep    Keep // nil: every part is drawn
	Bare    bool // nothing surrounds the content: the visitor is not signed in
}

// Reader is the user who looks at the page.
type Reader struct {
	Name     string // empty if the user is unknown
	Role     access.Role
	Settings bool   // may open them
	Console  bool   // may open it
	Bound    bool   // sees some invitees only: pages that cannot be divided by invitee do not exist
	Mail     bool   // summaries by mail are available
	MailSick bool   // mail cannot be sent
	Token    string // of the form that signs out; empty for programs
}

// Assets are the addresses of the static files, which carry a hash of their
// content.
type Assets struct{ Style, App, Charts, Icon string }

// CollectionRun is the collection in the form that pages show.
type CollectionRun struct {
	collector.Progress
	CanCollect bool // "collect now" can start a collection
	Token      string
	FormToken  string // token of the form that starts a collection
	Zone       *time.Location
}

// Chart is one chart: a description for users who do not see it, the server's drawing,
// and the data from which the script draws.
type Chart struct {
	ID    string
	Label string
	Still charts.Still
	Data  charts.Drawing
}

// dailyChart is the chart of commission per day.
func dailyChart(d figures.DailySeries) Chart {
	return Chart{ID: "daily-chart", Label: charts.DescribeDaily(d), Still: charts.StillDaily(d), Data: charts.DrawDaily(d)}
}

// linesChart is the chart of figures over time.
func linesChart(id string, l figures.Lines) Chart {
	return Chart{ID: id, Label: charts.DescribeLines(l), Still: charts.StillLines(l), Data: charts.LineChart(l)}
}

// navItem is one entry of the navigation.
type navItem struct {
	Path, Label, Icon string

	rangeless bool // it has no range, and refuses one
	alone     bool // it compares no periods, and refuses a comparison
	undated   bool // it has months instead of a range, or is about the present or all time: the range does not follow the reader there
	present   bool // it shows no earlier state on its own, and refuses one
	whole     bool // it is about everybody, so it does not exist for a user who sees some invitees only
}

// navigation is sorted by frequency of use: a small screen shows the first few and
// keeps the others in a menu.
var navigation = []navItem{
	{Path: "/", Label: "Overview", Icon: "overview"},
	{Path: "/commissions", Label: "Commissions", Icon: "list"},
	{Path: "/payments", Label: "Payments", Icon: "payments", alone: true, whole: true},
	{Path: "/rates", Label: "Rates", Icon: "percent", alone: true, whole: true},
	{Path: MonthsPath, Label: "Months", Icon: "closed", alone: true, undated: true, whole: true},
	{Path: "/changes", Label: "Changes", Icon: "refresh", alone: true, present: true},
	{Path: DriversPath, Label: "Drivers", Icon: "compare"},
	{Path: "/forecast", Label: "Forecast", Icon: "calendar", alone: true, undated: true},
	{Path: WorklistPath, Label: "Worklist", Icon: "inbox", alone: true, undated: true},
	{Path: "/invitees", Label: "Invitees", Icon: "people"},
	{Path: "/codes", Label: "Invite codes", Icon: "ticket"},
	{Path: ReturnsPath, Label: "Cost and return", Icon: "coins", alone: true, undated: true},
	{Path: "/cohorts", Label: "Cohorts", Icon: "cohorts"},
	{Path: "/sub-affiliates", Label: "Sub-affiliates", Icon: "branch", whole: true},
	{Path: "/collection", Label: "Collection", Icon: "database", present: true, whole: true},
}

// SegmentsPath is the address of the list of segments.
const SegmentsPath = "/segments"

// MonthsPath is the address of the list of months.
const MonthsPath = "/months"

// WorklistPath is the address of the worklist.
const WorklistPath = "/worklist"

// ReturnsPath is the address of the page of costs and what they brought back.
const ReturnsPath = "/returns"

// MonthAddress returns the address of the page of a month.
func MonthAddress(first affiliate.Day) string { return MonthsPath + "/" + closings.MonthText(first) }

// mailPath is the entry that shows when mail cannot be sent.
const mailPath = "/summaries"

// navigationFor returns the entries that a user may open.
func navigationFor(u Reader) []navItem {
	items := slices.Clone(navigation)
	if u.Bound {
		items = slices.DeleteFunc(items, func(item navItem) bool { return item.whole })
	}
	if u.Mail {
		items = append(items, navItem{Path: mailPath, Label: "Summaries", Icon: "mail", rangeless: true},
			navItem{Path: "/channels", Label: "Channels", Icon: "branch", rangeless: true})
	}
	if u.Console {
		items = append(items, navItem{Path: "/console", Label: "Console", Icon: "table", rangeless: true})
	}
	return items
}

// findable returns the entries that the finder lists: those of the navigation, and parts of
// pages that have a name of their own.
func findable(u Reader) []navItem {
	list := navigationFor(u)
	for _, item := range []navItem{
		{Path: "/forecast", Label: "Forecast"}, {Path: "/forecast#goals", Label: "Goals", whole: true}, {Path: "/forecast/at-risk", Label: "Revenue at risk"}, {Path: "/rates/terms", Label: "Agreed rates", whole: true}, {Path: "/programmes", Label: "Programmes side by side", alone: true}, {Path: AnnotationsPath, Label: "Annotations", rangeless: true}, {Path: SegmentsPath, Label: "Segments"}, {Path: "/attention", Label: "Needs attention"},
	} {
		if u.Bound && item.whole {
			continue
		}
		if !slices.ContainsFunc(list, func(known navItem) bool { return known.Path == item.Path }) {
			list = append(list, item)
		}
	}
	return list
}

// navShown is how many entries a small screen shows.
const navShown = 4

// href returns the item's address. The range, the comparison and the state follow the reader
// from page to page; filters do not, because they mean different things there.
func (n navItem) href(carry string) string {
	if n.alone {
		carry = without("compare", carry)
	}
	if n.undated {
		carry = without("range", without("from", without("to", carry)))
	}
	if n.present {
		carry = without("as_of", carry)
	}
	if carry == "" || n.rangeless {
		return n.Path
	}
	return n.Path + "?" + carry
}

// without returns a query string of [Carry] without a parameter.
func without(name, carry string) string {
	values, err := url.ParseQuery(carry)
	if err != nil {
		return ""
	}
	values.Del(name)
	return values.Encode()
}

// Carry returns the part of a query that the navigation keeps.
func Carry(q query.Query) string {
	all, kept := q.Values(), url.Values{}
	for _, name := range []string{"range", "from", "to", "compare", "account", "as_of"} {
		if all.Has(name) {
			kept.Set(name, all.Get(name))
		}
	}
	return kept.Encode()
}

// PageError is an error page: what happened, and where to go on.
type PageError struct {
	Status    int
	Title     string
	Text      string
	Param     string // the invalid parameter, if it is about one
	Value     string
	Hint      string // what is wrong with it, and the valid values
	Back      string // address where the reader can go on
	BackLabel string
	Reference string // id of the request in the log
	Wait      int64  // seconds until another try is worthwhile; 0 = not stated
	Kept      []Kept // the text written into a refused form
}

// Kept is a field of a refused form.
type Kept struct{ Name, Value string }

// NextTry says when the failed part is tried again.
func (r CollectionRun) NextTry() string {
	switch {
	case r.Running:
		return "by the run at work or the one after it"
	case r.Next.IsZero():
		return "on the next run"
	}
	return phrase.Clock(r.Next, r.Zone)
}
