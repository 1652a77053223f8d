package demo

import (
	"context"
	"maps"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/cmd/webapp/internal/config"
	listed "rebatedesk/reports/invitees"
	"rebatedesk/store"
	"rebatedesk/store/agreements"
	"rebatedesk/store/audit"
	stored "rebatedesk/store/records"
	"rebatedesk/store/sums"
	"rebatedesk/terms"
)

// addTerms says what was agreed in the demo, at most as long ago as its programme: with the exchange, for each
// invitee of a list whose rate never changed, that rate; with sub-affiliates a share. Some have tiers, which lie
// ahead of what the month has brought so far.
func addTerms(ctx context.Context, cfg config.Config, st *store.Store, list []listed.ListLine, by audit.Line) error {
	today := affiliate.DayOf(cfg.Clock(), cfg.Timezone)
	steady, busiest, err := readAgreements(ctx, st, list, today)
	if err != nil {
		return err
	}
	file := terms.File{Terms: termsOf(steady, busiest, today)}
	_, err = agreements.ImportTerms(ctx, st, file, "terms.csv", store.AnyVersion, by)
	return err
}

// steadyInvitee has had one rate ever since, or the one that the demo lowers.
type steadyInvitee struct {
	uid     affiliate.UID
	rate    decimal.Decimal
	lowered bool
	progress
}

// progress is the volume of a month so far and what thirty days usually bring.
type progress struct{ reached, usual decimal.Decimal }

// subAffiliate is a sub-affiliate with its volume.
type subAffiliate struct {
	uid affiliate.UID
	progress
}

// readAgreements finds the invitees with one rate in the order of the list, and the sub-affiliate with the
// highest volume.
func readAgreements(ctx context.Context, st *store.Store, list []listed.ListLine, today affiliate.Day) (steady []steadyInvitee, busiest subAffiliate, err error) {
	r, err := st.Read(ctx)
	if err != nil {
		return nil, busiest, err
	}
	defer r.Close()
	var keys []sums.InviteeKey
	for _, line := range list[:min(len(list), mostAgreed)] {
		keys = append(keys, sums.InviteeKey{Account: line.Account, UID: line.UID})
	}
	all := affiliate.Days{First: agreedFrom(today), Last: today}
	of, err := sums.ByInviteeDay(ctx, r, stored.CommissionFilter{Days: all, Source: affiliate.Direct}, keys)
	if err != nil {
		return nil, busiest, err
	}
	for _, key := range keys {
		if rate, lowered, ok := steadyRate(of[key]); ok {
			one := steadyInvitee{uid: key.UID, rate: rate, lowered: lowered}
			for i := range of[key] {
				day := &of[key][i]
				one.add(today, day.Day, day.TakerAmount.Decimal().Add(day.MakerAmount.Decimal()))
			}
			steady = append(steady, one)
		}
	}
	subs := map[affiliate.UID]*progress{}
	for row, err := range stored.SubAffiliateDays(ctx, r, stored.SubAffiliateFilter{Days: affiliate.Days{First: today - 60, Last: today}}) {
		if err != nil {
			return nil, busiest, err
		}
		if subs[row.UID] == nil {
			subs[row.UID] = new(progress)
		}
		subs[row.UID].add(today, row.Date, row.TradingVolume.Decimal())
	}
	for _, uid := range slices.Sorted(maps.Keys(subs)) {
		if subs[uid].usual.GreaterThan(busiest.usual) {
			busiest = subAffiliate{uid, *subs[uid]}
		}
	}
	return steady, busiest, nil
}

// add adds the volume of a day.
func (p *progress) add(today, day affiliate.Day, volume decimal.Decimal) {
	if day >= monthOf(today) {
		p.reached = p.reached.Add(volume)
	}
	if day < today && day >= today-30 {
		p.usual = p.usual.Add(volume)
	}
}

