package figures_test

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/reporttest"
)

const yesterdayCompared = "from=2026-09-14&to=2026-09-14&compare=previous"

// This test compares a figure with that of the day before.
func TestChanges(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	for _, c := range []struct {
		before, now affiliate.Number
		kind        figures.ChangeKind
		percent     string
	}{
		{"", "5", figures.ChangeUp, "0"}, // no records
		{"0", "5", figures.ChangeUp, "0"},
		{"-3", "5", figures.ChangeUp, "0"},
		{"5", "5.00", figures.ChangeSame, "0"},
		{"-5", "-5", figures.ChangeSame, "0"},
		{"0", "0", figures.ChangeSame, "0"},
		{"4", "5", figures.ChangeUp, "25"},
		{"8", "5", figures.ChangeDown, "-37.5"},
		{"3", "1", figures.ChangeDown, "-66.7"},
		{"3", "0", figures.ChangeDown, "-100"},
		{"3", "-6", figures.ChangeDown, "0"},
		{"0", "-1", figures.ChangeDown, "0"},
		{"-1", "-2", figures.ChangeDown, "0"},
		{"-2", "-1", figures.ChangeUp, "0"},
		{"100000", "100001", figures.ChangeUp, "0.001"}, // with one decimal it would read as zero
		{"100000", "99999", figures.ChangeDown, "-0.001"},
		{"0.000000000000000001", "98765432109876543210", figures.ChangeUp, "9876543210987654320999999999999999999900"},
	} {
		records := []affiliate.Commission{reporttest.Trade(reporttest.Today-1, reporttest.Spot, 1, c.now)}
		if c.before != "" {
			records = append(records, reporttest.Trade(reporttest.Today-2, reporttest.Spot, 1, c.before))
		}
		d.Read("main", reporttest.Spot, reporttest.Days(-2, -1), records...)
		d.Read("main", reporttest.Futures, reporttest.Days(-2, -1))
		figure := d.Overview(yesterdayCompared).Cards[0].Commission
		if by := figure.Change.By; c.kind != figures.ChangeSame && (by.Coin != "USDT" || reporttest.Rat(t, by.Value.String()).Cmp(new(big.Rat).Sub(reporttest.Rat(t, string(c.now)), reporttest.Rat(t, string(c.before)))) != 0) {
			t.Errorf("%s after %q is a change by %s", c.now, c.before, by)
		}
		if figure.Change.Kind != c.kind || figure.Change.Percent.String() != c.percent || figure.Reference.Coin != "USDT" ||
			reporttest.Rat(t, figure.Reference.Value.String()).Cmp(reporttest.Rat(t, string(c.before))) != 0 {
			t.Errorf("%s after %q: %+v; want %s %s", c.now, c.before, figure, c.kind, c.percent)
		}
	}
}

// A comparison with an unknown figure gives no change.
func TestChangeFromUnknown(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.Read("main", reporttest.Spot, reporttest.Days(-2, -1), reporttest.Trade(reporttest.Today-1, reporttest.Spot, 1, "2"), reporttest.Trade(reporttest.Today-2, reporttest.Spot, 1, "1"))
	d.Read("main", reporttest.Futures, reporttest.Days(-1, -1))
	view := d.Overview(yesterdayCompared)
	card := view.Cards[0]
	for name, change := range map[string]figures.Change{
		"commission": card.Commission.Change, "fee": card.Fee.Change, "volume": view.Volume.Change, "active traders": view.Invitees.ActiveTraders.Change,
	} {
		if change.Kind != figures.ChangeUnknown {
			t.Errorf("%s: %+v", name, change)
		}
	}
	if view.Daily.RefKnown[1] || !view.Daily.Reference[1].Equal(affiliate.Number("1").Decimal()) {
		t.Errorf("the series: %+v", view.Daily)
	}
	d.Read("main", reporttest.Futures, reporttest.Days(-2, -2))
	view = d.Overview(yesterdayCompared)
	if card := view.Cards[0]; card.Commission.Change.Kind != figures.ChangeUp || card.Fee.Change.Kind != figures.ChangeSame || !view.Daily.RefKnown[1] {
		t.Errorf("after the reading: %+v", card)
	}
	if card := d.Overview("from=2026-09-14&to=2026-09-14").Cards[0]; card.Commission.Change.Kind != figures.ChangeNone {
		t.Errorf("without comparison: %+v", card.Commission)
	}
}

// A compared period follows the filters of the query.
func TestComparedPeriodIsFiltered(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.Read("main", reporttest.Spot, reporttest.Days(-2, -1), reporttest.Trade(reporttest.Today-1, reporttest.Spot, 1, "2"), reporttest.Trade(reporttest.Today-2, reporttest.Spot, 1, "1"), reporttest.Trade(reporttest.Today-2, reporttest.Spot, 2, "100"))
	d.Read("main", reporttest.Futures, reporttest.Days(-2, -1), reporttest.Trade(reporttest.Today-2, reporttest.Futures, 1, "1000"))
	figure := d.Overview(yesterdayCompared + "&product=SPOT&uid=4667776801").Cards[0].Commission
	if figure.Reference.Exact() != "1 USDT" || figure.Change.Percent.String() != "100" {
		t.Errorf("%+v", figure)
	}
}

