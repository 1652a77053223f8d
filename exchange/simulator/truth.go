package simulator

import (
	"rebatedesk/affiliate"
	"rebatedesk/exchange/simulator/account"
)

// Ledger is the truth at one moment: what a complete collection must equal.
type Ledger struct {
	// Commissions of both products, oldest first.
	Commissions []affiliate.Commission
	// Invitees by registration. Those who registered more than 365 days ago
	// belong to the truth, but endpoint 4.18 no longer reaches them.
	Invitees []affiliate.Invitee
	// SubAffiliateDays of both products, oldest first.
	SubAffiliateDays []affiliate.SubAffiliateDay
	// Payouts are the commissions as they were paid, oldest first.
	Payouts []account.Payout
	// Orders are the spot orders that were accepted, oldest first.
	Orders []account.PlacedOrder
	// TriggerOrders are those of the contract market, oldest first.
	TriggerOrders []account.PlacedTrigger
	// Executions count, for each identifier that a client chose for an order,
	// what became of it.
	Executions map[string]account.Execution
}
