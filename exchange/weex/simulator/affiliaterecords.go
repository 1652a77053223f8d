package simulator

import (
	"slices"
	"strconv"
	"strings"

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
var commissionTable = func() []commissionField {
	list := []commissionField{{column: "deal_time_utc", text: func(c *ledgerCommission) string { return c.DealTime.String() }}}
	for _, f := range affiliate.CommissionFields {
		field := commissionField{camelCase(f.Column), (*encoder).text, f.Column, func(c *ledgerCommission) string { return f.Text(&c.Commission) }}
		switch {
		case f.Decimal():
			field.write = (*encoder).decimal
		case f.Column == "product_type":
			field.write = (*encoder).productType
		case f.Column == "source_type":
			field.write = (*encoder).source
		}
		switch f.Column {
		case "deal_time_ms":
			list = append(list, commissionField{"dealTime", (*encoder).dealTime, f.Column, func(c *ledgerCommission) string { return strconv.FormatInt(int64(c.DealTime), 10) }},
				commissionField{column: "account", text: func(c *ledgerCommission) string { return ledgerAccount }})
		case "uid":
			field.write = (*encoder).identity
			list = append(list, field, commissionField{column: "invite_code", text: func(c *ledgerCommission) string { return c.inviteCode }})
		case "commission":
			list = append(list, field, commissionField{column: "first_seen_utc", text: func(c *ledgerCommission) string { return "" }})
		default:
			list = append(list, field)
		}
	}
	for column, value := range map[string]string{"exchange": "weex", "grain": "record", "until_utc": ""} {
		list = append(list, commissionField{column: column, text: func(*ledgerCommission) string { return value }})
	}
	slices.SortStableFunc(list[len(list)-3:], func(a, b commissionField) int { return strings.Compare(a.column, b.column) })
	return list
}()

// camelCase is the name that the exchange gives a field of ours.
func camelCase(column string) string {
	words := strings.Split(column, "_")
	for i := 1; i < len(words); i++ {
		words[i] = strings.ToUpper(words[i][:1]) + words[i][1:]
	}
	return strings.Join(words, "")
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
