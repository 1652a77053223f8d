package simulator

import (
	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator/account"
)

// Ledger is the truth at one moment, which a complete collection must equal.
type Ledger struct {
	// Commissions of both products, oldest first.
	Commissions []affiliate.Commission
	// Invitees by registration. Those who registered more than 365 days ago belong to the
	// truth, although endpoint 4.18 no longer returns them.
	Invitees []affiliate.Invitee
	// SubAffiliateDays of both products, oldest first.
	SubAffiliateDays []affiliate.SubAffiliateDay
	// Payouts are the commission payouts as paid, oldest first.
	Payouts []account.Payout
	// Bills of both wallets, in no order.
	Bills []affiliate.Bill
	// Transfers between the wallets, oldest first.
	Transfers []affiliate.Transfer
	// Orders are the accepted spot orders, oldest first.
	Orders []account.PlacedOrder
	// TriggerOrders are the accepted orders of the contract market, oldest first.
	TriggerOrders []account.PlacedTrigger
	// Executions holds, for each order identifier chosen by a client, the counts of its
	// requests.
	Executions map[string]account.Execution
}
