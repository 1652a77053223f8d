package trading

import (
	"rebatedesk/affiliate"
	"rebatedesk/store/orders"
)

// IntentKind is which call an intent makes.
type IntentKind string

// The kinds, with their endpoints.
const (
	Place      IntentKind = "place"        // 4.7
	PlaceBatch IntentKind = "batch"        // 4.8
	Cancel     IntentKind = "cancel"       // 4.9
	CancelSome IntentKind = "cancel-batch" // 4.10, at most 50 orders of one pair
	CancelAll  IntentKind = "cancel-all"   // 4.10, as often as the open orders of the pair need
	Trigger    IntentKind = "trigger"      // 4.13
)

// Channel is where an intent comes from.
type Channel string

// The sources. What comes from the proxy is checked as it is: nothing is
// rounded, and it has a client order id of its own.
const (
	FromPage  Channel = "page"
	FromProxy Channel = "proxy"
)

// Intent is what is to be sent, or was; see [store.Intent].
type Intent = orders.Intent

// Order is one order or cancellation of an [Intent]. In a [Draft] the numbers
// may be whatever was typed: the flight check reads them.
//
// A trigger order has Action, Match, Margin and TriggerPrice, its execution
// price in Price and its size in Quantity. A cancellation has OrderID or
// ClientID, one of them.
type Order = orders.IntentOrder

// IntentState is how far an order has come.
type IntentState = orders.IntentState

// The states, see [store.IntentState].
const (
	IntentDrafted   = orders.IntentDrafted
	IntentSending   = orders.IntentSending
	IntentPlaced    = orders.IntentPlaced
	IntentCancelled = orders.IntentCancelled
	IntentRefused   = orders.IntentRefused
	IntentNotSent   = orders.IntentNotSent
	IntentUnknown   = orders.IntentUnknown
	IntentResolved  = orders.IntentResolved
	IntentDryRun    = orders.IntentDryRun
)

// Draft is what somebody wants to send.
type Draft struct {
	// ID is the number of the form, from [NewID]; empty: it gets one. A second
	// draft with the ID is the first one, sent again.
	ID      string
	Account affiliate.Account
	Kind    IntentKind
	Pair    string
	Orders  []Order // none for CancelAll: the desk reads which are open
	Source  Channel
	Again   bool // the same order was sent a moment ago, and this one is wanted too
}
