package okx

import (
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
)

const (
	pageSize = 100
	allDays  = 100_000
	billDays = 30

	settling = 7 * 24 * time.Hour // how long bills come late, change and vanish
)

// Sheet says what the exchange gives: totals of a lifetime, of which the desk keeps each reading. What was
// before the first one is out of reach.
var Sheet = exchange.Sheet{
	Name: "okx", Title: "OKX", Base: "https://www.okx.com",
	Grain: exchange.GrainSpan, DayZone: "UTC", Reach: new(0), Fees: true, Volumes: true, Codes: true,
	Unknown: []string{"rate", "symbol", "product_type"}, Paid: exchange.ProofBills, PageSize: pageSize, Settling: settling,
	Streams: []exchange.StreamSheet{
		{Stream: affiliate.Stream{Kind: affiliate.Commissions}, First: allDays, Window: allDays, Reach: time.Millisecond, Whole: true},
		{Stream: affiliate.Stream{Kind: affiliate.Invitees}, First: allDays, Window: allDays, Whole: true},
		{Stream: affiliate.Stream{Kind: affiliate.FundingBills}, First: billDays, Window: billDays},
	},
}
