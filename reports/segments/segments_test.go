package segments_test

import (
	"errors"
	"fmt"
	"math/big"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/people"
	"rebatedesk/reports"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/export"
	"rebatedesk/reports/goals"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/pivot"
	"rebatedesk/reports/query"
	"rebatedesk/reports/reporttest"
	"rebatedesk/reports/segments"
	"rebatedesk/reports/subaffiliates"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	savedgoals "rebatedesk/store/goals"
	storedpeople "rebatedesk/store/people"
	stored "rebatedesk/store/segments"
	"rebatedesk/store/storetest"
)

// drawConditions draws conditions of a segment, at least one.
func drawConditions(t *rapid.T) url.Values {
	values := url.Values{}
	add := func(name string, options ...string) {
		if rapid.IntRange(0, 3).Draw(t, "condition "+name) == 0 {
			values.Set(name, rapid.SampledFrom(options).Draw(t, name))
		}
	}
	add("account", "main", "other")
	add("product", "SPOT", "FUTURES", "FUTURES,SPOT")
	add("source", "direct", "sub")
	add("symbol", "BTCUSDT", "x")
	add("code", "spring", "telegram,yt-100%", "%")
	add("uid", "4667776801", "4667776805")
	add("first_trade", "yes", "no")
	add("registered", "90d", "7d", "2026-08-01..2026-08-31")
	add("volume_least", "0", "50")
	add("volume_most", "1000")
	if rapid.Bool().Draw(t, "coin") {
		values.Set("coin", rapid.SampledFrom([]string{"USDT", "BTC"}).Draw(t, "of coin"))
		add("commission_least", "-0", "0", "1.5", "100")
		most := []string{"100", "1e3"}
		if least := values.Get("commission_least"); least != "1.5" && least != "100" {
			most = append(most, "0.000000000000000001") // not less than the least
		}
		add("commission_most", most...)
	}
	if values.Get("first_trade") != "no" {
		add("silent_least", "1", "2", "4")
	}
	if len(values) == 0 {
		values.Set("first_trade", "yes")
	}
	first := rapid.IntRange(-6, 0).Draw(t, "first day")
	values.Set("from", (reporttest.Today + affiliate.Day(first)).String())
	values.Set("to", (reporttest.Today + affiliate.Day(rapid.IntRange(first, 0).Draw(t, "last day"))).String())
	return values
}

// For any conditions, the members are those of a scan of all records, and every report with the
// segment as its filter adds up the records of the members, and of nobody else. What the members
// brought and what all others brought is what all brought.
func TestSegmentsOfAnyConditions(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "statements that conditions are made into", testSegmentsOfAnyConditions)
}

