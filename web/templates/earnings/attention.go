package earnings

import (
	"encoding/hex"
	"net/url"
	"slices"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/people"
	"rebatedesk/reports/attention"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/reports/worklist"
	"rebatedesk/web/templates/ui"
)

// attentionAddress returns the address of the list, for the account, the segment and the instant
// of a page.
func attentionAddress(q query.Query) string {
	values := url.Values{}
	if q.Account != "" {
		values.Set("account", string(q.Account))
	}
	if q.Segment != "" {
		values.Set("segment", q.Segment)
	}
	if !q.AsOf.IsZero() {
		values.Set("as_of", q.AsOf.Format(time.RFC3339Nano))
	}
	if query := values.Encode(); query != "" {
		return "/attention?" + query
	}
	return "/attention"
}

// attentionID returns the id of the list's place. It differs for each account and
// instant, so that no list about others is kept, and contains nothing that would need
// escaping in a selector.
func attentionID(q query.Query) string {
	return "attention-" + hex.EncodeToString([]byte(attentionAddress(q)))
}

// severityLook is the icon and the colour of a severity.
type severityLook struct{ Icon, Class string }

func severityOf(s attention.Severity) severityLook {
	switch s {
	case attention.SeverityAlert:
		return severityLook{"alert", "text-error"}
	case attention.SeverityWarning:
		return severityLook{"alert", "text-warning"}
	}
	return severityLook{"note", "text-muted"}
}

// finding is a finding in words, with a link to its details.
type finding struct {
	phrase.Statement
	Look      severityLook
	Href      string
	Link      string
	Addresses []string // of the invitees
}

// findingOf puts a finding into words and links.
func (v AttentionView) findingOf(f attention.Finding, run ui.CollectionRun, names *people.NameBook) finding {
	about := phrase.About{Zone: v.zone(), Today: v.today(), Single: v.Links.Query.Account != "", Past: v.Links.Query.Past(), NextTry: run.NextTry(), Names: names}
	w := finding{Statement: about.Finding(f), Look: severityOf(f.Severity())}
	link := func(text, href string) { w.Link, w.Href = text, href }
	switch f := f.(type) {
	case attention.GapFinding:
		if link("See the collection", "/collection"); v.Links.Query.Past() {
			link("See what is missing now", v.Links.Now())
		}
	case attention.QuarantineFinding:
		if link("See the records", "/collection#quarantine"); v.Links.Query.Past() {
			link("See what is missing now", v.Links.Now())
		}
	case attention.RefusedFinding:
		link("See the collection", "/collection")
	case attention.PaymentFinding:
		if link("See the payments", v.within("/payments", f.Days, "coin", string(f.Coin), "state", string(f.State))); f.Lines == 1 {
			link("See the payment", payments.LineAddress(f.Oldest.Key(), v.Links.Query.AsOf))
		}
	case attention.UnruledFinding:
		link("See the payments", "/payments?"+url.Values{"account": {string(f.Account)}}.Encode())
	case attention.RunFinding:
		link("See the runs", "/collection")
	case attention.StaleFinding:
		link("See the collection", "/collection")
	case attention.MailFinding:
		if link("See what waits", "/summaries/deliveries?state=waiting"); f.Dead > 0 {
			link("See what was given up", "/summaries/deliveries?state=dead")
		}
	case attention.ShippingFinding:
		link("See the deliveries", ui.DeliveriesPath)
	case attention.ChannelFinding:
		link("See the channels", "/channels")
	case attention.DropFinding:
		link("Why is this low?", v.within("/commissions", f.Days, "coin", string(f.Coin))+"#why")
	case attention.RestatedFinding:
		if link("See the restatements", v.within("/collection/restatements", f.Days, "coin", string(f.Coin))); v.Links.Some {
			link("See what changed", "/changes")
		}
	case attention.SilentFinding:
		if link("See all "+phrase.Count(f.Count), v.atRisk(f.Coin)); f.Count == 1 {
			w.Link = "See the invitee on the worklist"
		}
		for _, one := range f.Most {
			w.Addresses = append(w.Addresses, v.Links.Invitee(string(one.UID)))
		}
	case attention.AgreedFinding:
		link("See the findings", v.within("/rates", f.Days))
		for _, d := range f.Most {
			w.Addresses = append(w.Addresses, v.within("/rates", f.Days)+"#finding-"+d.ID)
		}
	case attention.RateFinding:
		link("See the records", v.within("/commissions", v.Report.Days, "coin", string(f.Coin)))
		for _, c := range f.Most {
			since := affiliate.Days{First: c.Since, Last: v.today()}
			w.Addresses = append(w.Addresses, v.within("/commissions", since, "uid", string(c.UID), "product", string(c.Product)))
		}
	case attention.ConcentrationFinding:
		link("See "+string(f.First), v.Links.Invitee(string(f.First)))
	}
	if v.Links.Some && slices.ContainsFunc(wholePages, func(path string) bool { return strings.HasPrefix(w.Href, path) }) {
		w.Link, w.Href, w.Addresses = "", "", nil
	}
	return w
}

