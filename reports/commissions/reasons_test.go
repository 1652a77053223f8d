package commissions

import (
	"slices"
	"testing"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/store/sums"
)

func TestReasonOf(t *testing.T) {
	usual := UsualRate{Rate: decimal.RequireFromString("0.4125"), Having: 98, Of: 100}
	few := UsualRate{Rate: decimal.RequireFromString("0.4125"), Having: 3, Of: 3}
	mixed := UsualRate{Rate: decimal.RequireFromString("0.3"), Having: 9, Of: 40}
	fees := pairFees{known: true, free: map[string]bool{"free": true, "paid": false}}
	for name, c := range map[string]struct {
		symbol                       string
		taker, fee, rate, commission affiliate.Number
		source                       affiliate.Source
		usual                        UsualRate
		fees                         pairFees
		want                         []Cause
		wantRate                     string // empty: not known
	}{
		"as usual":                {"paid", "10", "1", "0.4125", "0.4125", affiliate.Direct, usual, fees, nil, "0.4125"},
		"cut off by the exchange": {"paid", "10", "0.00000003", "0.4125", "0.00000001", affiliate.Direct, usual, fees, nil, "0.4125"},
		"below":                   {"paid", "10", "1", "0.05", "0.05", affiliate.Direct, usual, fees, []Cause{CauseLower}, "0.05"},
		"above, no stated rate":   {"paid", "10", "2", "", "1", affiliate.Direct, usual, fees, []Cause{CauseHigher}, "0.5"},
		"not as stated":           {"paid", "10", "1", "0.4125", "0.05", affiliate.Direct, usual, fees, []Cause{CauseOtherRate, CauseLower}, "0.05"},
		"few records":             {"paid", "10", "1", "0.05", "0.05", affiliate.Direct, few, fees, nil, "0.05"},
		"no usual rate":           {"paid", "10", "1", "0.05", "0.05", affiliate.Direct, mixed, fees, nil, "0.05"},
		"zero-fee pair":           {"free", "10", "0", "0.4125", "0", affiliate.Direct, usual, fees, []Cause{CauseZeroFeePair}, ""},
		"voucher":                 {"paid", "10", "0.000", "0.4125", "0", affiliate.Direct, usual, fees, []Cause{CauseVoucher}, ""},
		"fees of pairs unknown":   {"paid", "10", "0", "0.4125", "0", affiliate.Direct, usual, pairFees{}, []Cause{CauseZeroFee}, ""},
		"no volume":               {"paid", "0", "0", "0.4125", "0", affiliate.Direct, usual, fees, nil, ""},
		"upline":                  {"paid", "10", "1", "0.4125", "0", affiliate.Direct, usual, fees, []Cause{CauseUpline}, "0"},
		"clawback":                {"paid", "10", "1", "0.4125", "-0.4", affiliate.Direct, usual, fees, []Cause{CauseClawback}, "-0.4"},
		"fee taken back":          {"paid", "10", "-1", "0.4125", "-0.4125", affiliate.Direct, usual, fees, []Cause{CauseClawback}, "0.4125"},
		"no fee given":            {"paid", "10", "", "0.4125", "0.1", affiliate.Direct, usual, fees, []Cause{CauseNoAmount}, ""},
		"no commission given":     {"paid", "10", "1", "0.4125", "", affiliate.Direct, usual, fees, []Cause{CauseNoAmount}, ""},
		"through a sub-agent":     {"paid", "10", "1", "0.05", "0.05", affiliate.SubAgent, usual, fees, []Cause{CauseLower, CauseSubAgent}, "0.05"},
	} {
		record := affiliate.Commission{Symbol: c.symbol, Source: c.source, TakerAmount: c.taker, MakerAmount: "0", Fee: c.fee, Rate: c.rate, Commission: c.commission}
		got := reasonOf(record, c.usual, c.fees)
		if !slices.Equal(got.Causes, c.want) || got.Known != (c.wantRate != "") || got.Known && !got.Rate.Equal(decimal.RequireFromString(c.wantRate)) {
			t.Errorf("%s: %v at %s (%t), want %v at %q", name, got.Causes, got.Rate, got.Known, c.want, c.wantRate)
		}
	}
}

// A usual rate needs five records with a fee, and more than half of them.
func TestUsualOf(t *testing.T) {
	at := func(rate affiliate.Number, times int) []sums.Peer {
		return slices.Repeat([]sums.Peer{{Fee: "2", Rate: rate, Commission: affiliate.Number(rate.Decimal().Mul(decimal.NewFromInt(2)).String())}}, times)
	}
	free := slices.Repeat([]sums.Peer{{Fee: "0", Rate: "0.4", Commission: "0"}}, 50)
	for name, c := range map[string]struct {
		peers      []sums.Peer
		few, known bool
		having, of int
	}{
		"four":                {at("0.4", 4), true, false, 4, 4},
		"five":                {at("0.4", 5), false, true, 5, 5},
		"written differently": {slices.Concat(at("0.4", 3), at("0.40", 3)), false, true, 6, 6},
		"half":                {slices.Concat(at("0.4", 5), at("0.3", 5)), false, false, 5, 10},
		"more than half":      {slices.Concat(at("0.4", 6), at("0.3", 5)), false, true, 6, 11},
		"without fee":         {slices.Concat(free, at("0.4", 4)), true, false, 4, 4},
		"nothing":             {nil, true, false, 0, 0},
	} {
		got := usualOf(c.peers)
		if got.Few() != c.few || got.Known() != c.known || got.Having != c.having || got.Of != c.of {
			t.Errorf("%s: %+v, few %t, known %t", name, got, got.Few(), got.Known())
		}
	}
}