func testSegmentsOfAnyConditions(t *testing.T) {
	d := reporttest.NewModelFixture(t, "America/Los_Angeles")
	d.ReadEmpty(reporttest.Span)
	id := d.NewSegment("Drawn", "first_trade=yes")
	desk := d.Service
	rapid.Check(t, func(rt *rapid.T) {
		m := reporttest.Draw(rt, d, 25)
		conditions := drawConditions(rt)
		err := desk.ChangeSegment(t.Context(), id, store.AnyVersion, "Drawn", conditions.Encode(), audit.Line{Actor: "ann"})
		done(rt, err)
		members := m.Members(conditions)

		q := d.AskInvitees("segment=drawn&range=all&per=500")
		list, err := reports.Ask(t.Context(), d.Service, q, invitees.MakeList)
		done(rt, err)
		shown := map[reporttest.Person]bool{}
		for _, line := range list.Lines {
			shown[reporttest.Person{Account: line.Account, Uid: line.UID}] = true
		}
		if fmt.Sprint(shown) != fmt.Sprint(members) {
			rt.Fatalf("%s has %v, want %v", conditions.Encode(), shown, members)
		}

		of, others, count := map[affiliate.Coin]*big.Rat{}, map[affiliate.Coin]*big.Rat{}, 0
		for _, r := range m.Records {
			to := others
			if members[reporttest.Person{Account: r.Account, Uid: r.UID}] {
				to = of
				count++
			}
			if to[r.Coin] == nil {
				to[r.Coin] = new(big.Rat)
			}
			to[r.Coin].Add(to[r.Coin], reporttest.Rat(t, string(r.Commission.Commission)))
		}
		view, err := reports.Ask(t.Context(), d.Service, d.Ask("segment=Drawn&range=all"), overview.Make)
		done(rt, err)
		all, err := reports.Ask(t.Context(), d.Service, d.Ask("range=all"), overview.Make)
		done(rt, err)
		sameCards(rt, "the overview", view, of)
		together := map[affiliate.Coin]*big.Rat{}
		for coin, sum := range of {
			together[coin] = new(big.Rat).Set(sum)
		}
		for coin, sum := range others {
			if together[coin] == nil {
				together[coin] = new(big.Rat)
			}
			together[coin].Add(together[coin], sum)
		}
		sameCards(rt, "members and others together", all, together)

		found, err := reports.Ask(t.Context(), d.Service, d.Ask("segment=Drawn&range=all"), commissions.Make)
		done(rt, err)
		if found.Records != int64(count) {
			rt.Fatalf("%d records, want %d", found.Records, count)
		}
		for _, kind := range []*export.Kind{commissions.File, commissions.DailyFile} {
			_, written := d.Export(kind, export.CSV, d.Ask("segment=Drawn&range=all"))
			for _, sums := range written.Sums {
				if want := of[sums.Coin]; want != nil && reporttest.Rat(t, string(sums.Of("commission"))).Cmp(want) != 0 {
					rt.Fatalf("%s: %s %s, want %s", kind, sums.Of("commission"), sums.Coin, want.FloatString(18))
				}
			}
			if len(written.Sums) != len(of) {
				rt.Fatalf("%s has %d coins, want %d", kind, len(written.Sums), len(of))
			}
		}
		table, err := reports.Ask(t.Context(), d.Service, d.QueryOf("segment=Drawn&range=all&coin=USDT&by=invitee&across=product", pivot.Accepted), pivot.Make)
		done(rt, err)
		if want := of["USDT"]; want != nil && table.Total.Total.Value.Rat().Cmp(want) != 0 {
			rt.Fatalf("the pivot table adds up to %s, want %s", table.Total.Total.Value, want.FloatString(18))
		}
	})
}

func sameCards(t *rapid.T, what string, view overview.Report, want map[affiliate.Coin]*big.Rat) {
	if len(view.Cards) != len(want) {
		t.Fatalf("%s: %d coins, want %d", what, len(view.Cards), len(want))
	}
	for _, card := range view.Cards {
		if want[card.Coin] == nil || card.Commission.Amount.Value.Rat().Cmp(want[card.Coin]) != 0 {
			t.Fatalf("%s: %s %s, want %v", what, card.Commission.Amount.Value, card.Coin, want[card.Coin])
		}
	}
}

// A segment has the members of the instant of the question. A frozen one keeps those of the day
// on which it was frozen, and a thawed one changes again.
func TestSegmentsFollowFacts(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "statements that conditions are made into", testSegmentsFollowFacts)
}

