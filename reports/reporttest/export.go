package reporttest

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	whos "rebatedesk/people"
	"rebatedesk/reports/changes"
	"rebatedesk/reports/cohorts"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/export"
	"rebatedesk/reports/invitecodes"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/query"
	shownrates "rebatedesk/reports/rates"
	"rebatedesk/reports/returns"
	"rebatedesk/reports/subaffiliates"
	"rebatedesk/reports/worklist"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/people"
	"rebatedesk/store/records"
)

func (d *Fixture) ReadSubAffiliates(span affiliate.Days, rows ...affiliate.SubAffiliateDay) {
	d.Helper()
	for _, product := range affiliate.Products() {
		var list []affiliate.SubAffiliateDay
		for _, r := range rows {
			if r.Product == product {
				list = append(list, r)
			}
		}
		slice := d.Slice("main", affiliate.Stream{Kind: affiliate.SubAffiliates, Product: product}, span)
		if _, err := records.ReplaceSubAffiliateDays(d.Context(), d.DB, slice, list); err != nil {
			d.Fatal(err)
		}
	}
}

// reading draws readings of the exchange and stores them in runs, as a collector does.
type reading struct {
	*rapid.T
	*Fixture
	runs map[affiliate.Account]int64
}

func NewReading(t *rapid.T, d *Fixture) reading {
	r := reading{t, d, map[affiliate.Account]int64{}}
	for _, account := range []affiliate.Account{"main", "other"} {
		run, err := records.StartRun(d.Context(), d.DB, account, "test")
		if err != nil {
			t.Fatal(err)
		}
		r.runs[account] = run
	}
	return r
}

// Invitees draws a reading of some days in which each invitee is listed or not, with new,
// old or missing values.
func (r reading) Invitees() {
	account := rapid.SampledFrom([]affiliate.Account{"main", "other"}).Draw(r.T, "account")
	first := rapid.IntRange(-366, 0).Draw(r.T, "first")
	span := Days(first, rapid.IntRange(first, 0).Draw(r.T, "last"))
	if rapid.Bool().Draw(r.T, "all days") {
		span = Days(-366, 0)
	}
	slice := r.Slice(account, Users, span)
	slice.Run = r.runs[account]
	if rapid.IntRange(0, 5).Draw(r.T, "fails") == 0 {
		if err := records.FailSlice(r.Context(), r.DB, slice, "no answer"); err != nil {
			r.T.Fatal(err)
		}
		return
	}
	var list []affiliate.Invitee
	for uid, registered := range []affiliate.Day{-366, -365, -200, -3, -1, 0} {
		i := affiliate.Invitee{
			UID:          affiliate.UID(fmt.Sprint(4667776800 + uid)),
			InviteCode:   rapid.SampledFrom([]string{"", "a", "b"}).Draw(r.T, "code"),
			RegisterTime: Midnight(Today+registered) + affiliate.Millis(rapid.SampledFrom([]int{0, 1, 18}).Draw(r.T, "hours"))*3_600_000,
			KYC:          affiliate.Flag(rapid.SampledFrom([]string{"", "true", "false"}).Draw(r.T, "KYC")),
			LastTrade:    affiliate.Millis(rapid.IntRange(0, 2).Draw(r.T, "trade")),
		}
		if rapid.IntRange(0, 9).Draw(r.T, "unknown registration") == 0 {
			i.RegisterTime = 0
		} else if !span.Range(time.UTC).Contains(i.RegisterTime) {
			continue
		}
		if rapid.IntRange(0, 3).Draw(r.T, "listed") > 0 {
			list = append(list, i)
		}
	}
	if _, err := records.ReplaceInvitees(r.Context(), r.DB, slice, list); err != nil {
		r.T.Fatal(err)
	}
}

func (r reading) SubAffiliates() {
	r.ReadSubAffiliates(Span, rapid.SliceOfN(rapid.Custom(func(t *rapid.T) affiliate.SubAffiliateDay {
		return affiliate.SubAffiliateDay{UID: "7", Product: affiliate.Spot, Date: Today - 1, TradingVolume: DrawNumber(t, "volume")}
	}), 0, 3).Draw(r.T, "sub-affiliates")...)
}

