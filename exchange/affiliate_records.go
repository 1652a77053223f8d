package exchange

import (
	"cmp"

	"rebatedesk/affiliate"
)

// The names of the lists of chapters 4.17 to 4.19.
const (
	commissionList   = "channelCommissionInfoItems"
	inviteeList      = "channelUserInfoItemList"
	subAffiliateList = "records"
)

// readCommission reads one commission. Its time is named "date" in the
// document and "dealTime" in what is sent; where both are there and differ,
// what is sent counts. product stands in where the record has none.
func readCommission(r *reader, product affiliate.Product) affiliate.Commission {
	c := affiliate.Commission{Product: product}
	date, dateRead := affiliate.Millis(0), true
	for r.token(); r.members(); {
		switch string(r.name) {
		case "uid":
			c.UID = affiliate.UID(r.identity())
		case "dealTime":
			c.DealTime = r.millis()
		case "date":
			date, dateRead = r.instant()
		case "coin":
			c.Coin = affiliate.Coin(r.identity())
		case "productType":
			c.Product = cmp.Or(affiliate.Product(r.text()), product)
		case "symbol":
			c.Symbol = r.text()
		case "sourceType":
			c.Source = affiliate.SourceOf(r.text())
		case "takerAmount":
			c.TakerAmount = r.number()
		case "makerAmount":
			c.MakerAmount = r.number()
		case "fee":
			c.Fee = r.number()
		case "rate":
			c.Rate = r.number()
		case "commission":
			c.Commission = r.number()
		default:
			r.skip()
		}
	}
	if !c.DealTime.Known() && !dateRead {
		r.note("date", notMillis)
	}
	c.DealTime = cmp.Or(c.DealTime, date)
	r.need("uid", c.UID != "")
	r.need("dealTime", c.DealTime.Known())
	r.need("coin", c.Coin != "")
	r.need("fee", c.Fee.Known())
	r.need("commission", c.Commission.Known())
	return c
}

// readInvitee reads one invited user. Everything but the user may be unknown.
func readInvitee(r *reader) affiliate.Invitee {
	var v affiliate.Invitee
	for r.token(); r.members(); {
		switch string(r.name) {
		case "uid":
			v.UID = affiliate.UID(r.identity())
		case "inviteCode":
			v.InviteCode = r.text()
		case "registerTime":
			v.RegisterTime = r.millis()
		case "kycResult":
			v.KYC = r.flag()
		case "firstDeposit":
			v.FirstDeposit = r.millis()
		case "firstTrade":
			v.FirstTrade = r.millis()
		case "lastDeposit":
			v.LastDeposit = r.millis()
		case "lastTrade":
			v.LastTrade = r.millis()
		default:
			r.skip()
		}
	}
	r.need("uid", v.UID != "")
	return v
}

// readSubAffiliateDay reads what one sub-affiliate brought on one day. product
// stands in where the record has none.
func readSubAffiliateDay(r *reader, product affiliate.Product) affiliate.SubAffiliateDay {
	d := affiliate.SubAffiliateDay{Product: product}
	dated := false
	for r.token(); r.members(); {
		switch string(r.name) {
		case "subAffiliateUid":
			d.UID = affiliate.UID(r.identity())
		case "productType":
			d.Product = cmp.Or(affiliate.Product(r.text()), product)
		case "date":
			d.Date, dated = r.day()
		case "tradingVolume":
			d.TradingVolume = r.number()
		case "netTradingFee":
			d.NetTradingFee = r.number()
		case "paidCommission":
			d.PaidCommission = r.number()
		default:
			r.skip()
		}
	}
	r.need("subAffiliateUid", d.UID != "")
	r.need("date", dated)
	r.need("tradingVolume", d.TradingVolume.Known())
	r.need("netTradingFee", d.NetTradingFee.Known())
	r.need("paidCommission", d.PaidCommission.Known())
	return d
}
