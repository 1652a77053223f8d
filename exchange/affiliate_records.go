package exchange

import (
	"cmp"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/wire"
)

// The names of the lists of chapters 4.17 to 4.19.
const (
	commissionList   = "channelCommissionInfoItems"
	inviteeList      = "channelUserInfoItemList"
	subAffiliateList = "records"
)

// commissionFields are the fields of a commission on the wire: field by field
// [affiliate.Commission], so that a row read is a record.
type commissionFields struct {
	DealTime    affiliate.Millis  `json:"dealTime"`
	UID         affiliate.UID     `json:"uid"`
	Product     affiliate.Product `json:"productType"`
	Symbol      string            `json:"-"` // commissionRow.Pair
	Source      affiliate.Source  `json:"sourceType"`
	Coin        affiliate.Coin    `json:"coin"`
	TakerAmount affiliate.Number  `json:"takerAmount"`
	MakerAmount affiliate.Number  `json:"makerAmount"`
	Fee         affiliate.Number  `json:"fee"`
	Rate        affiliate.Number  `json:"rate"`
	Commission  affiliate.Number  `json:"commission"`
}

// commissionRow is a commission on the wire. The document calls its time "date", the
// exchange sends "dealTime"; if both are present, "dealTime" counts.
type commissionRow struct {
	commissionFields
	Date wire.MaybeInstant `json:"date"`
	Pair wire.FreeText     `json:"symbol"`
}

func (c *commissionRow) Lacks() (field, why string) {
	if !c.DealTime.Known() {
		c.DealTime = c.Date.At
	}
	switch {
	case !c.DealTime.Known() && c.Date.Wrong:
		return "date", wire.NotMillis
	case c.UID == "":
		return "uid", wire.Absent
	case !c.DealTime.Known():
		return "dealTime", wire.Absent
	case c.Coin == "":
		return "coin", wire.Absent
	case !c.Fee.Known():
		return "fee", wire.Absent
	case !c.Commission.Known():
		return "commission", wire.Absent
	}
	return "", ""
}

// commissionReader reads commissions. product is the default for records without one.
func commissionReader(product affiliate.Product) func(*wire.Decoder, *affiliate.Commission) {
	var row commissionRow
	return func(r *wire.Decoder, c *affiliate.Commission) {
		row = commissionRow{}
		wire.ReadRow(r, &row)
		*c = affiliate.Commission(row.commissionFields)
		c.Product, c.Symbol = cmp.Or(c.Product, product), string(row.Pair)
	}
}

// inviteeRow is an invited user on the wire. All fields but the UID may be unknown.
type inviteeRow struct {
	UID          affiliate.UID    `json:"uid"`
	InviteCode   wire.FreeText    `json:"inviteCode"`
	RegisterTime affiliate.Millis `json:"registerTime"`
	KYC          affiliate.Flag   `json:"kycResult"`
	FirstDeposit affiliate.Millis `json:"firstDeposit"`
	FirstTrade   affiliate.Millis `json:"firstTrade"`
	LastDeposit  affiliate.Millis `json:"lastDeposit"`
	LastTrade    affiliate.Millis `json:"lastTrade"`
}

func (v *inviteeRow) Lacks() (field, why string) {
	if v.UID == "" {
		return "uid", wire.Absent
	}
	return "", ""
}

func readInvitee(r *wire.Decoder, v *affiliate.Invitee) {
	var row inviteeRow
	wire.ReadRow(r, &row)
	*v = affiliate.Invitee{
		UID: row.UID, InviteCode: string(row.InviteCode), RegisterTime: row.RegisterTime, KYC: row.KYC,
		FirstDeposit: row.FirstDeposit, FirstTrade: row.FirstTrade, LastDeposit: row.LastDeposit, LastTrade: row.LastTrade,
	}
}

// subAffiliateRow is one day of one sub-affiliate on the wire.
type subAffiliateRow struct {
	UID            affiliate.UID     `json:"subAffiliateUid"`
	Product        affiliate.Product `json:"productType"`
	Date           affiliate.Day     `json:"date"`
	TradingVolume  affiliate.Number  `json:"tradingVolume"`
	NetTradingFee  affiliate.Number  `json:"netTradingFee"`
	PaidCommission affiliate.Number  `json:"paidCommission"`
}

func (v *subAffiliateRow) Lacks() (field, why string) {
	switch {
	case v.UID == "":
		return "subAffiliateUid", wire.Absent
	case v.Date == 0:
		return "date", wire.Absent
	case !v.TradingVolume.Known():
		return "tradingVolume", wire.Absent
	case !v.NetTradingFee.Known():
		return "netTradingFee", wire.Absent
	case !v.PaidCommission.Known():
		return "paidCommission", wire.Absent
	}
	return "", ""
}

// subAffiliateReader reads sub-affiliate days. product is the default for records
// without one.
func subAffiliateReader(product affiliate.Product) func(*wire.Decoder, *affiliate.SubAffiliateDay) {
	return func(r *wire.Decoder, d *affiliate.SubAffiliateDay) {
		row := subAffiliateRow{Product: product}
		wire.ReadRow(r, &row)
		row.Product = cmp.Or(row.Product, product)
		*d = affiliate.SubAffiliateDay(row)
	}
}
