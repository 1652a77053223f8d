package money_test

import (
	"encoding/json"
	"fmt"
	"html"
	"math/big"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/affiliate"
	"rebatedesk/collector"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/reports/findings"
	"rebatedesk/store/outbox"
)

// If an exchange takes commission away and adds almost the same amount elsewhere, the
// page names both amounts exactly.
func TestAttentionNamesOffsettingChanges(t *testing.T) {
	t.Parallel()
	m := newMarketOf(t, "UTC", time.Date(2026, time.September, 15, 10, 30, 0, 0, time.UTC), simulator.Options{Seed: 8, Days: 90, Invitees: 60, Records: 3000})
	m.collect()
	if page := site.Get(t, m.address+"/attention").Body; strings.Contains(page, "Figures in") {
		t.Fatal("the page has a finding before any change")
	}
	today := affiliate.DayOf(m.now(), m.zone)
	gone, count := new(big.Rat), 0
	last := today
	taken := func(c affiliate.Commission) bool {
		day := affiliate.DayOf(c.DealTime.Time(), m.zone)
		return c.Coin == "USDT" && day >= today-80 && day <= today-40 && m.rat(c.Commission).Sign() > 0
	}
	for i, c := range m.sim.Ledger().Commissions {
		if !taken(c) {
			continue
		}
		last, count = affiliate.DayOf(c.DealTime.Time(), m.zone), count+1
		gone.Add(gone, m.rat(c.Commission))
		if i%2 == 0 {
			m.sim.Remove(c)
		} else {
			m.sim.Revise(func(o affiliate.Commission) bool { return o == c }, func(o *affiliate.Commission) { o.Commission = "0" })
		}
	}
	late := new(big.Rat).Add(gone, big.NewRat(30, 1)) // the net change is 30
	m.sim.Insert(affiliate.Commission{DealTime: affiliate.MillisOf(last.Start(time.UTC)), UID: "4667776811", Product: affiliate.Spot, Source: affiliate.Direct, Symbol: "BTCUSDT_SPBL",
		Coin: "USDT", TakerAmount: "1", MakerAmount: "0", Fee: "1", Rate: "0.1", Commission: affiliate.Number(late.FloatString(18))})
	m.at.Add((24 * time.Hour).Milliseconds())
	m.run(collector.RunRequest{Since: today - 90})
	page := html.UnescapeString(site.Get(t, m.address+"/attention").Body)
	for _, want := range []string{"Figures in USDT changed afterwards", exactTitle(late, "+"), exactTitle(gone, "-")} {
		if !strings.Contains(page, want) {
			t.Errorf("%d records of %s USDT were removed, and the page does not say %q", count, gone.FloatString(18), want)
		}
	}
	alert := findings.Watched{Subscription: outbox.Subscription{Coin: "USDT", Amount: "0", Since: affiliate.MillisOf(m.now().Add(-time.Hour))}, Now: m.now(), Zone: m.zone, Ask: m.With}
	told, err := findings.AlertKind("restatement").Alert.Signals(t.Context(), &alert)
	if err != nil || len(told) != 1 {
		t.Fatalf("an alert reports %+v (%v)", told, err)
	}
	var detail struct{ Up, Down, Records string }
	if err := json.Unmarshal([]byte(told[0].Detail), &detail); err != nil || m.rat(affiliate.Number(detail.Up)).Cmp(late) != 0 ||
		m.rat(affiliate.Number(detail.Down)).Cmp(new(big.Rat).Neg(gone)) != 0 || detail.Records != fmt.Sprint(count+1) {
		t.Errorf("an alert reports %+v (%v), want +%s and -%s of %d records", detail, err, late.FloatString(18), gone.FloatString(18), count+1)
	}
}

// exactTitle returns an amount with all its digits, as titles show it.
func exactTitle(r *big.Rat, sign string) string {
	return `title="` + sign + strings.TrimRight(strings.TrimRight(r.FloatString(18), "0"), ".") + ` USDT"`
}
