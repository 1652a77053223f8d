package programmes_test

import (
	"encoding/csv"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/export"
	"rebatedesk/reports/programmes"
	"rebatedesk/reports/query"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store/storetest"
)

// programmesOf makes the report of the programmes.
func programmesOf(d *reporttest.Fixture, s *reports.Service, asked string) programmes.Report {
	d.Helper()
	view, err := reports.Ask(d.Context(), s, d.QueryOf(asked, programmes.Accepted), programmes.Make)
	if err != nil {
		d.Fatal(err)
	}
	return view
}

// The columns of the programmes add up to the overview, to the last digit of each coin; so do the
// rows of the file. A column is what the page of its account alone shows.
func TestProgrammesAddUp(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "statements limited to members", testProgrammesAddUp)
}

func testProgrammesAddUp(t *testing.T) {
	d := reporttest.NewFixture(t, "Asia/Tokyo")
	for i, account := range []affiliate.Account{"asia", "main", "west"} {
		d.Want(account, reporttest.Today-20)
		var rows []affiliate.Commission
		for n := range 12 {
			row := reporttest.Trade(reporttest.Today-affiliate.Day(n), reporttest.Spot, 100*i+n%4, affiliate.Number(fmt.Sprintf("%d.%018d", n, 1+n*n*(i+7))))
			row.Fee = affiliate.Number(fmt.Sprintf("%d.5", n+i))
			if n%3 == 2 {
				row.Coin = "BTC"
			}
			rows = append(rows, row)
		}
		d.Read(account, reporttest.Spot, reporttest.Days(-20, 0), rows...)
		d.Read(account, reporttest.Futures, reporttest.Days(-20, 0))
		d.ReadInvitees(account, reporttest.Days(-20, 0), affiliate.Invitee{UID: affiliate.UID(fmt.Sprint(100 * i)), InviteCode: "vip", RegisterTime: affiliate.MillisOf((reporttest.Today - 3).Start(d.Zone))})
	}
	view := programmesOf(d, d.Service, "range=30d")
	whole := d.Overview("range=30d")
	if len(view.Programmes) != 3 || len(view.Coins) != 2 || len(view.Daily.Parts) != 3 {
		t.Fatalf("%d programmes, %d coins, %d lines", len(view.Programmes), len(view.Coins), len(view.Daily.Parts))
	}
	for _, card := range whole.Cards {
		commission, fee := new(big.Rat), new(big.Rat)
		for _, p := range view.Programmes {
			commission.Add(commission, p.In(card.Coin).Commission.Rat())
			fee.Add(fee, p.In(card.Coin).Fee.Rat())
		}
		for name, sum := range map[string][2]*big.Rat{
			"commission": {commission, card.Commission.Amount.Value.Rat()}, "fee": {fee, card.Fee.Amount.Value.Rat()},
			"total": {view.Total.In(card.Coin).Commission.Rat(), card.Commission.Amount.Value.Rat()},
		} {
			if sum[0].Cmp(sum[1]) != 0 {
				t.Errorf("%s %s: %s in all columns, %s on the overview", card.Coin, name, sum[0].FloatString(20), sum[1].FloatString(20))
			}
		}
	}
	volume, converted := new(big.Rat), new(big.Rat)
	var registered, active int64
	for i, p := range view.Programmes {
		volume.Add(volume, p.Volume.Rat())
		converted.Add(converted, p.Valued.Total.Rat())
		registered, active = registered+p.Registered.N, active+p.ActiveTraders.N
		drawn := new(big.Rat)
		for _, v := range view.Daily.Parts[i].Values {
			drawn.Add(drawn, v.Rat())
		}
		if drawn.Cmp(p.Valued.Total.Rat()) != 0 {
			t.Errorf("%s: the line adds up to %s, the column is %s", p.Account, drawn.FloatString(20), p.Valued.Total)
		}
		alone := programmesOf(d, d.Service, "range=30d&account="+string(p.Account))
		if len(alone.Programmes) != 1 || !alone.Programmes[0].Valued.Total.Equal(p.Valued.Total) || alone.Programmes[0].Registered.N != p.Registered.N {
			t.Errorf("%s alone: %+v", p.Account, alone.Programmes)
		}
	}
	if volume.Cmp(whole.Volume.Amount.Value.Rat()) != 0 || converted.Cmp(whole.Valued.Total.Rat()) != 0 {
		t.Errorf("volume %s of %s, converted %s of %s", volume.FloatString(20), whole.Volume.Amount.Value, converted.FloatString(20), whole.Valued.Total)
	}
	if registered != whole.Invitees.Registered.N || active != whole.Invitees.ActiveTraders.N || registered != 3 {
		t.Errorf("%d registered of %d, %d active of %d", registered, whole.Invitees.Registered.N, active, whole.Invitees.ActiveTraders.N)
	}

	text, _ := d.Export(programmes.File, export.CSV, d.QueryOf("range=30d", programmes.Accepted))
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]*big.Rat{}
	for _, line := range lines[1:] {
		amount, ok := new(big.Rat).SetString(line[3])
		if !ok {
			t.Fatalf("no number: %q", line)
		}
		if sums[line[1]] == nil {
			sums[line[1]] = new(big.Rat)
		}
		sums[line[1]].Add(sums[line[1]], amount)
	}
	for _, card := range whole.Cards {
		if sum := sums[string(card.Coin)]; sum == nil || sum.Cmp(card.Commission.Amount.Value.Rat()) != 0 {
			t.Errorf("the file has %v of %s", sum, card.Coin)
		}
	}

	bound := d.Service.For(affiliate.BoundTo([]affiliate.Binding{{By: affiliate.BoundByAccount, Name: "west"}}))
	own := programmesOf(d, bound, "range=30d")
	if len(own.Programmes) != 1 || own.Programmes[0].Account != "west" || !own.Total.Valued.Total.Equal(view.Programmes[2].Valued.Total) || own.Total.WhyNoPayments == "" || len(own.Options.Accounts) != 1 {
		t.Errorf("a bound manager sees %+v", own.Programmes)
	}
	if _, err := reports.Ask(t.Context(), bound, query.Query{Account: "main", Zone: d.Zone, Today: reporttest.Today, Days: reporttest.Days(-9, 0)}, programmes.Make); err == nil {
		t.Error("a bound manager sees another account")
	}
}
