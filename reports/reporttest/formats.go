package reporttest

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"rebatedesk/reports/cohorts"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/invitecodes"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/subaffiliates"

	"rebatedesk/reports/changes"
	"rebatedesk/reports/export"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/query"
	shownrates "rebatedesk/reports/rates"
	"rebatedesk/reports/returns"
	"rebatedesk/reports/worklist"
)

// KindQueries lists all exports with the queries that a test adds to days and account.
var KindQueries = map[*export.Kind][]string{
	commissions.File:      {"", "coin=USDT", "product=SPOT&source=sub", "code=spring", "q=t_b", "q=É", "sort=-commission", "uid=4667776801"},
	commissions.DailyFile: {"", "coin=BTC", "source=direct", "code=spring", "symbol=BTCUSDT"},
	invitees.File:         {"", "code=spring", "uid=4667776801", "range=all"},
	invitees.ListFile:     {"", "code=spring", "coin=USDT", "compare=previous", "range=all"},
	subaffiliates.File:    {"", "product=SPOT", "uid=7", "q=7"},
	invitecodes.File:      {"", "coin=USDT", "product=FUTURES", "code=spring", "compare=previous"},
	payments.BillFile:     {"", "coin=USDT", "range=all"},
	payments.File:         {"", "coin=USDT", "kind=all", "kind=sub", "state=unexplained", "q=reward", "sort=-difference", "range=all"},
	changes.File:          {"", "since=2026-09-15T12:00:00Z", "since=2026-09-15T12:00:00Z&code=spring", "q=t_b&sort=-difference", "change=new&sort=uid", "range=all&since=2026-09-01"},
	shownrates.File:       {"", "coin=USDT", "code=spring", "q=t_b&sort=-difference", "range=all&sort=paid"},
	worklist.File:         {"", "coin=USDT", "show=all&sort=uid", "owner=-", "reason=milestone", "state=silent&code=spring"},
	returns.File:          {"range=all", "range=all&code=spring", "range=all&sort=-cost"},
	cohorts.File:          {"", "by=week", "coin=BTC", "code=spring", "by=month&uid=4667776801"},
}

// KindsAsked lists the kinds of kindQueries by name.
func KindsAsked() []*export.Kind {
	return slices.SortedFunc(maps.Keys(KindQueries), func(a, b *export.Kind) int { return cmp.Compare(a.Name, b.Name) })
}

// AskFor parses a query string as the page of an export does.
func (d *Fixture) AskFor(kind *export.Kind, text string) query.Query {
	switch kind {
	case cohorts.File:
		return d.CohortQuery(text)
	case invitecodes.File:
		return d.CodeQuery(text)
	case invitees.ListFile:
		return d.AskInvitees(text)
	case payments.File:
		return d.QueryOf(text, payments.Accepted)
	case changes.File:
		return d.QueryOf(text, changes.Accepted)
	case payments.BillFile:
		return d.QueryOf(text, payments.AcceptedOfBills)
	case shownrates.File:
		return d.QueryOf(text, shownrates.Accepted)
	case returns.File:
		return d.QueryOf(text, returns.Accepted)
	case worklist.File:
		return d.QueryOf(withoutDays(text), worklist.Accepted)
	}
	return d.Ask(text)
}

// withoutDays removes the range from a query string, for a report about the present.
func withoutDays(text string) string {
	var parts []string
	for part := range strings.SplitSeq(text, "&") {
		if name, _, _ := strings.Cut(part, "="); !slices.Contains([]string{"range", "from", "to"}, name) {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "&")
}
