package ui

import (
	"net/url"
	"slices"
	"time"

	"rebatedesk/access"
	"rebatedesk/collector"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/web/charts"
)

// Page is what every page needs around its content.
type Page struct {
	Title   string
	Path    string // of the page in the navigation, e.g. "/commissions"; empty for errors
	Assets  Assets
	Version string
	Demo    bool   // the figures are simulated
	Theme   string // light or dark, as the reader chose; empty: as the system has it
	Carry   string
	Run     CollectionRun
	User    Reader
	Bare    bool // nothing stands around the content: nobody is signed in
}

// Reader is who looks at the page.
type Reader struct {
	Name     string // empty: nobody is known
	Role     access.Role
	Settings bool   // may open them
	Console  bool   // may open it
	Mail     bool   // there are summaries by mail
	MailSick bool   // mail does not get out
	Token    string // of the form that signs out; empty for programs
}

// Assets are the addresses of the static files, which carry a hash of their
// content.
type Assets struct{ Style, App, Charts, Icon string }

// CollectionRun is the collection as the pages show it.
type CollectionRun struct {
	collector.Progress
	CanCollect bool // there is something that "collect now" can start
	Token      string
	FormToken  string // what the form that starts a collection carries
	Zone       *time.Location
}

// Chart is one chart: a description for those who do not see it, what the server
// draws, and what the script draws from.
type Chart struct {
	ID    string
	Label string
	Still charts.Still
	Data  charts.Drawing
}

// DailyChart is the chart of commission per day.
func DailyChart(d figures.DailySeries) Chart {
	return Chart{ID: "daily-chart", Label: charts.DescribeDaily(d), Still: charts.StillDaily(d), Data: charts.DrawDaily(d)}
}

// LinesChart is the chart of figures over time.
func LinesChart(id string, l figures.Lines) Chart {
	return Chart{ID: id, Label: charts.DescribeLines(l), Still: charts.StillLines(l), Data: charts.LineChart(l)}
}

// navItem is one entry of the navigation.
type navItem struct {
	Path, Label, Icon string

	rangeless bool // it is about no range, and refuses to be asked for one
}

// navigation is in order of use: a small screen shows the first few and keeps
// the others in a menu.
var navigation = []navItem{
	{Path: "/", Label: "Overview", Icon: "overview"},
	{Path: "/commissions", Label: "Commissions", Icon: "list"},
	{Path: "/invitees", Label: "Invitees", Icon: "people"},
	{Path: "/codes", Label: "Invite codes", Icon: "ticket"},
	{Path: "/cohorts", Label: "Cohorts", Icon: "cohorts"},
	{Path: "/sub-affiliates", Label: "Sub-affiliates", Icon: "branch"},
	{Path: "/collection", Label: "Collection", Icon: "database"},
}

// mailPath is the entry that says when mail does not get out.
const mailPath = "/summaries"

// navigationFor is what somebody may open.
func navigationFor(u Reader) []navItem {
	items := slices.Clone(navigation)
	if u.Mail {
		items = append(items, navItem{Path: mailPath, Label: "Summaries", Icon: "mail", rangeless: true})
	}
	if u.Console {
		items = append(items, navItem{Path: "/console", Label: "Console", Icon: "table", rangeless: true})
	}
	return items
}

// navShown is how many entries a small screen shows.
const navShown = 3

// href is the item's address. The range and the comparison follow the reader
// from page to page; filters do not, since they mean different things there.
func (n navItem) href(carry string) string {
	if carry == "" || n.rangeless {
		return n.Path
	}
	return n.Path + "?" + carry
}

// Carry is the part of a query that the navigation keeps.
func Carry(q query.Query) string {
	all, kept := q.Values(), url.Values{}
	for _, name := range []string{"range", "from", "to", "compare", "account"} {
		if all.Has(name) {
			kept.Set(name, all.Get(name))
		}
	}
	return kept.Encode()
}

// PageError is an error page: what happened, and where to go from here.
type PageError struct {
	Status    int
	Title     string
	Text      string
	Param     string // the parameter that cannot be used, if it is about one
	Value     string
	Hint      string // what is wrong with it and what is taken instead
	Back      string // address of the way out
	BackLabel string
	Reference string // id of the request in the log
	Wait      int64  // seconds after which it is worth another try; 0 = not said
	Kept      []Kept // what was written into a form that was not taken
}

// Kept is a field of a form that was not taken.
type Kept struct{ Name, Value string }

// NextTry says when what failed is tried again.
func (r CollectionRun) NextTry() string {
	switch {
	case r.Running:
		return "by the run at work or the one after it"
	case r.Next.IsZero():
		return "on the next run"
	}
	return phrase.Clock(r.Next, r.Zone)
}
