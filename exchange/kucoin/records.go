package kucoin

import (
	"rebatedesk/affiliate"
	"rebatedesk/exchange/wire"
)

// transactionRow is a trade of an invitee on the wire.
type transactionRow struct {
	UID        affiliate.UID    `json:"uid"`
	Time       affiliate.Millis `json:"tradeTime"`
	Type       string           `json:"tradeType"`
	Volume     affiliate.Number `json:"tradeAmountU"`
	Fee        affiliate.Number `json:"feeU"`
	Commission affiliate.Number `json:"commission"`
	Currency   affiliate.Coin   `json:"currency"`
	Last       wire.Text        `json:"lastId"` // of a bare list
}

func (v *transactionRow) Lacks() (field, why string) {
	switch {
	case v.UID == "":
		return "uid", wire.Absent
	case !v.Time.Known():
		return "tradeTime", wire.Absent
	case v.Currency == "":
		return "currency", wire.Absent
	case !v.Commission.Known():
		return "commission", wire.Absent
	}
	return "", ""
}

// tradeTypes are the exchange's words for products; "FEATURE" stands for futures.
var tradeTypes = map[affiliate.Product]string{affiliate.Spot: "SPOT", affiliate.Futures: "FEATURE"}

// transaction reads a commission of a product. last is told the cursor of each row.
func transaction(product affiliate.Product, last func(string)) func(*wire.Decoder, *affiliate.Commission) {
	return func(r *wire.Decoder, c *affiliate.Commission) {
		var row transactionRow
		wire.ReadRow(r, &row)
		last(row.Last.Value)
		if row == (transactionRow{}) {
			return
		}
		if row.Type != "" && row.Type != tradeTypes[product] && row.Type != string(product) {
			r.Wrong("tradeType", "is not "+tradeTypes[product]+", which was asked for")
		}
		*c = affiliate.Commission{
			DealTime: row.Time, UID: row.UID, Product: product, Source: affiliate.Direct, Coin: row.Currency,
			TakerAmount: row.Volume, Fee: row.Fee, Commission: row.Commission,
		}
	}
}

// inviteeRow is an invitee on the wire. Names and totals are not read.
type inviteeRow struct {
	UID        affiliate.UID    `json:"uid"`
	Code       wire.FreeText    `json:"referralCode"`
	Registered affiliate.Millis `json:"registrationTime"`
	KYC        affiliate.Flag   `json:"completedKyc"`
}

func (v *inviteeRow) Lacks() (field, why string) {
	if v.UID == "" {
		return "uid", wire.Absent
	}
	return "", ""
}

func invitee(r *wire.Decoder, i *affiliate.Invitee) {
	var row inviteeRow
	wire.ReadRow(r, &row)
	*i = affiliate.Invitee{UID: row.UID, InviteCode: string(row.Code), RegisterTime: row.Registered, KYC: row.KYC}
}

// payoutRow is a payout on the wire.
type payoutRow struct {
	Site       string           `json:"siteType"`
	Type       wire.Text        `json:"rebateType"`
	Paid       affiliate.Millis `json:"payoutTime"`
	From       affiliate.Millis `json:"periodStartTime"`
	To         affiliate.Millis `json:"periodEndTime"`
	Commission affiliate.Number `json:"commission"`
	Currency   affiliate.Coin   `json:"currency"`
}

func (v *payoutRow) Lacks() (field, why string) {
	switch {
	case !v.Paid.Known():
		return "payoutTime", wire.Absent
	case v.Currency == "":
		return "currency", wire.Absent
	case !v.Commission.Known():
		return "commission", wire.Absent
	}
	return "", ""
}

// rebateTypes are the kinds of commission that a payout is of.
var rebateTypes = map[string]string{"1": "direct", "2": "sub"}

func payout(r *wire.Decoder, b *affiliate.Bill) {
	var row payoutRow
	wire.ReadRow(r, &row)
	if row == (payoutRow{}) {
		return
	}
	kind := rebateTypes[row.Type.Value]
	if kind == "" {
		kind = "type " + row.Type.Value
	}
	*b = affiliate.Bill{
		Wallet: affiliate.PayoutsWallet, Business: kind, Coin: row.Currency, Amount: row.Commission, Created: row.Paid,
		ID: row.Site + "/" + kind + "/" + row.From.String() + "/" + row.To.String() + "/" + string(row.Currency) + "/" + row.Paid.String(),
	}
}
