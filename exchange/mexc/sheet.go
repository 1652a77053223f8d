package mexc

import (
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
)

const (
	windowDays = 30
	reachDays  = 180 // not published
	pageSize   = 100

	// reach is how far back a query may begin, less the time that it takes to arrive.
	reach = reachDays*24*time.Hour - time.Minute

	settling = 7 * 24 * time.Hour // how long records come late, change and vanish
)

// Sheet says what the exchange gives. The list of invitees has sums too, which do not add up and are
// never read; whether it has those who had no commission in its time is a guess.
var Sheet = exchange.Sheet{
	Name: "mexc", Title: "MEXC", Base: "https://api.mexc.com", NoPassphrase: true,
	Grain: exchange.GrainDay, DayZone: "UTC+8", DayBegins: 16 * time.Hour, Published: 24 * time.Hour, Reach: new(reachDays), Additive: true, Volumes: true, Codes: true,
	Unknown: []string{"fee"}, Paid: exchange.ProofNone, Window: windowDays, PageSize: pageSize, Settling: settling,
	Streams: []exchange.StreamSheet{
		{Stream: affiliate.Stream{Kind: affiliate.Commissions}, First: 7, Window: windowDays, Reach: reach - 4*time.Minute},
		{Stream: affiliate.Stream{Kind: affiliate.Invitees}, First: windowDays, Window: windowDays, Reach: reach - 4*time.Minute, Partial: true},
	},
}
