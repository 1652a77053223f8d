package weex

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/wire"
)

// fundingBillList is the name of the list in the answer of 4.15.
const fundingBillList = "items"

type (
	// BillType is the reason for a bill of the spot account. Undocumented values are kept.
	BillType string
	// FundingBillType is the reason for a bill of the funding account.
	FundingBillType string
	// TransferStatus is the status of a transfer; the document lists no values.
	TransferStatus string
)

// UnmarshalJSONFrom accepts any word, because the exchange may add types.
func (t *BillType) UnmarshalJSONFrom(d *jsontext.Decoder) error { return wire.ReadText(d, t) }

// UnmarshalJSONFrom accepts any word, because the exchange may add types.
func (t *FundingBillType) UnmarshalJSONFrom(d *jsontext.Decoder) error { return wire.ReadText(d, t) }

// UnmarshalJSONFrom accepts any word, because the document lists none.
func (s *TransferStatus) UnmarshalJSONFrom(d *jsontext.Decoder) error { return wire.ReadText(d, s) }

// Types of spot bills that pay out commission (4.14).
const (
	RakeBackReward BillType = "rake_back_reward" // rebate of commission
	AgentReward    BillType = "rr_agent_reward"  // commission of an affiliate
)

var billTypes = []BillType{
	"deposit", "withdraw", "transfer_in", "transfer_out", "trade_in", "trade_out", RakeBackReward, "airdrop_reward",
	AgentReward, "launch_pad_airdrop_in", "launch_pad_airdrop_out", "system_issued", "airdrop_reward_for_product_activity",
	"red_packet_create", "red_packet_claim", "red_packet_refund",
}

// BillTypes lists the types by which spot bills can be filtered (4.14).
func BillTypes() []BillType { return slices.Clone(billTypes) }

var fundingBillTypes = []FundingBillType{
	"deposit", "buy_success", "sell_cancel", "withdraw_freeze", "withdraw_complete", "withdraw_failed", "sell_freeze",
	"sell_complete", "transfer_in", "transfer_out", "internal_deposit", "internal_withdraw", "interest_receive",
	"ptoken_retrieve", "ptoken_lock", "ptoken_unlock", "ptoken_lock_reward", "c2c_buy", "c2c_sell", "c2c_freeze", "c2c_unfreeze",
}

// FundingBillTypes lists the documented types of funding bills (4.15).
func FundingBillTypes() []FundingBillType { return slices.Clone(fundingBillTypes) }

// Bill is one change of a balance of the spot account (section 2). Of CoinID and CoinName one may
// be empty.
type Bill struct {
	BillID      string           `json:"billId"`
	CoinID      string           `json:"coinId"`
	CoinName    affiliate.Coin   `json:"coinName"`
	Type        BillType         `json:"bizType"`
	FillSize    affiliate.Number `json:"fillSize"`
	FillValue   affiliate.Number `json:"fillValue"`
	DeltaAmount affiliate.Number `json:"deltaAmount"` // the change
	AfterAmount affiliate.Number `json:"afterAmount"` // the balance after it
	Fees        affiliate.Number `json:"fees"`
	Created     affiliate.Millis `json:"cTime"`
}

// Lacks names a required field that is missing.
func (b *Bill) Lacks() (field, why string) {
	switch {
	case !named(b.BillID):
		return "billId", wire.Absent
	case b.CoinName == "" && b.CoinID == "":
		return "coinName", wire.Absent
	case b.Type == "":
		return "bizType", wire.Absent
	case !b.DeltaAmount.Known():
		return "deltaAmount", wire.Absent
	case !b.Created.Known():
		return "cTime", wire.Absent
	}
	return "", ""
}

// Spares reports whether no figure needs a field: commission and payments need the change.
func (b *Bill) Spares(field string) bool {
	switch field {
	case "afterAmount", "fees", "fillSize", "fillValue":
		return true
	}
	return false
}

// FundingBill is one change of a balance of the funding account (section 2). Of CoinID and
// CoinName one may be empty.
type FundingBill struct {
	BillID      string           `json:"billId"`
	CoinID      string           `json:"coinId"`
	CoinName    affiliate.Coin   `json:"coinName"`
	Type        FundingBillType  `json:"bizType"`
	DeltaAmount affiliate.Number `json:"deltaAmount"` // in the sample, but not in the document's table
	AfterAmount affiliate.Number `json:"afterAmount"`
	Fees        affiliate.Number `json:"fees"`
	Created     affiliate.Millis `json:"cTime"`
}

// Lacks names a required field that is missing.
func (b *FundingBill) Lacks() (field, why string) {
	switch {
	case !named(b.BillID):
		return "billId", wire.Absent
	case b.CoinName == "" && b.CoinID == "":
		return "coinName", wire.Absent
	case b.Type == "":
		return "bizType", wire.Absent
	case !b.Created.Known():
		return "cTime", wire.Absent
	}
	return "", ""
}

// Spares reports whether no figure needs a field.
func (b *FundingBill) Spares(field string) bool { return field == "afterAmount" || field == "fees" }

// Transfer is a movement between two accounts of one user (section 2). It has no id.
type Transfer struct {
	CoinName   affiliate.Coin   `json:"coinName"`
	Status     TransferStatus   `json:"status"`
	ToType     wire.FreeText    `json:"toType"`
	ToSymbol   wire.FreeText    `json:"toSymbol"` // may be empty
	FromType   wire.FreeText    `json:"fromType"`
	FromSymbol wire.FreeText    `json:"fromSymbol"` // may be empty
	Amount     affiliate.Number `json:"amount"`
	Time       affiliate.Millis `json:"tradeTime"`
}

// Lacks names a required field that is missing.
func (v *Transfer) Lacks() (field, why string) {
	switch {
	case v.CoinName == "":
		return "coinName", wire.Absent
	case !v.Amount.Known():
		return "amount", wire.Absent
	case !v.Time.Known():
		return "tradeTime", wire.Absent
	}
	return "", ""
}
