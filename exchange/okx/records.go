package okx

import (
	"rebatedesk/affiliate"
	"rebatedesk/exchange/wire"
)

// inviteeRow is what the list says of an invitee. Its rate is that of now, which no earlier record had.
type inviteeRow struct {
	UID        affiliate.UID    `json:"uid"`
	Joined     affiliate.Millis `json:"joinTime"`
	FirstTrade affiliate.Millis `json:"firstTradeTime"`
	Channel    wire.FreeText    `json:"channelName"`
	KYC        wire.Text        `json:"kycStatus"`
}

func (v *inviteeRow) Lacks() (field, why string) {
	if v.UID == "" {
		return "uid", wire.Absent
	}
	return "", ""
}

// kyc are the exchange's words for whether an identity is verified.
var kyc = map[string]affiliate.Flag{"verified": affiliate.FlagOf(true), "unverified": affiliate.FlagOf(false)}

func invitee(r *wire.Decoder, i *affiliate.Invitee) {
	var row inviteeRow
	wire.ReadRow(r, &row)
	*i = affiliate.Invitee{UID: row.UID, InviteCode: string(row.Channel), RegisterTime: row.Joined, FirstTrade: row.FirstTrade, KYC: kyc[row.KYC.Value]}
}

// totalRow is what the same list says of the figures of an invitee's lifetime, in USDT.
type totalRow struct {
	UID        affiliate.UID    `json:"uid"`
	Joined     affiliate.Millis `json:"joinTime"`
	Commission affiliate.Number `json:"totalCommission"`
	Fee        affiliate.Number `json:"totalFee"`
	Volume     affiliate.Number `json:"totalVol"`
}

func (v *totalRow) Lacks() (field, why string) {
	switch {
	case v.UID == "":
		return "uid", wire.Absent
	case !v.Commission.Known():
		return "totalCommission", wire.Absent
	}
	return "", ""
}

func total(r *wire.Decoder, t *affiliate.Total) {
	var row totalRow
	wire.ReadRow(r, &row)
	*t = affiliate.Total{UID: row.UID, Joined: row.Joined, Commission: row.Commission, Fee: row.Fee, Volume: row.Volume}
}

// billRow is a change of the funding account.
type billRow struct {
	ID      string           `json:"billId"`
	Coin    affiliate.Coin   `json:"ccy"`
	Change  affiliate.Number `json:"balChg"`
	Balance affiliate.Number `json:"bal"`
	Type    wire.Text        `json:"type"`
	At      affiliate.Millis `json:"ts"`
}

func (v *billRow) Lacks() (field, why string) {
	switch {
	case v.ID == "":
		return "billId", wire.Absent
	case v.Coin == "":
		return "ccy", wire.Absent
	case !v.Change.Known():
		return "balChg", wire.Absent
	case !v.At.Known():
		return "ts", wire.Absent
	}
	return "", ""
}

// billTypes are the types that pay commission, by the exchange's numbers.
var billTypes = []string{"150", "172"}

// typeWords are their kinds of commission.
var typeWords = map[string]string{"150": "commission", "172": "sub-affiliate commission"}

func bill(r *wire.Decoder, b *affiliate.Bill) {
	var row billRow
	wire.ReadRow(r, &row)
	if row == (billRow{}) {
		return
	}
	word := typeWords[row.Type.Value]
	if word == "" {
		word = row.Type.Value
	}
	*b = affiliate.Bill{Wallet: affiliate.FundingWallet, ID: row.ID, Coin: row.Coin, Business: word, Amount: row.Change, Balance: row.Balance, Created: row.At}
}
