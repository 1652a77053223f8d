package goals_test

import (
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/goals"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store/audit"
	stored "rebatedesk/store/goals"
	"rebatedesk/store/storetest"
)

// For any records, what counts for a goal is the sum of a scan of all records with its coin,
// account, code and tag.
func TestGoalsCountWhatTheyAreAbout(t *testing.T) {
	t.Parallel()
	d := reporttest.NewModelFixture(t, "America/Los_Angeles")
	tagged := map[affiliate.Account]affiliate.UID{"main": "4667776801", "other": "4667776804"}
	for account, uid := range tagged {
		d.Read(account, reporttest.Spot, reporttest.Days(0, 0), affiliate.Commission{UID: uid, Product: affiliate.Spot, DealTime: reporttest.Midnight(reporttest.Today), Coin: "USDT", Source: affiliate.Direct})
		storetest.Done(t, d.AddTag(t.Context(), account, uid, "Öl", audit.Line{Actor: "ann"}))
	}
	for _, key := range []stored.Key{
		{Coin: "USDT"}, {Coin: "BTC"}, {Coin: "USDT", Account: "main"}, {Coin: "USDT", Code: "SPRING"}, {Coin: "USDT", Code: "Telegram"}, {Coin: "USDT", Code: "spring", Account: "other"},
		{Coin: "USDT", Tag: "öl"}, {Coin: "BTC", Tag: "Öl", Account: "main"}, {Coin: "USDT", Tag: "Öl", Code: "spring"},
	} {
		key.Month = reporttest.September
		_, err := stored.Table.Add(t.Context(), d.DB, stored.Goal{Key: key, Amount: "10"}, audit.Line{})
		storetest.Done(t, err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		m := reporttest.Draw(rt, d, 25)
		view, err := reports.Ask(t.Context(), d.Service, d.Ask("range=today"), goals.Make)
		if err != nil || len(view.Goals) != 9 {
			rt.Fatalf("%d goals, %v", len(view.Goals), err)
		}
		for _, g := range view.Goals {
			want := new(big.Rat)
			for _, r := range m.Records {
				about := r.Coin == g.Coin && (g.Account == "" || r.Account == g.Account) && (g.Code == "" || r.Code == g.Code) && (g.Tag == "" || slices.Contains(slices.Collect(maps.Values(tagged)), r.UID))
				if day := affiliate.DayOf(r.DealTime.Time(), d.Zone); about && view.Days.Contains(day) && r.Commission.Commission.Known() {
					want.Add(want, r.Commission.Commission.Decimal().Rat())
				}
			}
			if g.Earned.Rat().Cmp(want) != 0 || !g.Ending.Estimate.Earned.Equal(g.Earned) {
				rt.Fatalf("%s: %s earned, by the forecast %s, want %s", g.Key, g.Earned, g.Ending.Estimate.Earned, want.FloatString(18))
			}
		}
	})
}

// A goal in all coins counts each day at its price, and is known as of earlier instants. Names
// are stored as they are known; what is not known is refused at its field.
func TestGoalsOfAllCoins(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "UTC")
	d.Want("main", reporttest.Today-200)
	d.Sample("BTC", "50000")
	d.Read("main", reporttest.Spot, reporttest.Days(-200, 0), d.Earned(reporttest.Today-2, "USDT", "100"), d.Earned(reporttest.Today-1, "BTC", "0.002"), d.Earned(reporttest.Today-1, "DOGE", "5"))
	d.Read("main", reporttest.Futures, reporttest.Days(-200, 0))
	desk, by := d.Service, audit.Line{Actor: "ann"}
	id, err := desk.AddGoal(t.Context(), stored.Goal{Key: stored.Key{Month: reporttest.September}, Amount: "150"}, by)
	storetest.Done(t, err)
	before := d.Now.Add(30 * time.Second)
	d.Now = d.Now.Add(time.Minute)
	storetest.Done(t, desk.ChangeGoal(t.Context(), id, "1000", by))
	if _, err := desk.AddGoal(t.Context(), stored.Goal{Key: stored.Key{Month: reporttest.September, Coin: "btc"}, Amount: "1"}, by); err != nil {
		t.Fatal(err)
	}
	view, err := reports.Ask(t.Context(), d.Service, d.Ask("range=today"), goals.Make)
	storetest.Done(t, err)
	all, btc := view.Goals[0], view.Goals[1]
	if all.Earned.String() != "200" || all.ReachedOn != 0 || all.Target().Exact() != "1000 USDT" || len(all.Ending.Unpriced) != 1 || btc.Coin != "BTC" || btc.Earned.String() != "0.002" {
		t.Errorf("the goals are %+v and %+v", all, btc)
	}
	q := d.Ask("range=today")
	q.AsOf = before
	view, err = reports.Ask(t.Context(), d.Service, q, goals.Make)
	storetest.Done(t, err)
	if len(view.Goals) != 1 || view.Goals[0].Target().Exact() != "150 USDT" || view.Goals[0].State != goals.Reached || view.Goals[0].ReachedOn != reporttest.Today-1 {
		t.Errorf("then: %+v", view.Goals)
	}
	for field, key := range map[string]stored.Key{
		"coin": {Month: reporttest.September, Coin: "XYZ"}, "code": {Month: reporttest.September, Code: "none"}, "tag": {Month: reporttest.September, Tag: "none"}, "account": {Month: reporttest.September, Account: "none"},
		"month": {Month: affiliate.NewDay(2027, time.October, 1)},
	} {
		if _, err := desk.AddGoal(t.Context(), stored.Goal{Key: key, Amount: "1"}, by); storetest.Broken(t, err).Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, err := desk.AddGoal(t.Context(), stored.Goal{Key: stored.Key{Month: affiliate.NewDay(2025, time.January, 1)}, Amount: "1"}, by); !strings.Contains(storetest.Broken(t, err).Problem, "Nothing is stored before") {
		t.Errorf("long ago: %v", err)
	}
	if n, err := desk.CopyGoals(t.Context(), affiliate.NewDay(2026, time.October, 1), by); n != 2 || err != nil {
		t.Errorf("%d goals are copied, %v", n, err)
	}
	view, err = reports.Ask(t.Context(), d.Service, d.Ask("from=2026-10-01&to=2026-10-31"), goals.Make)
	storetest.Done(t, err)
	if view.Before != 0 || len(view.Goals) != 2 || slices.ContainsFunc(view.Goals, func(g goals.Progress) bool { return g.State != goals.Ahead }) {
		t.Errorf("next month: %+v", view.Goals)
	}
}