// CodesOfOurs gives an invitee a code of ours, or removes it.
func (r reading) CodesOfOurs() {
	uid := affiliate.UID(fmt.Sprint(4667776800 + rapid.IntRange(0, 6).Draw(r.T, "whose")))
	given := whos.GivenValue{Field: whos.FieldCode, Text: rapid.SampledFrom([]string{"", "a", "b", "ours"}).Draw(r.T, "code of ours")}
	err := people.Edit(r.Context(), r.DB, whos.PersonEntry{UID: uid, Values: []whos.GivenValue{given}}, store.AnyVersion, audit.Line{Actor: "anna"})
	if err != nil {
		r.T.Fatal(err)
	}
}

// Asked is an export to compare.
type Asked struct {
	Kind  *export.Kind
	Query string
}

// Exports returns the texts of exports as of an instant, or of the present if it is
// empty.
func (d *Fixture) Exports(list []Asked, asOf string) map[Asked]string {
	d.Helper()
	texts := map[Asked]string{}
	for _, one := range list {
		texts[one], _ = d.Export(one.Kind, export.CSV, d.AskFor(one.Kind, one.Query+"&as_of="+asOf))
	}
	return texts
}

// ClosedPipe accepts the given number of bytes and then fails.
type ClosedPipe struct{ Left int }

var ErrPipe = errors.New("nobody reads on")

func (p *ClosedPipe) Write(b []byte) (int, error) {
	if p.Left -= len(b); p.Left < 0 {
		return 0, ErrPipe
	}
	return len(b), nil
}

// KindQueries lists all exports with the queries that a test adds to days and account.
var KindQueries = map[*export.Kind][]string{
	commissions.File:          {"", "coin=USDT", "product=SPOT&source=sub", "code=spring", "q=t_b", "q=É", "sort=-commission", "uid=4667776801"},
	commissions.DailyFile:     {"", "coin=BTC", "source=direct", "code=spring", "symbol=BTCUSDT"},
	invitees.File:             {"", "code=spring", "uid=4667776801", "range=all"},
	invitees.ListFile:         {"", "code=spring", "coin=USDT", "compare=previous", "range=all"},
	subaffiliates.File:        {"", "product=SPOT", "uid=7", "q=7"},
	invitecodes.File:          {"", "coin=USDT", "product=FUTURES", "code=spring", "compare=previous"},
	payments.BillFile:         {"", "coin=USDT", "range=all"},
	payments.File:             {"", "coin=USDT", "kind=all", "kind=sub", "state=unexplained", "q=reward", "sort=-difference", "range=all"},
	payments.BalanceFile:      {"", "coin=USDT", "kind=sub", "range=all"},
	payments.IncomeFile:       {"", "coin=USDT", "range=all"},
	payments.KoinlyFile:       {"", "range=all"},
	payments.CoinTrackingFile: {"", "coin=BTC"},
	changes.File:              {"", "since=2026-09-15T12:00:00Z", "since=2026-09-15T12:00:00Z&code=spring", "q=t_b&sort=-difference", "change=new&sort=uid", "range=all&since=2026-09-01"},
	shownrates.File:           {"", "coin=USDT", "code=spring", "q=t_b&sort=-difference", "range=all&sort=paid"},
	worklist.File:             {"", "coin=USDT", "show=all&sort=uid", "owner=-", "reason=milestone", "state=silent&code=spring"},
	returns.File:              {"range=all", "range=all&code=spring", "range=all&sort=-cost"},
	cohorts.File:              {"", "by=week", "coin=BTC", "code=spring", "by=month&uid=4667776801"},
	payments.AccountFile:      {"", "coin=USDT", "kind=sub", "range=all"},
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
	case payments.BalanceFile, payments.AccountFile:
		return d.QueryOf(text, payments.AcceptedOfBalance)
	case payments.IncomeFile, payments.KoinlyFile, payments.CoinTrackingFile:
		return d.QueryOf(text, payments.AcceptedOfIncome)
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
