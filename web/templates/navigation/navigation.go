// Package navigation has the pages of the product by group, further pages and actions that the
// search finds, and which of them a reader may open.
package navigation

import (
	"net/url"
	"slices"

	"rebatedesk/access"
)

// Item is one entry of the navigation.
type Item struct {
	Path, Label, Icon string

	rangeless bool   // it has no range, and refuses one
	alone     bool   // it compares no periods, and refuses a comparison
	undated   bool   // it has months instead of a range, or is about the present or all time: the range does not follow the reader there
	present   bool   // it shows no earlier state on its own, and refuses one
	whole     bool   // it is about everybody, so it does not exist for a user who sees some invitees only
	first     bool   // one of the entries that a small screen shows
	words     string // further words by which the search finds it
	needs     need
}

// Reader is the user who looks at the page.
type Reader struct {
	Name     string // empty if the user is unknown
	Role     access.Role
	Settings bool   // may open them
	Console  bool   // may open it
	Bound    bool   // sees some invitees only: pages that cannot be divided by invitee do not exist
	Mail     bool   // summaries by mail are available
	Shipping bool   // scheduled deliveries are available
	MailSick bool   // mail cannot be sent
	Token    string // of the form that signs out; empty for programs
}

// need is what a reader must have to see an entry.
type need string

const (
	needsNothing  need = ""
	needsMail     need = "mail"
	needsConsole  need = "console"
	needsShipping need = "deliveries"
)

// Group is a part of the navigation. A group without a name is a single entry.
type Group struct {
	Name  string // as the cookie of folded groups has it
	Label string
	Items []Item
}

// navGroups are in the order of the navigation.
var navGroups = []Group{
	{Name: "earnings", Label: "Earnings", Items: []Item{
		{Path: "/", Label: "Overview", Icon: "overview", first: true, words: "home dashboard"},
		{Path: "/commissions", Label: "Commissions", Icon: "list", first: true, words: "records earned"},
		{Path: "/payments", Label: "Payments", Icon: "payments", alone: true, whole: true, words: "paid outstanding bills payout"},
		{Path: "/drivers", Label: "Drivers", Icon: "compare", words: "why change moved"},
		{Path: "/forecast", Label: "Forecast", Icon: "calendar", alone: true, undated: true, words: "month end expected goals"},
		{Path: "/rates", Label: "Rates", Icon: "percent", alone: true, whole: true, words: "agreed paid terms"},
		{Path: "/changes", Label: "Changes", Icon: "refresh", alone: true, present: true, words: "restated late corrected"},
		{Path: "/pivot", Label: "Pivot", Icon: "table", words: "table by two axes"},
	}},
	{Name: "people", Label: "People", Items: []Item{
		{Path: "/worklist", Label: "Worklist", Icon: "inbox", alone: true, undated: true, first: true, words: "call contact silent"},
		{Path: "/invitees", Label: "Invitees", Icon: "people", words: "users traders"},
		{Path: "/codes", Label: "Invite codes", Icon: "ticket", words: "referral links"},
		{Path: "/cohorts", Label: "Cohorts", Icon: "cohorts", words: "retention"},
		{Path: "/returns", Label: "Cost and return", Icon: "coins", alone: true, undated: true, words: "campaign payback roi"},
		{Path: "/sub-affiliates", Label: "Sub-affiliates", Icon: "branch", whole: true, words: "partners agents"},
		{Path: "/segments", Label: "Segments", Icon: "filter", rangeless: true, words: "filter groups"},
	}},
	{Items: []Item{{Path: "/months", Label: "Months", Icon: "closed", alone: true, undated: true, whole: true, words: "close month end pack evidence"}}},
	{Items: []Item{{Path: "/collection", Label: "Collection", Icon: "database", present: true, whole: true, words: "coverage runs gaps"}}},
	{Name: "send", Label: "Send", Items: []Item{
		{Path: MailPath, Label: "Summaries", Icon: "mail", rangeless: true, whole: true, needs: needsMail, words: "mail schedule report"},
		{Path: "/channels", Label: "Channels", Icon: "channel", rangeless: true, whole: true, needs: needsMail, words: "webhook telegram slack discord chat"},
		{Path: "/deliveries", Label: "Deliveries", Icon: "send", rangeless: true, whole: true, needs: needsShipping, words: "scheduled export s3 sftp folder parquet"},
	}},
	{Items: []Item{{Path: "/console", Label: "Console", Icon: "console", rangeless: true, needs: needsConsole, words: "market trading orders exchange"}}},
}

