package bitget

import (
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
)

const (
	windowDays = 30 // pages of the exchange disagree about the span of a query: 30 holds under each
	reachDays  = 90
	pageSize   = 100
	allDays    = 100_000

	// reach is how far back a run may begin, less the time that it may take until it asks for its oldest day.
	reach = reachDays*24*time.Hour - 5*time.Minute
	// queryReach is how far back a query may begin, less the time that it takes to arrive.
	queryReach = reachDays*24*time.Hour - time.Minute
	// payoutDays are the days of a window of payouts: a query of seven days begins one earlier.
	payoutDays = 6
	// payoutReach leaves that day, and the begun one at the end of reach, to the queries of whole days.
	payoutReach = reach - 2*24*time.Hour

	settling = 7 * 24 * time.Hour // how long records come late, change and vanish
)

// Sheet says what the exchange gives.
var Sheet = exchange.Sheet{
	Name: "bitget", Title: "Bitget", Base: "https://api.bitget.com",
	Grain: exchange.GrainDay, DayZone: "UTC+8", DayBegins: 16 * time.Hour, Published: 24 * time.Hour, Reach: new(reachDays), Additive: true, Fees: true, Volumes: true,
	Unknown: []string{"rate", "invite_code"}, Paid: exchange.ProofState, Window: windowDays, PageSize: pageSize, Settling: settling,
	Streams: []exchange.StreamSheet{
		{Stream: affiliate.Stream{Kind: affiliate.Commissions}, First: windowDays, Window: windowDays, Reach: reach},
		{Stream: affiliate.Stream{Kind: affiliate.Invitees}, First: allDays, Window: allDays, Whole: true},
		{Stream: affiliate.Stream{Kind: affiliate.Payouts}, First: payoutDays, Window: payoutDays, Reach: payoutReach},
	},
}
