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

// commissionRow is a commission as it is sent. Its time is named "date" in the
// document and "dealTime" in what is sent; where both are there and differ, what
// is sent counts.
type commissionRow struct {
	UID         affiliate.UID     `json:"uid"`
	DealTime    affiliate.Millis  `json:"dealTime"`
	Date        maybeInstant      `json:"date"`
	Coin        affiliate.Coin    `json:"coin"`
	Product     affiliate.Product `json:"productType"`
	Symbol      FreeText          `json:"symbol"`
	Source      FreeText          `json:"sourceType"`
	TakerAmount affiliate.Number  `json:"takerAmount"`
	MakerAmount affiliate.Number  `json:"makerAmount"`
	Fee         affiliate.Number  `json:"fee"`
	Rate        affiliate.Number  `json:"rate"`
	Commission  affiliate.Number  `json:"commission"`
}

func (c *commissionRow) lacks() (field, why string) {
	if !c.DealTime.Known() {
		c.DealTime = c.Date.at
	}
	switch {
	case !c.DealTime.Known() && c.Date.wrong:
		return "date", notMillis
	case c.UID == "":
		return "uid", missing
	case !c.DealTime.Known():
		return "dealTime", missing
	case c.Coin == "":
		return "coin", missing
	case !c.Fee.Known():
		return "fee", missing
	case !c.Commission.Known():
		return "commission", missing
	}
	return "", ""
}

// commissionReader reads commissions. product stands in where a record has none.
func commissionReader(product affiliate.Product) func(*reader, *affiliate.Commission) {
	var row commissionRow
	return func(r *reader, c *affiliate.Commission) {
		row = commissionRow{}
		read(r, &row)
		*c = affiliate.Commission{
			DealTime: row.DealTime, UID: row.UID, Product: cmp.Or(row.Product, product), Symbol: string(row.Symbol),
			Source: affiliate.SourceOf(string(row.Source)), Coin: row.Coin, TakerAmount: row.TakerAmount, MakerAmount: row.MakerAmount,
			Fee: row.Fee, Rate: row.Rate, Commission: row.Commission,
		}
	}
}

// inviteeRow is an invited user as it is sent. Everything but the user may be
// unknown.
type inviteeRow struct {
	UID          affiliate.UID    `json:"uid"`
	InviteCode   FreeText         `json:"inviteCode"`
	RegisterTime affiliate.Millis `json:"registerTime"`
	KYC          affiliate.Flag   `json:"kycResult"`
	FirstDeposit affiliate.Millis `json:"firstDeposit"`
	FirstTrade   affiliate.Millis `json:"firstTrade"`
	LastDeposit  affiliate.Millis `json:"lastDeposit"`
	LastTrade    affiliate.Millis `json:"lastTrade"`
}

func (v *inviteeRow) lacks() (field, why string) {
	if v.UID == "" {
		return "uid", missing
	}
	return "", ""
}

func readInvitee(r *reader, v *affiliate.Invitee) {
	var row inviteeRow
	read(r, &row)
	*v = affiliate.Invitee{
		UID: row.UID, InviteCode: string(row.InviteCode), RegisterTime: row.RegisterTime, KYC: row.KYC,
		FirstDeposit: row.FirstDeposit, FirstTrade: row.FirstTrade, LastDeposit: row.LastDeposit, LastTrade: row.LastTrade,
	}
}

// subAffiliateRow is what one sub-affiliate brought on one day, as it is sent.
type subAffiliateRow struct {
	UID            affiliate.UID     `json:"subAffiliateUid"`
	Product        affiliate.Product `json:"productType"`
	Date           affiliate.Day     `json:"date"`
	TradingVolume  affiliate.Number  `json:"tradingVolume"`
	NetTradingFee  affiliate.Number  `json:"netTradingFee"`
	PaidCommission affiliate.Number  `json:"paidCommission"`
}

func (v *subAffiliateRow) lacks() (field, why string) {
	switch {
	case v.UID == "":
		return "subAffiliateUid", missing
	case v.Date == 0:
		return "date", missing
	case !v.TradingVolume.Known():
		return "tradingVolume", missing
	case !v.NetTradingFee.Known():
		return "netTradingFee", missing
	case !v.PaidCommission.Known():
		return "paidCommission", missing
	}
	return "", ""
}

// subAffiliateReader reads sub-affiliate days. product stands in where a record
// has none.
func subAffiliateReader(product affiliate.Product) func(*reader, *affiliate.SubAffiliateDay) {
	return func(r *reader, d *affiliate.SubAffiliateDay) {
		row := subAffiliateRow{Product: product}
		read(r, &row)
		row.Product = cmp.Or(row.Product, product)
		*d = affiliate.SubAffiliateDay(row)
	}
}