func TestInviteeCounts(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.ReadEmpty(reporttest.Days(-2, 0))
	d.People()
	for query, want := range map[string][3]int64{
		"from=2026-09-14&to=2026-09-14":                   {2, 2, 1},
		"from=2026-09-13&to=2026-09-13":                   {1, 0, 1},
		"from=2026-09-13&to=2026-09-15":                   {3, 2, 3},
		"from=2026-09-14&to=2026-09-14&code=a":            {1, 2, 1},
		"from=2026-09-14&to=2026-09-14&uid=2":             {1, 0, 0},
		"from=2026-09-14&to=2026-09-14&account=main":      {2, 2, 1},
		"from=2026-09-14&to=2026-09-14&coin=USDT":         {2, 2, 1}, // people have no coin
		"from=2026-09-14&to=2026-09-14&compare=previous":  {2, 2, 1},
		"from=2026-09-01&to=2026-09-01&compare=previous":  {0, 0, 0},
		"from=2026-09-15&to=2026-09-15&product=FUTURES":   {0, 0, 1},
		"from=2026-09-14&to=2026-09-14&code=nobody-is-it": {0, 0, 0},
	} {
		cards := d.Overview(query).Invitees
		got := [3]int64{cards.Registered.N, cards.FirstDepositors.N, cards.FirstTraders.N}
		if got != want || !cards.Registered.Known || !cards.FirstDepositors.Known || !cards.FirstTraders.Known {
			t.Errorf("%s: %v, %+v; want %v, all known", query, got, cards, want)
		}
	}
	cards := d.Overview("from=2026-09-14&to=2026-09-14&compare=previous").Invitees
	if c := cards.Registered; c.Reference != 1 || c.Change.Kind != figures.ChangeUp || c.Change.Percent.String() != "100" {
		t.Errorf("registered, compared: %+v", c)
	}
	if c := cards.FirstDepositors; c.Reference != 0 || c.Change.Kind != figures.ChangeUp || c.Change.Relative() || c.Change.By.Short() != "2" {
		t.Errorf("first depositors, compared: %+v", c)
	}
	if c := cards.FirstTraders; c.Reference != 1 || c.Change.Kind != figures.ChangeSame {
		t.Errorf("first traders, compared: %+v", c)
	}
}

// A count that cannot be computed is not zero, and has a reason.
func TestInviteeCountsUnknown(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	check := func(what string, c figures.Count, reason string) {
		t.Helper()
		if c.Known != (reason == "") || c.Reason != reason {
			t.Errorf("%s: %+v, want the reason %q", what, c, reason)
		}
	}
	const collecting, silent = "not collected completely yet", "the exchange does not report it for this account"
	const query = "from=2026-09-14&to=2026-09-14&compare=previous"
	cards := d.Overview(query).Invitees
	check("registered", cards.Registered, collecting)
	check("first depositors", cards.FirstDepositors, collecting)
	check("first traders", cards.FirstTraders, collecting)
	check("active traders", cards.ActiveTraders, collecting)

	// Deposits can be of people who registered before the days that were read.
	d.ReadInvitees("main", reporttest.Days(-3, 0), affiliate.Invitee{UID: "1", RegisterTime: reporttest.Midnight(reporttest.Today - 1)})
	cards = d.Overview(query).Invitees
	check("registered", cards.Registered, "")
	check("first depositors", cards.FirstDepositors, collecting)
	if c := cards.Registered.Change; c.Kind != figures.ChangeUp || c.Relative() || c.By.Short() != "1" {
		t.Errorf("registered: %+v", cards.Registered)
	}

	d.ReadInvitees("main", reporttest.Days(-364, 0), affiliate.Invitee{UID: "1", RegisterTime: reporttest.Midnight(reporttest.Today - 1), FirstTrade: reporttest.Midnight(reporttest.Today - 1)})
	cards = d.Overview(query).Invitees
	check("first depositors", cards.FirstDepositors, silent)
	check("first traders", cards.FirstTraders, "")

	d.ReadEmpty(reporttest.Days(-1, 0))
	check("active traders", d.Overview(query).Invitees.ActiveTraders, "")
}

// The filters offer the values that occur.
func TestOptions(t *testing.T) {
	d := reporttest.NewModelFixture(t, "UTC")
	btc := reporttest.Trade(reporttest.Today, reporttest.Spot, 1, "1")
	btc.Coin = "BTC"
	d.Read("main", reporttest.Spot, reporttest.Days(0, 0), btc, reporttest.Trade(reporttest.Today, reporttest.Spot, 2, "1"))
	o := d.Overview("range=yesterday").Options
	if strings.Join([]string{string(o.Accounts[0]), string(o.Accounts[1]), string(o.Coins[0]), string(o.Coins[1])}, " ") != "main other BTC USDT" ||
		strings.Join(o.Codes, " ") != "SPRING spring telegram yt-100%" {
		t.Errorf("%+v", o)
	}
}

func TestUnknownAccount(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.ReadEmpty(reporttest.Days(0, 0))
	q := d.Ask("account=mian")
	_, overview := reports.Ask(t.Context(), d.Service, q, overview.Make)
	_, list := reports.Ask(t.Context(), d.Service, q, commissions.Make)
	_, export := d.OpenExport(t.Context(), commissions.DailyFile, q)
	for what, err := range map[string]error{"overview": overview, "commissions": list, "export": export} {
		if err == nil || err.Error() != `account="mian": there is no such account; the accounts are main` {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A service without a given clock uses the machine's clock.
func TestServiceClock(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	basis, err := reports.New(d.DB, nil).Basis(t.Context())
	if err != nil || time.Since(basis.Now) > time.Minute || basis.Zone != time.UTC {
		t.Errorf("%+v, %v", basis, err)
	}
}