// furtherPages are parts of the product that the navigation does not list and the search finds.
var furtherPages = []Item{
	{Path: "/attention", Label: "Needs attention", Icon: "alert", words: "findings problems"},
	{Path: "/forecast#goals", Label: "Goals", Icon: "star", whole: true},
	{Path: "/forecast/at-risk", Label: "Revenue at risk", Icon: "alert"},
	{Path: "/rates/terms", Label: "Agreed rates", Icon: "percent", whole: true, words: "terms contract"},
	{Path: "/payments/rule", Label: "Payout rules", Icon: "payments", whole: true},
	{Path: "/programmes", Label: "Programmes side by side", Icon: "columns", words: "accounts"},
	{Path: "/statements", Label: "Statements", Icon: "note", whole: true, words: "sub-affiliates pdf invoice"},
	{Path: "/annotations", Label: "Annotations", Icon: "note", words: "notes days"},
	{Path: "/views", Label: "Saved views", Icon: "star"},
	{Path: "/collection/restatements", Label: "Restatements", Icon: "refresh", whole: true},
	{Path: "/summaries/alerts", Label: "Alerts", Icon: "alert", whole: true, needs: needsMail},
	{Path: "/summaries/deliveries", Label: "Delivery log of mails", Icon: "mail", whole: true, needs: needsMail, words: "sent"},
	{Path: "/account", Label: "Your account", Icon: "person", words: "password tokens sessions"},
	{Path: "/console/markets", Label: "Markets", Icon: "console", rangeless: true, whole: true, needs: needsConsole, words: "console spot pairs prices rules"},
	{Path: "/console/contracts", Label: "Contracts", Icon: "console", rangeless: true, whole: true, needs: needsConsole, words: "console futures markets pairs"},
	{Path: "/console/currencies", Label: "Coins of the exchange", Icon: "console", rangeless: true, whole: true, needs: needsConsole, words: "console currencies chains withdraw deposit"},
	{Path: "/console/trade", Label: "Order ticket", Icon: "console", rangeless: true, whole: true, needs: needsConsole, words: "console trade buy sell"},
	{Path: "/console/orders", Label: "Open orders", Icon: "console", rangeless: true, whole: true, needs: needsConsole, words: "console trade"},
	{Path: "/console/fills", Label: "Fills", Icon: "console", rangeless: true, whole: true, needs: needsConsole, words: "console trades executed history"},
	{Path: "/console/bills", Label: "Spot bills", Icon: "console", rangeless: true, whole: true, needs: needsConsole, words: "console account history balance"},
	{Path: "/console/funding", Label: "Funding bills", Icon: "console", rangeless: true, whole: true, needs: needsConsole, words: "console account history deposit withdraw"},
	{Path: "/console/transfers", Label: "Transfers", Icon: "console", rangeless: true, whole: true, needs: needsConsole, words: "console account history"},
	{Path: "/console/intents", Label: "Order log", Icon: "console", rangeless: true, whole: true, needs: needsConsole, words: "console intents sent who orders"},
	{Path: "/docs/api", Label: "Interface for programs", Icon: "table", rangeless: true, words: "api openapi json token curl client"},
}

// MailPath is the entry that shows when mail cannot be sent.
const MailPath = "/summaries"

// opens reports whether a user may open the page of an entry.
func (u Reader) opens(item Item) bool {
	switch {
	case u.Bound && item.whole, item.needs == needsMail && !u.Mail, item.needs == needsConsole && !u.Console, item.needs == needsShipping && !u.Shipping:
		return false
	}
	return true
}

// For returns the groups with the entries that a user may open.
func For(u Reader) (groups []Group) {
	for _, g := range navGroups {
		g.Items = slices.DeleteFunc(slices.Clone(g.Items), func(item Item) bool { return !u.opens(item) })
		if len(g.Items) > 0 {
			groups = append(groups, g)
		}
	}
	return groups
}

// First returns the entries that a small screen shows without its menu.
func First(u Reader) (items []Item) {
	for _, g := range For(u) {
		for _, item := range g.Items {
			if item.first {
				items = append(items, item)
			}
		}
	}
	return items
}

// InMenu reports whether a small screen shows the page only in its menu.
func InMenu(path string) bool {
	listed := false
	for _, g := range navGroups {
		for _, item := range g.Items {
			if item.Path == path {
				listed = !item.first
			}
		}
	}
	return listed
}

// IsFolded reports whether the reader folded a group. The group of the page is always open.
func (g Group) IsFolded(path string, folded []string) bool {
	return slices.Contains(folded, g.Name) && !slices.ContainsFunc(g.Items, func(item Item) bool { return item.Path == path })
}

// GroupNames lists the names of the groups that a reader can fold.
func GroupNames() (names []string) {
	for _, g := range navGroups {
		if g.Name != "" {
			names = append(names, g.Name)
		}
	}
	return names
}

// Href returns the item's address. The range, the comparison and the state follow the reader
// from page to page; filters do not, because they mean different things there.
func (n Item) Href(carry string) string {
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

// without returns a query string without a parameter.
func without(name, carry string) string {
	values, err := url.ParseQuery(carry)
	if err != nil {
		return ""
	}
	values.Del(name)
	return values.Encode()
}

// LabelOf returns the label of the entry with a path, "" if the navigation has none.
func LabelOf(path string) string {
	for _, g := range navGroups {
		for _, item := range g.Items {
			if item.Path == path {
				return item.Label
			}
		}
	}
	return ""
}
