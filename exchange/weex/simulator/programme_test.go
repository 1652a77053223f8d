package simulator

import (
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

func TestProgrammeFollowsOptions(t *testing.T) {
	for _, o := range []Options{
		{},
		{Records: 1},
		{Days: 1, Records: 500},
		{Days: 400, Invitees: 1, Records: 3},
		{Days: 400, Invitees: 2000, Records: 25_000},
		{Days: 30, Invitees: 20_000, Records: 10},
	} {
		o.Now = frozen
		l := New(o).Ledger()
		if len(l.Commissions) != o.Records || len(l.Invitees) != o.Invitees {
			t.Errorf("%+v: %d records and %d invitees", o, len(l.Commissions), len(l.Invitees))
		}
		first := affiliate.DayOf(instant, time.UTC) - affiliate.Day(max(1, o.Days)-1)
		for _, c := range l.Commissions {
			if at := c.DealTime.Time(); at.Before(first.Start(time.UTC)) || at.After(instant.Add(-time.Hour)) {
				t.Fatalf("%v is outside of the programme", c)
			}
		}
	}
}

// Just after midnight the last hour of trading belongs to yesterday.
func TestProgrammeAfterMidnight(t *testing.T) {
	now := time.Date(2026, 3, 1, 0, 20, 0, 0, time.UTC)
	l := New(Options{Days: 1, Records: 100, Now: func() time.Time { return now }}).Ledger()
	if len(l.Commissions) != 100 || affiliate.DayOf(l.Commissions[0].DealTime.Time(), time.UTC).String() != "2026-02-28" {
		t.Errorf("%d records from %v", len(l.Commissions), l.Commissions[0].DealTime)
	}
}

func TestSeedDeterminesProgramme(t *testing.T) {
	make := func(seed int64, now time.Time) Ledger {
		return New(Options{Seed: seed, Days: 90, Invitees: 300, Records: 4000, Now: func() time.Time { return now }}).Ledger()
	}
	one, same := make(1, instant), make(1, instant.Add(20*time.Second))
	if !slices.Equal(one.Commissions, same.Commissions) || !slices.Equal(one.Invitees, same.Invitees) ||
		!slices.Equal(one.SubAffiliateDays, same.SubAffiliateDays) {
		t.Error("the same seed in the same minute gives another ledger")
	}
	if slices.Equal(one.Commissions, make(2, instant).Commissions) {
		t.Error("another seed gives the same ledger")
	}
}

func TestCommissionsAreRealistic(t *testing.T) {
	l := New(Options{Seed: 7, Days: 400, Invitees: 2000, Records: 40_000, Now: frozen}).Ledger()
	seen, perUser, perWeekday := map[string]int{}, map[affiliate.UID]int{}, map[time.Weekday]int{}
	rates, twins := map[affiliate.UID]map[affiliate.Number]bool{}, 0
	for i, c := range l.Commissions {
		if i > 0 && c.DealTime < l.Commissions[i-1].DealTime {
			t.Fatal("the oldest record is not first")
		}
		if i > 0 && c == l.Commissions[i-1] {
			twins++
		}
		for _, n := range []affiliate.Number{c.TakerAmount, c.MakerAmount, c.Fee, c.Rate, c.Commission} {
			if _, err := affiliate.ParseNumber(string(n)); err != nil || n != n.Canonical() {
				t.Fatalf("%v: %v", c, err)
			}
		}
		if !c.Fee.Decimal().Mul(c.Rate.Decimal()).Equal(c.Commission.Decimal()) {
			t.Fatalf("%v: fee times rate is not the commission", c)
		}
		if c.TakerAmount.IsZero() && c.MakerAmount.IsZero() {
			t.Fatalf("%v has no volume", c)
		}
		if c.Fee.IsZero() {
			seen["zero fee"]++
		}
		switch clock := int64(c.DealTime) % day; clock {
		case 0:
			seen["first ms"]++
		case day - 1:
			seen["last ms"]++
		}
		seen[string(c.Product)]++
		seen[string(c.Source)]++
		seen[string(c.Coin)]++
		seen[c.Symbol]++
		perUser[c.UID]++
		perWeekday[c.DealTime.Time().Weekday()]++
		if rates[c.UID] == nil {
			rates[c.UID] = map[affiliate.Number]bool{}
		}
		rates[c.UID][c.Rate] = true
	}
	for _, name := range []string{"SPOT", "FUTURES", "direct", "sub", "USDT", "USDC", "BTC", "ETH", "BTCUSDT_SPBL", "cmt_btcusdt", "zero fee", "first ms", "last ms"} {
		if seen[name] == 0 {
			t.Errorf("no %s", name)
		}
	}
	if twins == 0 || perWeekday[time.Sunday] >= perWeekday[time.Tuesday] {
		t.Errorf("%d twins, weekdays %v", twins, perWeekday)
	}
	half := l.Commissions[len(l.Commissions)/2].DealTime.Time()
	if age := instant.Sub(half).Hours() / 24; age > 190 {
		t.Errorf("half of the records are older than %.0f days: no growth", age)
	}
	changed := 0
	for _, r := range rates {
		if len(r) > 2 {
			t.Fatalf("a rate changed more than once: %v", r)
		}
		changed += len(r) - 1
	}
	if changed == 0 {
		t.Error("no rate ever changed")
	}
	counts := make([]int, 0, len(perUser))
	for _, n := range perUser {
		counts = append(counts, n)
	}
	slices.Sort(counts)
	top := 0
	for _, n := range counts[len(counts)*95/100:] {
		top += n
	}
	if share := float64(top) / 40_000; share < 0.3 || share > 0.9 {
		t.Errorf("the busiest 5 %% make %.2f of the records", share)
	}
}

func TestInviteesAreRealistic(t *testing.T) {
	l := New(Options{Seed: 7, Days: 400, Invitees: 3000, Records: 40_000, Now: frozen}).Ledger()
	first, last := map[affiliate.UID]affiliate.Millis{}, map[affiliate.UID]affiliate.Millis{}
	for _, c := range l.Commissions {
		if c.Source == affiliate.Direct {
			if first[c.UID] == 0 {
				first[c.UID] = c.DealTime
			}
			last[c.UID] = c.DealTime
		}
	}
	kinds, codes, uids := map[string]int{}, map[string]int{}, map[affiliate.UID]bool{}
	digits := regexp.MustCompile(`^[1-9]\d{9}$`)
	now := affiliate.MillisOf(instant)
	for _, u := range l.Invitees {
		if !digits.MatchString(string(u.UID)) || uids[u.UID] {
			t.Fatalf("uid %s", u.UID)
		}
		uids[u.UID] = true
		codes[u.InviteCode]++
		count := func(name string, b bool) {
			if b {
				kinds[name]++
			}
		}
		count("silent", !u.FirstTrade.Known())
		count("deposited only", u.FirstDeposit.Known() && !u.FirstTrade.Known())
		count("never deposited", !u.FirstDeposit.Known())
		count("kyc", u.KYC == "true")
		count("no kyc", u.KYC == "false")
		count("traded before registration", u.FirstTrade.Known() && u.FirstTrade < u.RegisterTime)
		count("unreachable", int64(u.RegisterTime) < instant.UnixMilli()-365*day)
		count("before the programme", int64(u.RegisterTime) < instant.UnixMilli()-400*day)
		count("stopped", u.LastTrade.Known() && int64(u.LastTrade) < instant.UnixMilli()-90*day)
		for _, at := range []affiliate.Millis{u.RegisterTime, u.FirstDeposit, u.LastDeposit, u.FirstTrade, u.LastTrade} {
			if at > now {
				t.Fatalf("%v lies in the future", u)
			}
		}
		if u.LastDeposit < u.FirstDeposit || u.LastTrade < u.FirstTrade || u.FirstTrade.Known() && !u.FirstDeposit.Known() {
			t.Fatalf("%v is not in order", u)
		}
		if f := first[u.UID]; f != 0 && (u.FirstTrade > f || u.LastTrade != last[u.UID]) {
			t.Fatalf("%v does not fit the trades from %v to %v", u, f, last[u.UID])
		}
	}
	for uid := range first {
		if !uids[uid] {
			t.Fatalf("%s trades directly and was never invited", uid)
		}
	}
	for _, name := range []string{"silent", "deposited only", "never deposited", "kyc", "no kyc", "traded before registration", "unreachable", "before the programme", "stopped"} {
		if kinds[name] == 0 {
			t.Errorf("no invitee is %q", name)
		}
	}
	if len(codes) < 10 || codes["welcome"] < 300 {
		t.Errorf("codes %v", codes)
	}
}

// The report of the sub-affiliates adds up the same trades as the commission records of
// source sub, except for a few planted differences.
func TestSubAffiliateDaysAreSumsOfTheirRecords(t *testing.T) {
	l := New(Options{Seed: 7, Days: 200, Invitees: 1500, Records: 30_000, Now: frozen}).Ledger()
	type key struct {
		product affiliate.Product
		date    affiliate.Day
	}
	type sums struct{ volume, fee decimal.Decimal }
	ours, reported := map[key]sums{}, map[key]sums{}
	add := func(to map[key]sums, k key, volume, fee decimal.Decimal) {
		to[k] = sums{to[k].volume.Add(volume), to[k].fee.Add(fee)}
	}
	for _, c := range l.Commissions {
		if c.Source != affiliate.SubAgent {
			continue
		}
		if c.Coin != "USDT" {
			t.Fatalf("%v is of a coin that the report cannot name", c)
		}
		k := key{c.Product, affiliate.DayOf(c.DealTime.Time(), time.UTC)}
		add(ours, k, c.TakerAmount.Decimal().Add(c.MakerAmount.Decimal()), c.Fee.Decimal())
	}
	seen, uids := map[affiliate.SubAffiliateDay]bool{}, map[affiliate.UID]bool{}
	yesterday := affiliate.DayOf(instant, time.UTC) - 1
	for i, d := range l.SubAffiliateDays {
		who := affiliate.SubAffiliateDay{UID: d.UID, Product: d.Product, Date: d.Date}
		if seen[who] || d.Date > yesterday || i > 0 && d.Date < l.SubAffiliateDays[i-1].Date {
			t.Fatalf("%v is double, too late or out of order", d)
		}
		seen[who], uids[d.UID] = true, true
		if d.PaidCommission.Decimal().GreaterThan(d.NetTradingFee.Decimal()) || d.TradingVolume.IsZero() {
			t.Fatalf("%v", d)
		}
		add(reported, key{d.Product, d.Date}, d.TradingVolume.Decimal(), d.NetTradingFee.Decimal())
	}
	differences, compared := 0, 0
	for k, our := range ours {
		if k.date > yesterday {
			continue
		}
		compared++
		if r := reported[k]; !r.volume.Equal(our.volume) || !r.fee.Equal(our.fee) {
			differences++
		}
	}
	for k := range reported {
		if _, ok := ours[k]; !ok {
			t.Errorf("%v is reported without any trade", k)
		}
	}
	if len(uids) != 12 || compared < 300 || differences == 0 || differences > compared/8 {
		t.Errorf("%d sub-affiliates, %d differences in %d days", len(uids), differences, compared)
	}
}
