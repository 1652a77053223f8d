package weex

import (
	"rebatedesk/exchange"

	"cmp"
	"context"
	"iter"
	"math"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/wire"
)

const (
	maxBills     = 100
	maxTransfers = 500
)

// BillQuery asks for bills of the spot account. All fields are optional.
type BillQuery struct {
	CoinID   string
	Type     BillType         // one of BillTypes
	From, To affiliate.Millis // sent as after and before
	Limit    int              // 1 to 100; default 100, the exchange's own would be 10
}

// Bills asks for spot bills. The endpoint has no pages: bills beyond the limit are left
// out.
//
//	4.14 POST /api/v2/account/bills, weight 5 / 5
func (c *Client) Bills(ctx context.Context, q BillQuery) (exchange.Page[Bill], error) {
	return askList(ctx, c, c.fields(endpointBills, q.fields), wire.ReadRow[Bill])
}

func (q BillQuery) fields(f *fields) {
	f.digits("coinId", q.CoinID)
	if q.Type != "" {
		choice(f, "bizType", q.Type, BillTypes())
	}
	f.instant("after", q.From)
	f.instant("before", q.To)
	f.inOrder("before", q.From, q.To)
	f.count("limit", q.Limit, maxBills, 1, maxBills)
}

// AllBills iterates over all spot bills from q.From until before q.To, if set, and yields
// each bill once. It ends at the first error that is not a [*RecordError].
func (c *Client) AllBills(ctx context.Context, q BillQuery) iter.Seq2[Bill, error] {
	return byTime[Bill]{
		endpoint: endpointNamed(endpointBills), limit: cmp.Or(q.Limit, maxBills), most: maxBills,
		at: func(b Bill) affiliate.Millis { return b.Created },
		ask: func(after, before affiliate.Millis, limit int) (exchange.Page[Bill], error) {
			q := q
			q.From, q.To, q.Limit = after, before, limit
			return c.Bills(ctx, q)
		},
	}.all(q.From, q.To)
}

// FundingBillQuery asks for one page of bills of the funding account. All
// fields are optional.
type FundingBillQuery struct {
	CoinID    string
	From, To  affiliate.Millis // sent as startTime and endTime
	PageIndex int              // from 1, the default
	PageSize  int              // 1 to 100; default 100, the exchange's own would be 10
}

// FundingBills asks for one page of funding bills.
//
//	4.15 POST /api/v2/account/fundingBills, weight 5 / 5
func (c *Client) FundingBills(ctx context.Context, q FundingBillQuery) (exchange.Page[FundingBill], error) {
	return askPage(ctx, c, c.fields(endpointFundingBills, q.fields), fundingBillList, wire.ReadRow[FundingBill])
}

func (q FundingBillQuery) fields(f *fields) {
	f.digits("coinId", q.CoinID)
	f.window(q.From, q.To, 0)
	f.paged(q.PageIndex, q.PageSize)
	f.count("pageIndex", q.PageIndex, 1, 1, math.MaxInt32)
	f.count("pageSize", q.PageSize, wire.FullPage, 1, 100)
}

// AllFundingBills iterates over all funding bills that match the query, and yields each one
// once. It ends at the first error that is not a [*RecordError].
func (c *Client) AllFundingBills(ctx context.Context, q FundingBillQuery) iter.Seq2[FundingBill, error] {
	return byPage(endpointNamed(endpointFundingBills), 1, cmp.Or(q.PageSize, wire.FullPage),
		func(page int) (exchange.Page[FundingBill], error) {
			q.PageIndex = page
			return c.FundingBills(ctx, q)
		}, func(b FundingBill) string { return b.BillID })
}

// TransferQuery asks for transfers between the accounts of one user. All
// fields are optional.
type TransferQuery struct {
	CoinID   string
	FromType string           // the kind of account the money left
	From, To affiliate.Millis // sent as before and after: their meanings are swapped here
	Limit    int              // 1 to 500; default 500, the exchange's own would be 100
}

// Transfers asks for transfers. The endpoint has no pages: transfers beyond the limit are
// left out. The parameters are reversed compared with bills: "after" selects earlier
// transfers, and "before" later ones.
//
//	4.16 GET /api/v2/account/transferRecords, weight 3 / 3
func (c *Client) Transfers(ctx context.Context, q TransferQuery) (exchange.Page[Transfer], error) {
	return askList(ctx, c, c.fields(endpointTransfers, q.fields), wire.ReadRow[Transfer])
}

func (q TransferQuery) fields(f *fields) {
	f.digits("coinId", q.CoinID)
	if q.FromType != "" {
		f.text("fromType", q.FromType)
	}
	f.instant("after", q.To)
	f.instant("before", q.From)
	f.inOrder("after", q.From, q.To)
	f.count("limit", q.Limit, maxTransfers, 1, maxTransfers)
}

// AllTransfers iterates over all transfers from q.From until before q.To, if set, and
// yields each one once. Transfers have no id, so two equal transfers count as two. It ends
// at the first error that is not a [*RecordError].
func (c *Client) AllTransfers(ctx context.Context, q TransferQuery) iter.Seq2[Transfer, error] {
	return byTime[Transfer]{
		endpoint: endpointNamed(endpointTransfers), limit: cmp.Or(q.Limit, maxTransfers), most: maxTransfers,
		at: func(v Transfer) affiliate.Millis { return v.Time },
		ask: func(after, before affiliate.Millis, limit int) (exchange.Page[Transfer], error) {
			q := q
			q.From, q.To, q.Limit = after, before, limit
			return c.Transfers(ctx, q)
		},
	}.all(q.From, q.To)
}