func testSegmentsFollowFacts(t *testing.T) {
	d := reporttest.Programme(t)
	storetest.Done(t, d.AddTag(t.Context(), "main", "4667776802", "VIP", audit.Line{Actor: "ann"}))
	storetest.Done(t, storedpeople.Edit(t.Context(), d.DB, people.PersonEntry{UID: "4667776804", Values: []people.GivenValue{{Field: people.FieldOwner, Text: "Émile"}}}, store.AnyVersion, audit.Line{Actor: "ann"}))
	for definition, want := range map[string]string{
		"state=silent": "5", "state=vanished": "3", "state=slowing": "4", "tag=vip": "2", "owner=émile": "4", "owner=%C3%89MILE&state=slowing": "4", "owner=nobody": "", "code=a": "1 2 5", "kyc=unknown": "3 7", "code=A,b&state=never-traded": "3",
		"registered=7d": "1", "first_trade=no": "1 3 6", "silent_least=6": "4 5", "silent_least=6&code=a": "5", "risk_least=10": "",
		"coin=USDT&commission_least=37&range=all": "2 4", "coin=usdt&commission_least=37&commission_most=40&range=all": "2", "coin=BTC&range=all": "7", "product=FUTURES": "2", "q=6806": "6",
		"volume_least=300&range=7d": "2", "coin=USDT&commission_most=4&range=7d": "1 3 4 5 6 7",
	} {
		id := d.NewSegment("one", definition)
		if got := reporttest.Uids(d.List("segment=ONE")); got != want {
			t.Errorf("%s has %q, want %q", definition, got, want)
		}
		storetest.Done(t, d.Service.RemoveSegment(t.Context(), id, store.AnyVersion, audit.Line{Actor: "ann"}))
	}
	id := d.NewSegment("Steady", "coin=USDT&commission_least=100&range=30d")
	if got := reporttest.Uids(d.List("segment=Steady")); got != "" {
		t.Errorf("before the large commission: %q", got)
	}
	before := d.Now
	d.Now = d.Now.Add(time.Hour)
	d.Read("main", reporttest.Spot, reporttest.Days(0, 0), reporttest.Trade(reporttest.Today, reporttest.Spot, 6, "250"))
	asOf := "&as_of=" + before.Add(time.Minute).Format(time.RFC3339)
	if now, then := reporttest.Uids(d.List("segment=Steady")), reporttest.Uids(d.List("segment=Steady"+asOf)); now != "6" || then != "" {
		t.Errorf("now %q, then %q", now, then)
	}
	if view := d.Overview("segment=Steady&range=7d" + asOf); len(view.Cards) != 0 {
		t.Errorf("as of then it has %+v", view.Cards)
	}
	desk, by := d.Service, audit.Line{Actor: "ann"}
	storetest.Done(t, desk.FreezeSegment(t.Context(), id, store.AnyVersion, by))
	d.Now = d.Now.Add(time.Hour)
	d.Read("main", reporttest.Spot, reporttest.Days(0, 0), reporttest.Trade(reporttest.Today, reporttest.Spot, 6, "1"), reporttest.Trade(reporttest.Today, reporttest.Spot, 2, "300"))
	if frozen := reporttest.Uids(d.List("segment=Steady")); frozen != "6" {
		t.Errorf("frozen with %q", frozen)
	}
	report, err := desk.Segments(t.Context(), d.Ask(""), "ann")
	storetest.Done(t, err)
	if line := report.Segments[0]; len(report.Segments) != 1 || line.Frozen != reporttest.Today || line.Members != 1 || line.Recent[0].Commission.String() != "1" {
		t.Errorf("the list says %+v", report.Segments)
	}
	storetest.Done(t, desk.ThawSegment(t.Context(), id, store.AnyVersion, by))
	if thawed := reporttest.Uids(d.List("segment=Steady")); thawed != "2" {
		t.Errorf("thawed with %q", thawed)
	}
}

// A segment that is unknown or was removed is refused with its mend, and never means everybody.
// Goals follow a new name, and say that their segment was removed.
func TestSegmentsAreNeverSilentlyEverybody(t *testing.T) {
	t.Parallel()
	d := reporttest.Programme(t)
	desk, by := d.Service, audit.Line{Actor: "ann"}
	refused := func(want string) {
		t.Helper()
		_, err := reports.Ask(t.Context(), d.Service, d.Ask("segment=Traders"), overview.Make)
		wrong, ok := errors.AsType[*query.ParamError](err)
		if !ok || wrong.Param != "segment" || !strings.Contains(wrong.Problem, want) {
			t.Errorf("the overview says %v, want %q", err, want)
		}
	}
	refused("there is no such segment; the page /segments lists them")
	id := d.NewSegment("Buyers", "code=A")
	goal, err := d.Service.AddGoal(t.Context(), savedgoals.Goal{Key: savedgoals.Key{Month: reporttest.September, Coin: "USDT", Segment: "buyers"}, Amount: "10"}, by)
	storetest.Done(t, err)
	storetest.Done(t, desk.ChangeSegment(t.Context(), id, store.AnyVersion, "Traders", "code=a", by))
	shown := func() goals.Progress {
		t.Helper()
		view, err := reports.Ask(t.Context(), d.Service, d.Ask("range=today"), goals.Make)
		storetest.Done(t, err)
		if len(view.Goals) != 1 || view.Goals[0].ID != goal {
			t.Fatalf("%+v", view.Goals)
		}
		return view.Goals[0]
	}
	if g := shown(); g.Segment != "Traders" || g.Earned.String() != "14" || !g.Ending.Estimate.Earned.Equal(g.Earned) {
		t.Errorf("the goal is %+v", g)
	}
	if uses, err := desk.SegmentUses(t.Context(), "TRADERS"); err != nil || !reflect.DeepEqual(uses, stored.Uses{Goals: 1}) {
		t.Errorf("it is used by %+v, %v", uses, err)
	}
	storetest.Done(t, desk.RemoveSegment(t.Context(), id, store.AnyVersion, by))
	other := d.NewSegment("Others", "code=b")
	if rule := storetest.Broken(t, desk.ChangeSegment(t.Context(), other, store.AnyVersion, "TRADERS", "code=b", by)); rule.Field != "name" || !strings.Contains(rule.Problem, "still name it") {
		t.Errorf("the name that a goal still gives to the removed segment: %+v", rule)
	}
	refused("was removed on 15 September 2026 by ann")
	if g := shown(); g.State != goals.Unknown || !strings.Contains(g.Lost, "was removed") || g.Complete() {
		t.Errorf("without its segment the goal is %+v", g)
	}
	for _, kind := range []*export.Kind{subaffiliates.File, payments.File, payments.BillFile} {
		if err := kind.Takes(query.Query{Segment: "Traders"}); err == nil {
			t.Errorf("%s takes a segment", kind)
		}
	}
}

