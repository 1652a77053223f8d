package simulator

import (
	"strconv"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/simulator/market"
)

// spotBusiness are the values that 4.14 takes for bizType.
var spotBusiness = map[string]bool{
	"deposit": true, "withdraw": true, "transfer_in": true, "transfer_out": true, "trade_in": true, "trade_out": true,
	"rake_back_reward": true, "airdrop_reward": true, "rr_agent_reward": true, "launch_pad_airdrop_in": true,
	"launch_pad_airdrop_out": true, "system_issued": true, "airdrop_reward_for_product_activity": true,
	"red_packet_create": true, "red_packet_claim": true, "red_packet_refund": true,
}

// coinOf reads the parameter coinId: a coin, or nothing for all of them.
func (p *parameters) coinOf() affiliate.Coin {
	id := p.number("coinId", 0, -1)
	if id < 0 {
		return ""
	}
	for i := range market.ListedCoins {
		if int64(market.ListedCoins[i].ID) == id {
			return market.ListedCoins[i].Name
		}
	}
	p.fail(errInvalid("coinId"))
	return ""
}

// spotBills answers 4.14. A bill exactly at after or before is neither after
// nor before.
func (s *Simulator) spotBills(e *encoder, p *parameters) *refusal {
	coin, business := p.coinOf(), p.text("bizType")
	after, before := p.number("after", 0, -1), p.number("before", 0, never)
	size := p.size("limit", 10, 100)
	if business != "" && !spotBusiness[business] {
		p.fail(errInvalid("bizType"))
	}
	if p.refused != nil {
		return p.refused
	}
	all := cut(s.trading().spotBills, func(b *bill) bool {
		return b.at > after && b.at < before && (coin == "" || b.coin == coin) && (business == "" || b.business == business)
	}, 1, size, s.options.Order)
	e.raw("[")
	each(e, all.records, func(b bill) { e.bill(b, true) })
	e.raw("]")
	return nil
}

// fundingBills answers 4.15.
func (s *Simulator) fundingBills(e *encoder, p *parameters) *refusal {
	coin := p.coinOf()
	from, to := p.number("startTime", 0, -1), p.number("endTime", 0, never)
	page, size := int(min(p.number("pageIndex", 1, 1), 1<<31)), p.size("pageSize", 10, 100)
	if p.refused != nil {
		return p.refused
	}
	all := cut(s.trading().fundingBills, func(b *bill) bool {
		return b.at > from && b.at < to && (coin == "" || b.coin == coin)
	}, page, size, s.options.Order)
	e.raw("{")
	e.count("total", all.total)
	e.count("page", page)
	e.count("pageSize", size)
	e.digits("hasNextPage", strconv.FormatBool(page*size < all.total), e.otherTypes)
	e.name("items")
	e.raw("[")
	each(e, all.records, func(b bill) { e.bill(b, false) })
	e.raw("]}")
	return nil
}

func (e *encoder) bill(b bill, spot bool) {
	number := func(name string, value decimal.Decimal) { e.digits(name, value.String(), !e.otherTypes) }
	e.raw("{")
	e.digits("billId", strconv.FormatInt(b.id, 10), !e.otherTypes)
	e.count("coinId", market.CoinNamed(b.coin).ID)
	e.text("coinName", string(b.coin))
	e.text("bizType", b.business)
	if spot {
		number("fillSize", b.size)
		number("fillValue", b.value)
	}
	number("deltaAmount", b.delta)
	number("afterAmount", b.after)
	number("fees", b.fees)
	e.digits("cTime", strconv.FormatInt(b.at, 10), !e.otherTypes)
	e.raw("}")
}
