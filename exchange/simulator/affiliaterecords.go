package simulator

import (
	"strconv"

	"rebatedesk/affiliate"
)

// ledgerCommission is a commission of the ledger, with the code of its invitee.
type ledgerCommission struct {
	affiliate.Commission
	inviteCode string
}

// commissionField is a field of a commission: in an answer of endpoint 4.17, and in
// the ledger's file.
type commissionField struct {
	json   string                               // in an answer; empty where it is not there
	write  func(e *encoder, name, value string) // how an answer writes it
	column string
	text   func(c *ledgerCommission) string
}

// commissionTable lists the fields of a commission in the order of the file. What only
// a collector can know (when a record was first seen) stays empty.
var commissionTable = []commissionField{
	{column: "deal_time_utc", text: func(c *ledgerCommission) string { return c.DealTime.String() }},
	{json: "dealTime", write: (*encoder).dealTime, column: "deal_time_ms", text: func(c *ledgerCommission) string { return strconv.FormatInt(int64(c.DealTime), 10) }},
	{column: "account", text: func(c *ledgerCommission) string { return ledgerAccount }},
	{json: "uid", write: (*encoder).identity, column: "uid", text: func(c *ledgerCommission) string { return string(c.UID) }},
	{column: "invite_code", text: func(c *ledgerCommission) string { return c.inviteCode }},
	{json: "productType", write: (*encoder).productType, column: "product_type", text: func(c *ledgerCommission) string { return string(c.Product) }},
	{json: "symbol", write: (*encoder).text, column: "symbol", text: func(c *ledgerCommission) string { return c.Symbol }},
	{json: "sourceType", write: (*encoder).source, column: "source_type", text: func(c *ledgerCommission) string { return string(c.Source) }},
	{json: "coin", write: (*encoder).text, column: "coin", text: func(c *ledgerCommission) string { return string(c.Coin) }},
	{json: "takerAmount", write: (*encoder).decimal, column: "taker_amount", text: func(c *ledgerCommission) string { return string(c.TakerAmount) }},
	{json: "makerAmount", write: (*encoder).decimal, column: "maker_amount", text: func(c *ledgerCommission) string { return string(c.MakerAmount) }},
	{json: "fee", write: (*encoder).decimal, column: "fee", text: func(c *ledgerCommission) string { return string(c.Fee) }},
	{json: "rate", write: (*encoder).decimal, column: "rate", text: func(c *ledgerCommission) string { return string(c.Rate) }},
	{json: "commission", write: (*encoder).decimal, column: "commission", text: func(c *ledgerCommission) string { return string(c.Commission.Commission) }},
	{column: "first_seen_utc", text: func(c *ledgerCommission) string { return "" }},
}

// commission writes a record of endpoint 4.17.
func (e *encoder) commission(c affiliate.Commission) {
	e.record.Commission = c
	e.raw("{")
	for i := range commissionTable {
		if f := &commissionTable[i]; f.json != "" {
			f.write(e, f.json, f.text(&e.record))
		}
	}
	e.raw("}")
}

func (e *encoder) dealTime(name, value string) {
	if e.date {
		name = "date"
	}
	if value == "0" {
		e.noInstant(name)
		return
	}
	e.digits(name, value, !e.otherTypes)
}

func (e *encoder) identity(name, value string) { e.digits(name, value, !e.otherTypes) }

func (e *encoder) productType(name, value string) {
	switch {
	case e.product:
		e.text(name, value)
	case e.nulls:
		e.null(name)
	}
}

func (e *encoder) source(name, value string) {
	if value != "" {
		e.digits(name, affiliate.Source(value).SourceType(), e.otherTypes)
	}
}

func (e *encoder) decimal(name, value string) { e.amount(name, affiliate.Number(value)) }

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
		e.null(name)
	}
}

// instant writes a time that may be unknown.
func (e *encoder) instant(name string, at affiliate.Millis) {
	if !at.Known() {
		e.noInstant(name)
		return
	}
	e.digits(name, strconv.FormatInt(int64(at), 10), !e.otherTypes)
}

// noInstant writes an unknown time: absent, null or empty.
func (e *encoder) noInstant(name string) {
	switch {
	case e.nulls && !e.otherTypes:
		e.null(name)
	case e.nulls:
		e.text(name, "")
	}
}
