package exchange

import (
	"slices"

	"rebatedesk/affiliate"
)

// fundingBillList is the name of the list of 4.15.
const fundingBillList = "items"

type (
	// BillType is what a bill of the spot account is for. Values that are not
	// in the document are kept as they came.
	BillType string
	// FundingBillType is the same for the funding account, with other values.
	FundingBillType string
	// TransferStatus is where a transfer stands; the document shows no values.
	TransferStatus string
)

// The types of spot bills that pay out commission (4.14).
const (
	RakeBackReward BillType = "rake_back_reward" // rebate of commission
	AgentReward    BillType = "rr_agent_reward"  // commission of an affiliate
)

var billTypes = []BillType{
	"deposit", "withdraw", "transfer_in", "transfer_out", "trade_in", "trade_out", RakeBackReward, "airdrop_reward",
	AgentReward, "launch_pad_airdrop_in", "launch_pad_airdrop_out", "system_issued", "airdrop_reward_for_product_activity",
	"red_packet_create", "red_packet_claim", "red_packet_refund",
}

// BillTypes lists the types that spot bills can be asked for (4.14).
func BillTypes() []BillType { return slices.Clone(billTypes) }

var fundingBillTypes = []FundingBillType{
	"deposit", "buy_success", "sell_cancel", "withdraw_freeze", "withdraw_complete", "withdraw_failed", "sell_freeze",
	"sell_complete", "transfer_in", "transfer_out", "internal_deposit", "internal_withdraw", "interest_receive",
	"ptoken_retrieve", "ptoken_lock", "ptoken_unlock", "ptoken_lock_reward", "c2c_buy", "c2c_sell", "c2c_freeze", "c2c_unfreeze",
}

// FundingBillTypes lists the documented types of funding bills (4.15).
func FundingBillTypes() []FundingBillType { return slices.Clone(fundingBillTypes) }

// Bill is one change of a balance of the spot account (section 2).
type Bill struct {
	BillID      string
	CoinID      string
	CoinName    affiliate.Coin
	Type        BillType
	FillSize    affiliate.Number
	FillValue   affiliate.Number
	DeltaAmount affiliate.Number // the change
	AfterAmount affiliate.Number // the balance after it
	Fees        affiliate.Number
	Created     affiliate.Millis // cTime
}

func readBill(r *reader) Bill {
	var b Bill
	for r.token(); r.members(); {
		switch string(r.name) {
		case "billId":
			b.BillID = r.id()
		case "coinId":
			b.CoinID = r.identity()
		case "coinName":
			b.CoinName = affiliate.Coin(r.identity())
		case "bizType":
			b.Type = BillType(r.text())
		case "fillSize":
			b.FillSize = r.number()
		case "fillValue":
			b.FillValue = r.number()
		case "deltaAmount":
			b.DeltaAmount = r.number()
		case "afterAmount":
			b.AfterAmount = r.number()
		case "fees":
			b.Fees = r.number()
		case "cTime":
			b.Created = r.millis()
		default:
			r.skip()
		}
	}
	r.need("billId", b.BillID != "")
	r.need("coinName", b.CoinName != "")
	r.need("bizType", b.Type != "")
	r.need("deltaAmount", b.DeltaAmount.Known())
	r.need("cTime", b.Created.Known())
	return b
}

// FundingBill is one change of a balance of the funding account (section 2).
type FundingBill struct {
	BillID      string
	CoinID      string
	CoinName    affiliate.Coin
	Type        FundingBillType
	DeltaAmount affiliate.Number // in the sample, but not in the document's table
	AfterAmount affiliate.Number
	Fees        affiliate.Number
	Created     affiliate.Millis // cTime
}

func readFundingBill(r *reader) FundingBill {
	var b FundingBill
	for r.token(); r.members(); {
		switch string(r.name) {
		case "billId":
			b.BillID = r.id()
		case "coinId":
			b.CoinID = r.identity()
		case "coinName":
			b.CoinName = affiliate.Coin(r.identity())
		case "bizType":
			b.Type = FundingBillType(r.text())
		case "deltaAmount":
			b.DeltaAmount = r.number()
		case "afterAmount":
			b.AfterAmount = r.number()
		case "fees":
			b.Fees = r.number()
		case "cTime":
			b.Created = r.millis()
		default:
			r.skip()
		}
	}
	r.need("billId", b.BillID != "")
	r.need("coinName", b.CoinName != "")
	r.need("bizType", b.Type != "")
	r.need("cTime", b.Created.Known())
	return b
}

// Transfer is money moved between two accounts of one user (section 2). It has
// no id.
type Transfer struct {
	CoinName   affiliate.Coin
	Status     TransferStatus
	ToType     string
	ToSymbol   string // may be empty
	FromType   string
	FromSymbol string // may be empty
	Amount     affiliate.Number
	Time       affiliate.Millis // tradeTime
}

func readTransfer(r *reader) Transfer {
	var v Transfer
	for r.token(); r.members(); {
		switch string(r.name) {
		case "coinName":
			v.CoinName = affiliate.Coin(r.identity())
		case "status":
			v.Status = TransferStatus(r.text())
		case "toType":
			v.ToType = r.text()
		case "toSymbol":
			v.ToSymbol = r.text()
		case "fromType":
			v.FromType = r.text()
		case "fromSymbol":
			v.FromSymbol = r.text()
		case "amount":
			v.Amount = r.number()
		case "tradeTime":
			v.Time = r.millis()
		default:
			r.skip()
		}
	}
	r.need("coinName", v.CoinName != "")
	r.need("amount", v.Amount.Known())
	r.need("tradeTime", v.Time.Known())
	return v
}
