package people_test

import (
	"math/big"
	"net/url"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/affiliate"
)

// The sparkline of each invitee has for each day what the ledger of the exchange has, in a zone
// whose days are not those of UTC.
func TestTrendsOfInviteesEqualTheLedger(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Asia/Kathmandu")
	if err != nil {
		t.Fatal(err)
	}
	f := site.OpenPipeline(t, zone)
	type dayOf struct {
		uid affiliate.UID
		day affiliate.Day
	}
	for _, asked := range []url.Values{{}, {"product": {"SPOT"}}} {
		asked.Set("range", "7d")
		asked.Set("coin", "USDT")
		asked.Set("per", "500")
		truth := map[dayOf]*big.Rat{}
		for _, c := range f.Sim.Ledger().Commissions {
			if c.Coin != "USDT" || asked.Has("product") && c.Product != affiliate.Spot {
				continue
			}
			at := dayOf{c.UID, affiliate.DayOf(c.DealTime.Time(), zone)}
			if truth[at] == nil {
				truth[at] = new(big.Rat)
			}
			truth[at].Add(truth[at], rational(c.Commission))
		}
		known, earned := 0, 0
		for _, line := range f.Invitees(asked).Lines {
			for i, value := range line.Trend.Values {
				if !line.Trend.Known[i] {
					continue
				}
				known++
				want := truth[dayOf{line.UID, line.Trend.Days.First + affiliate.Day(i)}]
				if want == nil {
					want = new(big.Rat)
				}
				if want.Sign() != 0 {
					earned++
				}
				if got := rational(affiliate.Number(value.String())); got.Cmp(want) != 0 {
					t.Errorf("%s on %s: %s, the ledger has %s", line.UID, line.Trend.Days.First+affiliate.Day(i), value, want.FloatString(18))
				}
			}
		}
		if known == 0 || earned < 10 {
			t.Errorf("%v: %d known days, commission on %d of them", asked, known, earned)
		}
	}
}
