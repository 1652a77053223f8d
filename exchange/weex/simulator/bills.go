package simulator

import (
	"strconv"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator/account"
	"rebatedesk/exchange/weex/simulator/market"
)

// spotBusiness lists the values that 4.14 accepts for bizType.
var spotBusiness = map[string]bool{
	"deposit": true, "withdraw": true, "transfer_in": true, "transfer_out": true, "trade_in": true, "trade_out": true,
	"rake_back_reward": true, "airdrop_reward": true, "rr_agent_reward": true, "launch_pad_airdrop_in": true,
	"launch_pad_airdrop_out": true, "system_issued": true, "airdrop_reward_for_product_activity": true,
	"red_packet_create": true, "red_packet_claim": true, "red_packet_refund": true,
}

// coinOf reads the parameter coinId: a coin, or nothing for all coins.
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

// reaches refuses a range that begins before the first day of which bills are given. A range
// without a beginning is not refused.
func (p *parameters) reaches(s *Simulator, from int64) {
	if days := s.options.BillDays; days > 0 && from >= 0 && from < s.now()-int64(days)*day {
		p.fail(errRange)
	}
}

// spotBills answers 4.14. A bill exactly at after or before counts as neither after nor
// before.
func (s *Simulator) spotBills(e *encoder, p *parameters) *refusal {
	coin, business := p.coinOf(), p.text("bizType")
	after, before := p.number("after", 0, -1), p.number("before", 0, never)
	p.reaches(s, after)
	size := p.size("limit", 10, 100)
	if business != "" && !spotBusiness[business] {
		p.fail(errInvalid("bizType"))
	}
	if p.refused != nil {
		return p.refused
	}
	all := cut(s.trading().SpotBills, func(b *account.BookedBill) bool {
		return b.At > after && b.At < before && (coin == "" || b.Coin == coin) && (business == "" || b.Business == business)
	}, 1, size, s.options.Order)
	e.raw("[")
	each(e, all.records, func(b account.BookedBill) { e.bill(b, true) })
	e.raw("]")
	return nil
}

// fundingBills answers 4.15.
func (s *Simulator) fundingBills(e *encoder, p *parameters) *refusal {
	coin := p.coinOf()
	from, to := p.number("startTime", 0, -1), p.number("endTime", 0, never)
	p.reaches(s, from)
	page, size := int(min(p.number("pageIndex", 1, 1), 1<<31)), p.size("pageSize", 10, 100)
	if p.refused != nil {
		return p.refused
	}
	all := cut(s.trading().FundingBills, func(b *account.BookedBill) bool {
		return b.At > from && b.At < to && (coin == "" || b.Coin == coin)
	}, page, size, s.options.Order)
	e.raw("{")
	e.count("total", all.total)
	e.count("page", page)
	e.count("pageSize", size)
	e.digits("hasNextPage", strconv.FormatBool(page*size < all.total), e.otherTypes)
	e.name("items")
	e.raw("[")
	each(e, all.records, func(b account.BookedBill) { e.bill(b, false) })
	e.raw("]}")
	return nil
}

func (e *encoder) bill(b account.BookedBill, spot bool) {
	number := func(name string, value decimal.Decimal) { e.digits(name, value.String(), !e.otherTypes) }
	e.raw("{")
	e.digits("billId", strconv.FormatInt(b.ID, 10), !e.otherTypes)
	e.count("coinId", market.CoinNamed(b.Coin).ID)
	e.text("coinName", string(b.Coin))
	e.text("bizType", b.Business)
	if spot {
		number("fillSize", b.Size)
		number("fillValue", b.Value)
	}
	number("deltaAmount", b.Delta)
	number("afterAmount", b.After)
	number("fees", b.Fees)
	e.digits("cTime", strconv.FormatInt(b.At, 10), !e.otherTypes)
	e.raw("}")
}

// billOf returns a bill as a client should read it.
func billOf(wallet affiliate.Wallet, b *account.BookedBill) affiliate.Bill {
	number := func(value decimal.Decimal) affiliate.Number { return affiliate.Number(value.String()) }
	bill := affiliate.Bill{
		Wallet: wallet, ID: strconv.FormatInt(b.ID, 10), CoinID: strconv.Itoa(market.CoinNamed(b.Coin).ID), Coin: b.Coin, Business: b.Business,
		Amount: number(b.Delta), Balance: number(b.After), Fees: number(b.Fees), Created: affiliate.Millis(b.At),
	}
	if wallet == affiliate.SpotWallet {
		bill.FillSize, bill.FillValue = number(b.Size), number(b.Value)
	}
	return bill
}
