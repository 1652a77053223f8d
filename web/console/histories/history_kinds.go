package histories

import (
	"context"
	"errors"
	"iter"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/reports/payments"
	"rebatedesk/web/console"
	"rebatedesk/web/templates/console/frame"
)

// recorded is one record of a history, with what all kinds have in common.
type recorded struct {
	at      affiliate.Millis
	coin    affiliate.Coin   // of the change; of a fill the quote coin
	kind    string           // business type, side of a fill, or status of a transfer
	change  affiliate.Number // of the balance; of a fill its value, of a transfer its amount
	balance affiliate.Number // after it; unknown for fills and transfers

	fill     *exchange.Fill
	bill     *exchange.Bill
	funding  *exchange.FundingBill
	transfer *exchange.Transfer
}

// recordList are the records of one history, the newest first once they are read.
type recordList []recorded

func billName(account affiliate.Account, wallet affiliate.Wallet, id string) payments.BillName {
	return payments.BillName{Account: account, Wallet: wallet, ID: id}
}

// gather turns an iteration into records, and hands on the time of each. A record that could not be read
// is one of what could: its change is unknown, and so are the sums that it belongs to.
func gather[T any](all iter.Seq2[T, error], of func(T) recorded, each func(affiliate.Millis)) (list recordList, err error) {
	for record, err := range all {
		if wrong, ok := errors.AsType[*exchange.RecordError[T]](err); ok {
			if wrong.Spared {
				continue
			}
			record, err = wrong.Record, nil
		}
		if err != nil {
			return list, err
		}
		list = append(list, of(record))
		each(list[len(list)-1].at)
	}
	return list, nil
}

func ofFill(f exchange.Fill) recorded {
	return recorded{at: f.Created, coin: f.QuoteCoin, kind: string(f.Side), change: f.FillTotalAmount, fill: &f}
}

func ofBill(b exchange.Bill) recorded {
	return recorded{at: b.Created, coin: b.CoinName, kind: string(b.Type), change: b.DeltaAmount, balance: b.AfterAmount, bill: &b}
}

func ofFunding(b exchange.FundingBill) recorded {
	return recorded{at: b.Created, coin: b.CoinName, kind: string(b.Type), change: b.DeltaAmount, balance: b.AfterAmount, funding: &b}
}

// transferArrow is between the two accounts of a transfer's kind.
const transferArrow = " → "

func ofTransfer(t exchange.Transfer) recorded {
	return recorded{at: t.Time, coin: t.CoinName, kind: string(t.FromType) + transferArrow + string(t.ToType), change: t.Amount, transfer: &t}
}

// keptBill converts a stored bill to the form in which the exchange lists it.
func keptBill(b affiliate.Bill) recorded {
	if b.Wallet == affiliate.FundingWallet {
		return ofFunding(exchange.FundingBill{BillID: b.ID, CoinID: b.CoinID, CoinName: b.Coin, Type: exchange.FundingBillType(b.Business),
			DeltaAmount: b.Amount, AfterAmount: b.Balance, Fees: b.Fees, Created: b.Created})
	}
	return ofBill(exchange.Bill{BillID: b.ID, CoinID: b.CoinID, CoinName: b.Coin, Type: exchange.BillType(b.Business), FillSize: b.FillSize, FillValue: b.FillValue,
		DeltaAmount: b.Amount, AfterAmount: b.Balance, Fees: b.Fees, Created: b.Created})
}

func keptTransfer(t affiliate.Transfer) recorded {
	listed := exchange.Transfer{CoinName: t.Coin, Status: exchange.TransferStatus(t.Status), Amount: t.Amount, Time: t.Time}
	set(&listed.ToType, t.ToType)
	set(&listed.ToSymbol, t.ToSymbol)
	set(&listed.FromType, t.FromType)
	set(&listed.FromSymbol, t.FromSymbol)
	return ofTransfer(listed)
}

func set[T ~string](field *T, text string) { *field = T(text) }

var fillHistory = history{
	Sheet: fillsSheet,
	ask: func(ctx context.Context, a console.Asking, part part, each func(affiliate.Millis)) (recordList, error) {
		return gather(a.Client.AllFills(ctx, exchange.FillQuery{Symbol: part.symbol, OrderID: part.order, From: part.from, To: part.to}), ofFill, each)
	},
	row:   func(a console.Asking, r recorded) frame.SheetRow { return fillRow(a, *r.fill) },
	kinds: []string{string(exchange.Buy), string(exchange.Sell)},
}

var billHistory = history{
	Sheet: billsSheet, stream: affiliate.SpotBills, wallet: affiliate.SpotWallet,
	ask: func(ctx context.Context, a console.Asking, part part, each func(affiliate.Millis)) (recordList, error) {
		return gather(a.Client.AllBills(ctx, exchange.BillQuery{From: part.from, To: part.to}), ofBill, each)
	},
	row:   func(a console.Asking, r recorded) frame.SheetRow { return billRow(a, *r.bill) },
	kinds: textsOf(exchange.BillTypes()),
}

var fundingHistory = history{
	Sheet: fundingSheet, stream: affiliate.FundingBills, wallet: affiliate.FundingWallet,
	ask: func(ctx context.Context, a console.Asking, part part, each func(affiliate.Millis)) (recordList, error) {
		return gather(a.Client.AllFundingBills(ctx, exchange.FundingBillQuery{From: part.from, To: part.to}), ofFunding, each)
	},
	row:   func(a console.Asking, r recorded) frame.SheetRow { return fundingRow(a, *r.funding) },
	kinds: textsOf(exchange.FundingBillTypes()),
}

var transferHistory = history{
	Sheet: transfersSheet, stream: affiliate.Transfers,
	ask: func(ctx context.Context, a console.Asking, part part, each func(affiliate.Millis)) (recordList, error) {
		return gather(a.Client.AllTransfers(ctx, exchange.TransferQuery{From: part.from, To: part.to}), ofTransfer, each)
	},
	row: func(a console.Asking, r recorded) frame.SheetRow { return transferRow(a, *r.transfer) },
}

// textsOf returns values as the exchange writes them.
func textsOf[T ~string](values []T) (texts []string) {
	for _, value := range values {
		texts = append(texts, string(value))
	}
	return texts
}
