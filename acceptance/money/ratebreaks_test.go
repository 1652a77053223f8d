package money_test

import (
	"fmt"
	"math/big"
	"net/url"
	"slices"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/reports"
	"rebatedesk/reports/rates"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/terms"
)

// ratesHistory is the records of a simulated programme in which each invitee has one rate for each
// product, with many records that show no rate or another one.
type ratesHistory struct {
	now     time.Time
	records []affiliate.Commission // in order of time
	lowered affiliate.UID          // with most records of a product
	product affiliate.Product
	from    affiliate.Millis    // of the change
	cost    map[string]*big.Rat // by product and coin; of the change
}

// ratesHistoryOf makes a history by a seed. With a change, the rate of the invitee and product with
// most records is lowered to three fifths.
func ratesHistoryOf(seed int64, change bool) ratesHistory {
	h := ratesHistory{now: time.Date(2026, 5, 20, 13, 0, 0, 0, time.UTC), cost: map[string]*big.Rat{}}
	h.from = affiliate.MillisOf(time.Date(2026, 5, 2+int(seed), 0, 0, 0, 0, time.UTC))
	ledger := simulator.New(simulator.Options{Seed: seed, Days: 125, Invitees: 120, Records: 5000, Now: func() time.Time { return h.now }}).Ledger()
	slices.SortStableFunc(ledger.Commissions, func(a, b affiliate.Commission) int { return int(a.DealTime - b.DealTime) })
	usual, number := map[string]affiliate.Number{}, map[string]int{}
	most := 0
	for _, c := range ledger.Commissions {
		key := string(c.UID) + string(c.Product)
		if number[key]++; number[key] > most {
			most, h.lowered, h.product = number[key], c.UID, c.Product
		}
	}
	for _, c := range ledger.Commissions {
		key := string(c.UID) + string(c.Product)
		if usual[key] == "" {
			usual[key] = c.Rate
		}
		before := usual[key]
		c.Rate = before
		changed := change && c.UID == h.lowered && c.Product == h.product && c.DealTime >= h.from
		if changed {
			c.Rate = affiliate.Number(before.Decimal().Mul(affiliate.Number("0.6").Decimal()).String())
		}
		number[key]++
		n := number[key] + int(seed)
		add := func(c affiliate.Commission, fee, rate affiliate.Number, counts bool) {
			c.Fee = fee
			c.Commission = affiliate.Number(fee.Decimal().Mul(rate.Decimal()).RoundFloor(8).String())
			h.records = append(h.records, c)
			if changed && counts {
				sum := h.cost[string(c.Product+" ")+string(c.Coin)]
				if sum == nil {
					sum = new(big.Rat)
					h.cost[string(c.Product+" ")+string(c.Coin)] = sum
				}
				paid, _ := new(big.Rat).SetString(string(c.Commission))
				of, _ := new(big.Rat).SetString(string(fee))
				at, _ := new(big.Rat).SetString(string(before))
				sum.Add(sum, paid.Sub(paid, of.Mul(of, at)))
			}
		}
		add(c, c.Fee, c.Rate, true)
		switch n % 12 {
		case 1, 4, 7: // paid with a voucher
			add(c, "0", c.Rate, true)
		case 2, 8: // an upline took the commission
			add(c, c.Fee, "0", false)
		case 5, 10: // taken back
			add(c, affiliate.Number(c.Fee.Decimal().Neg().String()), c.Rate, false)
		case 11: // another rate, which no other record has
			other := affiliate.Number(fmt.Sprintf("0.%04d", 301+n*37%5000))
			if other != before {
				c.Rate = other
				add(c, c.Fee, other, true)
			}
		}
	}
	return h
}

// An invitee whose rate is lowered on a day is exactly one finding, with that day and the exact cost,
// and without a change there is none: also if nearly every day has records that uplines took, that were
// taken back, that were paid with vouchers, or at another rate.
func TestRateBreaksOfUntidyDays(t *testing.T) {
	t.Parallel()
	for seed := int64(1); seed <= 5; seed++ {
		for _, change := range []bool{true, false} {
			t.Run(fmt.Sprintf("seed %d, change %t", seed, change), func(t *testing.T) {
				t.Parallel()
				h := ratesHistoryOf(seed, change)
				clock := func() time.Time { return h.now }
				st, err := store.Open(t.Context(), storetest.Empty(t), store.Options{Now: clock})
				storetest.Done(t, err)
				defer func() { storetest.Done(t, st.Close()) }()
				today := affiliate.DayOf(h.now, time.UTC)
				for _, product := range affiliate.Products() {
					own := slices.DeleteFunc(slices.Clone(h.records), func(c affiliate.Commission) bool { return c.Product != product })
					slice := records.Slice{Account: "main", Stream: affiliate.Stream{Kind: affiliate.Commissions, Product: product},
						Days: affiliate.Days{First: today - 130, Last: today}, Started: h.now, Through: affiliate.MillisOf(h.now)}
					_, err := records.ReplaceCommissions(t.Context(), st, slice, own)
					storetest.Done(t, err)
				}
				service := reports.New(st, clock)
				view, err := reports.Ask(t.Context(), service, ratesAsked(t, service, url.Values{"range": {"30d"}}), rates.Make)
				storetest.Done(t, err)
				h.check(t, change, view.Deviations)
			})
		}
	}
}

func (h *ratesHistory) check(t *testing.T, change bool, found []rates.Deviation) {
	t.Helper()
	if !change {
		if len(found) != 0 {
			t.Errorf("findings without a change: %+v", found)
		}
		return
	}
	if len(found) != 1 {
		t.Fatalf("%d findings: %+v", len(found), found)
	}
	d := found[0]
	if day := affiliate.DayOf(h.from.Time(), time.UTC); d.Scope != terms.ScopeUID || d.Value != string(h.lowered) || d.Days.First != day || !d.Break || d.Over {
		t.Errorf("the finding is %+v, not of %s since %s", d, h.lowered, day)
	}
	got := map[string]*big.Rat{}
	for i := range d.Lines {
		key := string(d.Lines[i].Product+" ") + string(d.Lines[i].Coin)
		sum, _ := new(big.Rat).SetString(d.Lines[i].Difference().String())
		if got[key] != nil {
			sum.Add(sum, got[key])
		}
		got[key] = sum
	}
	for key, want := range h.cost {
		if got[key] == nil || got[key].Cmp(want) != 0 {
			t.Errorf("%s: %v, not %s", key, got[key], want.FloatString(12))
		}
	}
	if len(got) != len(h.cost) {
		t.Errorf("the finding is about %v, not %v", got, h.cost)
	}
}
