package programme

import (
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// RateStep sets a rebate rate from an instant on. The step that begins last wins, and of
// several that begin together the last one given. Empty fields match everything.
type RateStep struct {
	From    time.Time
	Rate    int16             // 10^-4 of the fee, from 0 to 10,000
	UID     affiliate.UID     // of an invited user or of a client of a sub-affiliate
	Code    string            // of the users invited with it; clients of sub-affiliates have none
	Product affiliate.Product // of the trades

	// SubAffiliate makes it a step of what the exchange pays this sub-affiliate (4.19),
	// from the UTC day of the instant on, instead of what it pays us.
	SubAffiliate affiliate.UID
}

// matches reports whether the step covers a row of ours.
func (s *RateStep) matches(t *trader, product affiliate.Product, at int64) bool {
	if s.SubAffiliate != "" || at < s.From.UnixMilli() {
		return false
	}
	return (s.UID == "" || s.UID == t.uid) && (s.Product == "" || s.Product == product) &&
		(s.Code == "" || t.invitee != nil && t.invitee.InviteCode == s.Code)
}

// rateOf returns the rate of a trade.
func (p *Programme) rateOf(t *trader, product affiliate.Product, at int64) int16 {
	rate, since := t.rateAt(at), int64(0)
	for i := range p.size.Rates {
		if s := &p.size.Rates[i]; s.matches(t, product, at) && s.From.UnixMilli() >= since {
			rate, since = s.Rate, s.From.UnixMilli()
		}
	}
	return rate
}

// rateOfSub returns the share of the fee that a sub-affiliate is paid for a day (10^-4).
func (p *Programme) rateOfSub(s *subAffiliate, product affiliate.Product, d affiliate.Day) int64 {
	rate, since := s.rate, int64(0)
	for _, step := range p.size.Rates {
		from := step.From.UnixMilli() / day
		if step.SubAffiliate == s.uid && (step.Product == "" || step.Product == product) && int64(d) >= from && from >= since {
			rate, since = int64(step.Rate), from
		}
	}
	return rate
}

// Rerate gives a row the rate of its time, if any rate was set.
func (l *Records) Rerate(r *TradeRow) {
	if p := l.programme; len(p.size.Rates) > 0 && r.Custom == nil {
		r.rate = p.rateOf(&p.traders[r.who], pairs[r.pair].product, r.At)
	}
}

// SetRate adds a step. Records that exist already, from the instant on, change too, as those
// of unlisted trades do.
func (l *Records) SetRate(step RateStep, life *Life) {
	p := l.programme
	p.size.Rates = append(p.size.Rates[:len(p.size.Rates):len(p.size.Rates)], step)
	if step.SubAffiliate != "" {
		l.repay(step)
		return
	}
	for _, rows := range l.Rows {
		for i := IndexAfter(rows, step.From.UnixMilli()-1, RowTime); i < len(rows); i++ {
			l.Rerate(&rows[i])
		}
	}
	if life == nil {
		return
	}
	for number, r := range life.hidden {
		l.Rerate(&r)
		life.hidden[number] = r
	}
}

// repay pays the days of a sub-affiliate anew.
func (l *Records) repay(step RateStep) {
	p := l.programme
	for _, days := range l.Subs {
		for i := range days {
			d := &days[i]
			for j := range p.subs {
				if s := &p.subs[j]; s.uid == d.UID && d.UID == step.SubAffiliate && int64(d.Date) >= step.From.UnixMilli()/day {
					rate := decimal.New(p.rateOfSub(s, d.Product, d.Date), -rateDecimals)
					d.PaidCommission = affiliate.Number(d.NetTradingFee.Decimal().Mul(rate).String())
				}
			}
		}
	}
}