// ahead returns a volume that the month reaches at the present pace, if enough of its days are left, or otherwise
// one that it does not reach. Later of several steps is further away.
func (p progress) ahead(today affiliate.Day, step int64) affiliate.Number {
	next := monthOf(monthOf(today) + 31)
	past, left := int64(today-monthOf(today)), int64(next-1-today)
	at := p.usual
	switch {
	case past == 0 || !p.reached.IsPositive():
	case left < 3:
		at = decimal.Max(at, p.reached.Mul(decimal.New(13, -1)))
	default:
		days := decimal.NewFromInt(2 * past)
		at = p.reached.Mul(days.Add(decimal.NewFromInt(left))).DivRound(days, 0)
	}
	at = at.Mul(decimal.NewFromInt(step))
	digits := int32(at.NumDigits()) + at.Exponent() - 3 // three digits are enough
	return affiliate.Number(at.RoundUp(-max(digits, 0)).String())
}

// steadyRate returns the rate at which all days were paid. lowered: at first, and since the demo lowered it the
// lower one.
func steadyRate(days []sums.DaySums) (rate decimal.Decimal, lowered, ok bool) {
	var seen []decimal.Decimal
	for i := range days {
		fee, commission := days[i].Fee, days[i].Commission
		switch {
		case !fee.Known() || !commission.Known():
			return rate, false, false
		case fee.IsZero() && commission.IsZero():
			continue
		case !fee.Decimal().IsPositive():
			return rate, false, false
		}
		at := commission.Decimal().DivRound(fee.Decimal(), 4)
		if !at.Mul(fee.Decimal()).Equal(commission.Decimal()) {
			return rate, false, false // several rates on one day
		}
		if n := len(seen); n == 0 || !seen[n-1].Equal(at) {
			seen = append(seen, at)
		}
	}
	switch {
	case len(seen) == 1:
		return seen[0], false, true
	case len(seen) == 2 && seen[0].Mul(loweredTo).Equal(seen[1]):
		return seen[0], true, true
	}
	return rate, false, false
}

// Shares of the net trading fees that the demo owes sub-affiliates: every one, and the one with the highest volume.
const usualShare, busyShare = affiliate.Number("0.05"), affiliate.Number("0.06")

// What is more from a volume on: the share of that sub-affiliate, and the rates of some invitees.
var (
	busyShares = []affiliate.Number{"0.07", "0.08"}
	moreRates  = []decimal.Decimal{decimal.New(5, -2), decimal.New(10, -2)}
)

const (
	mostAgreed = 16 // invitees whose rates are looked at
	mostTiered = 2  // invitees with tiers
)

// termsOf lists the terms of the demo.
func termsOf(steady []steadyInvitee, busiest subAffiliate, today affiliate.Day) (list []terms.Term) {
	from, month := agreedFrom(today), monthOf(today)
	tiered := 0
	for _, one := range steady {
		of := terms.Term{Scope: terms.ScopeUID, Value: string(one.uid), Source: affiliate.Direct, Rate: affiliate.Number(one.rate.String()), From: from}
		list = append(list, of)
		if one.lowered || tiered >= mostTiered || !one.usual.IsPositive() {
			continue
		}
		tiered++
		for i, more := range moreRates {
			of.Rate, of.From, of.Note = affiliate.Number(one.rate.Add(more).String()), month, "By volume, since this month."
			of.TierBy, of.TierFrom = terms.TierByVolume, one.ahead(today, int64(i+tiered))
			list = append(list, of)
		}
	}
	share := terms.Term{Scope: terms.ScopeSubAffiliate, Rate: usualShare, From: from, Coin: "USDT"}
	list = append(list, share)
	if busiest.uid == "" {
		return list
	}
	share.Value, share.Rate = string(busiest.uid), busyShare
	list = append(list, share)
	for i, rate := range busyShares {
		share.Rate, share.From = rate, month
		share.TierBy, share.TierFrom = terms.TierByVolume, busiest.ahead(today, int64(i+1))
		list = append(list, share)
	}
	return list
}

// agreedFrom is the day of the first agreements of the demo, before its programme began.
func agreedFrom(today affiliate.Day) affiliate.Day { return monthOf(today - days - 31) }

// monthOf returns the first day of the month of a day.
func monthOf(day affiliate.Day) affiliate.Day {
	year, month, _ := day.Date()
	return affiliate.NewDay(year, month, 1)
}