// wholePages do not exist for a reader who sees some invitees only.
var wholePages = []string{"/collection", "/payments", "/rates", "/summaries"}

func (v AttentionView) zone() *time.Location { return ui.ZoneOf(v.Links.Query) }

func (v AttentionView) today() affiliate.Day { return v.Report.Days.Last }

// within returns the address of a page about some days, with further parameters.
func (v AttentionView) within(path string, days affiliate.Days, params ...string) string {
	values := url.Values{"from": {days.First.String()}, "to": {days.Last.String()}}
	for i := 0; i+1 < len(params); i += 2 {
		values.Set(params[i], params[i+1])
	}
	q := v.Links.Query
	if q.Account != "" {
		values.Set("account", string(q.Account))
	}
	if !q.AsOf.IsZero() {
		values.Set("as_of", q.AsOf.Format(time.RFC3339Nano))
	}
	return path + "?" + values.Encode()
}

// atRisk returns the address of the list of exactly the invitees that a finding counts.
func (v AttentionView) atRisk(coin affiliate.Coin) string {
	q := query.Query{Range: query.Last30, Account: v.Links.Query.Account, Coin: coin, Segment: v.Links.Query.Segment, Reason: string(worklist.ReasonSilent), Show: worklist.ShowAll,
		AsOf: v.Links.Query.AsOf, Page: 1, Per: query.DefaultPer}
	values := q.Values()
	values.Del("sort")
	return ui.WorklistPath + "?" + values.Encode()
}

// briefFindings is how many findings the line names.
const briefFindings = 3

// pressing are the findings that are more than worth knowing, the most severe first.
func (v AttentionView) pressing() (list []attention.Finding) {
	for _, f := range v.Report.Findings {
		if f.Severity() > attention.SeverityInfo {
			list = append(list, f)
		}
	}
	return list
}

// checks lists what was examined, as shown below the list: runs and mails are not part
// of an earlier state.
func (v AttentionView) checks() []string {
	if v.Links.Query.Past() {
		return attentionChecks
	}
	return slices.Insert(slices.Clone(attentionChecks), 1, presentChecks...)
}

var presentChecks = []string{
	"failed and missing runs",
	"mails that do not get out, or were given up in the last day",
}

var attentionChecks = []string{
	"days not collected, of every kind of record",
	"yesterday and the last 7 days, 30 % below their usual",
	"invitees silent for more than three of their usual gaps, who brought 10 USDT or more a month",
	"shares of fees of 30 days, 10 % off those of the 90 before",
	"records of any day that changed afterwards, noticed in the last 30 days, up and down together from 1 % of their commission",
	"one invitee with more than half of the commission",
	"payments missing or too low, of all time; late, too high, made twice or for no period, of the last 30 days",
}

// AttentionView is the list of findings that need attention, on a separate page.
type AttentionView struct {
	Report attention.Report
	Links  ui.Links
}
