package kucoin

import (
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
)

const (
	windowDays = 30  // the span of a query is not published; 30 days are known to work
	pageSize   = 500 // the most that the exchange gives; that of payouts is not published
	allDays    = 100_000

	// settling is how long records come late, change and vanish.
	settling = 7 * 24 * time.Hour
)

// Sheet says what the exchange gives. How far back it goes is not published.
var Sheet = exchange.Sheet{
	Name: "kucoin", Title: "KuCoin", Base: "https://api.kucoin.com",
	Grain: exchange.GrainTrade, DayZone: "UTC+8", DayBegins: 16 * time.Hour, Additive: true, Fees: true, Volumes: true, Codes: true,
	Unknown: []string{"rate", "symbol"}, Paid: exchange.ProofState, Window: windowDays, PageSize: pageSize, Settling: settling,
	Streams: []exchange.StreamSheet{
		{Stream: affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Spot}, First: 7, Window: windowDays},
		{Stream: affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Futures}, First: 7, Window: windowDays},
		{Stream: affiliate.Stream{Kind: affiliate.Invitees}, First: allDays, Window: allDays, Whole: true},
		{Stream: affiliate.Stream{Kind: affiliate.Payouts}, First: windowDays, Window: windowDays},
	},
}
