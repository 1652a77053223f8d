package charts

import (
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/market"
)

// Open orders near the candles are in sight: the axis reaches to them. Those further away than the
// candles are high are named instead, so that they do not flatten the candles.
func TestOrdersNearTheCandlesAreDrawn(t *testing.T) {
	c := Candles{Of: "BTC/USDT", Interval: market.Intervals[0], Zone: time.UTC, Last: "108"}
	for i, price := range []affiliate.Number{"100", "105", "110"} {
		s := market.Slot{State: market.SlotWhole}
		s.Start = affiliate.Millis(i) * 60_000
		s.Open, s.High, s.Low, s.Close, s.Volume, s.Trades = price, price, price, price, "1", 1
		c.Slots = append(c.Slots, s)
	}
	lines := func() (drawn int, lowest string) {
		s := StillCandles(c)
		for _, l := range s.Lines {
			if l.Class == "rise" || l.Class == "fall" {
				drawn += strings.Count(l.Path, "H1000")
			}
		}
		return drawn, s.Values[0].Text
	}
	if n, lowest := lines(); n != 0 || affiliate.Number(lowest).Cmp("90") < 0 {
		t.Errorf("without an order there are %d lines, from %s on", n, lowest)
	}
	c.Lines = []PriceLine{{Price: "91", Side: "buy"}, {Price: "120", Side: "sell"}, {Price: "89.99", Side: "buy"}, {Price: "120.01", Side: "sell"}, {Price: "", Side: "buy"}}
	n, lowest := lines()
	if n != 2 || affiliate.Number(lowest).Cmp("91") > 0 {
		t.Errorf("%d of 2 near orders are drawn, on an axis from %s on", n, lowest)
	}
	if far := c.Outside(); len(far) != 2 || far[0].Price != "89.99" || far[1].Price != "120.01" {
		t.Errorf("too far away are %v", far)
	}
}
