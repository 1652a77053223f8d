package simulator

import (
	"strconv"

	"rebatedesk/affiliate"
)

// commission writes a record of endpoint 4.17.
func (e *encoder) commission(c affiliate.Commission) {
	time := "dealTime"
	if e.date {
		time = "date"
	}
	e.raw("{")
	e.digits("uid", string(c.UID), !e.otherTypes)
	e.instant(time, c.DealTime)
	e.text("coin", string(c.Coin))
	if e.product {
		e.text("productType", string(c.Product))
	} else if e.nulls {
		e.name("productType")
		e.raw("null")
	}
	e.amount("fee", c.Fee)
	e.amount("commission", c.Commission)
	e.amount("rate", c.Rate)
	e.text("symbol", c.Symbol)
	if c.Source != "" {
		e.digits("sourceType", c.Source.SourceType(), e.otherTypes)
	}
	e.amount("takerAmount", c.TakerAmount)
	e.amount("makerAmount", c.MakerAmount)
	e.raw("}")
}

// invitee writes a record of endpoint 4.18.
func (e *encoder) invitee(u *affiliate.Invitee) {
	e.raw("{")
	e.digits("uid", string(u.UID), !e.otherTypes)
	e.instant("registerTime", u.RegisterTime)
	if u.KYC != "" {
		e.digits("kycResult", string(u.KYC), e.otherTypes)
	}
	if u.InviteCode != "" || e.nulls {
		e.text("inviteCode", u.InviteCode)
	}
	e.instant("firstDeposit", u.FirstDeposit)
	e.instant("firstTrade", u.FirstTrade)
	e.instant("lastDeposit", u.LastDeposit)
	e.instant("lastTrade", u.LastTrade)
	e.raw("}")
}

// subAffiliateDay writes a record of endpoint 4.19.
func (e *encoder) subAffiliateDay(d affiliate.SubAffiliateDay) {
	e.raw("{")
	e.digits("subAffiliateUid", string(d.UID), !e.otherTypes)
	e.text("productType", string(d.Product))
	e.text("date", d.Date.String())
	e.amount("tradingVolume", d.TradingVolume)
	e.amount("netTradingFee", d.NetTradingFee)
	e.amount("paidCommission", d.PaidCommission)
	e.raw("}")
}

// amount writes a decimal: a text, unless types are exchanged. Unknown is
// absent or empty.
func (e *encoder) amount(name string, n affiliate.Number) {
	switch {
	case n.Known():
		e.digits(name, string(n), !e.otherTypes)
	case e.nulls:
		e.name(name)
		e.raw("null")
	}
}

// instant writes a time that may be unknown: absent, null or empty then.
func (e *encoder) instant(name string, at affiliate.Millis) {
	switch {
	case at.Known():
		e.digits(name, strconv.FormatInt(int64(at), 10), !e.otherTypes)
	case e.nulls && !e.otherTypes:
		e.name(name)
		e.raw("null")
	case e.nulls:
		e.text(name, "")
	}
}
