package weex

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

// commissionRow reads commissions. A backfill reads millions of them, so they are read
// field by field instead of by reflection, and texts that repeat are kept once. The
// document calls the time of a commission "date", the exchange sends "dealTime"; if both
// are present, "dealTime" counts.
type commissionRow struct {
	*affiliate.Commission
	date wire.MaybeInstant

	symbols  wire.Repeated[wire.FreeText]
	products wire.Repeated[affiliate.Product]
	coins    wire.Repeated[affiliate.Coin]
	rates    wire.Repeated[affiliate.Number]
}

// member reads the value of a member, and reports whether a commission has it.
func (c *commissionRow) member(r *wire.Decoder, name []byte) bool {
	switch string(name) {
	case "dealTime":
		c.DealTime = r.Instant()
	case "date":
		c.date = r.MaybeInstant()
	case "uid":
		c.UID = r.UID()
	case "productType":
		c.Product = c.products.Text(r)
	case "symbol":
		c.Symbol = string(c.symbols.Text(r))
	case "sourceType":
		c.Source = r.Source()
	case "coin":
		c.Coin = c.coins.Identity(r)
	case "takerAmount":
		c.TakerAmount = r.Number()
	case "makerAmount":
		c.MakerAmount = r.Number()
	case "fee":
		c.Fee = r.Number()
	case "rate":
		c.Rate = c.rates.Number(r)
	case "commission":
		c.Commission.Commission = r.Number()
	default:
		return false
	}
	return true
}

func (c *commissionRow) Lacks() (field, why string) {
	if !c.DealTime.Known() {
		c.DealTime = c.date.At
	}
	switch {
	case !c.DealTime.Known() && c.date.Wrong:
		return "date", wire.NotMillis
	case c.UID == "":
		return "uid", wire.Absent
	case !c.DealTime.Known():
		return "dealTime", wire.Absent
	case c.Coin == "":
		return "coin", wire.Absent
	case !c.Fee.Known():
		return "fee", wire.Absent
	case !c.Commission.Commission.Known():
		return "commission", wire.Absent
	}
	return "", ""
}

// commissionReader reads commissions of a product, which is the default for records without one.
func commissionReader(product affiliate.Product) func(*wire.Decoder, *affiliate.Commission) {
	var row commissionRow
	member := row.member
	return func(r *wire.Decoder, c *affiliate.Commission) {
		row.Commission, row.date = c, wire.MaybeInstant{}
		r.ReadMembers(member)
		r.Complete(&row)
		if *c != (affiliate.Commission{}) {
			ofProduct(r, &c.Product, product)
		}
	}
}

// ofProduct fills in the product of a record. One of another product than the request is a fault: it
// would be counted under both.
func ofProduct(r *wire.Decoder, got *affiliate.Product, asked affiliate.Product) {
	if *got != "" && *got != asked {
		r.Wrong("productType", "is not "+string(asked)+", which was asked for")
	}
	*got = cmp.Or(*got, asked)
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

// Spares reports whether no figure needs a field. What is known of it stays.
func (v *inviteeRow) Spares(field string) bool { return field == "lastTrade" || field == "lastDeposit" }

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

// subAffiliateReader reads sub-affiliate days of a product, which is the default for records
// without one.
func subAffiliateReader(product affiliate.Product) func(*wire.Decoder, *affiliate.SubAffiliateDay) {
	return func(r *wire.Decoder, d *affiliate.SubAffiliateDay) {
		var row subAffiliateRow
		wire.ReadRow(r, &row)
		if row != (subAffiliateRow{}) {
			ofProduct(r, &row.Product, product)
		}
		*d = affiliate.SubAffiliateDay(row)
	}
}