// Conditions that mean nothing are refused at their field, and the text form is the same again.
func TestSegmentConditions(t *testing.T) {
	t.Parallel()
	d := reporttest.Programme(t)
	desk := d.Service
	for definition, want := range map[string]string{
		"segment=other": "segment: “other” a segment cannot name another one", "money=1": "money: “1” there is no such condition", "code=a&code=b": "code: “b” is given more than once",
		"commission_least=5": "needs its coin", "coin=USDT&commission_least=5&commission_most=4": "commission_most: “4” is less than", "volume_least=-1": "is not an amount", "volume_least=much": "is not an amount",
		"silent_least=0": "from 1 to 3660", "silent_least=5&first_trade=no": "did not fall silent", "first_trade=maybe": "is none of yes, no", "registered=2026-13-01..": "registered: “2026-13-01..”",
		"registered=soon": "is none of today", "state=asleep": "is none of new", "range=7d": ": Give at least one condition", "": ": Give at least one condition", "product=OPTIONS": "product", "as_of=2026-01-01": "as_of: “2026-01-01” there is no such condition",
	} {
		_, err := desk.AddSegment(t.Context(), "x", definition, audit.Line{})
		rule := storetest.Broken(t, err)
		if got := rule.Field + ": " + rule.Problem; !strings.Contains(got, want) {
			t.Errorf("%s is refused as %s, want %s", definition, got, want)
		}
	}
	for given, want := range map[string]string{
		"state=silent&range=90d": "state=silent", "coin=usdt&commission_least=05.10&range=90d": "coin=USDT&commission_least=5.1&range=90d", "product=spot&range=30d": "product=SPOT",
		"registered=2026-01-01..2026-03-31&sort=": "",
	} {
		draft, err := desk.DraftSegment(t.Context(), given)
		if want == "" {
			if _, ok := errors.AsType[*query.ParamError](err); !ok {
				t.Errorf("%s gives %v", given, err)
			}
			continue
		}
		if err != nil || draft.Text() != want {
			t.Errorf("%s becomes %s, %v", given, draft.Text(), err)
		}
		again, err := segments.ParseDefinition(draft.Text(), query.Basis{Now: reporttest.Noon, Zone: time.UTC, First: reporttest.Today - 400})
		if err != nil || again.Text() != want {
			t.Errorf("%s becomes %s, %v", want, again.Text(), err)
		}
	}
	if got := segments.FromList(d.AskInvitees("code=a&state=silent&range=90d&sort=-uid&per=10")); got != "code=a&state=silent" {
		t.Errorf("the filters of a list become %s", got)
	}
	if got := segments.FromList(d.AskInvitees("product=SPOT&range=90d")); got != "product=SPOT&range=90d" {
		t.Errorf("the filters of a list become %s", got)
	}
	storetest.Done(t, func() error {
		r := storetest.Reader(t, d.DB)
		list, err := stored.List(t.Context(), r)
		if err == nil && len(list) > 0 {
			err = fmt.Errorf("refused segments are stored: %v", list)
		}
		return err
	}())
	if invitees.PresentDays != 30 {
		t.Error("the list of segments says 30 days")
	}
}

func done(t *rapid.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
