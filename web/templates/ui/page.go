package ui

import (
	"time"

	"rebatedesk/collector"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/reports/still"
	"rebatedesk/web/charts"
	"rebatedesk/web/templates/guide"
	"rebatedesk/web/templates/navigation"
)

// Page holds what every page needs around its content.
type Page struct {
	Title   string
	Path    string // of the page in the navigation, e.g. "/commissions"; empty for errors
	Below   bool   // it is not that page, but one that belongs to it
	Assets  Assets
	Version string
	Demo    bool   // the figures are simulated
	Theme   string // light or dark, as the reader chose; empty: the system's
	Carry   string
	Run     CollectionRun
	User    Reader
	Keep    Keep // nil: every part is drawn
	Guide   guide.FrameView
	Bare    bool // nothing surrounds the content: the visitor is not signed in, or sets the program up
	Wide    bool // a bare page with more than one form
}

// Reader is the user who looks at the page.
type Reader = navigation.Reader

// Assets are the addresses of the static files, which carry a hash of their
// content.
type Assets struct{ Style, App, Htmx, Charts, Icon string }

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
	Still still.Chart
	Data  charts.Drawing
	// Narrow is the address of the page for any one range of days; a click into a column leads to its
	// days. Empty: columns lead nowhere.
	Narrow string
}

// dailyChart is the chart of commission per day.
func dailyChart(d figures.DailySeries, l Links) Chart {
	var narrow string
	if d.Hours == nil {
		narrow = l.With(func(q *query.Query) { q.Range = query.Custom })
	}
	return Chart{ID: "daily-chart", Label: charts.DescribeDaily(d), Still: still.Daily(d), Data: charts.DrawDaily(d), Narrow: narrow}
}

// linesChart is the chart of figures over time.
func linesChart(id string, l figures.Lines) Chart {
	return Chart{ID: id, Label: charts.DescribeLines(l), Still: charts.StillLines(l), Data: charts.LineChart(l)}
}

// PageError is an error page: what happened, and where to go on.
type PageError struct {
	Status    int
	Title     string
	Text      string
	Param     string // the invalid parameter, if it is about one
	Value     string
	Hint      string   // what is wrong with it, and the valid values
	Allowed   []string // the valid values, for programs
	Back      string   // address where the reader can go on
	BackLabel string
	Again     string // address of the same page; empty: another try would be a change, or brings nothing
	Reference string // id of the request in the log
	Wait      int64  // seconds until another try is worthwhile; 0 = not stated
	Kept      []Kept // the text written into a refused form
	SignIn    bool   // the way out is to sign in
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

// NoAccountWords say why nothing is read on a server without an account.
const NoAccountWords = "No account with a key of the exchange is in use, so nothing is read. An administrator adds one under Settings."
